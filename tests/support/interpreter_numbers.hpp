// What the operations on bits, pairs and 8-bit floats, and those with a rounding mode give: the interpreter's side of them.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include <oxide/ir/float8.hpp>
#include <oxide/ir/half.hpp>
#include <oxide/ir/ops.hpp>

namespace oxide::testing::rules {

// On the bits of a number of `width` bits, zero-extended.
inline uint128 mask_of(unsigned width) { return width == 128 ? ~uint128{0} : (uint128{1} << width) - 1; }
inline unsigned popcount(uint128 x) {
  return static_cast<unsigned>(std::popcount(static_cast<std::uint64_t>(x)) + std::popcount(static_cast<std::uint64_t>(x >> 64)));
}
inline unsigned leading_zeros(uint128 x, unsigned width) {
  unsigned n = 0;
  while (n != width && (x >> (width - 1 - n) & 1) == 0) ++n;
  return n;
}
inline unsigned trailing_zeros(uint128 x, unsigned width) {
  unsigned n = 0;
  while (n != width && (x >> n & 1) == 0) ++n;
  return n;
}
inline uint128 reversed(uint128 x, unsigned width) {
  uint128 r = 0;
  for (unsigned i = 0; i != width; ++i) r |= (x >> i & 1) << (width - 1 - i);
  return r;
}
inline uint128 funnel(bool left, uint128 high, uint128 low, uint128 count, unsigned width) {
  const unsigned n = static_cast<unsigned>(count % width);
  if (n == 0) return left ? high : low;
  return (left ? high << n | low >> (width - n) : high << (width - n) | low >> n) & mask_of(width);
}

inline std::uint32_t byte_permute(std::uint32_t x, std::uint32_t y, std::uint32_t selector, unsigned mode) {
  const std::uint64_t both = std::uint64_t{y} << 32 | x;
  const unsigned s = selector & 3;
  // PTX ISA, "prmt": the bytes of the result from the lowest on, for each of the selector's values.
  static constexpr unsigned f4e[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}};
  static constexpr unsigned b4e[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
  static constexpr unsigned ecl[4][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}};
  static constexpr unsigned ecr[4][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}};
  static constexpr unsigned rc16[4][4] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}};
  std::uint32_t result = 0;
  for (unsigned i = 0; i != 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15;
    const unsigned index = mode == 0   ? nibble & 7
                           : mode == 1 ? f4e[s][i]
                           : mode == 2 ? b4e[s][i]
                           : mode == 3 ? s
                           : mode == 4 ? ecl[s][i]
                           : mode == 5 ? ecr[s][i]
                                       : rc16[s][i];
    std::uint32_t byte = static_cast<std::uint32_t>(both >> 8 * index & 255);
    if (mode == 0 && (nibble & 8) != 0) byte = byte >= 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// The `count` products of dp4a (4) or of a half of dp2a (2), modulo 2^32.
inline std::uint32_t dot(std::uint32_t a, bool a_signed, std::uint32_t b, bool b_signed, unsigned count, unsigned first, std::uint32_t c) {
  const auto part = [](std::uint32_t v, unsigned width, unsigned i, bool is_signed) {
    const std::int64_t bits = v >> width * i & ((std::uint64_t{1} << width) - 1);
    return is_signed && bits >> (width - 1) != 0 ? bits - (std::int64_t{1} << width) : bits;
  };
  std::int64_t sum = c;
  for (unsigned i = 0; i != count; ++i) sum += part(a, 32 / count, i, a_signed) * part(b, 8, first + i, b_signed);
  return static_cast<std::uint32_t>(sum);
}

inline float tf32(float x, std::uint64_t mode) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (!std::isfinite(x)) return x;
  const std::uint32_t magnitude = bits & 0x7fffffff, step = 0x2000, down = magnitude / step * step, rest = magnitude - down;
  const bool up = mode == 0 ? rest >= step / 2 : mode == 1 ? rest > step / 2 || (rest == step / 2 && down / step % 2 != 0) : false;
  return std::bit_cast<float>((bits & 0x80000000) | (down + (up ? step : 0)));
}

// f() in a rounding mode.
template <class F>
auto in_mode(std::uint64_t mode, F f) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int saved = std::fegetround();
  std::fesetround(modes[mode]);
  volatile auto result = f();
  std::fesetround(saved);
  return result;
}
// x as a half: the nearest one, or the one beside it on the side that the mode asks for.
template <class H>
H half_in_mode(std::uint64_t mode, double x) {
  const H nearest(x);
  const auto value = static_cast<double>(static_cast<float>(nearest));
  const bool negative = (nearest.bits() & 0x8000) != 0, above = value > x, below = value < x;
  const auto beside = [&](int step) { return H::from_bits(static_cast<std::uint16_t>(nearest.bits() + step)); };
  const bool too_far_down = below && (mode == 3 || (mode == 1 && negative)), too_far_up = above && (mode == 2 || (mode == 1 && !negative));
  if (too_far_down) return beside(negative ? -1 : 1);
  if (too_far_up) return beside(negative ? 1 : -1);
  return nearest;
}

template <class T>
T rounded(ir::Opcode op, std::uint64_t mode, T x, T y, T z) {
  volatile T a = x, b = y, c = z;
  switch (op) {
    case ir::Opcode::add_rounded:
      return in_mode(mode, [&] { return T(a + b); });
    case ir::Opcode::sub_rounded:
      return in_mode(mode, [&] { return T(a - b); });
    case ir::Opcode::mul_rounded:
      return in_mode(mode, [&] { return T(a * b); });
    case ir::Opcode::div_rounded:
      return in_mode(mode, [&] { return T(a / b); });
    case ir::Opcode::fma_rounded:
      return in_mode(mode, [&] { return T(std::fma(T(a), T(b), T(c))); });
    default:
      return in_mode(mode, [&] { return T(std::sqrt(T(a))); });
  }
}

}  // namespace oxide::testing::rules
