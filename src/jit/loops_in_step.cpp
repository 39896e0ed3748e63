#include "loops_in_step.hpp"

#include "body.hpp"
#include "graph_walk.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Opcode;
using ir::Variable;

class Finder {
 public:
  Finder(const ir::Graph& graph, const std::vector<std::uint32_t>& order, const std::vector<const ir::Operation*>& maker)
      : blocks_(graph.blocks), order_(order), maker_(maker), definitions_(count_definitions(graph)), sums_(graph.variables.size(), nullptr),
        copies_(graph.variables.size()) {
    for (const std::uint32_t b : order_)
      for (const ir::Operation& op : blocks_[b].operations) {
        if (op.opcode == Opcode::add && definitions_[op.result] == 1) sums_[op.result] = &op;
        const Variable v = defined_by(op);
        if (v == ir::no_variable) continue;
        const bool copies = op.opcode == Opcode::copy || op.opcode == Opcode::assign;
        copies_[v].push_back({b, copies ? op.operands[op.opcode == Opcode::copy ? 0 : 1] : ir::no_variable});
      }
  }

  void run(std::vector<bool>& starts) const {
    std::vector<std::size_t> place(blocks_.size(), blocks_.size());
    for (std::size_t i = 0; i != order_.size(); ++i) place[order_[i]] = i;
    for (const std::uint32_t tail : order_) {
      const ir::Terminator& back = blocks_[tail].terminator;
      if (back.kind != ir::TerminatorKind::jump || place[back.targets[0]] > place[tail]) continue;
      const std::vector<bool> inside = loop_of(back.targets[0], tail);
      if (!is_in_step(inside)) continue;
      starts[back.targets[0]] = true;
      for (const std::uint32_t b : order_)
        if (inside[b])
          each_target(b, [&](std::uint32_t t) {
            if (!inside[t]) starts[t] = true;
          });
    }
  }

 private:
  template <class F>
  void each_target(std::uint32_t b, F&& f) const {
    for (unsigned i = 0; i != target_count(blocks_[b].terminator); ++i) f(blocks_[b].terminator.targets[i]);
  }

  // The blocks from which the tail is reached without the head.
  std::vector<bool> loop_of(std::uint32_t head, std::uint32_t tail) const {
    std::vector<bool> inside(blocks_.size(), false);
    inside[head] = inside[tail] = true;
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::uint32_t b : order_)
        if (!inside[b])
          each_target(b, [&](std::uint32_t t) {
            if (t != head && inside[t]) inside[b] = changed = true;
          });
    return inside;
  }

  bool is_in_step(const std::vector<bool>& inside) const {
    bool found = false;
    for (const std::uint32_t b : order_) {
      if (!inside[b]) continue;
      for (const ir::Operation& op : blocks_[b].operations) {
        if (is_collective(op)) return false;
        if (op.opcode == Opcode::load || op.opcode == Opcode::store) found = found || strides(op.operands[0], inside);
      }
    }
    return found;
  }
  // Whether an index grows by one from thread to thread, and from pass to pass by a number that is not known here.
  bool strides(Variable index, const std::vector<bool>& inside) const {
    if (copies_[index].size() == 1 && inside[copies_[index][0].block] && copies_[index][0].from != ir::no_variable)
      index = copies_[index][0].from;
    bool starts = false, grows = false;
    for (const Copy& definition : copies_[index]) {
      if (definition.from == ir::no_variable) return false;
      if (!inside[definition.block]) starts = per_thread(definition.from) == 1;
      else grows = is_stride(sums_[definition.from], index);
      if (!starts && !grows) return false;
    }
    return starts && grows;
  }
  bool is_stride(const ir::Operation* sum, Variable index) const {
    if (sum == nullptr || (sum->operands[0] != index && sum->operands[1] != index)) return false;
    const Variable step = sum->operands[0] == index ? sum->operands[1] : sum->operands[0];
    return per_thread(step) == 0 && maker_[step]->opcode != Opcode::constant;
  }
  // By how much a value grows from thread to thread, as far as it is plain.
  std::optional<int> per_thread(Variable v) const {
    if (maker_[v] == nullptr) return std::nullopt;
    const ir::Operation& op = *maker_[v];
    switch (op.opcode) {
      case Opcode::constant:
      case Opcode::parameter:
      case Opcode::length:
      case Opcode::block_index:
      case Opcode::block_dim:
      case Opcode::grid_dim:
        return 0;
      case Opcode::thread_index:
        return op.immediate == 0 ? 1 : 0;
      case Opcode::copy:
      case Opcode::cast:
        return per_thread(op.operands[0]);
      case Opcode::add:
      case Opcode::mul: {
        const std::optional<int> x = per_thread(op.operands[0]), y = per_thread(op.operands[1]);
        if (!x || !y || (op.opcode == Opcode::mul && (*x != 0 || *y != 0))) return std::nullopt;
        return *x + *y;
      }
      default:
        return std::nullopt;
    }
  }

  struct Copy {
    std::uint32_t block;
    Variable from;  // no_variable of what is no copy
  };
  const std::vector<ir::Block>& blocks_;
  const std::vector<std::uint32_t>& order_;
  const std::vector<const ir::Operation*>& maker_;
  const std::vector<std::uint8_t> definitions_;
  std::vector<const ir::Operation*> sums_;    // of a variable that is one
  std::vector<std::vector<Copy>> copies_;     // the definitions of each variable
};

}  // namespace

void find_loops_in_step(const ir::Graph& graph, const std::vector<std::uint32_t>& order, const std::vector<const ir::Operation*>& maker,
                        std::vector<bool>& starts) {
  Finder(graph, order, maker).run(starts);
}

}  // namespace oxide::jit
