// Functions that never return: every way through them leads to a call of one that does not.
#pragma once

#include <cstddef>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// Which functions of the graph can return.
inline std::vector<bool> returning_functions(const Graph& graph) {
  std::vector<bool> returns(graph.functions.size(), false);
  const auto passes = [&](const Block& block) {
    for (const Operation& op : block.operations)
      if (op.opcode == Opcode::call && !returns[static_cast<std::size_t>(op.immediate)]) return false;
    return true;
  };
  const auto reaches_exit = [&](const Body& body) {
    std::vector<bool> seen(body.blocks.size(), false);
    std::vector<std::size_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
      const Block& block = body.blocks[work.back()];
      work.pop_back();
      if (!passes(block)) continue;
      if (block.terminator.kind == TerminatorKind::exit) return true;
      for (std::size_t i = 0; i != (block.terminator.kind == TerminatorKind::jump ? 1u : 2u); ++i) {
        const std::size_t next = block.terminator.targets[i];
        if (!seen[next]) seen[next] = true, work.push_back(next);
      }
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f != returns.size(); ++f)
      if (!returns[f] && reaches_exit(graph.functions[f])) returns[f] = changed = true;
  }
  return returns;
}

}  // namespace oxide::ir
