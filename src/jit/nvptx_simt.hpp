// Threads together, on NVIDIA GPUs: barriers, fences, operations of a warp, atomic accesses.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// Convergent code for a collective operation or a fence. `type` is operand 0's, where there is one.
llvm::Value* nvptx_collective(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<llvm::Value*> operands, unsigned sm);

// An atomic access to an element of `type` at `address`, which is in global or shared memory.
llvm::Value* nvptx_atomic(Builder& b, const ir::Operation& op, ir::Type type, llvm::Value* address, llvm::ArrayRef<llvm::Value*> operands);

}  // namespace oxide::jit
