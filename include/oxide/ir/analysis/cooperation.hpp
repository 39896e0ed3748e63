// What blocks of a kernel do together: wait for the whole grid, or for their cluster, and read each other's shared memory.
#pragma once

#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// The first operation of each sort, in the order of bodies and blocks, and where it stands; null where there is none.
struct Cooperation {
  const Operation* grid = nullptr;     // waits for all blocks of the grid
  const Operation* cluster = nullptr;  // takes a cluster
  const Operation* grid_in_recursion = nullptr;  // as `grid`, in what a function that may be called while it runs does
  // Whether blocks of a cluster meet: the processor runs them together then. Else a cluster is so many blocks.
  bool clusters_meet = false;

  explicit Cooperation(const Graph& graph) {
    for (std::size_t f = 0; f != body_count(graph); ++f)
      for (const Block& block : body_of(graph, f).blocks)
        for (const Operation& op : block.operations) {
          look_at(op);
          if (op.opcode == Opcode::grid_barrier && f != 0 && grid_in_recursion == nullptr && in_recursion(graph, f - 1))
            grid_in_recursion = &op;
        }
  }

 private:
  static bool in_recursion(const Graph& graph, std::size_t function) {
    const CallGraph calls(graph);
    for (std::size_t f = 0; f != graph.functions.size(); ++f)
      if (calls.recursive(f) && (f == function || calls.reaches(f + 1, function))) return true;
    return false;
  }
  void look_at(const Operation& op) {
    switch (op.opcode) {
      case Opcode::grid_barrier:
        if (grid == nullptr) grid = &op;
        return;
      case Opcode::cluster_arrive:
      case Opcode::cluster_wait:
      case Opcode::shared_address:
        clusters_meet = true;
        [[fallthrough]];
      case Opcode::check_rank:
      case Opcode::cluster_rank:
      case Opcode::cluster_dim:
        if (cluster == nullptr) cluster = &op;
        return;
      default:
        return;
    }
  }
};

}  // namespace oxide::ir
