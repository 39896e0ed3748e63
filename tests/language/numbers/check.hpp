// How operations of the language are compared with exact models, on operands from literals and values known only at run time: one kernel a
// type and family, whose results go, as their bits, into one array of 128-bit words.
#pragma once

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <oxide/dsl/vector.hpp>
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

// Integers of the size of a T, of a vector the same number of them.
template <class X, class T>
struct Integers {
  using unsigned_type = typename BitsOf<T>::type::scalar_type;
  using signed_type = std::make_signed_t<unsigned_type>;
};
template <class V, std::size_t n, class T>
struct Integers<ox::Value<ox::Vector<V, n>>, T> {
  using unsigned_type = ox::Vector<typename Integers<T, T>::unsigned_type, n>;
  using signed_type = ox::Vector<typename Integers<T, T>::signed_type, n>;
};

// Takes the results of one thread, in order: numbers, or vectors of n, then also numbers for all of the places.
template <std::size_t n = 1>
class Results {
 public:
  Results(ox::Span<uint128> out, ox::u64 thread, ox::u64 threads) : out_(out), at_(thread), threads_(threads) {}
  template <class T>
    requires(oxide::ir::Scalar<T>)
  void operator()(const ox::Value<T>& x) {
    for (std::size_t k = 0; k != n; ++k) put(x);
  }
  template <class T>
  void operator()(const ox::Value<ox::Vector<T, n>>& v) {
    for (std::size_t k = 0; k != n; ++k) put(v[k]);
  }

 private:
  template <class T>
  void put(const ox::Value<T>& x) {
    if constexpr (std::is_same_v<T, bool>) store(ox::cast<ox::u128>(x));
    else store(ox::cast<ox::u128>(ox::bit_cast<typename BitsOf<T>::type>(x)));
  }
  void store(const ox::u128& bits) {
    out_.unchecked_mut(at_) = bits;
    at_ += threads_;
  }
  ox::Span<uint128> out_;
  ox::u64 at_, threads_;
};

// What a result is expected to be.
struct Expected {
  std::string name;
  Type type;
  uint128 bits;
};

// The results of a model up to the one of a name, and from it on.
inline std::vector<Expected> up_to(const char* name, std::vector<Expected> all) {
  std::size_t n = 0;
  while (all[n].name != name) ++n;
  all.resize(n, {"", Type::none, 0});
  return all;
}
inline std::vector<Expected> from(const char* name, std::vector<Expected> all) {
  std::size_t n = 0;
  while (all[n].name != name) ++n;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  return all;
}
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

inline std::string hex(uint128 x) {
  std::string text;
  for (; x != 0 || text.empty(); x >>= 4) text.insert(text.begin(), "0123456789abcdef"[static_cast<unsigned>(x & 15)]);
  return text;
}

// Whether the kernels are collected for ptxas. Then level 3 is enough: the others are nobody's but the tests'.
inline bool is_collecting() { return std::getenv("OXIDE_COLLECT_IN") != nullptr; }

// What the threads of a kernel give, each in a number of places, and of which operands.
struct Outcome {
  std::size_t places = 1;
  std::vector<std::array<uint128, 3>> operands;  // of thread i and place k at i * places + k
  std::vector<std::vector<Expected>> expected;   // likewise

  std::size_t threads() const { return expected.size() / places; }
  std::size_t results() const { return expected[0].size(); }
};

// Runs a kernel whose last parameter, behind `inputs`, takes the results as Results gives them.
inline void check_outcome(const ox::Stream& stream, unsigned level, const oxide::Counted<const oxide::ir::Graph>& graph, Type type,
                          std::vector<oxide::runtime::Argument> inputs, const Outcome& outcome) {
  const std::size_t threads = outcome.threads(), places = outcome.places;
  auto out = ox::DeviceBuffer<uint128>::zeroed(stream, threads * places * outcome.results());
  inputs.push_back(out.argument());
  const auto program = oxide::runtime::load_program(device_of(stream), graph, {.opt_level = level});
  oxide::runtime::launch(*program, stream, ox::LaunchConfig::for_num_elems(threads), inputs);
  const std::vector<uint128> got = out.to_host(stream);
  for (std::size_t r = 0; r != outcome.results(); ++r) {
    std::size_t wrong = 0, first = 0;
    const auto result = [&](std::size_t at) { return got[(r * places + at % places) * threads + at / places]; };
    for (std::size_t at = threads * places; at-- != 0;) {
      const Expected& e = outcome.expected[at][r];
      if (result(at) != e.bits && !(is_nan(e.type, result(at)) && is_nan(e.type, e.bits))) ++wrong, first = at;
    }
    const std::array<uint128, 3>& x = outcome.operands[first];
    INFO("at level " << level << ", " << oxide::ir::name_of(type) << ' ' << outcome.expected[first][r].name << ", place " << first % places
                     << " of " << places << ", of " << hex(x[0]) << ' ' << hex(x[1]) << ' ' << hex(x[2]) << ": got " << hex(result(first))
                     << ", expected " << hex(outcome.expected[first][r].bits));
    CHECK(wrong == 0);
  }
}

// Random operands of a type, edge cases among them.
template <class T>
std::array<std::vector<T>, 3> random_operands(std::size_t n, bool nonzero_divisor) {
  constexpr Type type = oxide::ir::type_for<T>();
  std::mt19937_64 random(17);
  std::array<std::vector<T>, 3> in;
  for (auto& v : in)
    for (std::size_t i = 0; i != n; ++i) v.push_back(from_bits<T>(interesting_word(type, random)));
  if (nonzero_divisor)
    for (std::size_t k : {1, 2})
      for (T& y : in[k])
        if (bits_of(y) == 0) y = from_bits<T>(3);
  return in;
}

// Runs `kernel` on random and edge operands on every device, at every optimization level; `model(x, y, z)` lists what one thread gives.
template <class T, class K, class M>
void check(const K& kernel, bool nonzero_divisor, M model) {
  const auto in = random_operands<T>(count, nonzero_divisor);
  Outcome outcome;
  for (std::size_t i = 0; i != count; ++i) {
    outcome.operands.push_back({bits_of(in[0][i]), bits_of(in[1][i]), bits_of(in[2][i])});
    outcome.expected.push_back(model(bits_of(in[0][i]), bits_of(in[1][i]), bits_of(in[2][i])));
  }
  const auto graph = kernel.graph();
  for (const unsigned level : {3u, 0u, 1u, 2u})
    if (level == 3 || !is_collecting())
      on_every_device([&](const ox::Stream& stream) {
        const auto a = ox::DeviceBuffer<T>::from_host(stream, in[0]), b = ox::DeviceBuffer<T>::from_host(stream, in[1]),
                   c = ox::DeviceBuffer<T>::from_host(stream, in[2]);
        check_outcome(stream, level, graph, oxide::ir::type_for<T>(), {a.argument(), b.argument(), c.argument()}, outcome);
      });
}

#define OXIDE_NUMBERS_KERNEL(name) \
  ox::kernel(name, [](ox::Span<const T> a, ox::Span<const T> b, ox::Span<const T> c, ox::Span<uint128> out) {      \
    const auto thread = ox::thread::index_1d();                                                                    \
    const ox::u64 i = thread, n = a.size();                                                                        \
    if (i >= n) return;                                                                                            \
    [[maybe_unused]] const ox::Value<T> x = a[i], y = b[i], z = c[i];                                                               \
    Results<> put(out, i, n);
#define OXIDE_NUMBERS_END \
  })

}  // namespace numbers
