// What a function of a graph needs of the kernel that it is called from, for itself and what it calls.
#pragma once

#include <vector>

#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

struct FunctionNeeds {
  std::vector<bool> memories;  // that it names
  bool fails = false;          // it has a check
  bool prints = false;
  bool stack = false;          // it calls itself, or a function that does
};

// By function.
std::vector<FunctionNeeds> function_needs(const ir::Graph& graph, const ir::CallGraph& calls, const std::vector<oxide_fault_site>& sites);

}  // namespace oxide::jit
