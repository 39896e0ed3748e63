// The function that reports a failed check on a GPU.
#pragma once

#include "llvm.hpp"

#include <string>

namespace oxide::jit {

// LLVM's text with the body of the function `fault`, which LLVM saw declared. LLVM numbers the calls of a process in comments; without
// those, equal graphs give equal text.
std::string with_fault_function(llvm::StringRef text, llvm::StringRef fault);

}  // namespace oxide::jit
