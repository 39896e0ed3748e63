// An operation that is associative and does not commute, on the host and on the device: the composition of x -> a x + b, with a and b in
// the halves of a number. 1 is x -> x.
#pragma once

#include <cstdint>

#include "language/support/devices.hpp"

inline std::uint32_t compose(std::uint32_t f, std::uint32_t g) {
  const std::uint32_t a = (f & 0xffff) * (g & 0xffff), b = (g & 0xffff) * (f >> 16) + (g >> 16);
  return (a & 0xffff) | b << 16;
}
inline constexpr auto composed = [](ox::u32 f, ox::u32 g) {
  ox::u32 a = (f & 0xffffu) * (g & 0xffffu), b = (g & 0xffffu) * (f >> 16) + (g >> 16);
  return (a & 0xffffu) | b << 16;
};

// The same as a struct, of whole numbers.
struct Map {
  std::uint32_t a, b;
  friend bool operator==(const Map&, const Map&) = default;
};
OXIDE_STRUCT(Map, a, b)
inline Map after(const Map& f, const Map& g) { return {f.a * g.a, f.b * g.a + g.b}; }
inline constexpr auto composition = [](const ox::Value<Map>& f, const ox::Value<Map>& g) {
  return ox::Value<Map>{f.a * g.a, f.b * g.a + g.b};
};
