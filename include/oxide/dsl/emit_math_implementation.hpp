// Recording of mathematical functions: those of the table, and those that are a few operations.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/emit_math.hpp>

namespace oxide::detail {

OXIDE_INLINE trace::Handle emit_math(ir::Math f, unsigned result, ir::Type type, std::initializer_list<trace::Handle> operands,
                                     Where where) {
  static constexpr ir::Opcode opcodes[] = {ir::Opcode::math1, ir::Opcode::math2, ir::Opcode::math3};
  const ir::Type computed = type == ir::Type::f64 ? ir::Type::f64 : ir::Type::f32;
  std::array<trace::Handle, ir::max_operands> x{};
  unsigned count = 0;
  for (const trace::Handle& operand : operands) {
    const bool floating = ir::operand_type(f, count, computed) == computed;
    x[count++] = floating ? convert(type, computed, operand, where) : operand;
  }
  const ir::Type given = ir::result_type(f, result, computed);
  const trace::Handle y = record(opcodes[count - 1], given, x.data(), count, ir::math_immediate(f, result), where);
  return given == computed ? convert(computed, type, y, where) : y;
}

// Scaled by a power of two, so that the largest is between 1 and 2: no square overflows, and none that matters underflows.
OXIDE_INLINE trace::Handle emit_norm(ir::Type type, const trace::Handle* x, std::size_t count, bool reciprocal, Where where) {
  using Op = ir::Opcode;
  const ir::Type computed = type == ir::Type::f64 ? ir::Type::f64 : ir::Type::f32;
  const auto number = [&](double value) { return floating_constant(computed, value, where); };
  const auto whole = [&](std::int32_t value) { return constant(ir::Type::i32, static_cast<std::uint32_t>(value), where); };
  if (count == 0) return floating_constant(type, reciprocal ? __builtin_inf() : 0.0, where);
  trace::Handle largest{};
  for (std::size_t i = 0; i != count; ++i) {
    const trace::Handle magnitude = emit(Op::abs, computed, convert(type, computed, x[i], where), 0, where);
    largest = i == 0 ? magnitude : emit(Op::max, computed, largest, magnitude, 0, where);
  }
  // So far down that 2^-e is a number; numbers below are subnormal, and their squares are not after scaling.
  const std::int32_t least = computed == ir::Type::f64 ? -1000 : -120, most = computed == ir::Type::f64 ? 1023 : 127;
  trace::Handle e = emit_math(ir::Math::ilogb, 0, computed, {largest}, where);
  e = emit(Op::max, ir::Type::i32, e, whole(least), 0, where);
  e = emit(Op::min, ir::Type::i32, e, whole(most), 0, where);
  const trace::Handle minus_e = emit(Op::neg, ir::Type::i32, e, 0, where);
  const trace::Handle scale = emit_math(ir::Math::ldexp, 0, computed, {number(1), minus_e}, where);
  trace::Handle sum{};
  for (std::size_t i = 0; i != count; ++i) {
    const trace::Handle scaled = emit(Op::mul, computed, convert(type, computed, x[i], where), scale, 0, where);
    sum = i == 0 ? emit(Op::mul, computed, scaled, scaled, 0, where) : emit(Op::fma, computed, scaled, scaled, sum, where);
  }
  const trace::Handle root = emit(Op::sqrt, computed, sum, 0, where);
  const trace::Handle infinity = number(__builtin_inf());
  const trace::Handle is_infinite = emit(Op::equal, ir::Type::boolean, largest, infinity, 0, where);
  trace::Handle length = root;
  if (reciprocal) length = emit(Op::div, computed, number(1), root, 0, where);
  length = emit_math(ir::Math::ldexp, 0, computed, {length, reciprocal ? minus_e : e}, where);
  // An infinity makes it infinite even beside a NaN, as C says of hypot.
  const trace::Handle limit = reciprocal ? number(0) : infinity;
  length = emit(Op::select, computed, is_infinite, limit, length, where);
  return convert(computed, type, length, where);
}

// Operations are recorded one statement each: in which order a compiler evaluates arguments must not show in the graph.
OXIDE_INLINE trace::Handle emit_classify(Class what, ir::Type type, trace::Handle x, Where where) {
  using Op = ir::Opcode;
  const auto compare = [&](ir::Opcode op, trace::Handle a, trace::Handle b) { return emit(op, ir::Type::boolean, a, b, 0, where); };
  if (what == Class::signbit) {
    const ir::Type bits = ir::size_of(type) == 2 ? ir::Type::i16 : ir::size_of(type) == 4 ? ir::Type::i32 : ir::Type::i64;
    const trace::Handle as_integer = emit(Op::bit_cast, bits, x, 0, where);
    return compare(Op::less, as_integer, constant(bits, 0, where));
  }
  // Every number of a narrower type is one of f32, but what is subnormal is asked of the type itself.
  const int least_exponent = type == ir::Type::f64 ? -1022 : type == ir::Type::f16 ? -14 : -126;
  const ir::Type wide = type == ir::Type::f64 ? ir::Type::f64 : ir::Type::f32;
  const trace::Handle value = convert(type, wide, x, where);
  const trace::Handle magnitude = emit(Op::abs, wide, value, 0, where);
  const trace::Handle infinity = floating_constant(wide, __builtin_inf(), where);
  if (what == Class::isnan) return compare(Op::not_equal, magnitude, magnitude);
  if (what == Class::isinf) return compare(Op::equal, magnitude, infinity);
  if (what == Class::isfinite) return compare(Op::less, magnitude, infinity);
  const trace::Handle least_normal = floating_constant(wide, __builtin_ldexp(1.0, least_exponent), where);
  const trace::Handle large = compare(Op::less_equal, least_normal, magnitude);
  if (what == Class::isnormal) {
    const trace::Handle finite = compare(Op::less, magnitude, infinity);
    return compare(Op::bit_and, large, finite);
  }
  // fpclassify, by the numbers of FpClass
  const auto kind = [&](std::uint64_t k) { return constant(ir::Type::i32, k, where); };
  const auto choose = [&](trace::Handle c, trace::Handle a, trace::Handle b) { return emit(Op::select, ir::Type::i32, c, a, b, where); };
  const trace::Handle nan = kind(0), infinite = kind(1), zero = kind(2), subnormal = kind(3), normal = kind(4);
  trace::Handle k = choose(large, normal, subnormal);
  const trace::Handle none = floating_constant(wide, 0.0, where);
  const trace::Handle is_zero = compare(Op::equal, magnitude, none);
  k = choose(is_zero, zero, k);
  const trace::Handle is_infinite = compare(Op::equal, magnitude, infinity);
  k = choose(is_infinite, infinite, k);
  const trace::Handle is_nan = compare(Op::not_equal, magnitude, magnitude);
  return choose(is_nan, nan, k);
}

OXIDE_INLINE trace::Handle emit_compare(Comparison what, trace::Handle a, trace::Handle b, Where where) {
  using Op = ir::Opcode;
  const auto compare = [&](ir::Opcode op, trace::Handle x, trace::Handle y) { return emit(op, ir::Type::boolean, x, y, 0, where); };
  switch (what) {
    case Comparison::isgreater:
      return compare(Op::less, b, a);
    case Comparison::isgreaterequal:
      return compare(Op::less_equal, b, a);
    case Comparison::isless:
      return compare(Op::less, a, b);
    case Comparison::islessequal:
      return compare(Op::less_equal, a, b);
    case Comparison::islessgreater: {
      const trace::Handle below = compare(Op::less, a, b), above = compare(Op::less, b, a);
      return compare(Op::bit_or, below, above);
    }
    default: {
      const trace::Handle left = compare(Op::not_equal, a, a), right = compare(Op::not_equal, b, b);
      return compare(Op::bit_or, left, right);
    }
  }
}

OXIDE_INLINE trace::Handle emit_to_integer(ir::Type type, trace::Handle x, bool ties_away, Where where) {
  const trace::Handle rounded =
      ties_away ? emit_math(ir::Math::round, 0, type, {x}, where) : emit(ir::Opcode::round_even, type, x, 0, where);
  return emit(ir::Opcode::cast, ir::Type::i64, rounded, 0, where);
}

OXIDE_INLINE trace::Handle saturated_i32(trace::Handle wide, Where where) {
  const auto limit = [&](std::int64_t n) { return constant(ir::Type::i64, static_cast<std::uint64_t>(n), where); };
  wide = emit(ir::Opcode::max, ir::Type::i64, wide, limit(INT32_MIN), 0, where);
  wide = emit(ir::Opcode::min, ir::Type::i64, wide, limit(INT32_MAX), 0, where);
  return emit(ir::Opcode::cast, ir::Type::i32, wide, 0, where);
}

}  // namespace oxide::detail
