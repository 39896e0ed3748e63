// Makes a graph that shows a fault smaller while it still shows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/simplify.hpp>
#include <oxide/ir/verify.hpp>

namespace oxide::testing {

class GraphShrinker {
 public:
  // `fails` says whether a graph, which verifies, shows the fault.
  GraphShrinker(ir::Graph graph, std::function<bool(const ir::Graph&)> fails, double seconds)
      : graph_(std::move(graph)), fails_(std::move(fails)),
        end_(Clock::now() + std::chrono::milliseconds(static_cast<long>(1e3 * seconds))) {}

  ir::Graph run() {
    for (bool smaller = true; std::exchange(smaller, false) && in_time();) {
      for (const auto pass : {&GraphShrinker::branches, &GraphShrinker::effects, &GraphShrinker::results, &GraphShrinker::operands,
                              &GraphShrinker::unused, &GraphShrinker::simplified})
        smaller |= (this->*pass)();
    }
    return graph_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Place {
    std::size_t body, block, operation;
  };

  bool in_time() const { return Clock::now() < end_; }
  static ir::Body& body_of(ir::Graph& graph, std::size_t number) {
    return number == 0 ? static_cast<ir::Body&>(graph) : graph.functions[number - 1];
  }
  static ir::Operation& at(ir::Graph& graph, const Place& p) { return body_of(graph, p.body).blocks[p.block].operations[p.operation]; }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t body = ir::body_count(graph_); body-- != 0;)
      for (std::size_t block = body_of(graph_, body).blocks.size(); block-- != 0;)
        for (std::size_t i = body_of(graph_, body).blocks[block].operations.size(); i-- != 0;) f(Place{body, block, i});
  }
  bool accept(ir::Graph candidate) {
    if (!in_time() || ir::verify(candidate) || !fails_(candidate)) return false;
    graph_ = std::move(candidate);
    return true;
  }

  // Takes as many of the places at once as it can.
  template <class Change>
  bool change(const std::vector<Place>& places, Change change) {
    bool any = false;
    for (std::size_t size = places.size(); size != 0; size /= 2)
      for (std::size_t first = 0; first < places.size(); first += size) {
        ir::Graph candidate = graph_;
        bool changed = false;
        for (std::size_t k = first; k != std::min(first + size, places.size()); ++k) changed |= change(candidate, places[k]);
        if (changed) any |= accept(std::move(candidate));
      }
    return any;
  }

  bool branches() {
    bool any = false;
    for (std::size_t body = 0; body != ir::body_count(graph_); ++body)
      for (std::size_t block = 0; block != body_of(graph_, body).blocks.size(); ++block)
        for (const std::size_t way : {0u, 1u}) {
          ir::Graph candidate = graph_;
          ir::Terminator& t = body_of(candidate, body).blocks[block].terminator;
          if (t.kind != ir::TerminatorKind::branch) break;
          t = {ir::TerminatorKind::jump, ir::no_variable, {t.targets[way], 0}, t.location};
          any |= accept(std::move(candidate));
        }
    return any;
  }

  static void make_constant(ir::Operation& op) {
    op.opcode = ir::Opcode::constant;
    op.operands = {ir::no_variable, ir::no_variable, ir::no_variable};
    op.immediate = 0;
  }
  static bool is_plain(const ir::Operation& op) {
    const ir::Effect effect = ir::row_of(op.opcode).effect;
    return effect == ir::Effect::pure || effect == ir::Effect::reads || (effect == ir::Effect::traps && op.result != ir::no_variable);
  }

  // Operations without a result, and calls with what belongs to them; one at a time, for places behind them move.
  bool effects() {
    bool any = false;
    std::vector<Place> places;
    for_each([&](const Place& p) {
      const ir::Operation& op = at(graph_, p);
      const ir::Effect effect = ir::row_of(op.opcode).effect;
      const bool removable = op.result == ir::no_variable && effect != ir::Effect::argument && effect != ir::Effect::returns;
      if (removable) places.push_back(p);
    });
    for (const Place& p : places) {
      ir::Graph candidate = graph_;
      auto& operations = body_of(candidate, p.body).blocks[p.block].operations;
      std::size_t first = p.operation;
      while (first != 0 && operations[first - 1].opcode == ir::Opcode::argument) --first;
      for (std::size_t k = p.operation + 1; k != operations.size() && operations[k].opcode == ir::Opcode::call_result; ++k)
        make_constant(operations[k]);
      operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(first),
                       operations.begin() + static_cast<std::ptrdiff_t>(p.operation) + 1);
      any |= accept(std::move(candidate));
    }
    return any;
  }

  bool results() {
    std::vector<Place> places;
    for_each([&](const Place& p) {
      const ir::Operation& op = at(graph_, p);
      if (is_plain(op) && op.opcode != ir::Opcode::constant && ir::is_number(op.type)) places.push_back(p);
    });
    return change(places, [](ir::Graph& graph, const Place& p) {
      make_constant(at(graph, p));
      return true;
    });
  }

  // An operand of the result's type instead of the operation.
  bool operands() {
    bool any = false;
    for (std::size_t which = 0; which != ir::max_operands; ++which) {
      std::vector<Place> places;
      for_each([&](const Place& p) {
        const ir::Operation& op = at(graph_, p);
        const ir::Variable v = op.operands[which];
        if (is_plain(op) && op.opcode != ir::Opcode::copy && v != ir::no_variable && body_of(graph_, p.body).variables[v] == op.type)
          places.push_back(p);
      });
      any |= change(places, [&](ir::Graph& graph, const Place& p) {
        ir::Operation& op = at(graph, p);
        op.opcode = ir::Opcode::copy;
        op.operands = {op.operands[which], ir::no_variable, ir::no_variable};
        op.immediate = 0;
        return true;
      });
    }
    return any;
  }

  bool unused() {
    ir::Graph candidate = graph_;
    bool any = false;
    for (std::size_t number = 0; number != ir::body_count(candidate); ++number) {
      ir::Body& body = body_of(candidate, number);
      for (bool changed = true; std::exchange(changed, false);) {
        std::vector<bool> used(body.variables.size());
        const auto use = [&](ir::Variable v) {
          if (v != ir::no_variable) used[v] = true;
        };
        for (const ir::Block& block : body.blocks) {
          for (const ir::Operation& op : block.operations)
            for (std::size_t k = op.opcode == ir::Opcode::assign ? 1 : 0; k != ir::max_operands; ++k) use(op.operands[k]);
          use(block.terminator.condition);
        }
        for (ir::Block& block : body.blocks)
          changed |= std::erase_if(block.operations, [&](const ir::Operation& op) {
                       if (op.opcode == ir::Opcode::assign) return !used[op.operands[0]];
                       return is_plain(op) && !used[op.result];
                     }) != 0;
        any |= changed;
      }
    }
    return any && accept(std::move(candidate));
  }

  bool simplified() {
    const auto size = [](const ir::Graph& graph) {
      std::size_t n = 0;
      for (std::size_t body = 0; body != ir::body_count(graph); ++body)
        for (const ir::Block& block : ir::body_of(graph, body).blocks) n += block.operations.size() + 1;
      return n;
    };
    ir::Graph candidate = graph_;
    ir::simplify(candidate);
    return size(candidate) < size(graph_) && accept(std::move(candidate));
  }

  ir::Graph graph_;
  const std::function<bool(const ir::Graph&)> fails_;
  const Clock::time_point end_;
};

}  // namespace oxide::testing
