// Puts a graph in canonical form, so that the same kernel traced by another compiler or at another -O level hashes the same:
// empty and straight-line blocks merged, unreachable blocks dropped, copies propagated, dead operations dropped, blocks in reverse
// post-order, variables numbered without gaps in the order of their first appearance; functions numbered likewise, unused ones dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// Needs a graph in which every variable is defined before it is used, on every path (see verify.hpp).
void simplify(Graph& graph);

namespace detail {

class Simplifier {
 public:
  explicit Simplifier(Body& body) : body_(body) {}

  void run() {
    if (body_.blocks.empty()) return;
    assigns_to_copies();
    skip_empty_blocks();
    merge_straight_lines();
    order_blocks();  // drops unreachable blocks, whose definitions must not count
    propagate_copies();
    drop_dead();
    // Dropping operations may have emptied blocks, and dropped blocks may have been the last users of a condition.
    for (std::size_t before = 0; before != size();) {
      before = size();
      skip_empty_blocks();
      merge_straight_lines();
      order_blocks();
      propagate_copies();
      drop_dead();
    }
    number_variables();
  }

 private:
  static std::size_t target_count(const Terminator& t) {
    return t.kind == TerminatorKind::exit ? 0 : t.kind == TerminatorKind::jump ? 1 : 2;
  }
  std::size_t size() const {
    std::size_t n = body_.blocks.size();
    for (const Block& b : body_.blocks) n += b.operations.size() + target_count(b.terminator);
    return n;
  }

  // `assign x, y` says what `x = copy y` says.
  void assigns_to_copies() {
    for (Block& block : body_.blocks)
      for (Operation& op : block.operations)
        if (op.opcode == Opcode::assign) {
          op.opcode = Opcode::copy;
          op.result = op.operands[0];
          op.type = body_.variables[op.result];
          op.operands = {op.operands[1], no_variable, no_variable};
        }
  }

  // Sends every edge into a block that does nothing but jump to where that jump goes. A ring of such blocks is an endless loop and stays.
  void skip_empty_blocks() {
    const std::size_t n = body_.blocks.size();
    const auto is_empty = [&](std::uint32_t b) {
      const Block& block = body_.blocks[b];
      return block.operations.empty() && block.terminator.kind == TerminatorKind::jump && block.terminator.targets[0] != b;
    };
    std::vector<std::uint32_t> goes_to(n, 0);  // 0: not yet known; nothing goes to the entry
    std::vector<std::uint32_t> chain;
    const auto resolve = [&](std::uint32_t b) {
      chain.clear();
      while (goes_to[b] == 0 && is_empty(b) && chain.size() <= n) {
        chain.push_back(b);
        b = body_.blocks[b].terminator.targets[0];
      }
      if (chain.size() > n) return b;  // a ring
      const std::uint32_t end = goes_to[b] != 0 ? goes_to[b] : b;
      for (std::uint32_t c : chain) goes_to[c] = end;
      return end;
    };
    for (Block& block : body_.blocks) {
      Terminator& t = block.terminator;
      for (std::size_t i = 0; i != target_count(t); ++i) t.targets[i] = resolve(t.targets[i]);
      if (t.kind == TerminatorKind::branch && t.targets[0] == t.targets[1]) {
        t.kind = TerminatorKind::jump;
        t.condition = no_variable;
        t.targets[1] = 0;
      }
    }
  }

  // A block that is the only way into the next one takes that one's place.
  void merge_straight_lines() {
    std::vector<std::uint32_t> ways_in(body_.blocks.size(), 0);
    for (std::uint32_t b : reverse_post_order())
      for (std::size_t i = 0; i != target_count(body_.blocks[b].terminator); ++i) ++ways_in[body_.blocks[b].terminator.targets[i]];
    for (std::uint32_t b : reverse_post_order()) {
      Block& block = body_.blocks[b];
      while (block.terminator.kind == TerminatorKind::jump) {
        const std::uint32_t next = block.terminator.targets[0];
        if (ways_in[next] != 1 || next == b) break;
        Block& taken = body_.blocks[next];
        block.operations.insert(block.operations.end(), taken.operations.begin(), taken.operations.end());
        block.terminator = taken.terminator;
        // What is left of `taken` has no way in, and must not be merged from when its turn comes.
        taken = Block{};
        ways_in[next] = 0;
      }
    }
  }

  std::vector<std::uint32_t> reverse_post_order() const {
    std::vector<std::uint32_t> post;
    std::vector<bool> seen(body_.blocks.size());
    struct Visit {
      std::uint32_t block;
      std::size_t left;  // targets not yet visited: the false target first, so that the true one comes first in the reverse
    };
    std::vector<Visit> stack{{0, target_count(body_.blocks[0].terminator)}};
    seen[0] = true;
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.left == 0) {
        post.push_back(top.block);
        stack.pop_back();
        continue;
      }
      const std::uint32_t next = body_.blocks[top.block].terminator.targets[--top.left];
      if (seen[next]) continue;
      seen[next] = true;
      stack.push_back({next, target_count(body_.blocks[next].terminator)});
    }
    return {post.rbegin(), post.rend()};
  }

  void order_blocks() {
    const std::vector<std::uint32_t> order = reverse_post_order();
    std::vector<std::uint32_t> place(body_.blocks.size(), 0);
    std::vector<Block> blocks;
    blocks.reserve(order.size());
    for (std::size_t i = 0; i != order.size(); ++i) {
      place[order[i]] = static_cast<std::uint32_t>(i);
      blocks.push_back(std::move(body_.blocks[order[i]]));
    }
    for (Block& block : blocks)
      for (std::size_t i = 0; i != target_count(block.terminator); ++i) block.terminator.targets[i] = place[block.terminator.targets[i]];
    body_.blocks = std::move(blocks);
  }

  // Calls f(variable) for each variable that the operation or terminator uses, by reference.
  template <class F>
  static void uses(Operation& op, F&& f) {
    const OpcodeRow& row = row_of(op.opcode);
    for (std::size_t i = row.effect == Effect::writes_variable ? 1 : 0; i != row.operands; ++i) f(op.operands[i]);
  }
  template <class F>
  static void uses(Terminator& t, F&& f) {
    if (t.kind == TerminatorKind::branch) f(t.condition);
  }
  static Variable defined_by(const Operation& op) {
    const OpcodeRow& row = row_of(op.opcode);
    return row.effect == Effect::writes_variable ? op.operands[0] : row.result != ResultRule::none ? op.result : no_variable;
  }

  // r = copy s, each with one definition. Since r's definition dominates r's uses and s's definition dominates r's, no path from r's
  // definition to a use of r passes s's definition without passing r's again; so s has the value of r at each use of r.
  void propagate_copies() {
    std::vector<std::uint8_t> definitions(body_.variables.size(), 0);
    for (const Block& block : body_.blocks)
      for (const Operation& op : block.operations)
        if (const Variable v = defined_by(op); v != no_variable && definitions[v] != 2) ++definitions[v];
    std::vector<Variable> source(body_.variables.size(), no_variable);
    for (const Block& block : body_.blocks)
      for (const Operation& op : block.operations)
        if (op.opcode == Opcode::copy && definitions[op.result] == 1 && definitions[op.operands[0]] == 1 && op.result != op.operands[0])
          source[op.result] = op.operands[0];
    const auto replace = [&](Variable& v) {
      Variable root = v;
      for (std::size_t hops = 0; source[root] != no_variable && hops <= source.size(); ++hops) root = source[root];
      while (source[v] != no_variable && v != root) source[std::exchange(v, source[v])] = root;
      v = root;
    };
    for (Block& block : body_.blocks) {
      for (Operation& op : block.operations) uses(op, replace);
      uses(block.terminator, replace);
    }
  }

  static bool may_go(const Operation& op) {
    const Effect effect = row_of(op.opcode).effect;
    if (op.opcode == Opcode::load) return may_be_dropped(cache_hint(op.immediate));
    return effect == Effect::pure || effect == Effect::makes || effect == Effect::reads || effect == Effect::call_result ||
           (row_of(op.opcode).immediate == Immediate::check && op.immediate == 0);
  }

  // Marks what effects and branches need, then sweeps. Variables that feed only each other around a loop go too.
  void drop_dead() {
    std::vector<bool> live(body_.variables.size());
    std::vector<Variable> work;
    const auto mark = [&](Variable& v) {
      if (!live[v]) live[v] = true, work.push_back(v);
    };
    // The definitions of each variable, as lists threaded through one array.
    struct Definition {
      Operation* operation;
      std::size_t next;
    };
    std::vector<Definition> definitions{{nullptr, 0}};  // 0 ends a list
    std::vector<std::size_t> first(body_.variables.size(), 0);
    for (Block& block : body_.blocks) {
      for (Operation& op : block.operations) {
        if (const Variable v = defined_by(op); v != no_variable) {
          definitions.push_back({&op, first[v]});
          first[v] = definitions.size() - 1;
        }
        if (!may_go(op)) uses(op, mark);
      }
      uses(block.terminator, mark);
    }
    while (!work.empty()) {
      const Variable v = work.back();
      work.pop_back();
      for (std::size_t d = first[v]; d != 0; d = definitions[d].next) uses(*definitions[d].operation, mark);
    }
    for (Block& block : body_.blocks)
      std::erase_if(block.operations, [&](const Operation& op) {
        const bool copies_itself = op.opcode == Opcode::copy && op.result == op.operands[0];
        return copies_itself || (may_go(op) && !live[defined_by(op)]);
      });
  }

  void number_variables() {
    std::vector<Variable> number(body_.variables.size(), no_variable);
    std::vector<Type> types;
    const auto renumber = [&](Variable& v) {
      if (number[v] == no_variable) {
        number[v] = static_cast<Variable>(types.size());
        types.push_back(body_.variables[v]);
      }
      v = number[v];
    };
    for (Block& block : body_.blocks) {
      for (Operation& op : block.operations) {
        uses(op, renumber);
        if (row_of(op.opcode).result != ResultRule::none) renumber(op.result);
      }
      uses(block.terminator, renumber);
    }
    body_.variables = std::move(types);
  }

  Body& body_;
};

// Functions in the order in which they are first called, from the kernel on; those that nothing calls are dropped.
inline void order_functions(Graph& graph) {
  std::vector<std::uint32_t> place(graph.functions.size(), no_variable), order;
  const auto renumber = [&](Body& body) {
    for (Block& block : body.blocks)
      for (Operation& op : block.operations) {
        if (row_of(op.opcode).immediate != Immediate::function) continue;
        std::uint32_t& at = place[static_cast<std::size_t>(op.immediate)];
        if (at == no_variable) {
          at = static_cast<std::uint32_t>(order.size());
          order.push_back(static_cast<std::uint32_t>(op.immediate));
        }
        op.immediate = at;
      }
  };
  renumber(graph);
  for (std::size_t k = 0; k != order.size(); ++k) renumber(graph.functions[order[k]]);
  std::vector<Function> functions;
  functions.reserve(order.size());
  for (const std::uint32_t f : order) functions.push_back(std::move(graph.functions[f]));
  graph.functions = std::move(functions);
}

}  // namespace detail

inline void simplify(Graph& graph) {
  detail::Simplifier(graph).run();
  for (Function& f : graph.functions) detail::Simplifier(f).run();
  if (!graph.functions.empty()) detail::order_functions(graph);
}

}  // namespace oxide::ir
