// Graph to PTX.
#pragma once

#include "llvm.hpp"

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

struct Ptx {
  std::string text, llvm_ir;  // llvm_ir only when asked for
  std::string entry;
  std::vector<oxide_local_array> local_arrays;
};

// Throws Failure. `timing` is filled in as far as the compile comes.
Ptx compile_nvptx(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing);

}  // namespace oxide::jit
