// Whether a graph is well formed: what the compiler and the analyses may take for granted. All rules come from the tables in ops.hpp
// and type.hpp. A graph that verifies cannot make the compiler read out of bounds, whoever wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/ir/attributes.hpp>
#include <oxide/ir/verify_operations.hpp>

namespace oxide::ir {

std::optional<Defect> verify(const Graph& graph);

namespace detail {

class Verifier : private OperationVerifier {
 public:
  explicit Verifier(const Graph& graph) : OperationVerifier(graph) {}

  std::optional<Defect> run() {
    signature();
    if (graph_.functions.size() > max_functions) fail("the graph has more than " + std::to_string(max_functions) + " functions");
    for (std::size_t f = 0; f != graph_.functions.size() && !defect_; ++f) {
      function_ = &graph_.functions[f];
      function();
    }
    for (std::size_t f = 0; f != body_count(graph_) && !defect_; ++f) {
      function_ = f == 0 ? nullptr : &graph_.functions[f - 1];
      body(body_of(graph_, f));
    }
    return std::move(defect_);
  }

 private:
  void body(const Body& body) {
    body_ = &body;
    block_ = operation_ = Defect::no_place;
    for (std::size_t v = 0; v != body.variables.size(); ++v)
      if (!is_type(body.variables[v])) return fail('v' + std::to_string(v) + " has no type");
    if (body.blocks.empty()) return fail(std::string(function_ == nullptr ? "the graph" : "it") + " has no block");
    for (block_ = 0; block_ != body.blocks.size() && !defect_; ++block_) {
      const Block& block = body.blocks[block_];
      arguments_.clear();
      source_ = nullptr;
      for (operation_ = 0; operation_ != block.operations.size() && !defect_; ++operation_) operation(block.operations[operation_]);
      if (!arguments_.empty()) fail("a block ends with arguments of no operation");
      if (!defect_) terminator(block.terminator);
    }
    if (!defect_) definitions();
  }

  // ---- parameters, memories, spaces, variables

  static bool is_type(Type t) { return is_number(t) || is_address(t); }  // of a variable
  // Of a number in memory, or of elements without a type: structs.
  static bool is_layout(Type t, const Layout& l) {
    if (t != Type::none) return is_number(t) && l == Layout{};
    return l.size != 0 && l.size < 1u << 24 && l.alignment != 0 && (l.alignment & (l.alignment - 1)) == 0 && l.size % l.alignment == 0;
  }

  void signature() {
    block_ = operation_ = Defect::no_place;
    if (!is_name(graph_.name)) return fail("the kernel's name has a character other than letters, digits and underscores");
    attributes(graph_.attributes);
    if (graph_.fp_mode != FpMode::contract && graph_.fp_mode != FpMode::strict) return fail("the floating-point mode is out of range");
    for (std::size_t i = 0; i != graph_.parameters.size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      const bool typed = p.kind == ParameterKind::printer ? p.type == Type::none && p.layout == Layout{} : is_layout(p.type, p.layout);
      if (!typed || (p.kind == ParameterKind::value && p.type == Type::none))
        return fail("parameter " + std::to_string(i) + " has no type");
      if (p.kind > ParameterKind::printer) return fail("parameter " + std::to_string(i) + " has no kind");
      if (p.kind == ParameterKind::printer && i + 1 != graph_.parameters.size()) return fail("the printer is not the last parameter");
      if (i != 0 && is_hidden(graph_.parameters[i - 1].kind) && !is_hidden(p.kind))
        return fail("parameter " + std::to_string(i) + " comes after hidden ones");
    }
    memories();
    for (const IndexSpace& s : graph_.spaces) {
      if (s.kind != SpaceKind::linear && s.kind != SpaceKind::grid_2d) return fail("an index space has no kind");
      if (s.kind == SpaceKind::grid_2d && s.stride == 0) return fail("a 2-D index space has rows of no elements");
    }
  }

  static bool is_name(std::string_view name) {
    for (const char c : name)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
  }

  void attributes(const Attributes& a) {
    if (const std::string_view wrong = defect_of(a); !wrong.empty()) fail(std::string(wrong));
  }

  void function() {
    block_ = operation_ = Defect::no_place;
    if (!is_name(function_->name)) return fail("its name has a character other than letters, digits and underscores");
    for (std::size_t i = 0; i != function_->parameters.size(); ++i)
      if (!is_type(function_->parameters[i])) return fail("parameter " + std::to_string(i) + " has no type");
    for (std::size_t i = 0; i != function_->results.size(); ++i)
      if (!is_type(function_->results[i])) return fail("result " + std::to_string(i) + " has no type");
    if (function_->results.size() > max_results) return fail("has more than " + std::to_string(max_results) + " results");
  }

  static constexpr std::uint64_t max_elements = std::uint64_t{1} << 40;  // that a graph may say memory has

  // Two memories of one parameter would alias, and nothing is allowed to.
  void memories() {
    std::vector<bool> taken(graph_.parameters.size());
    for (std::size_t i = 0; i != graph_.memories.size(); ++i) {
      const Memory& m = graph_.memories[i];
      const std::string what = "memory " + std::to_string(i);
      if (m.kind > MemoryKind::dynamic_shared) return fail(what + " has no kind");
      if (m.access > Access::disjoint) return fail(what + " has no access");
      if (is_shared(m)) {
        shared_memory(m, what);
        continue;
      }
      if (m.kind != MemoryKind::span && (m.elements == 0 || m.elements > max_elements)) return fail(what + " has no elements, or too many");
      if (m.kind == MemoryKind::table) {
        if (!is_layout(m.element, m.layout)) return fail(what + " has elements of no type");
        if (m.access != Access::read) return fail(what + " is a table and is written");
        if (m.data >= graph_.strings.size() || graph_.strings[m.data].size() != m.elements * layout_of(m).size)
          return fail(what + " has other data than its elements");
        continue;
      }
      if (m.parameter >= graph_.parameters.size()) return fail(what + " names a parameter that is not there");
      const Parameter& p = graph_.parameters[m.parameter];
      if (p.kind != (m.kind == MemoryKind::span ? ParameterKind::span : ParameterKind::storage))
        return fail(what + (m.kind == MemoryKind::span ? " names a parameter that is no span" : " names a parameter that is no storage"));
      if (p.type != m.element || p.layout != m.layout) return fail(what + " has elements other than its parameter's");
      if (taken[m.parameter]) return fail(what + " names a parameter that another memory has");
      taken[m.parameter] = true;
    }
  }

  void shared_memory(const Memory& m, const std::string& what) {
    if (!is_layout(m.element, m.layout)) return fail(what + " has elements of no type");
    if (m.access != Access::write) return fail(what + " is shared, so every thread may write it");
    if (m.kind == MemoryKind::shared && m.elements == 0) return fail(what + " has no elements");
    if (m.elements > max_shared_bytes / layout_of(m).size) fail(what + " has more elements than a block's shared memory holds");
  }

  // ---- control flow

  void terminator(const Terminator& t) {
    if (t.kind > TerminatorKind::exit) return fail("a terminator has no kind");
    const std::size_t targets = t.kind == TerminatorKind::exit ? 0 : t.kind == TerminatorKind::jump ? 1 : 2;
    for (std::size_t i = 0; i != targets; ++i) {
      if (t.targets[i] == 0) return fail("a terminator targets the entry block");
      if (t.targets[i] >= body_->blocks.size())
        return fail("a terminator targets block " + std::to_string(t.targets[i]) + ", which is not there");
    }
    if (t.kind != TerminatorKind::branch) return;
    if (!is_variable(t.condition)) return fail("a branch has a condition that is no variable");
    if (!is_boolean(type_of(t.condition))) fail("a branch has a condition of type " + name(type_of(t.condition)));
  }

  // ---- every use has a definition before it on every path

  // Calls use(v, operation) and define(v) in the order in which the block does. A function's results count as variables behind its own:
  // return_value defines them, and the exit uses them.
  template <class Use, class Define>
  void walk(const Block& block, Use&& use, Define&& define) const {
    for (std::size_t i = 0; i != block.operations.size(); ++i) {
      const Operation& op = block.operations[i];
      const OpcodeRow& row = row_of(op.opcode);
      const bool assigns = row.effect == Effect::writes_variable;  // operand 0 is defined, not used
      for (std::size_t k = assigns ? 1 : 0; k != row.operands; ++k) use(op.operands[k], i);
      if (assigns) define(op.operands[0]);
      if (row.result != ResultRule::none) define(op.result);
      if (row.effect == Effect::returns) define(result_variable(static_cast<std::size_t>(op.immediate)));
    }
    if (block.terminator.kind == TerminatorKind::branch) use(block.terminator.condition, block.operations.size());
    if (block.terminator.kind == TerminatorKind::exit && function_ != nullptr)
      for (std::size_t r = 0; r != function_->results.size(); ++r) use(result_variable(r), block.operations.size());
  }

  Variable result_variable(std::size_t result) const { return static_cast<Variable>(body_->variables.size() + result); }

  // Gives the variables that are used in a block before that block defines them a slot each; only those need the data flow below.
  std::size_t number_inherited() {
    const std::size_t variables = body_->variables.size() + (function_ == nullptr ? 0 : function_->results.size());
    slot_.assign(variables, no_variable);
    std::vector<std::size_t> defined_in(variables, Defect::no_place);
    Variable slots = 0;
    for (std::size_t b = 0; b != body_->blocks.size(); ++b)
      walk(
          body_->blocks[b],
          [&](Variable v, std::size_t) {
            if (defined_in[v] != b && slot_[v] == no_variable) slot_[v] = slots++;
          },
          [&](Variable v) { defined_in[v] = b; });
    return slots;
  }

  // Forward data flow over bit sets: defined at a block's end = defined at its start, or in it. Blocks start with everything defined,
  // the entry with nothing, and sets only shrink; so blocks that nothing reaches are never at fault.
  void definitions() {
    using Word = std::uint64_t;
    const std::size_t slots = number_inherited();
    if (slots == 0) return;
    const std::size_t words = (slots + 63) / 64, blocks = body_->blocks.size();
    std::vector<Word> at_start(blocks * words, ~Word{0}), now(words);
    for (std::size_t w = 0; w != words; ++w) at_start[w] = 0;
    std::vector<std::uint32_t> work{0};
    std::vector<bool> queued(blocks), seen(blocks);
    const auto defines = [&](Variable v) {
      if (slot_[v] != no_variable) now[slot_[v] / 64] |= Word{1} << (slot_[v] % 64);
    };
    const auto start_from = [&](std::size_t b) { now.assign(at_start.data() + b * words, at_start.data() + (b + 1) * words); };
    while (!work.empty()) {
      const std::size_t b = work.back();
      work.pop_back();
      queued[b] = false;
      seen[b] = true;
      start_from(b);
      walk(body_->blocks[b], [](Variable, std::size_t) {}, defines);
      const Terminator& t = body_->blocks[b].terminator;
      const std::size_t targets = t.kind == TerminatorKind::exit ? 0 : t.kind == TerminatorKind::jump ? 1 : 2;
      for (std::size_t i = 0; i != targets; ++i) {
        const std::uint32_t target = t.targets[i];
        bool changed = !seen[target];
        for (std::size_t w = 0; w != words; ++w) {
          Word& old = at_start[target * words + w];
          if ((old & now[w]) != old) old &= now[w], changed = true;
        }
        if (changed && !queued[target]) work.push_back(target), queued[target] = true;
      }
    }
    for (block_ = 0; block_ != blocks && !defect_; ++block_) {
      start_from(block_);
      walk(
          body_->blocks[block_],
          [&](Variable v, std::size_t i) {
            operation_ = i;
            if (slot_[v] != no_variable && (now[slot_[v] / 64] >> (slot_[v] % 64) & 1) == 0)
              fail((v < body_->variables.size() ? print_variable(v) + " is used"
                                                : "result " + std::to_string(v - body_->variables.size()) + " is returned") +
                   ", and on some path nothing defines it before");
          },
          defines);
    }
  }

  std::vector<Variable> slot_;  // of variables that blocks inherit
};

}  // namespace detail

inline std::optional<Defect> verify(const Graph& graph) { return detail::Verifier(graph).run(); }

}  // namespace oxide::ir
