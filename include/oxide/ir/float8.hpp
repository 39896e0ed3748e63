// Host storage of the 8-bit floating formats: ox::e4m3 and ox::e5m2 (OCP 8-bit Floating Point Specification).
#pragma once

#include <cstdint>

#include <oxide/ir/float_format.hpp>

namespace oxide {

// Made from a number by rounding once, to nearest even; what is too large becomes the largest number (e4m3: 448, e5m2: 57344), as
// ox::cast does on devices. `unsaturated` gives infinity instead, and NaN in e4m3, which has no infinity. Exact as a float.
// Two are equal when their bits are. Example: ox::e4m3 weight(0.3f); float w = static_cast<float>(weight);
#define OXIDE_FLOAT8(name, format)                                                                               \
  class name {                                                                                                   \
   public:                                                                                                       \
    constexpr name() = default;                                                                                  \
    template <ir::HostNumber N>                                                                                  \
    explicit constexpr name(N x) : name(ir::round_to_format(format, ir::sticky_double(x), true), 0) {}           \
    static constexpr name unsaturated(double x) { return name(ir::round_to_format(format, x), 0); }              \
    explicit constexpr operator float() const { return static_cast<float>(ir::value_of_format(format, bits_)); } \
    static constexpr name from_bits(std::uint8_t bits) { return name(bits, 0); }                                 \
    constexpr std::uint8_t bits() const { return bits_; }                                                        \
    friend constexpr bool operator==(name, name) = default;                                                      \
                                                                                                                 \
   private:                                                                                                      \
    constexpr name(std::uint32_t bits, int) : bits_(static_cast<std::uint8_t>(bits)) {}                          \
    std::uint8_t bits_;                                                                                          \
  };

OXIDE_FLOAT8(e4m3, ir::e4m3_format)
OXIDE_FLOAT8(e5m2, ir::e5m2_format)
#undef OXIDE_FLOAT8

}  // namespace oxide
