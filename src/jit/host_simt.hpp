// Host code for kernels whose threads wait for each other or share memory.
#pragma once

#include "llvm.hpp"

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

// Whether a kernel's threads cannot each run from start to end on their own.
bool needs_regions(const ir::Graph& graph);

// Makes the function `entry`, an oxide_host_kernel, in `module`.
oxide_host_needs make_simt_kernel(const ir::Graph& graph, llvm::Module& module, const char* entry);

}  // namespace oxide::jit
