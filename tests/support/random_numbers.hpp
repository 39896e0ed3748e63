// Random numbers that are likely to break something.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <random>

#include <oxide/ir/float_format.hpp>
#include <oxide/ir/half.hpp>

namespace oxide::testing {

// Bits that are likely to break something: limits, zeros, infinities, NaNs, halves, and now and then anything.
inline std::uint64_t interesting_bits(ir::Type type, std::mt19937_64& random);
inline uint128 interesting_word(ir::Type type, std::mt19937_64& random) {
  if (ir::bits_of(type) != 128) return interesting_bits(type, random);
  const uint128 low = interesting_bits(ir::Type::u64, random);
  switch (random() % 4) {
    case 3: {  // the middle between two numbers of a floating type, and a little more
      const uint128 number = uint128{interesting_bits(ir::Type::u64, random)} << (random() % 64);
      return number + random() % 2;
    }
    case 0:
      return uint128{interesting_bits(ir::Type::u64, random)} << 64 | low;
    case 1:
      return low;
    default:
      return (low >> 63 != 0 ? ~uint128{0} << 64 : 0) | low;
  }
}
// Of at most 64 bits.
inline std::uint64_t interesting_bits(ir::Type type, std::mt19937_64& random) {
  if (ir::is_pair(type)) {
    const ir::Type element = ir::element_of(type);
    const std::uint64_t low = interesting_bits(element, random);
    return interesting_bits(element, random) << 16 | low;
  }
  if (ir::bits_of(type) == 128) type = ir::Type::u64;
  if (ir::is_half(type) && random() % 4 != 0) {  // what is interesting of larger ones, and what small numbers are made of
    const bool whole = random() % 2 != 0;
    const double value =
        whole ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(interesting_bits(ir::Type::f32, random))))
              : static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 16;
    return ir::round_to_format(ir::format_of(type), value);
  }
  const unsigned bits = ir::bits_of(type);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1, top = std::uint64_t{1} << (bits - 1);
  if (type == ir::Type::f32) {
    static constexpr std::uint32_t values[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                               0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                                               0x40200000, 0xc0200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000,
                                               0x4b000001, 0x41200000, 0x3dcccccd, 0x40490fdb, 0x4effffff, 0x437f0000};
    if (random() % 2 != 0) return values[random() % std::size(values)];
    if (random() % 2 != 0)
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(random() % 20001) - 10000) / 16.0f);
    return random() & mask;
  }
  if (type == ir::Type::f64) {
    static constexpr std::uint64_t values[] = {0,
                                               0x8000000000000000,
                                               0x3ff0000000000000,
                                               0xbff0000000000000,
                                               0x7ff0000000000000,
                                               0xfff0000000000000,
                                               0x7ff8000000000000,
                                               1,
                                               0x8000000000000001,
                                               0x000fffffffffffff,
                                               0x0010000000000000,
                                               0x7fefffffffffffff,
                                               0x3fe0000000000000,
                                               0x4004000000000000,
                                               0xc004000000000000,
                                               0x41e0000000000000,
                                               0xc1e0000000000000,
                                               0x41efffffffe00000,
                                               0x43e0000000000000,
                                               0xc3e0000000000000,
                                               0x43f0000000000000,
                                               0x4330000000000001,
                                               0x36a0000000000000,
                                               0x47efffffe0000000,
                                               0x47f0000000000000};
    if (random() % 2 != 0) return values[random() % std::size(values)];
    if (random() % 2 != 0)
      return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(random() % 20001) - 10000) / 16.0);
    return random();
  }
  if (type == ir::Type::boolean) return random() & 1;
  switch (random() % 5) {
    case 0:
      return (top + random() % 5 - 2) & mask;
    case 3: {  // beside the middle between two numbers of a floating type
      static constexpr unsigned significant[] = {8, 11, 24, 53};
      const unsigned digits = significant[random() % 4], leading = bits - 1 - static_cast<unsigned>(random() % (bits / 4));
      if (leading < digits) return std::uint64_t{1} << leading;
      return ((std::uint64_t{1} << leading) + ((random() % 2 * 2 + 1) << (leading - digits)) + random() % 3 - 1) & mask;
    }
    case 1:
      return (random() % 9 - 4) & mask;
    case 2:
      return (random() % 200 - 100) & mask;
    default:
      return random() & mask;
  }
}

}  // namespace oxide::testing
