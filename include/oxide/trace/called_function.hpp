// What a call in a trace says about the function that it calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <oxide/ir/graph.hpp>

namespace oxide::trace {

// A memory that is passed to a function: the function is another one for each memory.
struct MemoryArgument {
  std::uint32_t memory = 0;
  ir::Access* access = nullptr;  // what is done with it; may be null
};

struct CalledFunction {
  using Code = void (*)();  // of whatever type it was
  using Run = void (*)(const CalledFunction& function);

  const void* identity;  // one address for each function
  Code code;
  Run run;  // one run of its body, with the recorder of that run in place
  std::string_view name;
  const ir::Type* parameters;
  std::size_t parameter_count;
  const ir::Type* results;
  std::size_t result_count;
  const MemoryArgument* memories;
  std::size_t memory_count;
};

}  // namespace oxide::trace
