// Searches in the graph that is being explored: what can be reached, and by which answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <oxide/trace/edge_set.hpp>
#include <oxide/trace/walker.hpp>

namespace oxide::trace {

// Nodes that all searches of a trace may look at.
inline constexpr std::size_t max_search_steps = 100'000'000;

// How far an experiment or a replay goes past the place that it tries.
inline constexpr std::size_t experiment_events = 4096;

// The longest run of `false` answers that a replay starts with behind a join; at most 63.
inline constexpr std::size_t max_delay = 60;

class Search {
 public:
  struct TooLong {};  // thrown beyond max_search_steps

  explicit Search(const NodeGraph& graph) : graph_(graph) {}

  std::size_t steps = 0;
  void count() {
    if (++steps > max_search_steps) throw TooLong{};
  }

  // Breadth-first search from node `from` to a node that is `wanted`, over nodes that may be `passed`. Gives the answers on the way,
  // and the one that leaves the last node by `last_side` when that is a decision (-1: none).
  template <class Wanted, class Passed>
  bool find_path(int from, Wanted wanted, Passed may_pass, std::vector<bool>& answers, int last_side) {
    came_from_.assign(graph_.nodes.size(), {-2, 0});
    steps += graph_.nodes.size() / 8;
    queue_.clear();
    queue_.push_back(from);
    came_from_[static_cast<std::size_t>(from)] = {-1, 0};
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const int n = queue_[head];
      if (wanted(n)) {
        answers = answers_to(n, last_side);
        return true;
      }
      count();
      if (!may_pass(n)) continue;
      for (int side = 0; side < (graph_[n].opcode == ir::Opcode::decide ? 2 : 1); ++side) {
        const int to = graph_[n].next[static_cast<std::size_t>(side)];
        if (to == no_node || came_from_[static_cast<std::size_t>(to)].node != -2) continue;
        came_from_[static_cast<std::size_t>(to)] = {n, side};
        queue_.push_back(to);
      }
    }
    return false;
  }

  // During a search: the answers on the way to node n, and the one that leaves it by `side` when it is a decision (-1: none).
  std::vector<bool> answers_to(int n, int side) const {
    std::vector<bool> answers;
    if (side >= 0 && graph_[n].opcode == ir::Opcode::decide) answers.push_back(side == 0);
    for (Edge e = came_from_[static_cast<std::size_t>(n)]; e.node >= 0; e = came_from_[static_cast<std::size_t>(e.node)])
      if (graph_[e.node].opcode == ir::Opcode::decide) answers.push_back(e.side == 0);
    std::reverse(answers.begin(), answers.end());
    return answers;
  }

  // The edges out of decisions that can be reached from node n.
  void reachable_edges(int n, EdgeSet& edges) {
    edges.reset(graph_.nodes.size());
    reached_.assign(graph_.nodes.size(), 0);
    queue_.assign(1, n);
    reached_[static_cast<std::size_t>(n)] = 1;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      count();
      const Node& node = graph_[queue_[head]];
      const bool decides = node.opcode == ir::Opcode::decide;
      for (int side = 0; side < (decides ? 2 : 1); ++side) {
        const int to = node.next[static_cast<std::size_t>(side)];
        if (to == no_node) continue;
        if (decides) edges.insert({queue_[head], side});
        if (!reached_[static_cast<std::size_t>(to)]) reached_[static_cast<std::size_t>(to)] = 1, queue_.push_back(to);
      }
    }
  }

  // The nodes that the last reachable_edges came to.
  const std::vector<int>& reached_nodes() const { return queue_; }

  // Appends the answers of a way from node n over edges of `uncovered`, nearest first, and takes them out of the set. False when
  // there is none.
  bool tour(int n, EdgeSet& uncovered, std::vector<bool>& answers) {
    bool any = false;
    for (std::size_t passed = 0; passed < experiment_events;) {
      // along straight lines and uncovered edges as far as they go
      while (n != no_node && graph_[n].opcode != ir::Opcode::end) {
        int side = 0;
        if (graph_[n].opcode == ir::Opcode::decide) {
          if (uncovered.contains({n, 0})) side = 0;
          else if (uncovered.contains({n, 1})) side = 1;
          else break;
          uncovered.erase({n, side});
          answers.push_back(side == 0);
          any = true;
        }
        n = graph_[n].next[static_cast<std::size_t>(side)];
        ++passed;
      }
      if (n == no_node || graph_[n].opcode == ir::Opcode::end) return any;
      std::vector<bool> way;
      int at = no_node;
      const bool found = find_path(
          n,
          [&](int m) {
            if (graph_[m].opcode != ir::Opcode::decide || !(uncovered.contains({m, 0}) || uncovered.contains({m, 1}))) return false;
            at = m;
            return true;
          },
          [](int) { return true; }, way, -1);
      if (!found) return any;
      answers.insert(answers.end(), way.begin(), way.end());
      passed += way.size();
      n = at;
    }
    return any;
  }

  // The answers of a shortest way from node n back to an edge; empty when there is none.
  std::vector<bool> way_to(int n, Edge edge) {
    std::vector<bool> answers;
    find_path(n, [&](int m) { return m == edge.node; }, [](int) { return true; }, answers, edge.side);
    return answers;
  }

  // Decisions on the way from node n on which every answer is `false`.
  std::size_t false_way(int n) const {
    std::size_t decisions = 0;
    for (std::size_t passed = 0; n != no_node && passed < experiment_events && decisions < max_delay; ++passed) {
      const bool decides = graph_[n].opcode == ir::Opcode::decide;
      decisions += decides ? 1 : 0;
      n = graph_[n].next[decides ? 1 : 0];
    }
    return decisions;
  }

  // Whether two decisions of one site stand side by side in the graph, neither behind the other: the mark of host state that keeps
  // paths apart, which then has to be looked for at every join. Passes of an unrolled loop stand one behind the other.
  bool has_worlds_apart() {
    std::vector<std::pair<std::uint64_t, int>> decisions;
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n)
      if (graph_[n].opcode == ir::Opcode::decide)
        decisions.push_back({detail::mix(detail::mix(reinterpret_cast<std::uintptr_t>(graph_[n].place.file), graph_[n].immediate),
                                         std::uint64_t{graph_[n].place.line} << 32 | graph_[n].place.column),
                             n});
    if (decisions.size() > 400) return true;  // not worth the search
    std::sort(decisions.begin(), decisions.end());
    std::vector<bool> way;
    const auto reaches = [&](int from, int to) {
      return find_path(from, [&](int m) { return m == to; }, [](int) { return true; }, way, -1);
    };
    for (std::size_t k = 1; k < decisions.size(); ++k) {
      const auto [site, n] = decisions[k];
      if (site == decisions[k - 1].first && !reaches(n, decisions[k - 1].second) && !reaches(decisions[k - 1].second, n)) return true;
    }
    return false;
  }

  // A decision from which the end cannot be reached, which makes a loop that is never left; no_node when there is none.
  int find_endless() {
    std::vector<std::vector<int>> before(graph_.nodes.size());
    queue_.clear();
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n) {
      for (const int to : graph_[n].next)
        if (to != no_node) before[static_cast<std::size_t>(to)].push_back(n);
      if (graph_[n].opcode == ir::Opcode::end) queue_.push_back(n);
    }
    std::vector<bool> ends(graph_.nodes.size(), false);
    for (const int n : queue_) ends[static_cast<std::size_t>(n)] = true;
    for (std::size_t head = 0; head < queue_.size(); ++head)
      for (const int n : before[static_cast<std::size_t>(queue_[head])])
        if (!ends[static_cast<std::size_t>(n)]) ends[static_cast<std::size_t>(n)] = true, queue_.push_back(n);
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n)
      if (!ends[static_cast<std::size_t>(n)] && graph_[n].opcode == ir::Opcode::decide) return n;
    return no_node;
  }

 private:
  const NodeGraph& graph_;
  std::vector<Edge> came_from_;
  std::vector<int> queue_;
  std::vector<std::uint8_t> reached_;
};

}  // namespace oxide::trace
