// Host storage of the 16-bit floating types: ox::half (IEEE 754 binary16) and ox::bfloat16, and pairs of them.
#pragma once

#include <cstdint>
#include <limits>

#include <oxide/ir/float_format.hpp>

namespace oxide {

// Made from a number by rounding once, to nearest even; becomes a float by itself, exactly. Host arithmetic is that of float. Like a
// float, a default-made one holds anything.
// Example: ox::half x(0.1); float y = x;
#define OXIDE_HALF(name, format)                                                                                           \
  class name {                                                                                                             \
   public:                                                                                                                 \
    constexpr name() = default;                                                                                            \
    template <ir::HostNumber N>                                                                                            \
    explicit constexpr name(N x) : bits_(static_cast<std::uint16_t>(ir::round_to_format(format, ir::sticky_double(x)))) {} \
    constexpr operator float() const { return static_cast<float>(ir::value_of_format(format, bits_)); }                    \
    constexpr name operator-() const { return from_bits(static_cast<std::uint16_t>(bits_ ^ 0x8000)); }                     \
    static constexpr name from_bits(std::uint16_t bits) {                                                                  \
      name x{};                                                                                                            \
      x.bits_ = bits;                                                                                                      \
      return x;                                                                                                            \
    }                                                                                                                      \
    constexpr std::uint16_t bits() const { return bits_; }                                                                 \
                                                                                                                           \
   private:                                                                                                                \
    std::uint16_t bits_;                                                                                                   \
  };

OXIDE_HALF(half, ir::f16_format)
OXIDE_HALF(bfloat16, ir::bf16_format)
#undef OXIDE_HALF

// Two numbers in one 32-bit word, x in the low half: what ox::f16x2 and ox::bf16x2 are in memory.
struct alignas(4) half2 {
  half x, y;
  friend constexpr bool operator==(half2 a, half2 b) { return a.x == b.x && a.y == b.y; }
};
struct alignas(4) bfloat162 {
  bfloat16 x, y;
  friend constexpr bool operator==(bfloat162 a, bfloat162 b) { return a.x == b.x && a.y == b.y; }
};

}  // namespace oxide

#define OXIDE_HALF_LIMITS(name, significant, least_exponent, largest_exponent, decimal_digits, decimal_max, decimal_least, \
                          decimal_largest)                                                                                 \
  template <>                                                                                                              \
  class std::numeric_limits<oxide::name> {                                                                                 \
   public:                                                                                                                 \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;                   \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;                             \
    static constexpr bool is_iec559 = significant == 11, is_bounded = true, is_modulo = false;                             \
    static constexpr bool traps = false, tinyness_before = false;                                                          \
    static constexpr std::float_round_style round_style = std::round_to_nearest;                                           \
    static constexpr int digits = significant, digits10 = decimal_digits, max_digits10 = decimal_max, radix = 2;           \
    static constexpr int min_exponent = least_exponent, max_exponent = largest_exponent;                                   \
    static constexpr int min_exponent10 = decimal_least, max_exponent10 = decimal_largest;                                 \
    static constexpr oxide::name from(int bits) { return oxide::name::from_bits(static_cast<std::uint16_t>(bits)); }       \
    static constexpr oxide::name min() { return from(1 << (digits - 1)); }                                                 \
    static constexpr oxide::name max() { return from((0x7fff >> (digits - 1) << (digits - 1)) - 1); }                      \
    static constexpr oxide::name lowest() { return -max(); }                                                               \
    static constexpr oxide::name epsilon() { return oxide::name(1.0 / (1 << (digits - 1))); }                              \
    static constexpr oxide::name round_error() { return oxide::name(0.5); }                                                \
    static constexpr oxide::name infinity() { return from(0x7fff >> (digits - 1) << (digits - 1)); }                       \
    static constexpr oxide::name quiet_NaN() { return from(0x7fff >> (digits - 2) << (digits - 2)); }                      \
    static constexpr oxide::name signaling_NaN() { return from((0x7fff >> (digits - 1) << (digits - 1)) + 1); }            \
    static constexpr oxide::name denorm_min() { return from(1); }                                                          \
  };
OXIDE_HALF_LIMITS(half, 11, -13, 16, 3, 5, -4, 4)
OXIDE_HALF_LIMITS(bfloat16, 8, -125, 128, 2, 4, -37, 38)
#undef OXIDE_HALF_LIMITS
