// An array that the compiler left in the local memory of a GPU's threads.
#pragma once

#include <cstdint>

#include <oxide/error.hpp>

namespace oxide {

// One array, and where the user's source makes it.
struct ArrayInLocalMemory {
  SourceLine line;
  std::uint64_t bytes = 0;  // of a thread
};

}  // namespace oxide
