// Which variables are assigned on every path, and which uses come before that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/trace/walker.hpp>

namespace oxide::trace {

// A use of a variable that some path reaches without a definition.
struct Suspect {
  int node;
  ir::Variable variable;
};

class Assigned {
 public:
  // `joins` are the nodes that the graph's joins lead to, by index.
  Assigned(const NodeGraph& graph, const std::vector<int>& joins)
      : graph_(graph), words_((graph.variables.size() + 63) / 64), is_leader_(graph.nodes.size(), 0), in_queue_(graph.nodes.size(), 0),
        slot_(graph.nodes.size(), -1), at_join_(joins.size()) {
    for (const int target : joins) is_leader_[at(target)] = 1;
    reach(graph.entry, Set(words_, 0));
    while (!work_.empty()) follow(next(), false);  // to the fixed point, then once more to look at the uses
    for (std::size_t n = 0; n < slot_.size(); ++n)
      if (slot_[n] >= 0) work_.push_back(static_cast<int>(n));
    while (!work_.empty()) follow(next(), true);
  }

  const std::vector<Suspect>& suspects() const { return suspects_; }

  // Whether a path comes over a join without the variable.
  bool lacks(std::size_t join, ir::Variable v) const { return !at_join_[join].empty() && !has(at_join_[join], v); }

 private:
  using Set = std::vector<std::uint64_t>;  // of variables

  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  static bool has(const Set& set, ir::Variable v) { return set[v / 64] >> (v % 64) & 1; }

  int next() {
    const int n = work_.back();
    work_.pop_back();
    in_queue_[at(n)] = 0;
    return n;
  }

  // A path comes to the leader n with these variables assigned.
  void reach(int n, const Set& set) {
    std::int32_t& slot = slot_[at(n)];
    bool changed = slot < 0;
    if (slot < 0) {
      slot = static_cast<std::int32_t>(entries_.size());
      entries_.push_back(set);
    } else {
      Set& mine = entries_[static_cast<std::size_t>(slot)];
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t both = mine[w] & set[w];
        changed |= both != mine[w];
        mine[w] = both;
      }
    }
    if (changed && !in_queue_[at(n)]) in_queue_[at(n)] = 1, work_.push_back(n);
  }

  // From a leader to the next ones.
  void follow(int n, bool look) {
    Set set = entries_[static_cast<std::size_t>(slot_[at(n)])];
    for (;;) {
      const Node& node = graph_[n];
      for (unsigned k = 0; look && k < node.operand_count; ++k)
        if (!has(set, node.operands[k])) suspects_.push_back({n, node.operands[k]});
      if (node.result != ir::no_variable) set[node.result / 64] |= std::uint64_t{1} << (node.result % 64);
      if (node.opcode == ir::Opcode::end) return;
      const bool decides = node.opcode == ir::Opcode::decide;
      for (std::size_t side = 0; side < (decides ? 2u : 1u); ++side)
        if (node.join[side] >= 0) at_join_[at(node.join[side])] = set;
      if (decides) {
        if (!look) reach(node.next[0], set), reach(node.next[1], set);
        return;
      }
      n = node.next[0];
      if (is_leader_[at(n)] || slot_[at(n)] >= 0) {
        if (!look) reach(n, set);
        return;
      }
    }
  }

  const NodeGraph& graph_;
  std::size_t words_;
  std::vector<std::uint8_t> is_leader_, in_queue_;
  std::vector<std::int32_t> slot_;  // of each node that is a leader: its place in entries_
  std::vector<Set> entries_;        // at each leader's entry
  std::vector<Set> at_join_;
  std::vector<int> work_;
  std::vector<Suspect> suspects_;
};

}  // namespace oxide::trace
