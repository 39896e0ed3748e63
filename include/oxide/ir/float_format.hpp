// The floating-point formats of 8 and 16 bits, and correctly rounded conversions of host numbers to and from them.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <oxide/ir/type.hpp>

namespace oxide::ir {

// IEEE 754 but for `has_infinity`: without, the all-ones pattern is the only NaN, and what would be infinity and other NaNs are numbers
// (OCP 8-bit Floating Point Specification, E4M3).
struct FloatFormat {
  unsigned bits;
  unsigned mantissa;  // stored bits of the significand
  int bias;
  bool has_infinity;

  constexpr std::uint32_t sign() const { return std::uint32_t{1} << (bits - 1); }
  constexpr std::uint32_t all_ones() const { return sign() - 1; }
  // Of the magnitudes: infinity, or without one the NaN; the largest number; a NaN.
  constexpr std::uint32_t overflow() const { return has_infinity ? all_ones() >> mantissa << mantissa : all_ones(); }
  constexpr std::uint32_t largest() const { return overflow() - 1; }
  constexpr std::uint32_t nan() const { return bits == 16 ? overflow() | std::uint32_t{1} << (mantissa - 1) : all_ones(); }
};

inline constexpr FloatFormat f16_format{16, 10, 15, true};
inline constexpr FloatFormat bf16_format{16, 7, 127, true};
inline constexpr FloatFormat e4m3_format{8, 3, 7, false};
inline constexpr FloatFormat e5m2_format{8, 2, 15, true};

// Of the types of 8 and 16 bits.
constexpr FloatFormat format_of(Type t) {
  switch (t) {
    case Type::bf16:
      return bf16_format;
    case Type::e4m3:
      return e4m3_format;
    case Type::e5m2:
      return e5m2_format;
    default:
      return f16_format;
  }
}

// x rounded once, to nearest even. Too large gives infinity (NaN in a format without), or the largest number when it `saturates`.
constexpr std::uint32_t round_to_format(FloatFormat format, double x, bool saturates = false) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint32_t sign = bits >> 63 != 0 ? format.sign() : 0;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude > 0x7ff0000000000000u) return format.bits == 8 ? format.nan() : sign | format.nan();
  const std::uint32_t too_large = saturates ? format.largest() : format.overflow();
  if (magnitude == 0x7ff0000000000000u) return sign | too_large;
  // The number is `significand` times 2^(exponent - 52); a double's subnormals round to zero in all the formats.
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const std::uint64_t significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
  const int least = 1 - format.bias;
  const int dropped = 52 - static_cast<int>(format.mantissa) + (exponent < least ? least - exponent : 0);
  if (dropped > 54) return sign;
  std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1), half = std::uint64_t{1} << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // The significand's leading bit adds one to the exponent field.
  const std::uint64_t field = exponent < least ? 0 : static_cast<std::uint64_t>(exponent - least);
  const std::uint64_t result = (field << format.mantissa) + kept;
  return sign | (result > format.largest() ? too_large : static_cast<std::uint32_t>(result));
}

// Exact; NaNs become NaNs.
constexpr double value_of_format(FloatFormat format, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & format.all_ones();
  const std::uint64_t sign = (bits & format.sign()) != 0 ? std::uint64_t{1} << 63 : 0;
  if (magnitude >= format.overflow())
    return std::bit_cast<double>(sign |
                                 (format.has_infinity && magnitude == format.overflow() ? 0x7ff0000000000000u : 0x7ff8000000000000u));
  const std::uint32_t field = magnitude >> format.mantissa, rest = magnitude & ((std::uint32_t{1} << format.mantissa) - 1);
  if (field == 0) {
    double unit = 1;
    const int power = 1 - format.bias - static_cast<int>(format.mantissa);
    unit = std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
    const double value = static_cast<double>(rest) * unit;
    return std::bit_cast<double>(sign | std::bit_cast<std::uint64_t>(value));
  }
  const std::uint64_t exponent = std::uint64_t{field} + 1023 - static_cast<std::uint64_t>(format.bias);
  return std::bit_cast<double>(sign | exponent << 52 | std::uint64_t{rest} << (52 - format.mantissa));
}

// An integer as a double that rounds to any format of fewer than 50 significant bits as the integer itself does: what a double does not
// hold is kept as one last bit that says that there was something.
template <class N>
constexpr double sticky_double(N x) {
  if constexpr (std::is_floating_point_v<N>) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < N{0};
    auto magnitude = static_cast<uint128>(x);
    if (negative) magnitude = 0 - magnitude;
    double scale = 1;
    while (magnitude >> 53 != 0) {
      magnitude = magnitude >> 1 | (magnitude & 1);
      scale *= 2;
    }
    const double value = static_cast<double>(static_cast<std::uint64_t>(magnitude)) * scale;
    return negative ? -value : value;
  }
}

// What a number of an 8- or 16-bit format is made from on the host; a long double would be rounded twice.
template <class N>
concept HostNumber =
    std::same_as<N, float> || std::same_as<N, double> || std::is_integral_v<N> || std::same_as<N, int128> || std::same_as<N, uint128>;

}  // namespace oxide::ir
