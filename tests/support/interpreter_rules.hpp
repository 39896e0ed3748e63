// The number rules of docs/numbers.md, for the interpreter.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <oxide/ir/float8.hpp>
#include <oxide/ir/half.hpp>
#include <oxide/ir/ops.hpp>
#include <oxide/ir/type.hpp>

#include "support/interpreter_numbers.hpp"

namespace oxide::testing {

// The bits of any number.

namespace rules {

template <class T>
struct UnsignedOf : std::make_unsigned<T> {};
template <>
struct UnsignedOf<int128> {
  using type = uint128;
};
template <>
struct UnsignedOf<uint128> {
  using type = uint128;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;
template <class T>
inline constexpr bool is_signed = ir::is_signed_integer(ir::type_for<T>());
template <class T>
inline constexpr bool is_integer = ir::is_integer(ir::type_for<T>());
template <class T>
inline constexpr bool is_floating = ir::is_floating(ir::type_for<T>());
template <class T>
inline constexpr bool is_storage = ir::is_storage(ir::type_for<T>());

// What a floating type is computed in: halves in float, which rounds to the half as computing in the half would, but for fma.
template <class T>
using Computed = std::conditional_t<ir::is_half(ir::type_for<T>()), float, T>;

template <class T>
T least() {
  if constexpr (is_signed<T>) return static_cast<T>(Unsigned<T>{1} << (8 * sizeof(T) - 1));
  else return 0;
}
template <class T>
T greatest() {
  return static_cast<T>(~least<T>());
}

// In 128 bits, so that narrow types do not overflow as ints.
template <class T>
T wrapped(Word bits) {
  return static_cast<T>(static_cast<Unsigned<T>>(bits));
}
template <class T>
T divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (is_signed<T>)
    if (b == -1) return wrapped<T>(0 - static_cast<Word>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (is_signed<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
using Wide = std::conditional_t<is_signed<T>, int128, uint128>;
// A sum is off the end that y points to where it does not lie on that side of x.
template <class T>
T add_saturating(T x, T y) {
  const T sum = wrapped<T>(static_cast<Word>(x) + static_cast<Word>(y));
  if (y < T{0}) return sum > x ? least<T>() : sum;
  return sum < x ? greatest<T>() : sum;
}
template <class T>
T sub_saturating(T x, T y) {
  const T difference = wrapped<T>(static_cast<Word>(x) - static_cast<Word>(y));
  if (y < T{0}) return difference < x ? greatest<T>() : difference;
  return difference > x ? least<T>() : difference;
}
template <class T>
unsigned shift_amount(T n) {
  return static_cast<unsigned>(static_cast<Unsigned<T>>(n) % (8 * sizeof(T)));
}

// IEEE 754-2019, 9.6: a number beats a NaN, and -0 is less than +0.
template <class T>
T minimum_number(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T maximum_number(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Rounded once. Of halves: a sum in double that lost something is made odd in its last bit, so that rounding it again does no harm.
template <class T>
T fused(T x, T y, T z) {
  if constexpr (std::is_same_v<Computed<T>, T>) {
    return std::fma(x, y, z);
  } else {
    const double p = static_cast<double>(x) * static_cast<double>(y), c = z;
    const long double exact = static_cast<long double>(p) + c;
    const double s = static_cast<double>(exact);
    double odd = s;
    const double of_c = s - p, lost = (p - (s - of_c)) + (c - of_c);
    if (lost == lost && lost != 0 && (std::bit_cast<std::uint64_t>(s) & 1) == 0)
      odd = std::nextafter(s, lost > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
    return static_cast<T>(odd);
  }
}

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, From>) return v;
  else if constexpr (!ir::can_cast(ir::type_for<From>(), ir::type_for<To>())) throw std::logic_error("a cast that is none");
  else if constexpr (is_storage<From>) return convert<To>(static_cast<float>(v));
  else if constexpr (ir::is_half(ir::type_for<From>())) return convert<To>(static_cast<float>(v));
  else if constexpr (std::is_same_v<To, bool>) return v != From{0};
  else if constexpr (is_floating<From> && is_integer<To>) {
    if (std::isnan(v)) return 0;
    // 2^digits, the first number that is too large, is exact in every floating type (or infinite); so is the least of the signed ones.
    const From limit = std::ldexp(From{1}, static_cast<int>(8 * sizeof(To)) - (is_signed<To> ? 1 : 0));
    if (v >= limit) return greatest<To>();
    if (v < static_cast<From>(least<To>())) return least<To>();
    return static_cast<To>(v);
  } else return static_cast<To>(v);
}

// The casts that are not `cast`: with a rounding mode, or to an 8-bit float without saturating.
template <class To, class From>
To convert_otherwise(ir::Opcode op, std::uint64_t mode, From v) {
  if constexpr (is_storage<To> && is_floating<From>) return To::unsaturated(static_cast<double>(v));
  else if constexpr (ir::is_half(ir::type_for<From>())) return convert_otherwise<To>(op, mode, static_cast<float>(v));
  else if constexpr (std::is_floating_point_v<From> && is_integer<To>) return convert<To>(in_mode(mode, [&] { return std::nearbyint(v); }));
  else if constexpr (ir::is_half(ir::type_for<To>()) && (std::is_floating_point_v<From> || is_integer<From>)) {
    if (mode == 0) return convert<To>(v);
    volatile From x = v;
    return half_in_mode<To>(mode, in_mode(mode, [&] { return static_cast<double>(x); }));
  } else if constexpr (std::is_floating_point_v<To> && (std::is_floating_point_v<From> || is_integer<From>)) {
    volatile From x = v;
    return in_mode(mode, [&] { return static_cast<To>(x); });
  } else throw std::logic_error("a cast that is none: " + std::string(ir::name_of(op)));
}

}  // namespace rules

}  // namespace oxide::testing
