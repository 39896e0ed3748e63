// What code of the CPU device does besides computing; see host_runtime.hpp for what it calls.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// A special register other than warpid and nwarpid, which come from the thread's place.
llvm::Value* read_host_register(Builder& b, ir::SpecialRegister which);
void host_sleep(Builder& b, llvm::Value* nanoseconds);
void host_breakpoint(Builder& b);

}  // namespace oxide::jit
