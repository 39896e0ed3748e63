// Learns all paths of a kernel lambda by running it: one run a decision not yet seen both ways.
//
// The lambda is a machine whose inputs are answers and whose outputs are operations. A run follows the known graph up to an edge
// that was never taken, and records from there. At each new operation it asks whether this place was there before: a node of the
// same code, from which the graph goes on as the run does (a join), or a node of this very path (a loop). What agrees only by
// accident is told apart by experiments, and when everything is explored the whole graph is tried again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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
inline constexpr std::size_t max_search_steps = 100'000'000;  // nodes looked at by searches in the graph
inline constexpr std::size_t max_attempts = 60;

// How far an experiment or a replay goes past the place that it tries.
inline constexpr std::size_t experiment_events = 4096;

// How many experiments one guess, and how many replays one join, may take.
inline constexpr int max_experiments = 24;

// The longest run of `false` answers that a replay starts with behind a join; at most 63.
inline constexpr std::size_t max_delay = 60;

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

class Explorer {
 public:
  Explorer(std::string kernel_name, LambdaRef lambda, Declarations& declarations)
      : recorder_(kernel_name, declarations), probe_(std::move(kernel_name), declarations), lambda_(lambda), walker_(graph_, variable_of_) {
  }

  // Throws TraceError when the kernel breaks a rule of tracing or cannot be settled within the bounds.
  NodeGraph explore() {
    for (statistics.attempts = 1;; ++statistics.attempts) {
      try {
        explore_once();
        check_ends();
        replay_all();
        assign_all();
        statistics.nodes = graph_.nodes.size();
        return std::move(graph_);
      } catch (const Retry&) {
        if (statistics.attempts >= max_attempts) refuse();
      }
    }
  }

  Statistics statistics;

 private:
  struct Retry {};

  // A set of edges: bit 2 * node + side.
  class EdgeSet {
   public:
    void reset(std::size_t nodes) { words_.assign((2 * nodes + 63) / 64, 0); }
    void insert(Edge e) { words_[index(e) / 64] |= std::uint64_t{1} << (index(e) % 64); }
    void erase(Edge e) { words_[index(e) / 64] &= ~(std::uint64_t{1} << (index(e) % 64)); }
    bool contains(Edge e) const { return words_[index(e) / 64] >> (index(e) % 64) & 1; }
    bool any() const {
      return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
    }
    void subtract(const EdgeSet& other) {
      for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= ~other.words_[k];
    }

   private:
    static std::size_t index(Edge e) { return 2 * static_cast<std::size_t>(e.node) + static_cast<std::size_t>(e.side); }
    std::vector<std::uint64_t> words_;
  };

  // An edge that leads to a node which another path made.
  struct Join {
    Edge edge;
    int target;
    bool guessed;              // not the head of a counted loop
    bool ambiguous;            // the code stands in the graph more than once
    std::uint64_t id;          // the same in a later attempt
    std::vector<bool> prefix;  // answers that lead to it
    std::size_t events;        // operations before it on that path
    EdgeSet untried;           // reachable edges that no replay took behind it
    int crossings = 0;         // by replays that answer by chance
    std::uint64_t delays = 0;  // numbers of `false` answers behind it that were tried
  };

  struct Pending {
    Edge edge;
    std::vector<bool> prefix;
  };

  // ---- exploring

  void explore_once() {
    graph_.nodes.clear();
    graph_.variables.clear();
    graph_.entry = no_node;
    joins_.clear();
    pending_.clear();
    newest_.clear();
    listed_ = 0;
    loops_ = false;
    recorder_.known_loops.clear();
    pending_.push_back({{}, {}});
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      if (graph_.target(next.edge) == no_node) integrate(next.prefix);
      list_nodes();
    }
  }

  void make_run(Recorder& recorder, const RunPlan& plan) {
    ++statistics.runs;
    recorder.run(plan, lambda_);
    statistics.events += recorder.event_count();
    if (statistics.events > max_total_events) refuse();
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

  std::vector<bool> answers_so_far() const {
    return {recorder_.answers().begin(), recorder_.answers().begin() + static_cast<std::ptrdiff_t>(decisions_)};
  }

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
      connect(loop_heads_[event.loop - 1].node, i, false, false);
      return Joined::pass;
    }
    // Code that stands in the graph several times, or follows code that does, may be a pass of an unrolled host loop or a helper's
    // call: what agrees there is not believed without experiments, unless it is just where the other side of the last decision goes.
    const bool repeated = is_repeated(event.key);
    const bool follows_repeated = last_decision_ != no_node && is_repeated(graph_[last_decision_].key);
    candidates_.clear();
    tried_ = no_node;
    for (int n = newest_.find(event.key); n != no_node; n = graph_[n].same_key) {
      const bool loops = static_cast<std::size_t>(n) < visited_.size() && visited_[static_cast<std::size_t>(n)].stamp == visit_stamp_;
      count_search_step();
      if (loops && visited_[static_cast<std::size_t>(n)].decisions == decisions_) continue;  // no decision between: not a loop
      const std::uint64_t id = detail::mix(discovery(i), graph_[n].discovery);
      if (is_forbidden(id) || on_rejected_way(n, i)) continue;
      const Walker::Step end = try_walk(events, i, n);
      if (end != Walker::Step::differs) candidates_.push_back({n, loops, end == Walker::Step::unexplored, way_.size(), id});
    }
    // the candidate that explains most of the run first
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.length != b.length ? a.length > b.length : a.node > b.node; });
    std::size_t loops_tried = 0;
    const std::vector<Candidate> candidates = candidates_;
    for (const Candidate& c : candidates) {
      if (c.loops && (++loops_tried > 4 || host_loop_likely(event.key))) continue;
      if (tried_ != c.node) try_walk(events, i, c.node);  // for its bindings and its way
      const bool ambiguous = repeated || (follows_repeated && !other_side_reaches(c.node));
      const bool doubtful = c.loops || c.open || ambiguous;
      if (!(doubtful ? futures_agree(i, c.node, c.loops) : detours_agree(i, c.node, 1))) {
        reject_way(i);
        if (c.loops) ++failed_loops(event.key);
        continue;
      }
      if (!extra_experiments_agree(c.id, i, c.node)) continue;
      if (c.loops) failed_loops(event.key) = 0, loops_ = true;
      connect(c.node, i, true, ambiguous);
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
    const Edge& edge = last_edge_;
    const int other = graph_[edge.node].next[edge.side == 0 ? 1 : 0];
    std::vector<bool> way;
    return other != no_node && find_path(other, [&](int m) { return m == n; }, [](int) { return true; }, way, -1);
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
      count_search_step();
      way_.push_back(graph_.target(walker_.edge));
      step = walker_.step(events[k]);
    }
    end_trial();
    return step;
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
    if (!detours_agree(i, n, 12)) return false;
    const std::vector<bool> prefix = answers_so_far();
    RunPlan plan;
    plan.forced = &prefix;
    plan.event_limit = std::min(i + experiment_events, max_events);
    plan.policy = Policy::no;
    if (!agrees(i, n, plan)) return false;
    plan.policy = Policy::biased;
    for (plan.seed = 1; plan.seed <= 4; ++plan.seed)
      if (!agrees(i, n, plan)) return false;
    plan.policy = Policy::settle;
    graph_.target(walker_.edge) = n;
    reachable_edges(n, uncovered_);
    graph_.target(walker_.edge) = no_node;
    std::vector<bool> forced;
    plan.forced = &forced;
    plan.event_limit = max_events;
    for (int k = 0; k < max_experiments && uncovered_.any(); ++k) {
      forced = prefix;
      graph_.target(walker_.edge) = n;
      const bool found = tour(n, uncovered_, forced);
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
    find_path(
        n,
        [&](int m) {
          if (graph_[m].opcode != ir::Opcode::decide) return false;
          for (int side = 0; side < 2; ++side)
            if (graph_[m].next[static_cast<std::size_t>(side)] != no_node && detours.size() < 2 * count)
              detours.push_back({{m, side}, answers_to(m, side)});
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

  bool is_forbidden(std::uint64_t id) const { return std::find(forbidden_.begin(), forbidden_.end(), id) != forbidden_.end(); }

  // Leads the current edge to node n, and gives values that both sides define one variable.
  void connect(int n, std::size_t i, bool guessed, bool ambiguous) {
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
    joins_.push_back({edge, n, guessed, ambiguous, detail::mix(discovery(i), graph_[n].discovery), answers_so_far(), i, {}, 0, 0});
  }

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

  // ---- trying the finished graph

  // The edges out of decisions that can be reached from node n.
  void reachable_edges(int n, EdgeSet& edges) {
    edges.reset(graph_.nodes.size());
    reached_.assign(graph_.nodes.size(), 0);
    queue_.assign(1, n);
    reached_[static_cast<std::size_t>(n)] = 1;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      count_search_step();
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

  // Appends the answers of a way from node n over edges of `uncovered`, nearest first, and takes them out of the set. False when
  // there is none.
  bool tour(int n, EdgeSet& uncovered, std::vector<bool>& answers) {
    bool any = false;
    for (std::size_t steps = 0; steps < experiment_events;) {
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
        ++steps;
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
      steps += way.size();
      n = at;
    }
    return any;
  }

  struct Replay final : Follower {
    explicit Replay(Explorer& e) : explorer(e) {}
    bool follow(const Event& event) override {
      const Edge edge = explorer.walker_.edge;
      const int n = explorer.graph_.target(edge);
      if (const int j = edge.node < 0 ? -1 : explorer.graph_[edge.node].join[static_cast<std::size_t>(edge.side)]; j >= 0)
        explorer.crossed_.push_back({j, position, explorer.path_.size(), decisions});
      if (explorer.walker_.step(event) != Walker::Step::matched) {
        differs = true;
        node = n;
        at = event;
        return false;
      }
      if (event.opcode == ir::Opcode::decide) explorer.path_.push_back({n, event.answer ? 0 : 1}), ++decisions;
      if (event.opcode == ir::Opcode::loop_head && event.loop > explorer.loop_heads_.size()) explorer.loop_heads_.push_back({n, position});
      ++position;
      return true;
    }
    Explorer& explorer;
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

  // Whether two decisions of one site stand side by side in the graph, neither behind the other: the mark of host state that keeps
  // paths apart, which then has to be looked for at every join. Passes of an unrolled loop stand one behind the other.
  bool has_worlds_apart() {
    std::vector<std::pair<std::uint64_t, int>> decisions;
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n)
      if (graph_[n].opcode == ir::Opcode::decide)
        decisions.push_back({detail::mix(reinterpret_cast<std::uintptr_t>(graph_[n].place.file),
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

  // Decisions on the way from node n on which every answer is `false`.
  std::size_t false_way(int n) const {
    std::size_t decisions = 0;
    for (std::size_t steps = 0; n != no_node && steps < experiment_events && decisions < max_delay; ++steps) {
      const bool decides = graph_[n].opcode == ir::Opcode::decide;
      decisions += decides ? 1 : 0;
      n = graph_[n].next[decides ? 1 : 0];
    }
    return decisions;
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
  void delayed_replays(bool apart) {
    std::vector<std::size_t> lengths;
    lengths.reserve(joins_.size());
    for (const Join& join : joins_) lengths.push_back(join.guessed ? false_way(join.target) : 0);
    std::size_t runs = apart ? 50'000 : joins_.size() + 16, events = statistics.events + 2'000'000;
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
    reachable_edges(n, uncovered_);
    std::vector<std::uint64_t> sites;
    for (const int m : queue_)
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
    for (Join& join : joins_) reachable_edges(join.target, join.untried);
    std::vector<bool> forced;
    RunPlan plan;
    plan.forced = &forced;
    plan.event_limit = experiment_events;
    plan.policy = Policy::no;
    replay(plan);
    for (plan.seed = 1; plan.seed <= 16; ++plan.seed) varied_replay(plan);
    for (std::size_t k = 0, length = false_way(graph_.entry); k < length; ++k) delayed_replay(forced, k);
    const bool apart = has_worlds_apart();
    fixed_replays(forced, 0, graph_.entry, true);
    delayed_replays(apart);
    if (apart) {
      const std::size_t events = statistics.events + 2'000'000;
      for (std::size_t j = joins_.size(); j-- > 0 && statistics.events < events;)
        if (joins_[j].guessed) fixed_replays(joins_[j].prefix, joins_[j].events, joins_[j].target, false);
    }
    const int wanted_crossings = apart ? 24 : 10;
    for (std::size_t j = joins_.size(); j-- > 0;) {
      for (int tries = 0; tries < max_experiments && joins_[j].untried.any(); ++tries) {
        forced = joins_[j].prefix;
        EdgeSet untried = joins_[j].untried;
        if (!tour(joins_[j].target, untried, forced)) break;
        plan.policy = Policy::random;
        ++plan.seed;
        plan.event_limit = max_events;
        replay(plan);
      }
      forced = joins_[j].prefix;
      plan.event_limit = std::min(joins_[j].events + experiment_events, max_events);
      for (int tries = 0; tries < wanted_crossings && joins_[j].guessed && joins_[j].crossings < wanted_crossings; ++tries)
        ++plan.seed, varied_replay(plan);
      const std::vector<bool> cycle = cycle_through(joins_[j]);
      if (cycle.empty()) continue;
      forced = joins_[j].prefix;
      plan.policy = Policy::cycle;
      plan.cycle = &cycle;
      plan.event_limit = std::min(joins_[j].events + experiment_events, max_events);
      replay(plan);
    }
  }

  // A place from which the end cannot be reached is a loop that is never left.
  void check_ends() {
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
      if (!ends[static_cast<std::size_t>(n)] && graph_[n].opcode == ir::Opcode::decide)
        throw TraceError(recorder_.kernel_name(), graph_[n].place.source_line(), "a loop on a device condition that never ends");
  }

  // The answers of a shortest way from the join's target back to its edge; empty when there is none.
  std::vector<bool> cycle_through(const Join& join) {
    std::vector<bool> answers;
    find_path(join.target, [&](int n) { return n == join.edge.node; }, [](int) { return true; }, answers, join.edge.side);
    return answers;
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

  void count_search_step() {
    if (++statistics.search_steps > max_search_steps) refuse();
  }

  // Breadth-first search from node `from` to a node that is `wanted`, over nodes that may be `passed`. Gives the answers on the way,
  // and the one that leaves the last node by `last_side` when that is a decision (-1: none).
  template <class Wanted, class Passed>
  bool find_path(int from, Wanted wanted, Passed may_pass, std::vector<bool>& answers, int last_side) {
    came_from_.assign(graph_.nodes.size(), {-2, 0});
    statistics.search_steps += graph_.nodes.size() / 8;
    queue_.clear();
    queue_.push_back(from);
    came_from_[static_cast<std::size_t>(from)] = {-1, 0};
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const int n = queue_[head];
      if (wanted(n)) {
        answers = answers_to(n, last_side);
        return true;
      }
      count_search_step();
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

  // Every use of a variable must be preceded by a definition on every path. Where a join was made before the run had shown which of
  // its values a later use reads, that use is visited in the next attempt before the join is believed.
  void assign_all() {
    const std::size_t words = (graph_.variables.size() + 63) / 64;
    std::vector<std::uint8_t> is_leader(graph_.nodes.size(), 0), in_queue(graph_.nodes.size(), 0);
    std::vector<std::int32_t> slot(graph_.nodes.size(), -1);
    for (const Join& j : joins_) is_leader[static_cast<std::size_t>(j.target)] = 1;
    std::vector<std::vector<std::uint64_t>> assigned;  // at each leader's entry
    std::vector<std::vector<std::uint64_t>> at_join(joins_.size());
    std::vector<int> work;
    auto reach = [&](int n, const std::vector<std::uint64_t>& set) {
      std::int32_t& s = slot[static_cast<std::size_t>(n)];
      bool changed = false;
      if (s < 0) {
        s = static_cast<std::int32_t>(assigned.size());
        assigned.push_back(set);
        changed = true;
      } else {
        std::vector<std::uint64_t>& mine = assigned[static_cast<std::size_t>(s)];
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t both = mine[w] & set[w];
          changed |= both != mine[w];
          mine[w] = both;
        }
      }
      if (changed && !in_queue[static_cast<std::size_t>(n)]) in_queue[static_cast<std::size_t>(n)] = 1, work.push_back(n);
    };
    reach(graph_.entry, std::vector<std::uint64_t>(words, 0));
    std::vector<std::pair<int, ir::Variable>> suspects;
    for (int pass = 0; pass < 2; ++pass) {  // to the fixed point, then once more to look at the uses
      if (pass == 1)
        for (std::size_t n = 0; n < slot.size(); ++n)
          if (slot[n] >= 0) work.push_back(static_cast<int>(n));
      while (!work.empty()) {
        int n = work.back();
        work.pop_back();
        in_queue[static_cast<std::size_t>(n)] = 0;
        std::vector<std::uint64_t> set = assigned[static_cast<std::size_t>(slot[static_cast<std::size_t>(n)])];
        for (;;) {
          const Node& node = graph_[n];
          if (pass == 1)
            for (unsigned k = 0; k < node.operand_count; ++k)
              if (!(set[node.operands[k] / 64] >> (node.operands[k] % 64) & 1)) suspects.push_back({n, node.operands[k]});
          if (node.result != ir::no_variable) set[node.result / 64] |= std::uint64_t{1} << (node.result % 64);
          if (node.opcode == ir::Opcode::end) break;
          const bool decides = node.opcode == ir::Opcode::decide;
          for (std::size_t side = 0; side < (decides ? 2u : 1u); ++side)
            if (node.join[side] >= 0) at_join[static_cast<std::size_t>(node.join[side])] = set;
          if (decides) {
            if (pass == 0) reach(node.next[0], set), reach(node.next[1], set);
            break;
          }
          n = node.next[0];
          if (is_leader[static_cast<std::size_t>(n)] || slot[static_cast<std::size_t>(n)] >= 0) {
            if (pass == 0) reach(n, set);
            break;
          }
        }
      }
    }
    if (suspects.empty()) return;
    bool progress = false;
    for (const auto& [use, variable] : suspects) {
      for (std::size_t j = 0; j < joins_.size(); ++j) {
        if (!joins_[j].guessed || at_join[j].empty() || (at_join[j][variable / 64] >> (variable % 64) & 1)) continue;
        std::vector<bool> answers;
        auto uses = [&, v = variable](int n) {
          for (unsigned k = 0; k < graph_[n].operand_count; ++k)
            if (graph_[n].operands[k] == v) return true;
          return false;
        };
        if (!find_path(joins_[j].target, uses, [&, v = variable](int n) { return graph_[n].result != v; }, answers, -1)) continue;
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

  // ---- giving up

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
                       " operations): host state keeps its device branches apart, or a helper that is no ox::function calls itself. Most "
                       "branches come from";
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

  // ---- state

  // The newest node of each key.
  class KeyTable {
   public:
    void clear() { rows_.assign(256, {}), used_ = 0; }
    int find(std::uint64_t key) const {
      for (std::size_t i = key & (rows_.size() - 1);; i = (i + 1) & (rows_.size() - 1)) {
        if (rows_[i].node == no_node) return no_node;
        if (rows_[i].key == key) return rows_[i].node;
      }
    }
    int exchange(std::uint64_t key, int node) {
      if (used_ * 2 >= rows_.size()) grow();
      for (std::size_t i = key & (rows_.size() - 1);; i = (i + 1) & (rows_.size() - 1)) {
        if (rows_[i].node == no_node) return rows_[i] = {key, node}, ++used_, no_node;
        if (rows_[i].key == key) return std::exchange(rows_[i].node, node);
      }
    }

   private:
    struct Row {
      std::uint64_t key = 0;
      int node = no_node;
    };
    void grow() {
      std::vector<Row> old(rows_.size() * 2);
      old.swap(rows_);
      for (const Row& row : old) {
        if (row.node == no_node) continue;
        std::size_t i = row.key & (rows_.size() - 1);
        while (rows_[i].node != no_node) i = (i + 1) & (rows_.size() - 1);
        rows_[i] = row;
      }
    }
    std::vector<Row> rows_;
    std::size_t used_ = 0;
  };

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
  struct RejectedWay {
    std::size_t event;       // where it starts
    std::vector<int> nodes;  // one an event
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
  std::vector<Join> joins_;
  std::vector<Pending> pending_;
  KeyTable newest_;
  int listed_ = 0;      // nodes that newest_ knows
  bool loops_ = false;  // the graph has a loop
  std::vector<std::uint64_t> forbidden_;
  std::vector<std::uint64_t> device_loops_;  // keys of nodes that were seen to head a loop of the device
  std::vector<std::pair<std::uint64_t, std::vector<bool>>> extra_experiments_;

  // of the run that is being added
  std::vector<ir::Variable> variable_of_;  // by value
  std::vector<LoopHead> loop_heads_;       // by loop number - 1
  std::vector<Crossed> crossed_;
  std::vector<Visited> visited_;  // by node
  std::uint32_t visit_stamp_ = 0;
  std::size_t decisions_ = 0;
  int last_decision_ = no_node;
  Edge last_edge_;  // that it was left by
  std::uint64_t answers_hash_ = 0;
  Segment segment_;
  Edge trial_edge_;
  int tried_ = no_node;   // where the last try_walk began, for the event at hand
  std::vector<int> way_;  // the nodes it went over
  std::vector<RejectedWay> rejected_;
  std::vector<Candidate> candidates_;
  std::vector<std::pair<std::uint64_t, std::size_t>> failed_loops_;  // by key of the node that was guessed to head one

  std::vector<Edge> came_from_;
  std::vector<int> queue_;
  std::vector<std::uint8_t> reached_;
  std::vector<Edge> path_;  // edges out of decisions that a replay took
  EdgeSet uncovered_, covered_;
};

}  // namespace oxide::trace
