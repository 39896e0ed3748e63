// Experiments: runs that tell what is one piece of code from what only looks alike, before a join or a loop is believed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <oxide/trace/exploration.hpp>

namespace oxide::trace {

class Experiments : public Exploration {
 protected:
  using Exploration::Exploration;

  void begin_trial(int n) {
    graph_.target(walker_.edge) = n;
    trial_edge_ = walker_.edge;
    walker_.fresh_from = segment_.first_value;
    walker_.fresh_to = static_cast<ValueId>(variable_of_.size());
    walker_.begin_trial();
    for (const Walker::Binding& b : walker_.bindings) walker_.set(b.variable, b.value);
  }
  void end_trial() {
    walker_.end_trial();
    graph_.target(trial_edge_) = no_node;
  }

  // Follows a run through the graph.
  struct Trial final : Follower {
    explicit Trial(Walker& w) : walker(w) {}
    bool follow(const Event& event) override {
      step = walker.step(event);
      return step == Walker::Step::matched;
    }
    Walker& walker;
    Walker::Step step = Walker::Step::matched;
  };

  bool agrees(std::size_t i, int n, RunPlan plan) {
    ++statistics.experiments;
    begin_trial(n);
    Trial trial(walker_);
    plan.follower = &trial;
    plan.unwatched = i;
    make_run(probe_, plan);
    end_trial();
    if (plan.policy == Policy::cycle && probe_.ended()) return false;  // it could have been unrolled: a loop of the host
    return trial.step != Walker::Step::differs;
  }

  // A run that agrees under its own answers may still part from the graph under others: every edge that the graph knows from node n
  // on is tried, so that passes of a host loop which look alike are told apart by how many are left.
  bool futures_agree(std::size_t i, int n, bool loops) {
    const bool careful = doubts_ || statistics.attempts > 1;
    if (!detours_agree(i, n, careful ? 12 : 4)) return false;
    const std::vector<bool> prefix = answers_so_far();
    RunPlan plan;
    plan.forced = &prefix;
    plan.event_limit = std::min(i + experiment_events, max_events);
    plan.policy = Policy::no;
    if (!agrees(i, n, plan)) return false;
    plan.policy = Policy::biased;
    for (plan.seed = 1; plan.seed <= (careful ? 4 : 2); ++plan.seed)
      if (!agrees(i, n, plan)) return false;
    plan.policy = Policy::settle;
    graph_.target(walker_.edge) = n;
    search_.reachable_edges(n, uncovered_);
    graph_.target(walker_.edge) = no_node;
    std::vector<bool> forced;
    plan.forced = &forced;
    plan.event_limit = max_events;
    for (int k = 0; k < max_experiments && uncovered_.any(); ++k) {
      forced = prefix;
      graph_.target(walker_.edge) = n;
      const bool found = search_.tour(n, uncovered_, forced);
      graph_.target(walker_.edge) = no_node;
      if (!found) break;
      if (!agrees(i, n, plan)) return false;
    }
    if (!loops) return true;
    const std::size_t from = visited_[static_cast<std::size_t>(n)].decisions;
    const std::vector<bool> cycle(prefix.begin() + static_cast<std::ptrdiff_t>(from), prefix.end());
    plan.forced = &prefix;
    plan.policy = Policy::cycle;
    plan.cycle = &cycle;
    // once a site is known to head a loop of the device, its other instances are tried for a shorter time
    const bool known = std::find(device_loops_.begin(), device_loops_.end(), graph_[n].key) != device_loops_.end();
    plan.event_limit = known ? std::min(i + experiment_events, max_events) : max_events;
    if (!agrees(i, n, plan)) return false;
    if (!known) device_loops_.push_back(graph_[n].key);
    return true;
  }

  // The nearest decisions behind node n, each answered against the way that the run took and settled from there on: what host state
  // changes on that way and shows after it is seen where it is not changed.
  bool detours_agree(std::size_t i, int n, std::size_t count) {
    std::vector<std::pair<Edge, std::vector<bool>>> detours;
    graph_.target(walker_.edge) = n;
    std::vector<bool> way;
    search_.find_path(
        n,
        [&](int m) {
          if (graph_[m].opcode != ir::Opcode::decide) return false;
          for (int side = 0; side < 2; ++side)
            if (graph_[m].next[static_cast<std::size_t>(side)] != no_node && detours.size() < 2 * count)
              detours.push_back({{m, side}, search_.answers_to(m, side)});
          return detours.size() >= 2 * count;
        },
        [](int) { return true; }, way, -1);
    graph_.target(walker_.edge) = no_node;
    const std::vector<bool> prefix = answers_so_far(), &run = recorder_.answers();
    std::vector<bool> forced;
    RunPlan plan;
    plan.forced = &forced;
    plan.event_limit = max_events;
    for (const auto& [edge, answers] : detours) {
      forced = prefix;
      forced.insert(forced.end(), answers.begin(), answers.end());
      if (forced.size() <= run.size() && std::equal(forced.begin(), forced.end(), run.begin())) continue;  // the run's own way
      if (!agrees(i, n, plan)) return false;
    }
    return true;
  }

  bool extra_experiments_agree(std::uint64_t id, std::size_t i, int n) {
    for (std::size_t k = 0; k < extra_experiments_.size(); ++k) {
      if (extra_experiments_[k].first != id) continue;
      std::vector<bool> forced = answers_so_far();
      forced.insert(forced.end(), extra_experiments_[k].second.begin(), extra_experiments_[k].second.end());
      RunPlan plan;
      plan.forced = &forced;
      plan.policy = Policy::no;
      if (!agrees(i, n, plan)) return false;
    }
    return true;
  }

 private:
  Edge trial_edge_;
};

}  // namespace oxide::trace
