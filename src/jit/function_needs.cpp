#include "function_needs.hpp"

namespace oxide::jit {

std::vector<FunctionNeeds> function_needs(const ir::Graph& graph, const ir::CallGraph& calls, const std::vector<oxide_fault_site>& sites) {
  std::vector<FunctionNeeds> own(graph.functions.size());
  for (std::size_t f = 0; f != own.size(); ++f) {
    own[f].memories.resize(graph.memories.size(), false);
    own[f].stack = calls.reaches_recursion(f + 1);
    for (const ir::Block& block : graph.functions[f].blocks)
      for (const ir::Operation& op : block.operations) {
        own[f].prints |= op.opcode == ir::Opcode::print;
        if (ir::names_memory(ir::row_of(op.opcode).immediate)) own[f].memories[ir::memory_number(op.immediate)] = true;
      }
  }
  for (const oxide_fault_site& site : sites)
    if (site.function != 0) own[site.function - 1].fails = true;
  std::vector<FunctionNeeds> all = own;
  for (std::size_t f = 0; f != own.size(); ++f)
    for (std::size_t callee = 0; callee != own.size(); ++callee) {
      if (!calls.reaches(f + 1, callee)) continue;
      all[f].fails = all[f].fails || own[callee].fails;
      all[f].prints = all[f].prints || own[callee].prints;
      for (std::size_t m = 0; m != graph.memories.size(); ++m)
        if (own[callee].memories[m]) all[f].memories[m] = true;
    }
  return all;
}

}  // namespace oxide::jit
