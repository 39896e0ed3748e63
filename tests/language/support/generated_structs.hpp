// Checks of the structs that structs.awk writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

#include "devices.hpp"

namespace {

enum class Small : std::uint8_t { a, b };
enum class Large : std::int64_t { a, b };

// What oxide takes as the offsets of a struct's members, against the compiler's.
template <class S>
void check_offsets(int number, const std::vector<std::size_t>& expected) {
  INFO("S" << number);
  REQUIRE(oxide::detail::Fields<S>::count == expected.size());
  for (std::size_t m = 0; m != expected.size(); ++m) CHECK(oxide::detail::Fields<S>::offsets()[m] == expected[m]);
}

// Any bits in every number of S, but booleans that are booleans, and no signaling NaN, which a host copy may quiet.
template <class S>
void fill(S& s, std::mt19937& random) {
  std::memset(static_cast<void*>(&s), 0xa5, sizeof s);
  const oxide::detail::Leaf* leaves = oxide::detail::leaves_of<S>();
  for (std::size_t l = 0; l != oxide::detail::leaf_count<S>; ++l) {
    std::uint64_t bits = std::uint64_t{random()} << 32 | random();
    const oxide::ir::Type type = leaves[l].type;
    if (type == oxide::ir::Type::boolean) bits &= 1;
    if (type == oxide::ir::Type::f32) bits &= 0xbf7fffff;
    if (type == oxide::ir::Type::f64) bits &= 0xbfefffffffffffff;
    std::memcpy(reinterpret_cast<char*>(&s) + leaves[l].offset, &bits, oxide::ir::size_of(type));
  }
}

template <class S>
bool same_numbers(const S& a, const S& b) {
  const oxide::detail::Leaf* leaves = oxide::detail::leaves_of<S>();
  for (std::size_t l = 0; l != oxide::detail::leaf_count<S>; ++l)
    if (std::memcmp(reinterpret_cast<const char*>(&a) + leaves[l].offset, reinterpret_cast<const char*>(&b) + leaves[l].offset,
                    oxide::ir::size_of(leaves[l].type)) != 0)
      return false;
  return true;
}

// The numbers of a copy are the original's, and the bytes between them are as they were before.
template <class S>
void check_copy(const S& original, const S& got) {
  CHECK(same_numbers(original, got));
  S expected;
  std::memset(static_cast<void*>(&expected), 0x5a, sizeof expected);
  const oxide::detail::Leaf* leaves = oxide::detail::leaves_of<S>();
  for (std::size_t l = 0; l != oxide::detail::leaf_count<S>; ++l)
    std::memcpy(reinterpret_cast<char*>(&expected) + leaves[l].offset, reinterpret_cast<const char*>(&original) + leaves[l].offset,
                oxide::ir::size_of(leaves[l].type));
  CHECK(std::memcmp(&expected, &got, sizeof got) == 0);
}

template <class... S, class K>
void check_structs(const K& kernel) {
  constexpr std::size_t n = 6;
  std::mt19937 random(11);
  std::tuple<std::vector<S>...> host{std::vector<S>(n)...}, marks{std::vector<S>(n)...};
  std::apply(
      [&](auto&... v) {
        (
            [&] {
              for (auto& s : v) fill(s, random);
            }(),
            ...);
      },
      host);
  std::apply([&](auto&... v) { (std::memset(static_cast<void*>(v.data()), 0x5a, n * sizeof v[0]), ...); }, marks);
  on_every_device([&](const ox::Stream& stream) {
    std::tuple<ox::DeviceBuffer<S>...> in{ox::DeviceBuffer<S>::from_host(stream, std::get<std::vector<S>>(host))...};
    std::tuple<ox::DeviceBuffer<S>...> out{ox::DeviceBuffer<S>::from_host(stream, std::get<std::vector<S>>(marks))...};
    std::apply([&](auto&... arguments) { kernel(stream, ox::LaunchConfig{1, static_cast<std::uint32_t>(n)}, arguments...); },
               std::tuple_cat(std::tuple<ox::DeviceBuffer<S>&, ox::DeviceBuffer<S>&>(std::get<ox::DeviceBuffer<S>>(in),
                                                                                     std::get<ox::DeviceBuffer<S>>(out))...));
    (
        [&] {
          const std::vector<S> got = std::get<ox::DeviceBuffer<S>>(out).to_host(stream);
          for (std::size_t i = 0; i != n; ++i) check_copy(std::get<std::vector<S>>(host)[i], got[i]);
        }(),
        ...);
  });
}

}  // namespace
