// What the exploration of a kernel knows, and how it ends when it cannot go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/trace/edge_set.hpp>
#include <oxide/trace/search.hpp>
#include <oxide/trace/walker.hpp>

namespace oxide::trace {

struct Statistics {
  std::size_t runs = 0;         // of the lambda, all told
  std::size_t experiments = 0;  // of these, runs that tested a join or a loop
  std::size_t replays = 0;      // of these, runs that tried the finished graph
  std::size_t events = 0;       // operations recorded or followed
  std::size_t attempts = 0;     // explorations from the start
  std::size_t nodes = 0;        // of the finished graph
  std::size_t search_steps = 0; // nodes looked at by searches in the graph
};

// Beyond these a kernel is refused.
inline constexpr std::size_t max_nodes = 262144;
inline constexpr std::size_t max_total_events = 24'000'000;
inline constexpr std::size_t max_attempts = 60;

// The first attempt believes more than the later ones do, and is given up beyond this.
inline constexpr std::size_t max_hasty_events = 1'000'000;

// How many experiments one guess, and how many replays one join, may take.
inline constexpr int max_experiments = 24;

// Borrowed callable, called once a run.
class LambdaRef {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cv_t<F>, LambdaRef>)
  LambdaRef(F& f) : object_(const_cast<std::remove_const_t<F>*>(&f)), call_([](void* object) { (*static_cast<F*>(object))(); }) {}
  void operator()() const { call_(object_); }

 private:
  void* object_;
  void (*call_)(void*);
};

class Exploration {
 public:
  Statistics statistics;

 protected:
  Exploration(std::string kernel_name, LambdaRef lambda, Declarations& declarations)
      : recorder_(kernel_name, declarations), probe_(std::move(kernel_name), declarations), lambda_(lambda), walker_(graph_, variable_of_),
        search_(graph_) {}
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  // Thrown when the exploration is to start again, with something forbidden or to be tried that was not.
  struct Retry {};

  // An edge that leads to a node which another path made.
  struct Join {
    Edge edge;
    int target;
    bool guessed;              // not the head of a counted loop
    std::uint64_t id;          // the same in a later attempt
    std::vector<bool> prefix;  // answers that lead to it
    std::size_t events;        // operations before it on that path
    EdgeSet untried;           // reachable edges that no replay took behind it
    int crossings = 0;         // by replays that answer by chance
    std::uint64_t delays = 0;  // numbers of `false` answers behind it that were tried
  };

  void make_run(Recorder& recorder, const RunPlan& plan) {
    ++statistics.runs;
    recorder.run(plan, lambda_);
    statistics.events += recorder.event_count();
    if (statistics.events > max_total_events) refuse();
  }

  std::vector<bool> answers_so_far() const {
    return {recorder_.answers().begin(), recorder_.answers().begin() + static_cast<std::ptrdiff_t>(decisions_)};
  }

  bool is_forbidden(std::uint64_t id) const { return std::find(forbidden_.begin(), forbidden_.end(), id) != forbidden_.end(); }

  // The run does not do what the graph says. Either a join was wrong, and is not made again; or the kernel broke a rule.
  void conflict(int n, const Event& event, std::size_t i) {
    std::size_t since = 0;
    const Join* counted = nullptr;
    for (std::size_t k = crossed_.size(); k-- > 0;) {
      const Join& crossed = joins_[static_cast<std::size_t>(crossed_[k].join)];
      if (counted != nullptr && crossed_[k].event < since) break;
      if (crossed.guessed) {
        forbidden_.push_back(crossed.id);
        throw Retry{};
      }
      if (counted == nullptr) {
        counted = &crossed;
        for (const LoopHead& head : loop_heads_)
          if (head.node == crossed.target) since = head.event;
      }
    }
    (void)i;
    const std::string first = n == no_node ? std::string("nothing like it") : describe(graph_[n].opcode, graph_[n].place);
    const std::string second = describe(event.opcode, event.place);
    if (counted != nullptr)
      throw TraceError(recorder_.kernel_name(), event.place.source_line(),
                       "host state changed inside the counted loop at " + counted_line(*counted) + ": the first pass recorded " + first +
                           ", the second pass recorded " + second +
                           "; a kernel loop records its body once, so keep such state in a device value");
    throw TraceError(recorder_.kernel_name(), event.place.source_line(),
                     "the kernel lambda did something else when it was run again: it recorded " + first + ", then " + second +
                         "; a kernel lambda runs several times, and must not depend on host state that its runs change");
  }

  std::string counted_line(const Join& join) const { return graph_[join.target].place.source_line().text(); }

  static std::string describe(ir::Opcode opcode, Place place) {
    return "'" + std::string(name_of(opcode)) + "' at " + place.source_line().text();
  }

  // Where in the source the graph grows: the decisions with most nodes of one site.
  [[noreturn]] void refuse() const {
    std::vector<std::pair<std::size_t, Place>> lines;
    for (const Node& node : graph_.nodes) {
      if (node.opcode != ir::Opcode::decide) continue;
      auto same = std::find_if(lines.begin(), lines.end(),
                               [&](const auto& l) { return l.second.line == node.place.line && l.second.file == node.place.file; });
      if (same == lines.end()) lines.push_back({1, node.place});
      else ++same->first;
    }
    std::sort(lines.begin(), lines.end(),
              [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second.line < b.second.line; });
    std::string text = "its control flow cannot be settled within the bounds (" + std::to_string(statistics.runs) + " runs, " +
                       std::to_string(graph_.nodes.size()) +
                       " operations): host state keeps its device branches apart, a host loop of many passes branches in each (ox::range "
                       "makes it one of the device), or a helper that is no ox::function calls itself. Most branches come from";
    for (std::size_t k = 0; k < lines.size() && k < 4; ++k) text += (k == 0 ? " " : ", ") + lines[k].second.source_line().text();
    throw TraceError(recorder_.kernel_name(), lines.empty() ? SourceLine{} : lines[0].second.source_line(), text);
  }

  [[noreturn]] void never_ends() const {
    const Place& place = recorder_.last_place();
    throw TraceError(recorder_.kernel_name(), place.source_line(),
                     "a path through it does not end within " + std::to_string(max_events) + " operations and " +
                         std::to_string(max_decisions) +
                         " decisions: a loop that is never left, a host loop too long to be unrolled, or a helper that calls itself "
                         "until a device condition ends it, which has to be an ox::function");
  }

  struct Visited {
    std::uint32_t stamp = 0;
    std::size_t event = 0;
    std::size_t decisions = 0;  // on the path before it
  };
  struct LoopHead {
    int node;
    std::size_t event;
  };
  struct Crossed {
    int join;
    std::size_t event;
    std::size_t path = 0;       // replays: how many edges of path_ lie before
    std::size_t decisions = 0;  // replays: how many decisions lie before
  };
  struct Segment {
    int first_node = 0;
    ValueId first_value = 0;
  };

  Recorder recorder_;  // of the run that is being added
  Recorder probe_;     // of experiments and replays
  LambdaRef lambda_;
  NodeGraph graph_;
  Walker walker_;
  Search search_;
  std::vector<Join> joins_;
  bool loops_ = false;   // the graph has a loop
  bool doubts_ = false;  // several places looked like one, or an experiment parted what seemed to be a join
  std::vector<std::uint64_t> forbidden_;
  std::vector<std::uint64_t> device_loops_;  // keys of nodes that were seen to head a loop of the device
  std::vector<std::pair<std::uint64_t, std::vector<bool>>> extra_experiments_;

  // of the run that is being added
  std::vector<ir::Variable> variable_of_;  // by value
  std::vector<LoopHead> loop_heads_;       // by loop number - 1
  std::vector<Crossed> crossed_;
  std::vector<Visited> visited_;  // by node
  std::size_t decisions_ = 0;
  Segment segment_;
  EdgeSet uncovered_;  // of the search at hand
};

}  // namespace oxide::trace
