// Kernels that apply every operation of the table to a type, and running kernels on both the compiler's host code and the interpreter.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <oxide/ir/ops.hpp>
#include <oxide/ir/verify.hpp>

#include "support/compiler.hpp"
#include "support/graph_builder.hpp"
#include "support/interpreter.hpp"
#include "support/random_graph.hpp"

namespace oxide::testing {

inline const std::vector<ir::Type>& all_types() {
  static const std::vector<ir::Type> types = [] {
    std::vector<ir::Type> t;
    for (std::size_t i = ir::first_number; i != ir::type_count; ++i) t.push_back(static_cast<ir::Type>(i));
    return t;
  }();
  return types;
}

// The operations from numbers to numbers that take operands of `type`.
inline std::vector<ir::Opcode> operations_on(ir::Type type) {
  std::vector<ir::Opcode> result;
  for (std::size_t i = 0; i != ir::opcode_count; ++i) {
    const auto op = static_cast<ir::Opcode>(i);
    const ir::OpcodeRow& row = ir::row_of(op);
    if (row.operands == 0 || row.result == ir::ResultRule::none || row.result == ir::ResultRule::given || op == ir::Opcode::copy) continue;
    const bool number = ir::is_arithmetic(type);
    // What the rules do not say: see the verifier.
    if (op == ir::Opcode::mul_high && ir::bits_of(type) > 64) continue;
    if (op == ir::Opcode::byte_permute && type != ir::Type::u32) continue;
    if (op == ir::Opcode::round_tf32 && type != ir::Type::f32) continue;
    switch (row.rule) {
      case ir::OperandRule::any:
      case ir::OperandRule::equal:
        break;
      case ir::OperandRule::number:
        if (!number) continue;
        break;
      case ir::OperandRule::integer:
        if (!ir::is_integer(type)) continue;
        break;
      case ir::OperandRule::arithmetic:
        if (!number && !ir::is_pair(type)) continue;
        break;
      case ir::OperandRule::floating:
        if (!ir::is_floating(type)) continue;
        break;
      case ir::OperandRule::floating_pair:
        if (!ir::is_floating(type) && !ir::is_pair(type)) continue;
        break;
      case ir::OperandRule::bits:
        if (!ir::is_integer(type) && !ir::is_boolean(type)) continue;
        break;
      default:
        continue;
    }
    result.push_back(op);
  }
  return result;
}

// One row of results: what is computed, and the type of it.
struct Row {
  std::string name;
  ir::Type type;
};

struct OperationsKernel {
  ir::Graph graph;  // parameters: spans a, b, c of `type`, then a span for each row
  std::vector<Row> rows;
};

// The operations whose operands are of other types than their result.
template <class Output>
void other_operations(ir::Type type, GraphBuilder& b, ir::Variable x, ir::Variable y, ir::Variable z, Output&& output) {
  using enum ir::Opcode;
  if (type == ir::Type::u32 || type == ir::Type::i32)
    for (const ir::Type other : {ir::Type::u32, ir::Type::i32}) {
      const ir::Type result = type == ir::Type::u32 ? other : ir::Type::i32;
      const ir::Variable second = b.cast(y, other), sum = b.cast(z, result);
      output("dot4", b.op(dot4, {x, second, sum}, 0, result));
      for (const std::uint64_t half : {0u, 1u}) output("dot2", b.op(dot2, {x, second, sum}, half, result));
    }
  if (ir::is_half(type)) output("make_pair", b.op(make_pair, {x, y}, 0, type == ir::Type::f16 ? ir::Type::f16x2 : ir::Type::bf16x2));
  if (ir::is_pair(type))
    for (const std::uint64_t which : {0u, 1u}) output("pair_element", b.op(pair_element, {x}, which, ir::element_of(type)));
  for (const std::uint64_t format : {0u, 1u}) {
    if (type == ir::Type::f32) output("pack_float8", b.op(pack_float8, {x, y}, format, ir::Type::u16));
    if (type == ir::Type::u16) output("unpack_float8", b.op(unpack_float8, {x}, format, ir::Type::f16x2));
    if (ir::is_floating(type)) output("cast_unsaturated", b.op(cast_unsaturated, {x}, 0, format == 0 ? ir::Type::e4m3 : ir::Type::e5m2));
  }
  for (const ir::Type to : all_types()) {
    const bool floating = ir::is_floating(type), to_floating = ir::is_floating(to);
    const auto whole = [](ir::Type t) { return ir::is_integer(t) && ir::bits_of(t) <= 64; };
    if (!((floating && (to_floating || whole(to))) || (whole(type) && to_floating))) continue;
    for (std::uint64_t mode = 0; mode != 4; ++mode)
      output("cast " + std::to_string(mode) + " to " + std::string(ir::name_of(to)), b.op(cast_rounded, {x}, mode, to));
  }
}

// out[k][i] = op_k(a[i], b[i], c[i]) for every operation on the type, then casts to every type.
inline OperationsKernel operations_kernel(ir::Type type, bool mathematics = false) {
  GraphBuilder b(std::string("all_") + std::string(ir::name_of(type)));
  OperationsKernel kernel;
  const std::uint64_t inputs[3] = {b.span(type), b.span(type), b.span(type)};
  const std::uint32_t work = b.block(), done = b.block();
  const ir::Variable i = b.linear_index();
  b.branch(b.op(ir::Opcode::less, {i, b.length(inputs[0])}), work, done);
  b.at(work);
  const ir::Variable x = b.load(inputs[0], i), y = b.load(inputs[1], i), z = b.load(inputs[2], i);
  const auto output = [&](std::string name, ir::Variable v) {
    const ir::Type result = b.graph.variables[v];
    kernel.rows.push_back({std::move(name), result});
    b.store(b.span(result, ir::Access::disjoint), i, v);
  };
  for (ir::Opcode op : operations_on(type)) {
    const bool chooses = ir::row_of(op).immediate == ir::Immediate::choice;
    const bool nearest_only = ir::is_pair(type);
    const std::uint64_t choices = !chooses || nearest_only ? 1 : op == ir::Opcode::byte_permute ? 7 : op == ir::Opcode::round_tf32 ? 3 : 4;
    for (std::uint64_t choice = 0; choice != choices; ++choice) {
      const std::string name = std::string(ir::name_of(op)) + (chooses ? ' ' + std::to_string(choice) : "");
      switch (ir::row_of(op).operands) {
        case 1:
          output(name, b.op(op, {x}, choice));
          break;
        case 2:
          output(name, b.op(op, {x, y}, choice));
          break;
        default:
          output(name, b.op(op, {x, y, z}, choice));
          break;
      }
    }
  }
  other_operations(type, b, x, y, z, output);
  if (mathematics && ir::is_floating(type) && !ir::is_half(type)) {
    const ir::Variable whole = b.cast(z, ir::Type::i32);
    for (std::size_t k = 0; k != ir::math_count; ++k) {
      const auto f = static_cast<ir::Math>(k);
      if (ir::is_approximate(f) && type != ir::Type::f32) continue;
      const auto operand = [&](std::size_t n, ir::Variable v) { return ir::operand_type(f, n, type) == type ? v : whole; };
      for (unsigned result = 0; result != ir::result_count(f); ++result) {
        const std::string name = std::string(ir::name_of(f)) + (result == 0 ? "" : ".1");
        const std::size_t count = ir::operand_count(f);
        if (count == 1) output(name, b.math(f, {operand(0, x)}, result));
        else if (count == 2) output(name, b.math(f, {operand(0, x), operand(1, y)}, result));
        else output(name, b.math(f, {x, y, z}, result));
      }
    }
  }
  for (ir::Type to : all_types())
    if (ir::can_cast(type, to)) output("cast to " + std::string(ir::name_of(to)), b.cast(x, to));
  output("select", b.op(ir::Opcode::select, {b.op(ir::Opcode::equal, {x, y}), y, z}, 0, type));
  if (ir::is_floating(type) || ir::is_pair(type)) {
    output("x * y + z", b.op(ir::Opcode::add, {b.op(ir::Opcode::mul, {x, y}), z}));
    output("x * y - z", b.op(ir::Opcode::sub, {b.op(ir::Opcode::mul, {x, y}), z}));
    output("z - x * y", b.op(ir::Opcode::sub, {z, b.op(ir::Opcode::mul, {x, y})}));
    output("x * y + z * z", b.op(ir::Opcode::add, {b.op(ir::Opcode::mul, {x, y}), b.op(ir::Opcode::mul, {z, z})}));
  }
  b.jump(done);
  b.at(done).exit();
  kernel.graph = std::move(b.graph);
  return kernel;
}

// Elements of any type, as bytes.
struct Elements {
  ir::Type type;
  std::vector<std::uint8_t> bytes;

  Elements(ir::Type t, std::size_t n) : type(t), bytes(n * ir::size_of(t)) {}
  std::size_t size() const { return bytes.size() / ir::size_of(type); }
  Word bits(std::size_t i) const {
    Word b = 0;
    std::memcpy(&b, bytes.data() + i * ir::size_of(type), ir::size_of(type));
    return b;
  }
  void set(std::size_t i, Word b) { std::memcpy(bytes.data() + i * ir::size_of(type), &b, ir::size_of(type)); }
  Argument argument() { return {0, bytes.data(), size()}; }
};

inline std::string hex(Word bits) {
  std::string text;
  for (; bits != 0 || text.empty(); bits >>= 4) text.insert(text.begin(), "0123456789abcdef"[static_cast<unsigned>(bits & 15)]);
  return text;
}

// Equal bits, or two NaNs: which NaN it is is not part of the rules.
inline bool is_nan(ir::Type type, Word bits) {
  if (type == ir::Type::f64) return std::isnan(std::bit_cast<double>(static_cast<std::uint64_t>(bits)));
  if (type == ir::Type::f32) return std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (!ir::is_half(type) && !ir::is_storage(type)) return false;
  return std::isnan(ir::value_of_format(ir::format_of(type), static_cast<std::uint32_t>(bits)));
}
inline bool same_number(ir::Type type, Word a, Word b) {
  if (a == b) return true;
  if (!ir::is_pair(type)) return is_nan(type, a) && is_nan(type, b);
  const ir::Type element = ir::element_of(type);
  return same_number(element, a & 0xffff, b & 0xffff) && same_number(element, a >> 16, b >> 16);
}

// Calls host code for blocks [first, end) of the shape; end 0 means all.
inline Fault run_host(const oxide_jit_result& code, const ir::Graph& graph, const Shape& shape, const std::vector<Argument>& arguments,
                      std::uint64_t first = 0, std::uint64_t end = 0) {
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i != graph.parameters.size(); ++i) {
    if (graph.parameters[i].kind == ir::ParameterKind::value) {
      pointers.push_back(&arguments[i].bits);
    } else {
      pointers.push_back(&arguments[i].data);
      pointers.push_back(&arguments[i].length);
    }
  }
  oxide_fault_record record{};
  const auto stack_limit = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - (std::uintptr_t{1} << 20);
  oxide_host_launch launch{
      pointers.data(), &record, {shape.grid[0], shape.grid[1], shape.grid[2]}, {shape.block[0], shape.block[1], shape.block[2]}, 0,
      stack_limit,     nullptr};
  if (end == 0) end = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  code.entry(&launch, first, end);
  Fault fault;
  if (record.claimed == 0) return fault;
  fault.happened = record.ready == 1;
  fault.site = record.site;
  fault.values = {record.values[0], record.values[1]};
  fault.block = {record.block[0], record.block[1], record.block[2]};
  fault.thread = {record.thread[0], record.thread[1], record.thread[2]};
  return fault;
}

// Whether this machine's host code contracts: asked of the compiler, by a product whose rounding shows.
inline bool host_fuses() {
  static const bool fuses = [] {
    GraphBuilder b;
    const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::write);
    const ir::Variable zero = b.constant(std::uint64_t{0});
    const ir::Variable x = b.load(in, zero);
    b.store(out, zero, b.op(ir::Opcode::sub, {b.op(ir::Opcode::mul, {x, x}), b.constant(1.0f)}));
    b.exit();
    std::vector<float> input{1.0f + 0x1p-12f}, output{0};
    const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
    run_host(*code, b.graph, {}, {span_argument(input), span_argument(output)});
    return output[0] != 0x1p-11f;
  }();
  return fuses;
}

}  // namespace oxide::testing
