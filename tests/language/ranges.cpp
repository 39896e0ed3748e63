// Counted loops over device values.
#include <cstdint>
#include <vector>

#include "support/devices.hpp"

namespace {

// What a kernel writes for bounds that are arguments: the numbers it counted, up to 16, and their count behind them.
template <class K>
std::vector<int> counted(const ox::Stream& stream, const K& kernel, int low, int high, int step) {
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 17);
  kernel(stream, ox::LaunchConfig{1, 1}, low, high, step, out);
  std::vector<int> all = out.to_host(stream);
  all.resize(static_cast<std::size_t>(all[16]));
  return all;
}
std::vector<int> expected(int low, int high, int step) {
  std::vector<int> all;
  for (int i = low; step > 0 ? i < high : i > high; i += step) all.push_back(i);
  return all;
}

struct Note {
  ox::Span<int> out;
  ox::i32 count = 0;
  void operator()(ox::i32 i) {
    out.unchecked_mut(count) = i;
    count += 1;
    out.unchecked_mut(16) = count;
  }
};

}  // namespace

TEST_CASE("ranges count from their low to below their high bound") {
  constexpr auto up = ox::kernel("up", [](ox::i32 low, ox::i32 high, ox::i32, ox::Span<int> out) {
    Note note{out};
    for (auto i : ox::range(low, high)) note(i);
  });
  constexpr auto from_zero = ox::kernel("from_zero", [](ox::i32, ox::i32 high, ox::i32, ox::Span<int> out) {
    Note note{out};
    for (ox::i32 i : ox::range(high)) note(i);
  });
  constexpr auto steps = ox::kernel("steps", [](ox::i32 low, ox::i32 high, ox::i32 step, ox::Span<int> out) {
    Note note{out};
    for (auto i : ox::range(low, high, step)) note(i);
  });
  constexpr auto down = ox::kernel("down", [](ox::i32 low, ox::i32 high, ox::i32, ox::Span<int> out) {
    Note note{out};
    for (auto i : ox::range(high, low, -2)) note(i);
  });
  constexpr auto host = ox::kernel("host", [](ox::i32, ox::i32, ox::i32, ox::Span<int> out) {
    Note note{out};
    for (auto i : ox::range(2, 11, 4)) note(i);
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const int high : {-3, 0, 1, 2, 7}) {
      for (const int low : {-2, 0, 3}) {
        CHECK(counted(stream, up, low, high, 1) == expected(low, high, 1));
        CHECK(counted(stream, steps, low, high, 3) == expected(low, high, 3));
        CHECK(counted(stream, down, low, high, 1) == expected(high, low, -2));
      }
      CHECK(counted(stream, from_zero, 0, high, 1) == expected(0, high, 1));
    }
    CHECK(counted(stream, host, 0, 0, 1) == expected(2, 11, 4));
  });
}

TEST_CASE("bounds are read once, the counter is a copy, break and continue work, ranges nest and repeat") {
  constexpr auto k = ox::kernel("k", [](ox::u32 n, ox::DisjointSpan<unsigned> out) {
    ox::u32 passes = 0, bound = n;
    for (auto i : ox::range(bound)) {
      bound += 1;  // the loop's own bound stays
      i += 100;    // and so does its counter
      passes += 1;
    }
    out.unchecked_mut(0) = passes;

    ox::u32 odd = 0;
    for (auto i : ox::range(n)) {
      if (i % 2 == 0) continue;
      if (i > 6) break;
      odd += i;
    }
    out.unchecked_mut(1) = odd;

    ox::u32 pairs = 0;
    const auto both = ox::range(n);
    for (auto i : both)
      for (auto j : both) pairs += ox::select(j < i, ox::u32(1), 0);
    out.unchecked_mut(2) = pairs;

    ox::u32 triangle = 0;
    for (auto i : ox::range(ox::u8(3), n))
      for (auto j : ox::range(i)) triangle += j;
    out.unchecked_mut(3) = triangle;
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const unsigned n : {0u, 1u, 5u, 12u}) {
      unsigned odd = 0, pairs = 0, triangle = 0;
      for (unsigned i = 0; i < n; ++i) {
        if (i % 2 != 0 && i <= 6) odd += i;
        for (unsigned j = 0; j < i; ++j) pairs += 1, triangle += i >= 3 ? j : 0;
      }
      auto out = ox::DeviceBuffer<unsigned>::zeroed(stream, 4);
      k(stream, ox::LaunchConfig{1, 1}, n, out);
      CHECK(out.to_host(stream) == std::vector<unsigned>{n, odd, pairs, triangle});
    }
  });
}

TEST_CASE("ranges count in the type of their bounds") {
  const auto types = ox::kernel("types", [](ox::Span<const float> s) {
    for (auto i : ox::range(s.size())) static_assert(std::is_same_v<decltype(i), ox::u64>);
    for (auto i : ox::range(ox::u8(1), ox::u16(3))) static_assert(std::is_same_v<decltype(i), ox::u16>);
    for (auto i : ox::range(4)) static_assert(std::is_same_v<decltype(i), ox::i32>);
    for (auto i : ox::range(4u, 8u)) static_assert(std::is_same_v<decltype(i), ox::u32>);
    for (auto i : ox::range(0, ox::i64(8))) static_assert(std::is_same_v<decltype(i), ox::i64>);
    for (auto i : ox::grid_stride(s.size())) static_assert(std::is_same_v<decltype(i), ox::ThreadIndex<ox::Linear>>);
  });
  CHECK(types.graph() != nullptr);
  CHECK_THROWS_WITH(ox::kernel("k",
                               [](ox::i32 n) {
                                 for (auto i : ox::range(0, n, 0)) n = i;
                               })
                        .graph(),
                    Catch::Contains("never end"));
}

TEST_CASE("a grid-stride loop covers every element once") {
  constexpr auto k = ox::kernel("k", [](ox::Span<const int> in, ox::DisjointSpan<int> out) {
    for (auto i : ox::grid_stride(out.size()))
      if (auto e = out.get_mut(i)) *e += in[i] + ox::cast<int>(i);
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const std::size_t n : {0u, 1u, 63u, 64u, 1000u}) {
      std::vector<int> host(n), expected(n);
      for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<int>(7 * i), expected[i] = static_cast<int>(8 * i);
      const auto in = ox::DeviceBuffer<int>::from_host(stream, host);
      auto out = ox::DeviceBuffer<int>::zeroed(stream, n);
      k(stream, ox::LaunchConfig{2, 32}, in, out);
      CHECK(out.to_host(stream) == expected);
    }
  });
}
