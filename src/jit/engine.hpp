// Loads object files into this process.
#pragma once

#include "host.hpp"
#include "llvm.hpp"

namespace oxide::jit {

// Loads an object file that defines the function `entry`. It may call the functions of the C mathematics library, memcpy, memmove,
// memset and oxide_simt_run, those of host_runtime.hpp, and nothing else. Throws Failure.
std::unique_ptr<LoadedCode> load_object(llvm::SmallString<0> object, const std::string& entry);

}  // namespace oxide::jit
