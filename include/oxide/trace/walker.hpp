// The graph while it is being explored, and following a run through it.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/trace/recorder.hpp>

namespace oxide::trace {

inline constexpr int no_node = -1;

// One operation of the graph. A decision has two successors (0 true, 1 false), everything else one.
struct Node {
  // What a run is followed by lies in one cache line.
  ir::Opcode opcode = ir::Opcode::end;
  ir::Type type = ir::Type::none;
  std::uint8_t operand_count = 0;
  ir::Variable result = ir::no_variable;
  std::array<ir::Variable, ir::max_operands> operands{ir::no_variable, ir::no_variable, ir::no_variable};
  std::array<int, 2> next{no_node, no_node};
  std::array<int, 2> join{-1, -1};  // per edge: index into Explorer's joins when the edge was made by one
  std::uint64_t immediate = 0;
  Place place;

  std::uint64_t key = 0;
  std::uint64_t discovery = 0;  // identifies the moment of the program that made it, also in a later attempt
  int same_key = no_node;       // the previous node with this key
};

// An edge of the graph: side `side` of node `node`; of node -1, the entry.
struct Edge {
  int node = no_node;
  int side = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct NodeGraph {
  std::vector<Node> nodes;
  std::vector<ir::Type> variables;
  int entry = no_node;

  int& target(Edge e) { return e.node < 0 ? entry : nodes[static_cast<std::size_t>(e.node)].next[static_cast<std::size_t>(e.side)]; }
  int target(Edge e) const { return e.node < 0 ? entry : nodes[static_cast<std::size_t>(e.node)].next[static_cast<std::size_t>(e.side)]; }
  Node& operator[](int n) { return nodes[static_cast<std::size_t>(n)]; }
  const Node& operator[](int n) const { return nodes[static_cast<std::size_t>(n)]; }
};

// Simulates the graph beside a run: which run value each variable holds. A run agrees with the graph as long as every operation
// is the node's, and every operand is what the node's operand holds just then.
class Walker {
 public:
  // A value that was made on one side of a join, and the variable that the code after the join reads it from. `own` is the variable
  // that the value's operation has until the join is made; what goes into it also goes into `variable`.
  struct Binding {
    ValueId value;
    ir::Variable variable;
    ir::Variable own;
  };

  // `variable_of` gives the variable of each value that may be bound.
  Walker(const NodeGraph& graph, const std::vector<ir::Variable>& variable_of) : graph_(&graph), variable_of_(&variable_of) {}

  void start() {
    holder_.assign(graph_->variables.size(), no_value);
    bindings.clear();
    fresh_from = fresh_to = 0;
    edge = {};
  }

  enum class Step : std::uint8_t { matched, differs, unexplored };

  // Follows one event over the current edge.
  Step step(const Event& event) {
    const int n = graph_->target(edge);
    if (n == no_node) return Step::unexplored;
    const Node& node = (*graph_)[n];
    if (!is_code_of(event, node) || node.operand_count != event.operand_count) return Step::differs;
    for (unsigned k = 0; k < event.operand_count; ++k)
      if (holder(node.operands[k]) != event.operands[k] && !bind(node.operands[k], event.operands[k])) return Step::differs;
    if (event.result != no_value) {
      set(node.result, event.result);
      if (!bindings.empty()) [[unlikely]]
        set_bound(node.result, event.result);
    }
    edge = {n, event.opcode == ir::Opcode::decide && !event.answer ? 1 : 0};
    return Step::matched;
  }

  void set(ir::Variable variable, ValueId value) {
    if (variable >= holder_.size()) [[unlikely]]
      grow();
    if (logging_) log(variable);
    holder_[variable] = value;
  }

  ValueId holder(ir::Variable variable) const { return variable < holder_.size() ? holder_[variable] : no_value; }

  // A trial: what is done after `begin_trial` is undone by `end_trial`.
  void begin_trial() { logging_ = true, log_.clear(), before_.clear(), trial_edge_ = edge; }
  void end_trial() {
    if (before_.empty()) undo(holder_);
    else holder_.swap(before_);
    logging_ = false;
    edge = trial_edge_;
  }

  Edge edge;                                  // the edge that the run is on
  ValueId fresh_from = 0, fresh_to = 0;       // values that may be bound: made by the part of the run that joins
  std::vector<Binding> bindings;

 private:
  static bool is_code_of(const Event& event, const Node& node) {
    if (event.key != 0) return event.key == node.key;
    if (event.opcode == node.opcode && event.type == node.type && event.immediate == node.immediate && event.place == node.place)
      return true;
    return is_code_of_slow(event, node);
  }
  [[gnu::noinline]] static bool is_code_of_slow(const Event& event, const Node& node) {
    return key_of(event) == node.key;  // a file may have several names in memory
  }
  [[gnu::noinline]] void set_bound(ir::Variable own, ValueId value) {
    for (const Binding& b : bindings)
      if (b.own == own) set(b.variable, value);
  }
  [[gnu::noinline]] bool bind(ir::Variable variable, ValueId value) {
    if (holder(variable) != no_value || value < fresh_from || value >= fresh_to) return false;
    for (const Binding& b : bindings)
      if (b.value == value) return false;  // a value goes into one variable
    bindings.push_back({value, variable, (*variable_of_)[value]});
    set(variable, value);
    return true;
  }

  [[gnu::noinline]] void grow() { holder_.resize(graph_->variables.size() + 64, no_value); }

  // A trial that sets more often than there are variables is undone by a copy of them all.
  void log(ir::Variable variable) {
    log_.push_back({holder_[variable], variable});
    if (log_.size() >= holder_.size()) [[unlikely]]
      copy_all();
  }
  [[gnu::noinline]] void copy_all() {
    before_ = holder_;
    undo(before_);
    logging_ = false;
  }
  void undo(std::vector<ValueId>& holder) const {
    for (std::size_t k = log_.size(); k-- > 0;) holder[log_[k].variable] = log_[k].value;
  }

  struct Logged {
    ValueId value;
    ir::Variable variable;
  };

  const NodeGraph* graph_;
  const std::vector<ir::Variable>* variable_of_;
  std::vector<ValueId> holder_;
  std::vector<Logged> log_;      // what variables held before
  std::vector<ValueId> before_;  // instead of the log, when that grew long
  bool logging_ = false;
  Edge trial_edge_;
};

}  // namespace oxide::trace
