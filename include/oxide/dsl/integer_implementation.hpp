// What the integer functions record, where that is more than one operation.
#pragma once

#include <oxide/dsl/integer.hpp>
#include <oxide/linkage.hpp>

namespace oxide::detail {

// Short names for recording on one type.
struct IntegerEmitter {
  ir::Type type;
  Where where;

  trace::Handle number(std::uint64_t n) const { return constant(type, n, where); }
  trace::Handle one(ir::Opcode op, trace::Handle a) const { return emit(op, type, a, 0, where); }
  trace::Handle two(ir::Opcode op, trace::Handle a, trace::Handle b) const { return emit(op, type, a, b, 0, where); }
  trace::Handle truth(ir::Opcode op, trace::Handle a, trace::Handle b) const { return emit(op, ir::Type::boolean, a, b, 0, where); }
  trace::Handle choose(trace::Handle condition, trace::Handle yes, trace::Handle no) const {
    return emit(ir::Opcode::select, type, condition, yes, no, where);
  }
  trace::Handle negative(trace::Handle a) const { return truth(ir::Opcode::less, a, number(0)); }
  bool is_signed() const { return ir::is_signed_integer(type); }
  unsigned width() const { return ir::bits_of(type); }
};

OXIDE_INLINE WithOverflow emit_overflowing(Overflowing what, ir::Type type, trace::Handle a, trace::Handle b, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  switch (what) {
    case Overflowing::add: {
      const trace::Handle sum = e.two(add, a, b);
      if (!e.is_signed()) return {sum, e.truth(less, sum, a)};
      // Of a sign that neither summand has.
      return {sum, e.negative(e.two(bit_and, e.two(bit_xor, sum, a), e.two(bit_xor, sum, b)))};
    }
    case Overflowing::sub: {
      const trace::Handle difference = e.two(sub, a, b);
      if (!e.is_signed()) return {difference, e.truth(less, a, b)};
      return {difference, e.negative(e.two(bit_and, e.two(bit_xor, a, b), e.two(bit_xor, difference, a)))};
    }
    default: {
      const trace::Handle product = e.two(mul, a, b), high = e.two(mul_high, a, b);
      const trace::Handle expected = e.is_signed() ? e.two(shift_right, product, e.number(e.width() - 1)) : e.number(0);
      return {product, e.truth(not_equal, high, expected)};
    }
  }
}

OXIDE_INLINE trace::Handle emit_mul_saturating(ir::Type type, trace::Handle a, trace::Handle b, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const WithOverflow r = emit_overflowing(Overflowing::mul, type, a, b, where);
  trace::Handle limit = e.one(bit_not, e.number(0));
  if (e.is_signed()) {  // the largest number, or for factors of different signs the least
    const trace::Handle most = e.one(bit_not, e.number(std::uint64_t{1} << (e.width() - 1)));
    limit = e.two(bit_xor, most, e.two(shift_right, e.two(bit_xor, a, b), e.number(e.width() - 1)));
  }
  return e.choose(r.overflow, limit, r.value);
}

OXIDE_INLINE WithOverflow emit_carrying(bool subtract, ir::Type type, trace::Handle a, trace::Handle b, trace::Handle carry, Where where) {
  const Overflowing what = subtract ? Overflowing::sub : Overflowing::add;
  const trace::Handle in = emit(ir::Opcode::cast, type, carry, 0, where);
  const WithOverflow first = emit_overflowing(what, type, a, b, where), second = emit_overflowing(what, type, first.value, in, where);
  return {second.value, emit(ir::Opcode::bit_or, ir::Type::boolean, first.overflow, second.overflow, 0, where)};
}

// a + b is 2 * (a & b) + (a ^ b), and 2 * (a | b) - (a ^ b).
OXIDE_INLINE trace::Handle emit_average(bool up, ir::Type type, trace::Handle a, trace::Handle b, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const trace::Handle half = e.two(shift_right, e.two(bit_xor, a, b), e.number(1));
  return up ? e.two(sub, e.two(bit_or, a, b), half) : e.two(add, e.two(bit_and, a, b), half);
}

OXIDE_INLINE trace::Handle emit_distance(ir::Type type, trace::Handle a, trace::Handle b, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const trace::Handle distance = e.two(sub, e.two(max, a, b), e.two(min, a, b));
  return convert(type, unsigned_type(type), distance, where);
}

OXIDE_INLINE trace::Handle emit_clamped_funnel(bool left, trace::Handle low, trace::Handle high, trace::Handle count, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{ir::Type::u32, where};
  const trace::Handle shifted = emit(left ? funnel_left : funnel_right, e.type, high, low, count, where);
  return e.choose(e.truth(less, count, e.number(32)), shifted, left ? low : high);
}

OXIDE_INLINE trace::Handle emit_first_set(ir::Type type, trace::Handle x, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const trace::Handle place = e.two(add, e.one(trailing_zeros, x), e.number(1));
  return e.choose(e.truth(equal, x, e.number(0)), e.number(0), place);
}

// A count modulo 256, and at most the width, as a number of the type.
inline trace::Handle limited_count(const IntegerEmitter& e, trace::Handle n) {
  const IntegerEmitter word{ir::Type::u32, e.where};
  const trace::Handle byte = word.two(ir::Opcode::bit_and, n, word.number(255));
  return convert(ir::Type::u32, e.type, word.two(ir::Opcode::min, byte, word.number(e.width())), e.where);
}
// x shifted by a count from 0 to the width.
inline trace::Handle shifted(const IntegerEmitter& e, ir::Opcode op, trace::Handle x, trace::Handle count, trace::Handle when_all) {
  return e.choose(e.truth(ir::Opcode::less, count, e.number(e.width())), e.two(op, x, count), when_all);
}

OXIDE_INLINE trace::Handle emit_extract(ir::Type type, trace::Handle x, trace::Handle position, trace::Handle field_width, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const trace::Handle zero = e.number(0), width = e.number(e.width());
  const trace::Handle sign = e.is_signed() ? e.two(shift_right, x, e.number(e.width() - 1)) : zero;
  const trace::Handle from = limited_count(e, position), count = limited_count(e, field_width);
  const trace::Handle field = shifted(e, shift_right, x, from, sign), rest = e.two(sub, width, count);
  const trace::Handle extended = e.two(shift_right, e.two(shift_left, field, rest), rest);
  return e.choose(e.truth(equal, count, zero), zero, extended);
}

OXIDE_INLINE trace::Handle emit_insert(ir::Type type, trace::Handle x, trace::Handle into, trace::Handle position,
                                       trace::Handle field_width, Where where) {
  using enum ir::Opcode;
  const IntegerEmitter e{type, where};
  const trace::Handle zero = e.number(0), from = limited_count(e, position), count = limited_count(e, field_width);
  const trace::Handle ones = e.one(bit_not, zero);
  const trace::Handle field = e.one(bit_not, shifted(e, shift_left, ones, count, zero));  // as many ones as the length
  const trace::Handle mask = shifted(e, shift_left, field, from, zero), moved = shifted(e, shift_left, x, from, zero);
  return e.two(bit_or, e.two(bit_and, moved, mask), e.two(bit_and, into, e.one(bit_not, mask)));
}

}  // namespace oxide::detail
