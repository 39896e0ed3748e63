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
