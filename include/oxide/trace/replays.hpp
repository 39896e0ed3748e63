// Replays: runs that try the finished graph. They must walk it exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <oxide/trace/experiments.hpp>

namespace oxide::trace {

class Replays : public Experiments {
 protected:
  using Experiments::Experiments;

  struct Replay final : Follower {
    explicit Replay(Replays& r) : replays(r) {}
    bool follow(const Event& event) override {
      const Edge edge = replays.walker_.edge;
      const int n = replays.graph_.target(edge);
      if (const int j = edge.node < 0 ? -1 : replays.graph_[edge.node].join[static_cast<std::size_t>(edge.side)]; j >= 0)
        replays.crossed_.push_back({j, position, replays.path_.size(), decisions});
      if (replays.walker_.step(event) != Walker::Step::matched) {
        differs = true;
        node = n;
        at = event;
        return false;
      }
      if (event.opcode == ir::Opcode::decide) replays.path_.push_back({n, event.answer ? 0 : 1}), ++decisions;
      if (event.opcode == ir::Opcode::loop_head && event.loop > replays.loop_heads_.size()) replays.loop_heads_.push_back({n, position});
      ++position;
      return true;
    }
    Replays& replays;
    std::size_t position = 0;
    std::size_t decisions = 0;
    bool differs = false;
    int node = no_node;
    Event at;
  };

  void replay(RunPlan plan) {
    ++statistics.replays;
    walker_.start();
    crossed_.clear();
    loop_heads_.clear();
    path_.clear();
    Replay follower(*this);
    plan.follower = &follower;
    make_run(probe_, plan);
    if (follower.differs) {
      blame();
      conflict(follower.node, follower.at, follower.position);
    }
    // what this run covered behind each join
    std::size_t p = path_.size();
    covered_.reset(graph_.nodes.size());
    for (std::size_t k = crossed_.size(); k-- > 0;) {
      while (p > crossed_[k].path) covered_.insert(path_[--p]);
      joins_[static_cast<std::size_t>(crossed_[k].join)].untried.subtract(covered_);
    }
  }

  // A replay differs. The join at fault is the last one which differs from the graph also on the path that made it, when it is
  // given the answers that this replay gave behind it.
  void blame() {
    const std::vector<bool> answers = probe_.answers();
    for (std::size_t k = crossed_.size(); k-- > 0;) {
      const Join& join = joins_[static_cast<std::size_t>(crossed_[k].join)];
      if (!join.guessed) continue;
      std::vector<bool> rest(answers.begin() + static_cast<std::ptrdiff_t>(crossed_[k].decisions), answers.end());
      std::vector<bool> forced = join.prefix;
      forced.insert(forced.end(), rest.begin(), rest.end());
      Walker kept = walker_;
      const std::vector<Crossed> crossed = crossed_;
      const std::vector<LoopHead> heads = loop_heads_;
      const std::vector<Edge> path = path_;
      walker_.start();
      Replay follower(*this);
      RunPlan plan;
      plan.forced = &forced;
      plan.policy = Policy::no;
      plan.follower = &follower;
      ++statistics.replays;
      make_run(probe_, plan);
      walker_ = std::move(kept);
      crossed_ = crossed;
      loop_heads_ = heads;
      path_ = path;
      if (!follower.differs) continue;
      forbidden_.push_back(join.id);
      throw Retry{};
    }
  }

  // Host state that branches set and later branches overwrite shows only on a path that takes none of these and then looks: `delay`
  // answers of `false`, and settled answers after.
  void delayed_replay(const std::vector<bool>& prefix, std::size_t delay) {
    std::vector<bool> forced = prefix;
    forced.insert(forced.end(), delay, false);
    RunPlan plan;
    plan.forced = &forced;
    replay(plan);
    for (const Crossed& c : crossed_)
      if (c.decisions >= prefix.size() && c.decisions <= forced.size())
        joins_[static_cast<std::size_t>(c.join)].delays |= std::uint64_t{1} << (forced.size() - c.decisions);
  }

  // That for every join. Where nothing hints at host state, only as far as a small budget goes.
  void delayed_replays(bool apart, std::size_t budget) {
    std::vector<std::size_t> lengths;
    lengths.reserve(joins_.size());
    for (const Join& join : joins_) lengths.push_back(join.guessed ? search_.false_way(join.target) : 0);
    std::size_t runs = apart ? 50'000 : budget, events = statistics.events + 2'000'000;
    for (std::size_t j = joins_.size(); j-- > 0;) {
      for (std::size_t delay = 0; delay < lengths[j]; ++delay) {
        if (joins_[j].delays >> delay & 1) continue;
        if (runs == 0 || statistics.events > events) return;
        --runs;
        delayed_replay(joins_[j].prefix, delay);
      }
    }
  }

  // What one site changes on the host, however often it is passed, shows on a path that always goes past it the other way.
  void fixed_replays(const std::vector<bool>& prefix, std::size_t events, int n, bool both) {
    search_.reachable_edges(n, uncovered_);
    std::vector<std::uint64_t> sites;
    for (const int m : search_.reached_nodes())
      if (graph_[m].opcode == ir::Opcode::decide) sites.push_back(graph_[m].key);
    std::sort(sites.begin(), sites.end());
    RunPlan plan;
    plan.forced = &prefix;
    plan.event_limit = std::min(events + experiment_events, max_events);
    for (std::size_t k = 0; k < sites.size(); ++k) {
      const bool again = k > 0 && sites[k] == sites[k - 1];
      const bool alone = !again && (k + 1 == sites.size() || sites[k] != sites[k + 1]);
      if (alone && !loops_) continue;  // passed once on any path: the run that explored its other side was this one
      if (again && !(both && (k < 2 || sites[k] != sites[k - 2]))) continue;
      plan.fixed_site = sites[k];
      plan.fixed_answer = again;  // `true` differs from settled answers only where a site is passed more than once
      replay(plan);
    }
  }

  // By chance, now with an answer per visit and now with one per site.
  void varied_replay(RunPlan& plan) {
    plan.policy = plan.seed % 2 == 0 ? Policy::random : Policy::biased;
    replay(plan);
    for (const Crossed& c : crossed_) ++joins_[static_cast<std::size_t>(c.join)].crossings;
  }

  // Joins were made from the end of the kernel to its start. Replays go the other way: one that starts at an early join goes over the
  // later ones too.

  // Behind each join, every edge that can be reached is taken at least once.
  void replay_all() {
    for (Join& join : joins_) search_.reachable_edges(join.target, join.untried);
    std::vector<bool> forced;
    RunPlan plan;
    plan.forced = &forced;
    plan.event_limit = experiment_events;
    plan.policy = Policy::no;
    replay(plan);
    for (plan.seed = 1; plan.seed <= 16; ++plan.seed) varied_replay(plan);
    const bool apart = search_.has_worlds_apart();
    // Nothing hints at host state: paths that ever fewer kernels would need are tried ever more sparsely.
    const bool calm = !apart && !doubts_ && statistics.attempts == 1;
    for (std::size_t k = 0, length = search_.false_way(graph_.entry); k < length; k += calm ? 1 + k / 4 : 1) delayed_replay(forced, k);
    fixed_replays(forced, 0, graph_.entry, true);
    delayed_replays(apart, calm ? joins_.size() / 4 + 4 : joins_.size() + 16);
    if (apart) {
      const std::size_t events = statistics.events + 2'000'000;
      for (std::size_t j = joins_.size(); j-- > 0 && statistics.events < events;)
        if (joins_[j].guessed) fixed_replays(joins_[j].prefix, joins_[j].events, joins_[j].target, false);
    }
    const int wanted_crossings = apart ? 24 : calm ? 6 : 10;
    for (std::size_t j = joins_.size(); j-- > 0;) {
      for (int tries = 0; tries < max_experiments && joins_[j].untried.any(); ++tries) {
        forced = joins_[j].prefix;
        EdgeSet untried = joins_[j].untried;
        if (!search_.tour(joins_[j].target, untried, forced)) break;
        plan.policy = Policy::random;
        ++plan.seed;
        plan.event_limit = max_events;
        replay(plan);
      }
      forced = joins_[j].prefix;
      plan.event_limit = std::min(joins_[j].events + experiment_events, max_events);
      for (int tries = 0; tries < wanted_crossings && joins_[j].guessed && joins_[j].crossings < wanted_crossings; ++tries)
        ++plan.seed, varied_replay(plan);
      // A pass of an unrolled host loop, its answers given in the passes behind it too.
      if (apart && joins_[j].guessed && graph_[joins_[j].target].same_key != no_node)
        for (int tries = 0; tries < 8; ++tries) plan.seed += 4 - (plan.seed + 2) % 4, plan.policy = Policy::biased, replay(plan);
      const std::vector<bool> cycle = search_.way_to(joins_[j].target, joins_[j].edge);
      if (cycle.empty()) continue;
      forced = joins_[j].prefix;
      plan.policy = Policy::cycle;
      plan.cycle = &cycle;
      plan.event_limit = std::min(joins_[j].events + experiment_events, max_events);
      replay(plan);
    }
  }

 private:
  std::vector<Edge> path_;  // edges out of decisions that a replay took
  EdgeSet covered_;
};

}  // namespace oxide::trace
