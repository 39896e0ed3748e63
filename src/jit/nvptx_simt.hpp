// Threads together, on NVIDIA GPUs: barriers, fences, operations of a warp; atomic accesses are in nvptx_atomics.cpp.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// Inline PTX with side effects, which is neither copied nor merged.
llvm::CallInst* call_convergent_asm(Builder& b, llvm::Type* result, const std::string& text, const std::string& constraints,
                                    llvm::ArrayRef<llvm::Value*> operands);

// Throws Failure for an architecture without clusters.
void needs_clusters(unsigned sm);

// Convergent code for a collective operation or a fence. `type` is operand 0's, where there is one.
llvm::Value* nvptx_collective(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<llvm::Value*> operands, unsigned sm);

// Waits for all threads of the grid; `barrier` is an oxide_grid_barrier, and `failed` a word that is not 0 when a check has failed: its
// own, or the fault record, which says it of all launches. Both are in global memory. Gives an i1 that is the same for all threads of the
// block: whether some do not come. Threads leave the kernel when a check has failed elsewhere.
llvm::Value* nvptx_grid_barrier(Builder& b, llvm::Value* barrier, llvm::Value* failed);
// Lets threads that wait in a grid barrier know that this one does not come any more, because it has ended or failed a check.
void nvptx_leave_grid(Builder& b, llvm::Value* barrier, bool failed);

// An atomic access to an element of `type` at `address`, which is in global memory, or in shared memory of the block or
// the cluster.
llvm::Value* nvptx_atomic(Builder& b, const ir::Operation& op, ir::Type type, llvm::Value* address, llvm::ArrayRef<llvm::Value*> operands,
                          Surroundings::Combine combine, unsigned sm);

}  // namespace oxide::jit
