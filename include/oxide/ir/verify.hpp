// Whether a graph is well formed: what the compiler and the analyses may take for granted. All rules come from the tables in ops.hpp
// and type.hpp. A graph that verifies cannot make the compiler read out of bounds, whoever wrote it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/ir/attributes.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/inline_ptx.hpp>
#include <oxide/ir/math.hpp>
#include <oxide/ir/print.hpp>

namespace oxide::ir {

// The first rule that a graph breaks, and where: the function (`no_place` for the kernel), the block and the operation in it (the number
// of operations for the terminator); no block when it is about the graph or the function as a whole.
struct Defect {
  static constexpr std::size_t no_place = static_cast<std::size_t>(-1);
  std::string what;
  std::size_t block = no_place;
  std::size_t operation = no_place;
  std::size_t function = no_place;

  std::string text() const {
    const std::string in = function == no_place ? std::string() : "function " + std::to_string(function) + ", ";
    if (block == no_place) return in + what;
    return in + "block " + std::to_string(block) + ", operation " + std::to_string(operation) + ": " + what;
  }
};

std::optional<Defect> verify(const Graph& graph);

// As many as a call gives back. (A parameter takes one for each scalar in it.)
inline constexpr std::size_t max_results = 256;
inline constexpr std::size_t max_functions = 1024;  // analyses of who calls whom take the square of it

// No block of any device has more shared memory than this; what a launch may have is checked then.
inline constexpr std::uint64_t max_shared_bytes = std::uint64_t{1} << 20;

namespace detail {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

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

  // ---- reporting

  void fail(std::string what) {
    if (defect_) return;
    defect_ = Defect{std::move(what), block_, operation_};
    if (function_ != nullptr) defect_->function = static_cast<std::size_t>(function_ - graph_.functions.data());
  }
  void fail(const Operation& op, std::string_view what) { fail('\'' + print(graph_, op) + "' " + std::string(what)); }
  static std::string name(Type t) { return std::string(name_of(t)); }

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

  // ---- operations

  bool is_variable(Variable v) const { return v < body_->variables.size(); }
  Type type_of(Variable v) const { return body_->variables[v]; }

  void operation(const Operation& op) {
    if (static_cast<std::size_t>(op.opcode) >= opcode_count) return fail("an opcode is out of range");
    if (static_cast<std::size_t>(op.type) >= type_count) return fail("a type is out of range");
    const OpcodeRow& row = row_of(op.opcode);
    if (row.effect == Effect::trace) return fail(op, "may stand in traces only");
    if (row.effect == Effect::requires_launch) return fail(op, "belongs to the graph's list of index spaces, not to its blocks");
    for (std::size_t i = 0; i != max_operands; ++i) {
      if (i < row.operands && !is_variable(op.operands[i])) return fail(op, "has operand " + std::to_string(i) + ", which is no variable");
      if (i >= row.operands && op.operands[i] != no_variable) return fail(op, "has more operands than " + std::to_string(row.operands));
    }
    operands(op, row);
    if (!defect_) result(op, row);
    if (!defect_) immediate(op, row);
    if (!defect_) neighbours(op, row);
    if (!defect_) special(op);
  }

  void operands(const Operation& op, const OpcodeRow& row) {
    if (row.operands == 0) return;
    const Type first = type_of(op.operands[0]);
    const auto all_equal = [&](std::size_t from) {
      for (std::size_t i = from + 1; i < row.operands; ++i)
        if (type_of(op.operands[i]) != type_of(op.operands[from])) return fail(op, "has operands of different types");
    };
    switch (row.rule) {
      case OperandRule::any:
      case OperandRule::arguments:
        return;
      case OperandRule::equal:
        return all_equal(0);
      case OperandRule::cast:
        if (!can_cast(first, op.type)) fail(op, "goes between types that do not convert into each other");
        return;
      case OperandRule::number:
        if (!is_arithmetic(first)) return fail(op, "needs numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::arithmetic:
        if (!is_arithmetic(first) && !is_pair(first)) return fail(op, "needs numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::integer:
        if (!is_integer(first)) return fail(op, "needs integers, has " + name(first));
        return all_equal(0);
      case OperandRule::floating:
        if (!is_floating(first)) return fail(op, "needs floating-point numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::floating_pair:
        if (!is_floating(first) && !is_pair(first)) return fail(op, "needs floating-point numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::bits:
        if (!is_integer(first) && !is_boolean(first)) return fail(op, "needs integers or booleans, has " + name(first));
        return all_equal(0);
      case OperandRule::boolean:
        if (!is_boolean(first)) return fail(op, "needs a boolean, has " + name(first));
        return all_equal(0);
      case OperandRule::select:
        if (!is_boolean(first)) return fail(op, "selects by a boolean, has " + name(first));
        if (type_of(op.operands[1]) != op.type || type_of(op.operands[2]) != op.type) fail(op, "selects between other types than its own");
        return;
      case OperandRule::nanoseconds:
        if (first != Type::u32) return fail(op, "needs nanoseconds of type u32, has " + name(first));
        return;
      case OperandRule::indices:
        if (first != Type::u64) return fail(op, "needs indices of type u64, has " + name(first));
        return all_equal(0);
      case OperandRule::index:
        if (first != Type::u64) return fail(op, "needs an index of type u64, has " + name(first));
        return;
      case OperandRule::mask:
        if (first != Type::u32) fail(op, "needs a mask of type u32, has " + name(first));
        return;
      case OperandRule::boolean_mask:
        if (!is_boolean(first) || type_of(op.operands[1]) != Type::u32) fail(op, "needs a boolean and a mask of type u32");
        return;
      case OperandRule::value_mask:
        if (!is_number(first)) return fail(op, "needs a number, has " + name(first));
        for (std::size_t i = 1; i != row.operands; ++i)
          if (type_of(op.operands[i]) != Type::u32) return fail(op, "needs a value, then a lane and a mask of type u32");
        return;
      case OperandRule::math:
        return mathematics(op, row);
      case OperandRule::rank:
        if (first != Type::u32) return fail(op, "needs the rank of a block of type u32, has " + name(first));
        if (row.operands == 2 && type_of(op.operands[1]) != Type::u64)
          fail(op, "needs an index of type u64, has " + name(type_of(op.operands[1])));
        return;
      case OperandRule::pointed:
        if (!is_address(first)) fail(op, "needs an address, has " + name(first));
        return;
      case OperandRule::address:
        if (!is_address(first)) return fail(op, "needs an address, has " + name(first));
        if (const Type index = type_of(op.operands[1]); index != Type::u64) fail(op, "needs an index of type u64, has " + name(index));
        return;
      case OperandRule::addresses:
        if (!is_address(first)) return fail(op, "needs addresses, has " + name(first));
        return all_equal(0);
    }
    fail(op, "has an operand rule that the verifier does not know");
  }

  void result(const Operation& op, const OpcodeRow& row) {
    if (row.result == ResultRule::none) {
      if (op.result != no_variable || op.type != Type::none) fail(op, "has no result, so it may have no result variable and no type");
      return;
    }
    if (!is_variable(op.result)) return fail(op, "has a result that is no variable");
    if (type_of(op.result) != op.type) return fail(op, "has a result of another type than its variable's");
    if (row.result == ResultRule::same && op.type != type_of(op.operands[0])) fail(op, "has another type than its operands");
    if (row.result == ResultRule::boolean && op.type != Type::boolean) fail(op, "gives a boolean");
  }

  void immediate(const Operation& op, const OpcodeRow& row) {
    const auto below = [&](std::size_t limit, std::string_view what) {
      if (op.immediate >= limit) fail(op, "names a " + std::string(what) + " that is not there");
    };
    switch (row.immediate) {
      case Immediate::none:
        if (op.immediate != 0) fail(op, "has an immediate that means nothing");
        return;
      case Immediate::bits:
        if (bits_of(op.type) < 64 && op.immediate >> bits_of(op.type) != 0) fail(op, "has a constant of more bits than its type");
        return;
      case Immediate::parameter:
        return below(function_ == nullptr ? graph_.parameters.size() : function_->parameters.size(), "parameter");
      case Immediate::memory:
        return below(graph_.memories.size(), "memory");
      case Immediate::special:
        return below(special_register_count, "register");
      case Immediate::factor:
        if (op.immediate >= 1u << 16) fail(op, "makes one pass of too many");
        return;
      case Immediate::two_memories:
        if (op.immediate >> 32 != 0) return fail(op, "has an immediate that means nothing");
        if (memory_number(op.immediate) >= graph_.memories.size() || second_memory(op.immediate) >= graph_.memories.size())
          fail(op, "names a memory that is not there");
        return;
      case Immediate::access:
      case Immediate::vectors:
        if (memory_number(op.immediate) >= graph_.memories.size()) fail(op, "names a memory that is not there");
        return;
      case Immediate::array: {
        const ArrayShape shape = array_shape(op.immediate);
        if (shape.size == 0 || shape.size >= 1u << 24 || shape.count == 0) fail(op, "makes an array of no size");
        return;
      }
      case Immediate::count:
        return;
      case Immediate::address:
        if (address_access(op.immediate).size == 0) fail(op, "has elements of no size");
        return;
      case Immediate::axis:
        return below(3, "axis");
      case Immediate::space:
        return below(graph_.spaces.size(), "space");
      case Immediate::check:
        if (op.immediate > (is_integer(op.type) ? 1u : 0u)) fail(op, "has a check that is not 0 or (integers) 1");
        return;
      case Immediate::answer:
        return below(2, "answer");
      case Immediate::choice:
        return;  // looked at with the operands
      case Immediate::string:
        return below(graph_.strings.size(), "string");
      case Immediate::index:
        return below(max_arguments, "argument or result");
      case Immediate::function:
        return below(graph_.functions.size(), "function");
      case Immediate::math:
        return;  // looked at with the operands
      case Immediate::scope:
        return below(scope_count, "scope");
      case Immediate::shuffle:
        if (!valid_shuffle(op.immediate)) fail(op, "has no shuffle's mode and width");
        return;
      case Immediate::reduction:
        return below(reduction_kind_count, "reduction");
      case Immediate::atomic_at:
        if (!AtomicAccess::valid(op.immediate) || AtomicAccess::from(op.immediate).memory != 0)
          fail(op, "has no atomic access's kind, order and scope");
        return;
      case Immediate::atomic:
        if (!AtomicAccess::valid(op.immediate)) return fail(op, "has no atomic access's kind, order and scope");
        if (memory_number(op.immediate) >= graph_.memories.size()) fail(op, "names a memory that is not there");
        return;
    }
  }

  // Arguments stand directly before the operation that takes them, numbered from 0, and its results directly behind it.
  void neighbours(const Operation& op, const OpcodeRow& row) {
    if (row.effect == Effect::argument) {
      if (op.immediate != arguments_.size()) fail(op, "is not numbered after the argument before it");
      arguments_.push_back(type_of(op.operands[0]));
    } else if (row.rule != OperandRule::arguments && !arguments_.empty()) {
      fail(op, "stands between arguments and the operation that takes them");
    }
    if (op.opcode == Opcode::call) {
      const Function& callee = graph_.functions[static_cast<std::size_t>(op.immediate)];
      if (arguments_ != callee.parameters)
        fail(op, "has other arguments than the function's parameters: " + (arguments_.empty() ? "none" : print_types(arguments_)) +
                     " for " + print_types(callee.parameters));
    }
    if (op.opcode == Opcode::inline_ptx) {
      const InlinePtx ptx(graph_.strings[static_cast<std::size_t>(op.immediate)]);
      if (!ptx.valid) return fail(op, "is no inline PTX");
      if (ptx.inputs != arguments_.size()) return fail(op, "has other arguments than its constraints");
    }
    if (row.effect != Effect::argument) arguments_.clear();
    if (row.effect == Effect::call_result) return call_result(op);
    source_ = row.rule == OperandRule::arguments ? &op : nullptr;
  }

  void call_result(const Operation& op) {
    if (source_ == nullptr) return fail(op, "does not follow an operation that has several results");
    if (source_->opcode == Opcode::inline_ptx) {
      const InlinePtx ptx(graph_.strings[static_cast<std::size_t>(source_->immediate)]);
      if (op.immediate >= ptx.outputs) return fail(op, "names a result that is not there");
      if (ptx.output(static_cast<std::size_t>(op.immediate)) != ptx_register(op.type)) fail(op, "has a type of another register");
      return;
    }
    if (source_->opcode != Opcode::call) return fail(op, "does not follow an operation that has several results");
    const Function& callee = graph_.functions[static_cast<std::size_t>(source_->immediate)];
    if (op.immediate >= callee.results.size()) return fail(op, "names a result that is not there");
    if (op.type != callee.results[static_cast<std::size_t>(op.immediate)]) fail(op, "has another type than the function's result");
  }

  void mathematics(const Operation& op, const OpcodeRow& row) {
    if (!is_math_immediate(op.immediate)) return fail(op, "names a mathematical function, or a result of one, that is not there");
    const Math f = math_function(op.immediate);
    const std::string function(name_of(f));
    if (operand_count(f) != row.operands) return fail(op, "gives " + function + " another number of operands than it takes");
    const Type floating = type_of(op.operands[floating_operand(f)]);
    if (floating != Type::f32 && floating != Type::f64) return fail(op, "needs f32 or f64, has " + name(floating));
    if (is_approximate(f) && floating != Type::f32) return fail(op, "needs f32, has " + name(floating));
    for (std::size_t i = 0; i != row.operands; ++i)
      if (type_of(op.operands[i]) != operand_type(f, i, floating))
        return fail(op, "has operand " + std::to_string(i) + " of another type than " + function + " takes");
    if (op.type != result_type(f, math_result(op.immediate), floating)) fail(op, "gives another type than " + function);
  }

  // Of the operations on numbers whose immediate is a choice, and of others that take only some types of their rule.
  void numbers(const Operation& op) {
    const auto type = [&](std::size_t i) { return type_of(op.operands[i]); };
    const auto is_word = [](Type t) { return t == Type::i32 || t == Type::u32; };
    std::uint64_t choices = 1;
    bool fits = true;
    switch (op.opcode) {
      case Opcode::mul_high:
        fits = bits_of(op.type) <= 64;
        break;
      case Opcode::byte_permute:
        choices = 7;
        fits = op.type == Type::u32;
        break;
      case Opcode::dot4:
      case Opcode::dot2:
        if (op.opcode == Opcode::dot2) choices = 2;
        fits = is_word(type(0)) && is_word(type(1)) && type(2) == op.type &&
               op.type == (type(0) == Type::u32 && type(1) == Type::u32 ? Type::u32 : Type::i32);
        break;
      case Opcode::make_pair:
        fits = is_half(type(0)) && is_pair(op.type) && element_of(op.type) == type(0);
        break;
      case Opcode::pair_element:
        choices = 2;
        fits = is_pair(type(0)) && op.type == element_of(type(0));
        break;
      case Opcode::cast_unsaturated:
        fits = is_storage(op.type) && is_floating(type(0));
        break;
      case Opcode::pack_float8:
        choices = 2;
        fits = type(0) == Type::f32 && op.type == Type::u16;
        break;
      case Opcode::unpack_float8:
        choices = 2;
        fits = type(0) == Type::u16 && op.type == Type::f16x2;
        break;
      case Opcode::round_tf32:
        fits = op.type == Type::f32;
        break;
      case Opcode::add_rounded:
      case Opcode::sub_rounded:
      case Opcode::mul_rounded:
      case Opcode::div_rounded:
      case Opcode::fma_rounded:
      case Opcode::sqrt_rounded:
        choices = 4;
        fits = op.type == Type::f32 || op.type == Type::f64;
        break;
      case Opcode::cast_rounded: {
        choices = 4;
        const auto is_wide_float = [](Type t) { return t == Type::f32 || t == Type::f64; };
        const auto is_integer64 = [](Type t) { return is_integer(t) && bits_of(t) <= 64; };
        fits = (is_wide_float(type(0)) && (is_wide_float(op.type) || is_integer64(op.type))) ||
               (is_integer64(type(0)) && is_wide_float(op.type));
        break;
      }
      default:
        return;
    }
    if (!fits) fail(op, "is not there for these types");
    else if (op.immediate >= choices) fail(op, "has a choice that is not there");
  }

  // What the table's columns cannot say.
  void special(const Operation& op) {
    numbers(op);
    if (defect_) return;
    switch (op.opcode) {
      case Opcode::parameter: {
        if (function_ != nullptr) {
          if (function_->parameters[static_cast<std::size_t>(op.immediate)] != op.type) fail(op, "has another type than its parameter");
          return;
        }
        const Parameter& p = graph_.parameters[static_cast<std::size_t>(op.immediate)];
        if (p.kind != ParameterKind::value || p.type != op.type)
          fail(op, "has another type than its parameter, or its parameter is no value");
        return;
      }
      case Opcode::print:
        if (graph_.parameters.empty() || graph_.parameters.back().kind != ParameterKind::printer) fail(op, "has no printer to write to");
        return;
      case Opcode::special:
        if (op.type != register_type(static_cast<SpecialRegister>(op.immediate))) fail(op, "gives another type than the register's");
        return;
      case Opcode::on_gpu:
        if (op.type != Type::boolean) fail(op, "gives a boolean");
        return;
      case Opcode::prefetch:
        if (!fits_prefetch(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a prefetch");
        return;
      case Opcode::copy_elements:
        if (layout_of(memory(op)) != layout_of(graph_.memories[second_memory(op.immediate)])) fail(op, "copies elements of another size");
        else if (memory(op).access == Access::read) fail(op, "writes memory that is only read");
        return;
      case Opcode::length:
        if (op.type != Type::u64) fail(op, "gives a u64");
        return;
      case Opcode::thread_index:
      case Opcode::block_index:
      case Opcode::block_dim:
      case Opcode::grid_dim:
      case Opcode::lane_index:
      case Opcode::warp_index:
      case Opcode::cluster_rank:
      case Opcode::cluster_dim:
      case Opcode::barrier_count:
      case Opcode::active_mask:
      case Opcode::vote_ballot:
      case Opcode::match_any:
      case Opcode::match_all:
        if (op.type != Type::u32) fail(op, "gives a u32");
        return;
      case Opcode::warp_reduce:
        if (op.type != Type::u32 && op.type != Type::i32) fail(op, "reduces u32 or i32");
        return;
      case Opcode::cluster_arrive:
        if (op.immediate > 1) fail(op, "arrives in a way that is not there");
        return;
      case Opcode::shared_address:
        if (!is_address(op.type)) fail(op, "gives an address");
        else if (!is_shared(memory(op))) fail(op, "is of memory that is no shared array");
        return;
      case Opcode::atomic_load:
      case Opcode::atomic_store:
      case Opcode::atomic_rmw:
      case Opcode::atomic_cas:
      case Opcode::atomic_load_at:
      case Opcode::atomic_store_at:
      case Opcode::atomic_rmw_at:
      case Opcode::atomic_cas_at:
        return atomic(op);
      case Opcode::bit_cast: {
        const Type from = type_of(op.operands[0]);
        if (size_of(from) != size_of(op.type) || is_boolean(from) != is_boolean(op.type))
          fail(op, "goes between types of different size, or to or from a boolean");
        return;
      }
      case Opcode::load:
        access(op, op.type);
        if (!fits_load(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a load");
        return;
      case Opcode::store:
        access(op, type_of(op.operands[1]));
        if (memory(op).access == Access::read) fail(op, "writes memory that is only read");
        if (!fits_store(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a store");
        return;
      case Opcode::check_vectors:
        if (op.immediate >> 32 == 0) fail(op, "makes vectors of no elements");
        return;
      case Opcode::local_array:
        if (!is_address(op.type)) fail(op, "gives an address");
        return;
      case Opcode::load_at:
        if (!is_number(op.type)) fail(op, "gives a number");
        return;
      case Opcode::store_at:
        if (!is_number(type_of(op.operands[2]))) fail(op, "stores a number");
        return;
      case Opcode::return_value:
        if (function_ == nullptr) return fail(op, "stands outside of a function");
        if (op.immediate >= function_->results.size()) return fail(op, "names a result that is not there");
        if (type_of(op.operands[0]) != function_->results[static_cast<std::size_t>(op.immediate)])
          fail(op, "returns another type than the function's result");
        return;
      default:
        return;
    }
  }

  const Memory& memory(const Operation& op) const { return graph_.memories[memory_number(op.immediate)]; }

  // Elements that are numbers are accessed as what they are, those that are structs in any part.
  void access(const Operation& op, Type type) {
    const Memory& m = memory(op);
    const MemoryAccess a = memory_access(op.immediate);
    if (!is_number(type)) return fail(op, "accesses memory as something that is no number");
    if (m.element != Type::none && type != m.element) return fail(op, "accesses another type than the memory's elements");
    if (a.alignment == 0 && !a.in_bytes && std::uint64_t{a.offset} + size_of(type) > layout_of(m).size)
      fail(op, "accesses more than one element");
  }

  // Loads may not release, stores may not acquire (C++ [atomics.types.operations]); arithmetic is for numbers.
  // Structs are accessed as unsigned integers of their size, and lie as those do.
  static bool fits_atomic(const Memory& m, Type type) {
    if (m.element == type) return true;
    const Layout layout = layout_of(m);
    return is_integer(type) && !is_signed_integer(type) && m.element == Type::none && layout.size == size_of(type) &&
           layout.alignment >= layout.size;
  }
  void atomic(const Operation& op) {
    const OpcodeRow& row = row_of(op.opcode);
    const AtomicAccess a = AtomicAccess::from(op.immediate);
    const bool loads = op.opcode == Opcode::atomic_load || op.opcode == Opcode::atomic_load_at;
    const bool stores = op.opcode == Opcode::atomic_store || op.opcode == Opcode::atomic_store_at;
    const Type type = stores ? type_of(op.operands[1]) : op.type;
    if (!is_number(type)) return fail(op, "is an access to what is no number");
    for (std::size_t i = 1; i != row.operands; ++i)
      if (type_of(op.operands[i]) != type) return fail(op, "has operands of several types");
    if (row.immediate == Immediate::atomic) {
      const Memory& m = graph_.memories[a.memory];
      if (!fits_atomic(m, type)) return fail(op, "accesses another type than the memory's elements");
      if (!loads && m.access == Access::read) return fail(op, "writes memory that is only read");
    }
    if (loads && (a.order == MemoryOrder::release || a.order == MemoryOrder::acq_rel)) return fail(op, "is a load, which cannot release");
    if (stores && (a.order == MemoryOrder::acquire || a.order == MemoryOrder::acq_rel)) return fail(op, "is a store, which cannot acquire");
    if (op.opcode != Opcode::atomic_rmw && op.opcode != Opcode::atomic_rmw_at) {
      if (a.kind != AtomicKind::exchange) fail(op, "is no read-modify-write, so it has no kind");
      return;
    }
    const bool bits = a.kind >= AtomicKind::bit_and, counts = a.kind >= AtomicKind::inc, floats = is_floating(type) || is_pair(type);
    if (a.kind != AtomicKind::exchange && is_boolean(type) && (!bits || counts)) return fail(op, "is arithmetic on booleans");
    const bool known = floats || is_boolean(type) || (is_integer(type) && size_of(type) <= 8);
    if (a.kind != AtomicKind::exchange && !known) return fail(op, "is arithmetic on " + name(type));
    if (bits && floats) return fail(op, "is a bit operation on floating-point numbers");
    if (counts && type != Type::u32) fail(op, "counts in u32 only");
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

  const Graph& graph_;
  const Function* function_ = nullptr;  // the one that is looked at; null for the kernel
  const Body* body_ = nullptr;
  std::vector<Type> arguments_;         // that wait for the operation which takes them
  const Operation* source_ = nullptr;   // of results that may follow
  std::size_t block_ = Defect::no_place, operation_ = Defect::no_place;
  std::optional<Defect> defect_;
  std::vector<Variable> slot_;
};

}  // namespace detail

inline std::optional<Defect> verify(const Graph& graph) { return detail::Verifier(graph).run(); }

}  // namespace oxide::ir
