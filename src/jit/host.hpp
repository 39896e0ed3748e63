// Graph to machine code in this process.
#pragma once

#include "llvm.hpp"

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

// Machine code that is loaded; taken out of memory when destroyed.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  oxide_host_kernel entry = nullptr;
};

struct HostCode {
  std::unique_ptr<LoadedCode> code;
  std::string llvm_ir, assembly;  // only when asked for
  oxide_host_needs needs{};
};

// Throws Failure. `timing` is filled in as far as the compile comes.
HostCode compile_host(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing);

std::string host_cpu();

}  // namespace oxide::jit
