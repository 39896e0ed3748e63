// Learns all paths of a kernel lambda by running it: one run a decision not yet seen both ways.
//
// The lambda is a machine whose inputs are answers and whose outputs are operations. A run follows the known graph up to an edge
// that was never taken, and records from there. At each new operation it asks whether this place was there before: a node of the
// same code, from which the graph goes on as the run does (a join), or a node of this very path (a loop). What agrees only by
// accident is told apart by experiments, and when everything is explored the whole graph is tried again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <oxide/trace/assigned.hpp>
#include <oxide/trace/key_table.hpp>
#include <oxide/trace/replays.hpp>

namespace oxide::trace {

class Explorer : public Replays {
 public:
  // What the operations name goes into `declarations`.
  Explorer(std::string kernel_name, LambdaRef lambda, Declarations& declarations) : Replays(std::move(kernel_name), lambda, declarations) {}

  // Throws TraceError when the kernel breaks a rule of tracing or cannot be settled within the bounds.
  NodeGraph explore() {
    for (statistics.attempts = 1;; ++statistics.attempts) {
      try {
        explore_once();
        if (const int n = search_.find_endless(); n != no_node && statistics.attempts == 1) throw Retry{};
        else if (n != no_node)
          throw TraceError(recorder_.kernel_name(), graph_[n].place.source_line(), "a loop on a device condition that never ends");
        replay_all();
        assign_all();
        statistics.nodes = graph_.nodes.size();
        statistics.search_steps = search_.steps;
        return std::move(graph_);
      } catch (const Retry&) {
        if (statistics.attempts >= max_attempts) refuse();
        if (statistics.attempts == 1) forget();
      } catch (const Search::TooLong&) {
        refuse();
      }
    }
  }

 private:
  struct Pending {
    Edge edge;
    std::vector<bool> prefix;
  };

  // What the first attempt learnt may come from what it believed too early.
  void forget() {
    forbidden_.clear();
    device_loops_.clear();
    extra_experiments_.clear();
    failed_loops_.clear();
  }

  // ---- exploring

  void explore_once() {
    graph_.nodes.clear();
    graph_.variables.clear();
    graph_.entry = no_node;
    joins_.clear();
    pending_.clear();
    newest_.clear();
    listed_ = 0;
    loops_ = doubts_ = false;
    recorder_.known_loops.clear();
    pending_.push_back({{}, {}});
    while (!pending_.empty()) {
      if (statistics.attempts == 1 && statistics.events > max_hasty_events) throw Retry{};
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      if (graph_.target(next.edge) == no_node) integrate(next.prefix);
      list_nodes();
    }
  }

  // Makes the run that `prefix` and settling answers give, and adds what is new in it to the graph, up to where it joins.
  void integrate(const std::vector<bool>& prefix) {
    RunPlan plan;
    plan.forced = &prefix;
    make_run(recorder_, plan);
    const std::vector<Event>& events = recorder_.events();
    walker_.start();
    variable_of_.clear();
    loop_heads_.clear();
    crossed_.clear();
    visited_.resize(graph_.nodes.size());
    ++visit_stamp_;
    decisions_ = 0;
    last_decision_ = no_node;
    answers_hash_ = 0;

    std::size_t i = 0;
    i = walk(events, i);
    if (i == events.size()) return;

    rejected_.clear();
    segment_.first_node = static_cast<int>(graph_.nodes.size());
    segment_.first_value = static_cast<ValueId>(variable_of_.size());
    for (; i < events.size(); ++i) {
      switch (join(events, i)) {
        case Joined::pass:
          walk(events, i);
          return;
        case Joined::other:
          return;
        case Joined::no:
          append(events[i], i);
      }
    }
    if (!recorder_.ended()) never_ends();
  }

  // Follows the run along known edges; returns the first event on an edge never taken.
  std::size_t walk(const std::vector<Event>& events, std::size_t i) {
    for (; i < events.size(); ++i) {
      const Edge edge = walker_.edge;
      const int n = graph_.target(edge);
      if (n == no_node) break;
      if (const int j = edge.node < 0 ? -1 : graph_[edge.node].join[static_cast<std::size_t>(edge.side)]; j >= 0)
        crossed_.push_back({j, i, 0, 0});
      if (walker_.step(events[i]) == Walker::Step::differs) conflict(n, events[i], i);
      if (events[i].result != no_value) variable_of_.push_back(graph_[n].result);
      passed(n, events[i], i);
    }
    return i;
  }

  void passed(int n, const Event& event, std::size_t i) {
    if (static_cast<std::size_t>(n) >= visited_.size()) visited_.resize(graph_.nodes.size() + 64);
    visited_[static_cast<std::size_t>(n)] = {visit_stamp_, i, decisions_};
    if (event.opcode == ir::Opcode::decide) {
      ++decisions_;
      last_decision_ = n;
      last_edge_ = {n, event.answer ? 0 : 1};
      answers_hash_ = detail::mix(answers_hash_, event.answer ? 3 : 5);
    }
    if (event.opcode == ir::Opcode::loop_head && event.loop > loop_heads_.size()) loop_heads_.push_back({n, i});
  }

  // A loop without a decision never ends, so a run comes back to no node since its last decision: they are listed only behind it.
  void list_nodes() {
    for (; listed_ < static_cast<int>(graph_.nodes.size()); ++listed_)
      graph_[listed_].same_key = newest_.exchange(graph_[listed_].key, listed_);
  }

  void append(const Event& event, std::size_t i) {
    if (graph_.nodes.size() >= max_nodes) refuse();
    Node node;
    node.opcode = event.opcode;
    node.type = event.type;
    node.operand_count = event.operand_count;
    node.immediate = event.immediate;
    node.key = event.key;
    node.place = event.place;
    node.discovery = discovery(i);
    for (unsigned k = 0; k < event.operand_count; ++k) {
      node.operands[k] = variable_of_[event.operands[k]];
      if (walker_.holder(node.operands[k]) != event.operands[k]) conflict(no_node, event, i);
    }
    const int n = static_cast<int>(graph_.nodes.size());
    if (event.result != no_value) {
      node.result = static_cast<ir::Variable>(graph_.variables.size());
      graph_.variables.push_back(event.type);
      variable_of_.push_back(node.result);
      walker_.set(node.result, event.result);
    }
    graph_.target(walker_.edge) = n;
    graph_.nodes.push_back(node);
    if (event.opcode == ir::Opcode::decide) list_nodes();
    const int side = event.opcode == ir::Opcode::decide && !event.answer ? 1 : 0;
    walker_.edge = {n, side};
    if (event.opcode == ir::Opcode::decide) {
      std::vector<bool> prefix = answers_so_far();
      prefix.push_back(!event.answer);
      pending_.push_back({{n, 1 - side}, std::move(prefix)});
      if (event.loop != 0) recorder_.known_loops.push_back(event.key);
    }
    passed(n, event, i);
  }

  std::uint64_t discovery(std::size_t i) const { return detail::mix(answers_hash_, i + 1); }

  // ---- joins and loops

  enum class Joined : std::uint8_t {
    no,
    pass,   // a counted loop came back to its head; the rest of the run is to be compared with its first pass
    other,  // the rest of the run has been compared
  };

  Joined join(const std::vector<Event>& events, std::size_t i) {
    const Event& event = events[i];
    // Arguments, the operation that takes them and its results are one piece of code.
    if (event.opcode == ir::Opcode::call_result || (i > 0 && events[i - 1].opcode == ir::Opcode::argument)) return Joined::no;
    if (event.opcode == ir::Opcode::loop_head && event.loop <= loop_heads_.size()) {
      walker_.bindings.clear();
      loops_ = true;
      connect(loop_heads_[event.loop - 1].node, i, false);
      return Joined::pass;
    }
    // Code that stands in the graph several times, or follows code that does, may be a pass of an unrolled host loop or a helper's
    // call: what agrees there is not believed without many experiments, unless it is just where the other side of the last decision
    // goes. In the first attempt that is enough also where the run leaves the known graph, if no other place there looks alike; when a
    // replay has shown that something was believed too early, it is not.
    const bool repeated = is_repeated(event.key);
    const bool follows_repeated = last_decision_ != no_node && is_repeated(graph_[last_decision_].key);
    candidates_.clear();
    tried_ = no_node;
    std::size_t alike = 0;  // nodes from which the graph goes on as the run does beyond a decision
    for (int n = newest_.find(event.key); n != no_node; n = graph_[n].same_key) {
      const bool loops = static_cast<std::size_t>(n) < visited_.size() && visited_[static_cast<std::size_t>(n)].stamp == visit_stamp_;
      search_.count();
      if (loops && visited_[static_cast<std::size_t>(n)].decisions == decisions_) continue;  // no decision between: not a loop
      const std::uint64_t id = detail::mix(discovery(i), graph_[n].discovery);
      if (is_forbidden(id) || on_rejected_way(n, i)) continue;
      const Walker::Step end = try_walk(events, i, n);
      if (end != Walker::Step::differs)
        candidates_.push_back({n, loops, end == Walker::Step::unexplored, way_.size(), id}), alike += !loops;
      else if (!loops && way_has_decision()) ++alike;
    }
    if (alike > 1) doubts_ = true;
    // the candidate that explains most of the run first
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.length != b.length ? a.length > b.length : a.node > b.node; });
    std::size_t loops_tried = 0;
    const std::vector<Candidate> candidates = candidates_;
    for (const Candidate& c : candidates) {
      if (c.loops && (++loops_tried > 4 || host_loop_likely(event.key))) continue;
      if (tried_ != c.node) try_walk(events, i, c.node);  // for its bindings and its way
      const bool likely = !c.loops && (!(c.open || repeated) || (alike == 1 && statistics.attempts == 1));
      const bool plain = !c.open && !repeated && !follows_repeated;
      const bool doubtful = !likely || !(plain || other_side_reaches(c.node));
      if (!(doubtful ? futures_agree(i, c.node, c.loops) : detours_agree(i, c.node, 1))) {
        reject_way(i);
        if (c.loops) ++failed_loops(event.key);
        else doubts_ = true;
        continue;
      }
      if (!extra_experiments_agree(c.id, i, c.node)) continue;
      if (c.loops) failed_loops(event.key) = 0, loops_ = true;
      connect(c.node, i, true);
      return Joined::other;
    }
    return Joined::no;
  }

  // A node that the run may have come back to, or joined.
  struct Candidate {
    int node;
    bool loops;  // it lies on this very path
    bool open;   // the run left the known graph behind it
    std::size_t length;  // events that agreed
    std::uint64_t id;
  };

  // How often in a row a loop was guessed at a site and was none. A site where that happens again and again stands in a host loop
  // whose passes look alike.
  std::size_t& failed_loops(std::uint64_t key) {
    for (auto& [k, count] : failed_loops_)
      if (k == key) return count;
    return failed_loops_.emplace_back(key, 0).second;
  }
  bool host_loop_likely(std::uint64_t key) {
    return failed_loops(key) >= 12 && std::find(device_loops_.begin(), device_loops_.end(), key) == device_loops_.end();
  }

  bool other_side_reaches(int n) {
    if (last_decision_ == no_node) return false;
    const Edge& edge = last_edge_;
    const int other = graph_[edge.node].next[edge.side == 0 ? 1 : 0];
    std::vector<bool> way;
    return other != no_node && search_.find_path(other, [&](int m) { return m == n; }, [](int) { return true; }, way, -1);
  }

  bool is_repeated(std::uint64_t key) const {
    const int n = newest_.find(key);
    return n != no_node && graph_[n].same_key != no_node;
  }

  // Does the rest of the run go on as the graph does from node n?
  Walker::Step try_walk(const std::vector<Event>& events, std::size_t i, int n) {
    if (graph_[n].operand_count != events[i].operand_count) return Walker::Step::differs;
    tried_ = n;
    walker_.bindings.clear();
    begin_trial(n);
    Walker::Step step = Walker::Step::matched;
    way_.clear();
    for (std::size_t k = i; k < events.size() && step == Walker::Step::matched; ++k) {
      search_.count();
      way_.push_back(graph_.target(walker_.edge));
      step = walker_.step(events[k]);
    }
    end_trial();
    return step;
  }

  bool way_has_decision() const {
    for (std::size_t k = 0; k + 1 < way_.size(); ++k)
      if (graph_[way_[k]].opcode == ir::Opcode::decide) return true;
    return false;
  }

  // An experiment has parted the run from the way that it takes in the graph from node n. The two cannot be one before the decision
  // at which the experiment left the run, so nothing on that way up to there need be tried.
  void reject_way(std::size_t i) {
    const std::vector<bool>&run = recorder_.answers(), &experiment = probe_.answers();
    std::size_t parting = decisions_;
    while (parting < run.size() && parting < experiment.size() && run[parting] == experiment[parting]) ++parting;
    std::size_t length = 0;
    for (std::size_t decided = decisions_; length < way_.size() && decided <= parting; ++length)
      if (recorder_.events()[i + length].opcode == ir::Opcode::decide) ++decided;
    rejected_.push_back({i, {way_.begin(), way_.begin() + static_cast<std::ptrdiff_t>(length)}});
  }

  bool on_rejected_way(int n, std::size_t i) const {
    for (const RejectedWay& r : rejected_)
      if (i - r.event < r.nodes.size() && r.nodes[i - r.event] == n) return true;
    return false;
  }

  // Leads the current edge to node n, and gives values that both sides define one variable.
  void connect(int n, std::size_t i, bool guessed) {
    const Edge edge = walker_.edge;
    for (const Walker::Binding& b : walker_.bindings) {
      const ir::Variable old = variable_of_[b.value];
      for (int k = segment_.first_node; k < static_cast<int>(graph_.nodes.size()); ++k) {
        Node& node = graph_[k];
        if (node.result == old) node.result = b.variable;
        for (ir::Variable& v : node.operands)
          if (v == old) v = b.variable;
      }
      variable_of_[b.value] = b.variable;
      walker_.set(b.variable, b.value);
    }
    walker_.bindings.clear();
    walker_.fresh_from = walker_.fresh_to = 0;
    graph_.target(edge) = n;
    if (edge.node < 0) return;
    graph_[edge.node].join[static_cast<std::size_t>(edge.side)] = static_cast<int>(joins_.size());
    joins_.push_back({edge, n, guessed, detail::mix(discovery(i), graph_[n].discovery), answers_so_far(), i, {}, 0, 0});
  }

  // Every use of a variable must be preceded by a definition on every path. Where a join was made before the run had shown which of
  // its values a later use reads, that use is visited in the next attempt before the join is believed.
  void assign_all() {
    std::vector<int> targets;
    targets.reserve(joins_.size());
    for (const Join& join : joins_) targets.push_back(join.target);
    const Assigned assigned(graph_, targets);
    if (assigned.suspects().empty()) return;
    bool progress = false;
    for (const auto& [use, variable] : assigned.suspects()) {
      for (std::size_t j = 0; j < joins_.size(); ++j) {
        if (!joins_[j].guessed || !assigned.lacks(j, variable)) continue;
        std::vector<bool> answers;
        auto uses = [&, v = variable](int n) {
          for (unsigned k = 0; k < graph_[n].operand_count; ++k)
            if (graph_[n].operands[k] == v) return true;
          return false;
        };
        if (!search_.find_path(joins_[j].target, uses, [&, v = variable](int n) { return graph_[n].result != v; }, answers, -1)) continue;
        const std::pair<std::uint64_t, std::vector<bool>> experiment{joins_[j].id, answers};
        if (std::find(extra_experiments_.begin(), extra_experiments_.end(), experiment) == extra_experiments_.end())
          extra_experiments_.push_back(experiment);
        else if (!is_forbidden(joins_[j].id)) forbidden_.push_back(joins_[j].id);
        else continue;
        progress = true;
      }
    }
    if (!progress) refuse();
    throw Retry{};
  }

  // ---- state

  struct RejectedWay {
    std::size_t event;       // where it starts
    std::vector<int> nodes;  // one an event
  };

  std::vector<Pending> pending_;
  KeyTable newest_;
  int listed_ = 0;      // nodes that newest_ knows
  std::uint32_t visit_stamp_ = 0;
  int last_decision_ = no_node;
  Edge last_edge_;  // that it was left by
  std::uint64_t answers_hash_ = 0;
  int tried_ = no_node;   // where the last try_walk began, for the event at hand
  std::vector<int> way_;  // the nodes it went over
  std::vector<RejectedWay> rejected_;
  std::vector<Candidate> candidates_;
  std::vector<std::pair<std::uint64_t, std::size_t>> failed_loops_;  // by key of the node that was guessed to head one
};

}  // namespace oxide::trace
