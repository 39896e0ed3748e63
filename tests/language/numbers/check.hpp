// How operations of the language are compared with exact models, on operands from literals and values known only at run time: one kernel a
// type and family, whose results go, as their bits, into one array of 128-bit words.
#pragma once

#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>

#include "language/support/devices.hpp"
#include "language/support/exact.hpp"
#include "support/random_graph.hpp"

namespace numbers {

using exact::int128;
using exact::Real;
using exact::uint128;
using oxide::ir::Type;
using oxide::testing::interesting_word;

constexpr std::size_t count = 400;

template <class T>
struct BitsOf;
template <class T>
  requires(sizeof(T) == 1)
struct BitsOf<T> {
  using type = ox::u8;
};
template <class T>
  requires(sizeof(T) == 2)
struct BitsOf<T> {
  using type = ox::u16;
};
template <class T>
  requires(sizeof(T) == 4)
struct BitsOf<T> {
  using type = ox::u32;
};
template <class T>
  requires(sizeof(T) == 8)
struct BitsOf<T> {
  using type = ox::u64;
};
template <class T>
  requires(sizeof(T) == 16)
struct BitsOf<T> {
  using type = ox::u128;
};

// Takes the results of one thread, in order.
class Results {
 public:
  Results(ox::Span<uint128> out, ox::u64 i, ox::u64 n) : out_(out), at_(i), n_(n) {}
  template <class T>
  void operator()(const ox::Value<T>& x) {
    if constexpr (std::is_same_v<T, bool>) put(ox::cast<ox::u128>(x));
    else put(ox::cast<ox::u128>(ox::bit_cast<typename BitsOf<T>::type>(x)));
  }

 private:
  void put(const ox::u128& bits) {
    out_.unchecked_mut(at_) = bits;
    at_ += n_;
  }
  ox::Span<uint128> out_;
  ox::u64 at_, n_;
};

// What a result is expected to be.
struct Expected {
  std::string name;
  Type type;
  uint128 bits;
};

inline bool is_nan(Type type, uint128 bits) {
  return (oxide::ir::is_floating(type) || oxide::ir::is_storage(type)) && mpfr_nan_p(Real::of_bits(type, bits).x) != 0;
}

template <class T>
uint128 bits_of(T x) {
  uint128 bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T>
T from_bits(uint128 bits) {
  T x;
  std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
  return x;
}

// On every device, at every optimization level. The levels below 3 are nobody's but the tests', so they are left out where a program's
// kernels are collected for ptxas.
template <class Check>
void at_every_level(Check check) {
  for (const unsigned level : {3u, 0u, 1u, 2u})
    if (level == 3 || std::getenv("OXIDE_COLLECT_IN") == nullptr) on_every_device([&](const ox::Stream& stream) { check(stream, level); });
}

// Runs `kernel` on random and edge operands on every device; `model(x, y, z)` lists what one thread gives.
template <class T, class K, class M>
void check(const K& kernel, bool nonzero_divisor, M model) {
  constexpr Type type = oxide::ir::type_for<T>();
  std::mt19937_64 random(17);
  std::vector<T> in[3];
  for (auto& v : in)
    for (std::size_t i = 0; i != count; ++i) v.push_back(from_bits<T>(interesting_word(type, random)));
  if (nonzero_divisor)
    for (T& y : in[1])
      if (bits_of(y) == 0) y = from_bits<T>(3);
  std::vector<std::vector<Expected>> expected;
  for (std::size_t i = 0; i != count; ++i) expected.push_back(model(bits_of(in[0][i]), bits_of(in[1][i]), bits_of(in[2][i])));
  const std::size_t results = expected[0].size();
  const auto graph = kernel.graph();
  at_every_level([&](const ox::Stream& stream, unsigned level) {
    const auto a = ox::DeviceBuffer<T>::from_host(stream, in[0]), b = ox::DeviceBuffer<T>::from_host(stream, in[1]),
               c = ox::DeviceBuffer<T>::from_host(stream, in[2]);
    auto out = ox::DeviceBuffer<uint128>::zeroed(stream, count * results);
    const auto program = oxide::runtime::load_program(device_of(stream), graph, {.opt_level = level});
    const oxide::runtime::Argument arguments[] = {a.argument(), b.argument(), c.argument(), out.argument()};
    oxide::runtime::launch(*program, stream, ox::LaunchConfig::for_num_elems(count), arguments);
    const std::vector<uint128> got = out.to_host(stream);
    for (std::size_t k = 0; k != results; ++k) {
      std::size_t wrong = 0, first = 0;
      for (std::size_t i = count; i-- != 0;) {
        const Expected& e = expected[i][k];
        const uint128 bits = got[k * count + i];
        if (bits != e.bits && !(is_nan(e.type, bits) && is_nan(e.type, e.bits))) ++wrong, first = i;
      }
      const auto hex = [](uint128 x) {
        std::string text;
        for (; x != 0 || text.empty(); x >>= 4) text.insert(text.begin(), "0123456789abcdef"[static_cast<unsigned>(x & 15)]);
        return text;
      };
      INFO("at level " << level << ", " << oxide::ir::name_of(type) << ' ' << expected[first][k].name << " of "
                       << hex(bits_of(in[0][first])) << ' ' << hex(bits_of(in[1][first])) << ' ' << hex(bits_of(in[2][first])) << ": got "
                       << hex(got[k * count + first]) << ", expected " << hex(expected[first][k].bits));
      CHECK(wrong == 0);
    }
  });
}

#define OXIDE_NUMBERS_KERNEL(name) \
  ox::kernel(name, [](ox::Span<const T> a, ox::Span<const T> b, ox::Span<const T> c, ox::Span<uint128> out) {      \
    const auto thread = ox::thread::index_1d();                                                                    \
    const ox::u64 i = thread, n = a.size();                                                                        \
    if (i >= n) return;                                                                                            \
    [[maybe_unused]] const ox::Value<T> x = a[i], y = b[i], z = c[i];                                                               \
    Results put(out, i, n);
#define OXIDE_NUMBERS_END \
  })

}  // namespace numbers
