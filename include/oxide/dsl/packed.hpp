// Pairs of halves in one word, ox::f16x2 and ox::bf16x2. The operators +, -, * and unary - work on both numbers at once, as one
// instruction where a GPU has it (f16x2: sm_75, bf16x2: sm_80 and, for all of them, sm_90); so do min, max, abs and these.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {

// The pair (low, high). Example: ox::f16x2 p = ox::make_f16x2(x, y);
inline f16x2 make_f16x2(detail::Operand<half> low, detail::Operand<half> high, detail::Where where = detail::Where::current()) {
  return f16x2::from_handle(detail::emit(ir::Opcode::make_pair, f16x2::type, low.handle, high.handle, 0, where), where);
}
inline bf16x2 make_bf16x2(detail::Operand<bfloat16> low, detail::Operand<bfloat16> high, detail::Where where = detail::Where::current()) {
  return bf16x2::from_handle(detail::emit(ir::Opcode::make_pair, bf16x2::type, low.handle, high.handle, 0, where), where);
}

#define OXIDE_DSL_PAIR(Pair, Half)                                                                                                 \
  /* The first and the second number of a pair. */                                                                                 \
  inline Value<Half> low(const Value<Pair>& p, detail::Where where = detail::Where::current()) {                                   \
    return Value<Half>::from_handle(detail::emit(ir::Opcode::pair_element, Value<Half>::type, p.handle(), 0, where), where);       \
  }                                                                                                                                \
  inline Value<Half> high(const Value<Pair>& p, detail::Where where = detail::Where::current()) {                                  \
    return Value<Half>::from_handle(detail::emit(ir::Opcode::pair_element, Value<Half>::type, p.handle(), 1, where), where);       \
  }                                                                                                                                \
  /* a * b + c, each rounded once. */                                                                                              \
  inline Value<Pair> hfma2(detail::Operand<Pair> a, detail::Operand<Pair> b, detail::Operand<Pair> c,                              \
                           detail::Where where = detail::Where::current()) {                                                       \
    return Value<Pair>::from_handle(detail::emit(ir::Opcode::fma, Value<Pair>::type, a.handle, b.handle, c.handle, where), where); \
  }                                                                                                                                \
  OXIDE_DSL_PAIR_BINARY(hadd2, add, Pair)                                                                                          \
  OXIDE_DSL_PAIR_BINARY(hsub2, sub, Pair)                                                                                          \
  OXIDE_DSL_PAIR_BINARY(hmul2, mul, Pair)                                                                                          \
  /* These are never contracted. */                                                                                                \
  OXIDE_DSL_PAIR_BINARY(hadd2_rn, add_rounded, Pair)                                                                               \
  OXIDE_DSL_PAIR_BINARY(hsub2_rn, sub_rounded, Pair)                                                                               \
  OXIDE_DSL_PAIR_BINARY(hmul2_rn, mul_rounded, Pair)                                                                               \
  OXIDE_DSL_PAIR_BINARY(hmin2, min, Pair)                                                                                          \
  OXIDE_DSL_PAIR_BINARY(hmax2, max, Pair)                                                                                          \
  OXIDE_DSL_PAIR_UNARY(hneg2, neg, Pair)                                                                                           \
  OXIDE_DSL_PAIR_UNARY(habs2, abs, Pair)
#define OXIDE_DSL_PAIR_BINARY(name, opcode, Pair)                                                                                  \
  inline Value<Pair> name(const Value<Pair>& a, const Value<Pair>& b, detail::Where where = detail::Where::current()) {            \
    return Value<Pair>::from_handle(detail::emit(ir::Opcode::opcode, Value<Pair>::type, a.handle(), b.handle(), 0, where), where); \
  }
#define OXIDE_DSL_PAIR_UNARY(name, opcode, Pair)                                                                       \
  inline Value<Pair> name(const Value<Pair>& a, detail::Where where = detail::Where::current()) {                      \
    return Value<Pair>::from_handle(detail::emit(ir::Opcode::opcode, Value<Pair>::type, a.handle(), 0, where), where); \
  }
OXIDE_DSL_PAIR(half2, half)
OXIDE_DSL_PAIR(bfloat162, bfloat16)
#undef OXIDE_DSL_PAIR
#undef OXIDE_DSL_PAIR_BINARY
#undef OXIDE_DSL_PAIR_UNARY

// ---- 8-bit floats

// As ox::cast<ox::e4m3>(x), but what is too large becomes infinity (e5m2) or NaN (e4m3).
template <class T, class A>
  requires detail::Number<A>
auto cast_unsaturated(A&& x, detail::Where where = detail::Where::current()) {
  constexpr ir::Type to = detail::CastTarget<T>::type, from = detail::source_of<A>.type;
  static_assert(ir::is_storage(to) && ir::is_floating(from),
                "oxide: ox::cast_unsaturated goes from a floating type to an 8-bit one, as in ox::cast_unsaturated<ox::e5m2>(x)");
  return detail::DeviceValue<to>::from_handle(
      detail::emit(ir::Opcode::cast_unsaturated, to, detail::own_handle(std::forward<A>(x), where), 0, where), where);
}

// Two numbers as 8-bit floats in one u16, the first in the low byte; rounded and saturated as by ox::cast. And back.
#define OXIDE_DSL_FLOAT8_PAIR(format, choice)                                                                                             \
  inline u16 pack_##format##x2(detail::Operand<float> low, detail::Operand<float> high, detail::Where where = detail::Where::current()) { \
    return u16::from_handle(detail::emit(ir::Opcode::pack_float8, u16::type, low.handle, high.handle, choice, where), where);             \
  }                                                                                                                                       \
  inline f16x2 unpack_##format##x2(detail::ExactOperand<std::uint16_t> bytes, detail::Where where = detail::Where::current()) {           \
    return f16x2::from_handle(detail::emit(ir::Opcode::unpack_float8, f16x2::type, bytes.handle, choice, where), where);                  \
  }
OXIDE_DSL_FLOAT8_PAIR(e4m3, 0)
OXIDE_DSL_FLOAT8_PAIR(e5m2, 1)
#undef OXIDE_DSL_FLOAT8_PAIR

// x with the 10 bits of significand that tensor cores take: rounded to nearest, ties away from zero; to nearest even; toward zero.
#define OXIDE_DSL_TF32(name, mode)                                                                          \
  inline f32 name(detail::Operand<float> x, detail::Where where = detail::Where::current()) {               \
    return f32::from_handle(detail::emit(ir::Opcode::round_tf32, f32::type, x.handle, mode, where), where); \
  }
OXIDE_DSL_TF32(round_tf32, 0)
OXIDE_DSL_TF32(round_tf32_rn, 1)
OXIDE_DSL_TF32(round_tf32_rz, 2)
#undef OXIDE_DSL_TF32

}  // namespace oxide
