// The bits of integers: counts, permutes, funnel shifts, wide products, saturation, overflow and carries. Under generic names, which work
// at every width, and under CUDA's. The same results on every device.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/ops.hpp>

namespace oxide {
namespace detail {

template <ir::Type type>
constexpr void needs_integer() {
  static_assert(ir::is_integer(type), "oxide: this function takes integers; write ox::cast<T>(x)");
}
template <ir::Type type>
constexpr void needs_narrow_integer() {
  static_assert(ir::is_integer(type) && ir::bits_of(type) <= 64, "oxide: this function takes integers of at most 64 bits");
}
constexpr ir::Type signed_type(ir::Type type) {
  switch (ir::size_of(type)) {
    case 1:
      return ir::Type::i8;
    case 2:
      return ir::Type::i16;
    case 4:
      return ir::Type::i32;
    case 8:
      return ir::Type::i64;
    default:
      return ir::Type::i128;
  }
}
constexpr ir::Type unsigned_type(ir::Type type) {
  return static_cast<ir::Type>(static_cast<unsigned>(signed_type(type)) + (ir::size_of(type) == 16 ? 1 : 4));
}
static_assert(unsigned_type(ir::Type::i8) == ir::Type::u8 && unsigned_type(ir::Type::i64) == ir::Type::u64 &&
              unsigned_type(ir::Type::i128) == ir::Type::u128);

// An integer's sum, difference or product, and whether it was too large for its type.
struct WithOverflow {
  trace::Handle value, overflow;
};
enum class Overflowing : std::uint8_t { add, sub, mul };
OXIDE_INLINE WithOverflow emit_overflowing(Overflowing what, ir::Type type, trace::Handle a, trace::Handle b, Where where);
OXIDE_INLINE trace::Handle emit_mul_saturating(ir::Type type, trace::Handle a, trace::Handle b, Where where);
// a + b + carry or a - b - borrow.
OXIDE_INLINE WithOverflow emit_carrying(bool subtract, ir::Type type, trace::Handle a, trace::Handle b, trace::Handle carry, Where where);
OXIDE_INLINE trace::Handle emit_average(bool up, ir::Type type, trace::Handle a, trace::Handle b, Where where);
OXIDE_INLINE trace::Handle emit_distance(ir::Type type, trace::Handle a, trace::Handle b, Where where);
OXIDE_INLINE trace::Handle emit_clamped_funnel(bool left, trace::Handle low, trace::Handle high, trace::Handle count, Where where);
OXIDE_INLINE trace::Handle emit_first_set(ir::Type type, trace::Handle x, Where where);
OXIDE_INLINE trace::Handle emit_extract(ir::Type type, trace::Handle x, trace::Handle position, trace::Handle length, Where where);
OXIDE_INLINE trace::Handle emit_insert(ir::Type type, trace::Handle x, trace::Handle into, trace::Handle position, trace::Handle length,
                                       Where where);

}  // namespace detail

#define OXIDE_DSL_UNARY(name, needs, result, expression)                     \
  template <class A>                                                         \
    requires detail::NumbersOnDevice<A>                                      \
  auto name(A&& x, detail::Where where = detail::Where::current()) {         \
    constexpr ir::Type type = detail::needed_common_type<A>();               \
    detail::needs<type>();                                                   \
    using T = typename detail::DeviceValue<type>::scalar_type;               \
    const trace::Handle a = detail::handle_as<T>(std::forward<A>(x), where); \
    return detail::DeviceValue<result>::from_handle(expression, where);      \
  }
#define OXIDE_DSL_BINARY(name, needs, result, expression)                    \
  template <class A, class B>                                                \
    requires detail::NumbersOnDevice<A, B>                                   \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {  \
    constexpr ir::Type type = detail::needed_common_type<A, B>();            \
    detail::needs<type>();                                                   \
    using T = typename detail::DeviceValue<type>::scalar_type;               \
    const trace::Handle a = detail::handle_as<T>(std::forward<A>(x), where); \
    const trace::Handle b = detail::handle_as<T>(std::forward<B>(y), where); \
    return detail::DeviceValue<result>::from_handle(expression, where);      \
  }
#define OXIDE_DSL_COUNT(opcode) detail::convert(type, ir::Type::i32, detail::emit(ir::Opcode::opcode, type, a, 0, where), where)

// How many bits are set; how many zeros lead, and trail: the width for 0; the place of the lowest set bit, counted from 1, 0 for 0.
OXIDE_DSL_UNARY(popc, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(popcount))
OXIDE_DSL_UNARY(clz, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(leading_zeros))
OXIDE_DSL_UNARY(ctz, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(trailing_zeros))
OXIDE_DSL_UNARY(ffs, needs_integer, ir::Type::i32, detail::convert(type, ir::Type::i32, detail::emit_first_set(type, a, where), where))
OXIDE_DSL_UNARY(popcount, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(popcount))
OXIDE_DSL_UNARY(countl_zero, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(leading_zeros))
OXIDE_DSL_UNARY(countr_zero, needs_integer, ir::Type::i32, OXIDE_DSL_COUNT(trailing_zeros))
// The bits in reverse order.
OXIDE_DSL_UNARY(brev, needs_integer, type, detail::emit(ir::Opcode::bit_reverse, type, a, 0, where))

// The upper half of the product.
OXIDE_DSL_BINARY(mulhi, needs_narrow_integer, type, detail::emit(ir::Opcode::mul_high, type, a, b, 0, where))
// The nearest number of the type, where the result is too large or too small.
OXIDE_DSL_BINARY(add_sat, needs_integer, type, detail::emit(ir::Opcode::add_saturating, type, a, b, 0, where))
OXIDE_DSL_BINARY(sub_sat, needs_integer, type, detail::emit(ir::Opcode::sub_saturating, type, a, b, 0, where))
OXIDE_DSL_BINARY(mul_sat, needs_narrow_integer, type, detail::emit_mul_saturating(type, a, b, where))
// (x + y) / 2 without overflow, rounded down; rounded up.
OXIDE_DSL_BINARY(hadd, needs_integer, type, detail::emit_average(false, type, a, b, where))
OXIDE_DSL_BINARY(rhadd, needs_integer, type, detail::emit_average(true, type, a, b, where))
// |x - y|, as an unsigned number, so that it always fits.
OXIDE_DSL_BINARY(abs_diff, needs_integer, detail::unsigned_type(type), detail::emit_distance(type, a, b, where))
// x rotated by n modulo the width.
OXIDE_DSL_BINARY(rotate_left, needs_integer, type, detail::emit(ir::Opcode::funnel_left, type, a, a, b, where))
OXIDE_DSL_BINARY(rotate_right, needs_integer, type, detail::emit(ir::Opcode::funnel_right, type, a, a, b, where))

#undef OXIDE_DSL_COUNT
#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_BINARY

// A result and whether it overflowed: the value then wraps. Example: auto [sum, over] = ox::add_overflow(a, b);
template <class T>
struct Overflowed {
  Value<T> value;
  boolean overflow;
};

#define OXIDE_DSL_OVERFLOW(name, what, needs)                                                              \
  template <class A, class B>                                                                              \
    requires detail::NumbersOnDevice<A, B>                                                                 \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {                                \
    constexpr ir::Type type = detail::needed_common_type<A, B>();                                          \
    detail::needs<type>();                                                                                 \
    using T = typename detail::DeviceValue<type>::scalar_type;                                             \
    const trace::Handle a = detail::handle_as<T>(std::forward<A>(x), where);                               \
    const trace::Handle b = detail::handle_as<T>(std::forward<B>(y), where);                               \
    const detail::WithOverflow r = detail::emit_overflowing(detail::Overflowing::what, type, a, b, where); \
    return Overflowed<T>{Value<T>::from_handle(r.value, where), boolean::from_handle(r.overflow, where)};  \
  }
OXIDE_DSL_OVERFLOW(add_overflow, add, needs_integer)
OXIDE_DSL_OVERFLOW(sub_overflow, sub, needs_integer)
OXIDE_DSL_OVERFLOW(mul_overflow, mul, needs_narrow_integer)
#undef OXIDE_DSL_OVERFLOW

// A sum with the carry out of it.
template <class T>
struct Carried {
  Value<T> value;
  boolean carry;
};

// x + y + carry and x - y - borrow of unsigned numbers, for numbers of several words: the carry out goes into the next one.
// Example: auto [low, c] = ox::add_carry(a0, b0, false); auto [high, d] = ox::add_carry(a1, b1, c);
#define OXIDE_DSL_CARRY(name, subtract)                                                                            \
  template <class A, class B>                                                                                      \
    requires detail::NumbersOnDevice<A, B>                                                                         \
  auto name(A&& x, B&& y, detail::Operand<bool> carry, detail::Where where = detail::Where::current()) {           \
    constexpr ir::Type type = detail::needed_common_type<A, B>();                                                  \
    static_assert(ir::kind_of(type) == ir::TypeKind::unsigned_integer, "oxide: carries are of unsigned integers"); \
    using T = typename detail::DeviceValue<type>::scalar_type;                                                     \
    const trace::Handle a = detail::handle_as<T>(std::forward<A>(x), where);                                       \
    const trace::Handle b = detail::handle_as<T>(std::forward<B>(y), where);                                       \
    const detail::WithOverflow r = detail::emit_carrying(subtract, type, a, b, carry.handle, where);               \
    return Carried<T>{Value<T>::from_handle(r.value, where), boolean::from_handle(r.overflow, where)};             \
  }
OXIDE_DSL_CARRY(add_carry, false)
OXIDE_DSL_CARRY(sub_borrow, true)
#undef OXIDE_DSL_CARRY

// ---- on 32 bits, as CUDA has them

// z + |x - y|.
inline u32 sad(detail::Operand<std::int32_t> x, detail::Operand<std::int32_t> y, detail::Operand<std::uint32_t> z,
               detail::Where where = detail::Where::current()) {
  const trace::Handle d = detail::emit_distance(ir::Type::i32, x.handle, y.handle, where);
  return u32::from_handle(detail::emit(ir::Opcode::add, ir::Type::u32, d, z.handle, 0, where), where);
}
inline u32 usad(detail::Operand<std::uint32_t> x, detail::Operand<std::uint32_t> y, detail::Operand<std::uint32_t> z,
                detail::Where where = detail::Where::current()) {
  const trace::Handle d = detail::emit_distance(ir::Type::u32, x.handle, y.handle, where);
  return u32::from_handle(detail::emit(ir::Opcode::add, ir::Type::u32, d, z.handle, 0, where), where);
}

// The upper 32 bits of high:low shifted left, the lower ones of it shifted right: by the count modulo 32, or (lc, rc) at most 32.
inline u32 funnelshift_l(detail::Operand<std::uint32_t> low, detail::Operand<std::uint32_t> high, detail::Operand<std::uint32_t> count,
                         detail::Where where = detail::Where::current()) {
  return u32::from_handle(detail::emit(ir::Opcode::funnel_left, ir::Type::u32, high.handle, low.handle, count.handle, where), where);
}
inline u32 funnelshift_r(detail::Operand<std::uint32_t> low, detail::Operand<std::uint32_t> high, detail::Operand<std::uint32_t> count,
                         detail::Where where = detail::Where::current()) {
  return u32::from_handle(detail::emit(ir::Opcode::funnel_right, ir::Type::u32, high.handle, low.handle, count.handle, where), where);
}
inline u32 funnelshift_lc(detail::Operand<std::uint32_t> low, detail::Operand<std::uint32_t> high, detail::Operand<std::uint32_t> count,
                          detail::Where where = detail::Where::current()) {
  return u32::from_handle(detail::emit_clamped_funnel(true, low.handle, high.handle, count.handle, where), where);
}
inline u32 funnelshift_rc(detail::Operand<std::uint32_t> low, detail::Operand<std::uint32_t> high, detail::Operand<std::uint32_t> count,
                          detail::Where where = detail::Where::current()) {
  return u32::from_handle(detail::emit_clamped_funnel(false, low.handle, high.handle, count.handle, where), where);
}

// How byte_permute picks its bytes; PTX ISA, "prmt". `index`: each nibble of the selector is the number of a byte, x's 0 to 3, y's 4 to 7,
// plus 8 for its sign in all bits. The others go by the selector modulo 4.
enum class Permute : std::uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };
inline u32 byte_permute(detail::Operand<std::uint32_t> x, detail::Operand<std::uint32_t> y, detail::Operand<std::uint32_t> selector,
                        Permute mode = Permute::index, detail::Where where = detail::Where::current()) {
  const trace::Handle operands[] = {x.handle, y.handle, selector.handle};
  return u32::from_handle(detail::record(ir::Opcode::byte_permute, ir::Type::u32, operands, 3, static_cast<std::uint64_t>(mode), where),
                          where);
}
// CUDA's __byte_perm: as `index`, without the signs.
inline u32 byte_perm(detail::Operand<std::uint32_t> x, detail::Operand<std::uint32_t> y, detail::Operand<std::uint32_t> selector,
                     detail::Where where = detail::Where::current()) {
  const trace::Handle mask = detail::constant(ir::Type::u32, 0x7777, where);
  const trace::Handle s = detail::emit(ir::Opcode::bit_and, ir::Type::u32, selector.handle, mask, 0, where);
  const trace::Handle operands[] = {x.handle, y.handle, s};
  return u32::from_handle(detail::record(ir::Opcode::byte_permute, ir::Type::u32, operands, 3, 0, where), where);
}

// c plus the products of the four bytes of a and b, each signed or not as its type is; of the two halfwords of a and the lower (upper)
// two bytes of b. The result is signed when a factor is. It wraps.
#define OXIDE_DSL_DOT(A, B, C)                                                                                                          \
  inline Value<C> dp4a(const Value<A>& a, const Value<B>& b, detail::Operand<C> c, detail::Where where = detail::Where::current()) {    \
    return Value<C>::from_handle(detail::emit(ir::Opcode::dot4, Value<C>::type, a.handle(), b.handle(), c.handle, where), where);       \
  }                                                                                                                                     \
  inline Value<C> dp2a_lo(const Value<A>& a, const Value<B>& b, detail::Operand<C> c, detail::Where where = detail::Where::current()) { \
    const trace::Handle operands[] = {a.handle(), b.handle(), c.handle};                                                                \
    return Value<C>::from_handle(detail::record(ir::Opcode::dot2, Value<C>::type, operands, 3, 0, where), where);                       \
  }                                                                                                                                     \
  inline Value<C> dp2a_hi(const Value<A>& a, const Value<B>& b, detail::Operand<C> c, detail::Where where = detail::Where::current()) { \
    const trace::Handle operands[] = {a.handle(), b.handle(), c.handle};                                                                \
    return Value<C>::from_handle(detail::record(ir::Opcode::dot2, Value<C>::type, operands, 3, 1, where), where);                       \
  }
OXIDE_DSL_DOT(std::int32_t, std::int32_t, std::int32_t)
OXIDE_DSL_DOT(std::uint32_t, std::uint32_t, std::uint32_t)
OXIDE_DSL_DOT(std::int32_t, std::uint32_t, std::int32_t)
OXIDE_DSL_DOT(std::uint32_t, std::int32_t, std::int32_t)
#undef OXIDE_DSL_DOT

// `length` bits of x from `position` on, zero- or sign-extended as x is; bits beyond the width are zero or the sign. Position and length
// count modulo 256 (PTX ISA, "bfe").
template <class A>
  requires detail::NumbersOnDevice<A>
auto bit_extract(A&& x, detail::Operand<std::uint32_t> position, detail::Operand<std::uint32_t> length,
                 detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::needed_common_type<A>();
  detail::needs_narrow_integer<type>();
  const trace::Handle a = detail::handle_as<typename detail::DeviceValue<type>::scalar_type>(std::forward<A>(x), where);
  return detail::DeviceValue<type>::from_handle(detail::emit_extract(type, a, position.handle, length.handle, where), where);
}
// `into`, with its `length` bits from `position` on replaced by the lowest of x (PTX ISA, "bfi").
template <class A, class B>
  requires detail::NumbersOnDevice<A, B>
auto bit_insert(A&& x, B&& into, detail::Operand<std::uint32_t> position, detail::Operand<std::uint32_t> length,
                detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::needed_common_type<A, B>();
  detail::needs_narrow_integer<type>();
  using T = typename detail::DeviceValue<type>::scalar_type;
  const trace::Handle a = detail::handle_as<T>(std::forward<A>(x), where), b = detail::handle_as<T>(std::forward<B>(into), where);
  return Value<T>::from_handle(detail::emit_insert(type, a, b, position.handle, length.handle, where), where);
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/integer_implementation.hpp>
#endif
