// Every operation on integers, and what they give by wide integers and GNU MPFR.
#pragma once

#include "check.hpp"

namespace numbers {

// On two operands, each a number or a vector.
template <class T, class Put, class X, class Y>
void integer_operations_of_two(Put& put, const X& x, const Y& y) {
  put(x + y);
  put(x - y);
  put(x * y);
  put(x / y);
  put(x % y);
  put(ox::min(x, y));
  put(ox::max(x, y));
  put(x & y);
  put(x | y);
  put(x ^ y);
  put(x << y);
  put(x >> y);
  put(x < y);
  put(x <= y);
  put(x > y);
  put(x >= y);
  put(x == y);
  put(x != y);
  put(ox::add_sat(x, y));
  put(ox::sub_sat(x, y));
  put(ox::hadd(x, y));
  put(ox::rhadd(x, y));
  put(ox::abs_diff(x, y));
  put(ox::rotate_left(x, y));
  put(ox::rotate_right(x, y));
  if constexpr (sizeof(T) <= 8) {
    put(ox::mulhi(x, y));
    put(ox::mul_sat(x, y));
  }
}

// On one, three, and with literals; of numbers or of vectors.
template <class T, class Put, class X>
void other_integer_operations(Put& put, const X& x, const X& y, const X& z) {
  put(-x);
  put(+x);
  put(ox::abs(x));
  put(~x);
  put(ox::clamp(x, 3, 100));
  put(x + 3);
  put(100 - x);
  put(x * 7);
  put(x / 10);
  put(x % 10);
  put(x << 5);
  put(x >> 3);
  put(x >> 300);
  put(ox::max(x, 9));
  put(x < 9);
  put(9 <= x);
  put(ox::popc(x));
  put(ox::clz(x));
  put(ox::ctz(x));
  put(ox::ffs(x));
  put(ox::brev(x));
  put(ox::select(x < y, z, y));
  X v = x;
  v += y;
  v *= 3;
  v -= z;
  ++v;
  v |= 1;
  v ^= z;
  v <<= 3;
  v >>= 1;
  put(v);
  if constexpr (std::is_same_v<X, ox::Value<T>>) {
    const auto [sum, sum_over] = ox::add_overflow(x, y);
    put(sum);
    put(sum_over);
    const auto [difference, difference_over] = ox::sub_overflow(x, y);
    put(difference);
    put(difference_over);
    if constexpr (sizeof(T) <= 8) {
      const auto [product, product_over] = ox::mul_overflow(x, y);
      put(product);
      put(product_over);
      const ox::u32 position = ox::cast<ox::u32>(y), length = ox::cast<ox::u32>(z);
      put(ox::bit_extract(x, position, length));
      put(ox::bit_insert(x, y, length, 5));
    }
    if constexpr (!oxide::ir::is_signed_integer(oxide::ir::type_for<T>())) {
      const auto [low, carry] = ox::add_carry(x, y, z > x);
      put(low);
      put(carry);
      const auto [rest, borrow] = ox::sub_borrow(x, y, z > x);
      put(rest);
      put(borrow);
    }
  }
}

// What they give, from the bits of a T, zero-extended: in twice the width where that fits, else with care.
template <class T>
std::vector<Expected> integer_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  constexpr bool is_signed = oxide::ir::is_signed_integer(type);
  constexpr unsigned width = 8 * sizeof(T);
  const uint128 mask = width == 128 ? ~uint128{0} : (uint128{1} << width) - 1, top = uint128{1} << (width - 1);
  const T x = from_bits<T>(xb), y = from_bits<T>(yb);
  const Real rx = Real::of_integer(is_signed, xb, width), ry = Real::of_integer(is_signed, yb, width);
  std::vector<Expected> e;
  const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits & mask}); };
  const auto number = [&](const char* name, unsigned n) { e.push_back({name, Type::i32, n}); };
  const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
  const auto divided = [](T a, T b) -> uint128 {
    if (b == 0) return 0;
    if constexpr (is_signed)
      if (b == -1) return 0 - static_cast<uint128>(a);
    return static_cast<uint128>(a / b);
  };
  const auto remainder = [](T a, T b) -> uint128 {
    if (b == 0) return 0;
    if constexpr (is_signed)
      if (b == -1) return 0;
    return static_cast<uint128>(a % b);
  };
  const auto exactly = [&](auto f) {  // the result as an exact number, and its bits when it saturates
    Real r;
    f(r.x, rx.x, ry.x, MPFR_RNDN);
    return r;
  };
  const auto overflows = [&](const Real& r, uint128 wrapped) {
    return mpfr_equal_p(r.x, Real::of_integer(is_signed, wrapped & mask, width).x) == 0;
  };
  const unsigned n = static_cast<unsigned>(yb % width);
  const uint128 low = xb & mask;
  const auto shifted_right = [&](unsigned k) -> uint128 { return static_cast<uint128>(from_bits<T>(xb) >> k); };
  // two operands
  put("+", xb + yb);
  put("-", xb - yb);
  put("*", xb * yb);
  put("/", divided(x, y));
  put("%", remainder(x, y));
  put("min", x < y ? xb : yb);
  put("max", x < y ? yb : xb);
  put("&", xb & yb);
  put("|", xb | yb);
  put("^", xb ^ yb);
  put("<<", xb << n);
  put(">>", shifted_right(n));
  truth("<", x < y);
  truth("<=", x <= y);
  truth(">", x > y);
  truth(">=", x >= y);
  truth("==", x == y);
  truth("!=", x != y);
  const Real sum = exactly(mpfr_add), difference = exactly(mpfr_sub), product = exactly(mpfr_mul);
  put("add_sat", exact::to_integer(sum, is_signed, width));
  put("sub_sat", exact::to_integer(difference, is_signed, width));
  for (const mpfr_rnd_t mode : {MPFR_RNDD, MPFR_RNDU}) {
    Real half;
    mpfr_div_ui(half.x, sum.x, 2, MPFR_RNDN);
    put("average", exact::to_integer(half, is_signed, width, mode));
  }
  Real distance;
  mpfr_abs(distance.x, difference.x, MPFR_RNDN);
  put("abs_diff", exact::to_integer(distance, false, width));
  put("rotate_left", n == 0 ? low : low << n | low >> (width - n));
  put("rotate_right", n == 0 ? low : low >> n | low << (width - n));
  if constexpr (width <= 64) {
    Real upper;
    mpfr_div_2ui(upper.x, product.x, width, MPFR_RNDN);
    put("mulhi", exact::to_integer(upper, is_signed, width, MPFR_RNDD));
    put("mul_sat", exact::to_integer(product, is_signed, width));
  }
  // one, and literals
  put("negation", 0 - xb);
  put("unary plus", xb);
  put("abs", x < T{0} ? 0 - xb : xb);
  put("~", ~xb);
  put("clamp to [3, 100]", x < T(3) ? 3 : x > T{100} ? 100 : xb);
  put("x + 3", xb + 3);
  put("100 - x", 100 - xb);
  put("x * 7", xb * 7);
  put("x / 10", divided(x, T{10}));
  put("x % 10", remainder(x, T{10}));
  put("x << 5", xb << (5 % width));
  put("x >> 3", shifted_right(3));
  put("x >> 300", shifted_right(300 % width));
  put("max(x, 9)", x < T{9} ? 9 : xb);
  truth("x < 9", x < T{9});
  truth("9 <= x", x >= T{9});
  unsigned ones = 0, leading = 0, trailing = 0;
  uint128 reversed = 0;
  for (unsigned i = 0; i != width; ++i) ones += low >> i & 1, reversed |= (low >> i & 1) << (width - 1 - i);
  while (leading != width && (low >> (width - 1 - leading) & 1) == 0) ++leading;
  while (trailing != width && (low >> trailing & 1) == 0) ++trailing;
  number("popc", ones);
  number("clz", leading);
  number("ctz", trailing);
  number("ffs", trailing == width ? 0 : trailing + 1);
  put("brev", reversed);
  put("select", x < y ? zb : yb);
  uint128 v = xb + yb;
  v = (v * 3 - zb) & mask;
  v = (v + 1) & mask;
  v = ((v | 1) ^ zb) & mask;
  v = (v << 3) & mask;
  put("compound assignments", static_cast<uint128>(from_bits<T>(v) >> 1));
  // what vectors do not have
  put("sum", xb + yb);
  truth("sum overflows", overflows(sum, xb + yb));
  put("difference", xb - yb);
  truth("difference overflows", overflows(difference, xb - yb));
  if constexpr (width <= 64) {
    put("product", xb * yb);
    truth("product overflows", overflows(product, xb * yb));
    const auto as_u32 = [&](uint128 bits) {
      const bool negative = is_signed && (bits & top) != 0;
      return static_cast<std::uint32_t>(negative ? bits | ~mask : bits) & 255;
    };
    const unsigned position = as_u32(yb), length = as_u32(zb);
    uint128 field = 0;  // PTX ISA, "bfe": bit i of the result is bit position + i of x, up to the sign bit of the field
    const unsigned msb = width - 1;
    const bool sign = is_signed && length != 0 && (low >> (position + length - 1 > msb ? msb : position + length - 1) & 1) != 0;
    for (unsigned i = 0; i != width; ++i) {
      const bool inside = i < length && position + i <= msb;
      if (inside ? (low >> (position + i) & 1) != 0 : sign) field |= uint128{1} << i;
    }
    put("bit_extract", field);
    uint128 inserted = yb & mask;
    for (unsigned i = 0; i != 5; ++i)
      if (length + i < width) inserted = (inserted & ~(uint128{1} << (length + i))) | (low >> i & 1) << (length + i);
    put("bit_insert", inserted);
  }
  if constexpr (!is_signed) {
    const uint128 carry = from_bits<T>(zb) > x ? 1 : 0;
    const uint128 first = (xb + yb) & mask, with_carry = (first + carry) & mask;
    put("add_carry", with_carry);
    truth("carry", first < xb || with_carry < first);
    put("sub_borrow", xb - yb - carry);
    truth("borrow", xb < yb || ((xb - yb) & mask) < carry);
  }
  return e;
}

}  // namespace numbers
