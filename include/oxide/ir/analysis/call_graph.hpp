// Who calls whom in a graph, directly or not.
#pragma once

#include <cstddef>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// Bodies are numbered as by body_of: 0 is the kernel's.
class CallGraph {
 public:
  explicit CallGraph(const Graph& graph) : reached_(body_count(graph)) {
    const std::size_t functions = graph.functions.size();
    std::vector<std::vector<std::size_t>> callees(reached_.size());
    for (std::size_t body = 0; body != reached_.size(); ++body)
      for (const Block& block : body_of(graph, body).blocks)
        for (const Operation& op : block.operations)
          if (op.opcode == Opcode::call) callees[body].push_back(static_cast<std::size_t>(op.immediate));
    std::vector<std::size_t> work;
    for (std::size_t body = 0; body != reached_.size(); ++body) {
      reached_[body].resize(functions, false);
      work = callees[body];
      while (!work.empty()) {
        const std::size_t f = work.back();
        work.pop_back();
        if (reached_[body][f]) continue;
        reached_[body][f] = true;
        work.insert(work.end(), callees[f + 1].begin(), callees[f + 1].end());
      }
    }
  }

  // Whether code of a body may lead to a call of the function.
  bool reaches(std::size_t body, std::size_t function) const { return reached_[body][function]; }
  // Whether a function may be called while it runs.
  bool recursive(std::size_t function) const { return reached_[function + 1][function]; }
  // Whether code of a body may lead to a call of a recursive function.
  bool reaches_recursion(std::size_t body) const {
    for (std::size_t f = 0; f != reached_[body].size(); ++f)
      if (reached_[body][f] && recursive(f)) return true;
    return false;
  }

 private:
  std::vector<std::vector<bool>> reached_;  // by body, then function
};

}  // namespace oxide::ir
