// Functions made part of the kernel that calls them, where their operations cannot be done in code that is called: a processor runs the
// threads of a block one after another, and cuts a kernel where they meet; the barrier of a grid takes what only a kernel has.
#pragma once

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

#include <cstdint>
#include <vector>

namespace oxide::jit {

// Where things of a graph with inlined functions stood before.
class Origins {
 public:
  // What `fault_sites` gives of the graph, with the places of the graph as it came, then the calls that sites name.
  std::vector<oxide_fault_site> sites(const ir::Graph& graph) const;
  void place(oxide_local_array& array) const;

 private:
  friend class Inliner;
  struct Place {
    std::uint32_t function = 0, block = 0, operation = 0;
    std::uint32_t call = 0;  // through which it became part of the kernel: one more than its index in calls_
  };
  using Places = std::vector<std::vector<Place>>;  // by block, then operation
  std::vector<Places> bodies_;                     // empty where nothing was inlined
  std::vector<Place> calls_;
  std::vector<std::uint32_t> functions_;           // of each function: which one it was
};

// Inlines the functions that lead to operations of which `whole` is true. One of them that may be called while it runs is refused. With
// `drop`, code that no way leads to is dropped first and asks for nothing.
Origins inline_functions(ir::Graph& graph, bool (*whole)(const ir::Operation&), bool drop);

}  // namespace oxide::jit
