// Structs in shared memory, in shuffles, reductions and scans, of warps, blocks and groups.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/composition.hpp"
#include "simt/support/numbers.hpp"

namespace {

struct Best {
  double value;
  std::int32_t index;
  std::uint8_t tag;
};
OXIDE_STRUCT(Best, value, index, tag)

constexpr auto larger = [](ox::Value<Best> a, ox::Value<Best> b) {
  ox::Value<Best> best = a;
  if (b.value > a.value) best = b;
  return best;
};

constexpr auto structs = ox::kernel("structs", [](ox::Span<const Best> in, ox::Span<Best> out) {
  ox::Shared<Best, 128> tile;
  const ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  ox::Value<Best> x = in[t];
  tile[t] = x;
  ox::sync_threads();
  ox::Value<Best> other = tile[n - 1u - t];
  out.unchecked_mut(4u * t) = other;
  out.unchecked_mut(4u * t + 1u) = ox::warp::shfl(x, 0);
  out.unchecked_mut(4u * t + 2u) = ox::block::reduce(x, larger);
  out.unchecked_mut(4u * t + 3u) = ox::block::inclusive_scan(x, larger);
});

}  // namespace

TEST_CASE("structs in shared memory, shuffles, reductions and scans") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {32u, 100u}) {
      std::vector<Best> in;
      for (const double x : random_numbers<double>(n, -1, 1, n))
        in.push_back({x, static_cast<std::int32_t>(in.size()), static_cast<std::uint8_t>(in.size() * 3)});
      const auto a = ox::DeviceBuffer<Best>::from_host(stream, in);
      auto b = ox::DeviceBuffer<Best>::zeroed(stream, 4 * n);
      structs(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, b);
      const std::vector<Best> out = b.to_host(stream);
      const auto same = [](const Best& x, const Best& y) { return x.value == y.value && x.index == y.index && x.tag == y.tag; };
      const auto less = [](const Best& x, const Best& y) { return x.value < y.value; };
      std::size_t wrong = 0;
      for (std::size_t t = 0; t != n; ++t) {
        wrong += !same(out[4 * t], in[n - 1 - t]) || !same(out[4 * t + 1], in[t / 32 * 32]);
        wrong += !same(out[4 * t + 2], *std::max_element(in.begin(), in.end(), less));
        wrong += !same(out[4 * t + 3], *std::max_element(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(t) + 1, less));
      }
      CHECK(wrong == 0);
    }
  });
}

namespace {

enum class Side : std::uint8_t { left, right };

constexpr auto grouped = ox::kernel("grouped", [](ox::Span<const Map> in, ox::Span<Map> out) {
  const ox::u32 t = ox::thread_idx.x(), place = t * 16u;
  const ox::Value<Map> x = in[t];
  const auto block = ox::this_thread_block();
  const auto tile = ox::tiled_partition<8>(block);
  out.unchecked_mut(place) = tile.reduce(x, composition);
  out.unchecked_mut(place + 1u) = tile.inclusive_scan(x, composition);
  out.unchecked_mut(place + 2u) = tile.exclusive_scan(x, Map{3, 4}, composition);
  out.unchecked_mut(place + 3u) = tile.shfl(x, 0);
  out.unchecked_mut(place + 4u) = ox::warp::exclusive_scan(in[t], Map{1, 0}, composition);
  out.unchecked_mut(place + 5u) = ox::block::exclusive_scan(x, Map{1, 7}, composition);
  out.unchecked_mut(place + 6u) = ox::block::segmented_scan(x, x.a % 3u == 0u, composition);
  out.unchecked_mut(place + 7u) = block.exclusive_scan(x, Map{2, 7}, composition);
  ox::u32 key = x.a % 16u;
  ox::Value<Map> sorted = x;
  ox::block::radix_sort(key, sorted);
  out.unchecked_mut(place + 8u) = sorted;
  // The lanes on one side of a branch.
  if (x.a % 2u == 0u) {
    const auto here = ox::coalesced_threads();
    out.unchecked_mut(place + 9u) = here.reduce(x, composition);
    out.unchecked_mut(place + 10u) = here.inclusive_scan(x, composition);
    out.unchecked_mut(place + 11u) = here.exclusive_scan(x, Map{5, 6}, composition);
    out.unchecked_mut(place + 12u) = here.shfl(x, here.size() - 1u);
    out.unchecked_mut(place + 13u) = ox::Value<Map>{here.ballot(x.b % 2u == 0u), here.match_any(x.b % 3u)};
    out.unchecked_mut(place + 14u) = ox::Value<Map>{here.thread_rank(), ox::cast<std::uint32_t>(here.is_first())};
  }
  const ox::Value<Side> side = ox::cast<Side>(ox::cast<std::uint8_t>(t / 4u % 2u));
  if (tile.shfl(side, 0) == Side::left && tile.shfl_down(side, 4) != side) out.unchecked_mut(place + 15u) = Map{1, 2};
});

}  // namespace

TEST_CASE("structs in groups: tiles, the block, the lanes that are here, with an operation that does not commute") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {64u, 45u, 1u, 100u}) {
      INFO("block " << n);
      std::vector<Map> in;
      for (const std::uint32_t x : random_numbers<std::uint32_t>(n, 0, 0xffffffff, n)) in.push_back({x % 1000, x});
      const auto a = ox::DeviceBuffer<Map>::from_host(stream, in);
      auto b = ox::DeviceBuffer<Map>::zeroed(stream, 16 * n);
      grouped(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, b);
      const std::vector<Map> out = b.to_host(stream);
      std::vector<Map> sorted = in;
      std::stable_sort(sorted.begin(), sorted.end(), [](const Map& x, const Map& y) { return x.a % 16 < y.a % 16; });
      const auto fold = [](const std::vector<Map>& all, std::size_t first, std::size_t end, Map sum) {
        for (std::size_t i = first; i < end; ++i) sum = after(sum, all[i]);
        return sum;
      };
      const Map same{1, 0};  // maps each x to itself
      std::size_t wrong = 0;
      const auto expect = [&](const Map& got, const Map& wanted) { wrong += got != wanted; };
      for (std::size_t t = 0; t != n; ++t) {
        const Map* r = &out[16 * t];
        const std::size_t tile = t / 8 * 8, tile_end = std::min<std::size_t>(n, tile + 8), warp = t / 32 * 32;
        expect(r[0], fold(in, tile, tile_end, same));
        expect(r[1], fold(in, tile, t + 1, same));
        expect(r[2], fold(in, tile, t, {3, 4}));
        expect(r[3], in[tile]);
        expect(r[4], fold(in, warp, t, same));
        expect(r[5], fold(in, 0, t, {1, 7}));
        std::size_t segment = t;
        while (segment > 0 && in[segment].a % 3 != 0) --segment;
        expect(r[6], fold(in, segment, t + 1, same));
        expect(r[7], fold(in, 0, t, {2, 7}));
        expect(r[8], sorted[t]);
        if (in[t].a % 2 == 0) {
          std::vector<Map> here;
          std::size_t rank = 0;
          std::uint32_t even = 0, alike = 0;
          for (std::size_t o = warp; o != std::min<std::size_t>(n, warp + 32); ++o) {
            if (in[o].a % 2 != 0) continue;
            rank += o < t ? 1 : 0;
            even |= (in[o].b % 2 == 0 ? 1u : 0u) << here.size();
            alike |= (in[o].b % 3 == in[t].b % 3 ? 1u : 0u) << here.size();
            here.push_back(in[o]);
          }
          expect(r[9], fold(here, 0, here.size(), same));
          expect(r[10], fold(here, 0, rank + 1, same));
          expect(r[11], fold(here, 0, rank, {5, 6}));
          expect(r[12], here.back());
          expect(r[13], {even, alike});
          expect(r[14], {static_cast<std::uint32_t>(rank), rank == 0 ? 1u : 0u});
        }
        if (t % 8 < 4 && t + 4 < n) expect(r[15], {1, 2});
      }
      CHECK(wrong == 0);
    }
  });
}

namespace {

// Structs of values: the members are values themselves.
struct Spread {
  ox::f32 least, most;
  ox::u32 count;
};
struct Bins {
  ox::i32 of[3];
  ox::boolean odd;
};
struct Composed {
  std::pair<ox::u32, ox::u32> ab;
};

constexpr auto together = ox::kernel("together", [](ox::Span<const float> in, ox::Span<float> spreads, ox::Span<std::uint32_t> maps) {
  const ox::u32 t = ox::thread_idx.x();
  const Spread own{in[t], in[t], 1};
  const auto wider = [](const Spread& a, const Spread& b) {
    return Spread{ox::min(a.least, b.least), ox::max(a.most, b.most), a.count + b.count};
  };
  const Spread all = ox::block::reduce(own, wider), before = ox::block::inclusive_scan(own, wider);
  const Bins bins{{1, 2, ox::cast<int>(t)}, t % 2 == 1};
  Bins sums = ox::warp::reduce(bins, [](Bins a, Bins b) {
    for (int k = 0; k != 3; ++k) a.of[k] += b.of[k];
    a.odd = a.odd | b.odd;
    return a;
  });
  const auto lane = ox::warp::shfl(std::array<ox::u32, 2>{ox::warp::lane_id(), 5}, 3);
  const Bins chosen = ox::select(t % 4 == 0, bins, ox::warp::shfl_xor(bins, 1));
  spreads.unchecked_mut(4 * t) = all.least + 10 * all.most;
  spreads.unchecked_mut(4 * t + 1) = ox::cast<float>(all.count * 1000 + before.count) + before.most - before.least;
  spreads.unchecked_mut(4 * t + 2) = ox::cast<float>(sums.of[0] + sums.of[1] + sums.of[2] + ox::cast<int>(sums.odd));
  spreads.unchecked_mut(4 * t + 3) = ox::cast<float>(lane[0] + lane[1]) + ox::cast<float>(chosen.of[2]) / 1024;
  const Composed m{{t * 2 + 1, t + 3}};
  const auto compose = [](const Composed& x, const Composed& y) {
    return Composed{{x.ab.first * y.ab.first, x.ab.second * y.ab.first + y.ab.second}};
  };
  const auto tile = ox::tiled_partition<8>(ox::this_thread_block());
  maps.unchecked_mut(4 * t) = ox::block::exclusive_scan(m, Composed{{1, 0}}, compose).ab.second;
  maps.unchecked_mut(4 * t + 1) = ox::block::segmented_scan(m, t % 7 == 0, compose).ab.second;
  maps.unchecked_mut(4 * t + 2) = tile.reduce(m, compose).ab.second + tile.shfl(m, 2).ab.first;
  maps.unchecked_mut(4 * t + 3) = ox::warp::segmented_scan(m, t % 5 == 0, compose).ab.first;
});

}  // namespace

TEST_CASE("structs, tuples and arrays of values are reduced, scanned, shuffled and selected") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {64u, 100u}) {
      std::vector<float> in;
      for (std::uint32_t i = 0; i != n; ++i) in.push_back(static_cast<float>(i * 37 % 101) - 50);
      const auto a = ox::DeviceBuffer<float>::from_host(stream, in);
      auto b = ox::DeviceBuffer<float>::zeroed(stream, 4 * n);
      auto c = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 4 * n);
      together(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, b, c);
      const std::vector<float> spreads = b.to_host(stream);
      const std::vector<std::uint32_t> maps = c.to_host(stream);
      const auto fold = [](std::uint32_t from, std::uint32_t to, std::pair<std::uint32_t, std::uint32_t> x) {
        for (std::uint32_t i = from; i < to; ++i) x = {x.first * (i * 2 + 1), x.second * (i * 2 + 1) + i + 3};
        return x;
      };
      std::size_t wrong = 0;
      for (std::uint32_t t = 0; t != n; ++t) {
        const auto [least, most] = std::minmax_element(in.begin(), in.end());
        const auto [first, last] = std::minmax_element(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(t) + 1);
        const std::uint32_t warp = t / 32 * 32, end = std::min(n, warp + 32), tile = t / 8 * 8;
        std::uint32_t sum = end - warp > 1 ? 1 : 0;
        for (std::uint32_t i = warp; i != end; ++i) sum += 3 + i;
        wrong += spreads[4 * t] != *least + 10 * *most;
        wrong += spreads[4 * t + 1] != static_cast<float>(n * 1000 + t + 1) + *last - *first;
        wrong += spreads[4 * t + 2] != static_cast<float>(sum);
        wrong += spreads[4 * t + 3] != 8 + static_cast<float>(t % 4 == 0 ? t : t ^ 1u) / 1024;
        wrong += maps[4 * t] != fold(0, t, {1, 0}).second;
        wrong += maps[4 * t + 1] != fold(t / 7 * 7, t + 1, {1, 0}).second;
        wrong += maps[4 * t + 2] != fold(tile, std::min(n, tile + 8), {1, 0}).second + (tile + 2) * 2 + 1;
        wrong += maps[4 * t + 3] != fold(std::max(t / 5 * 5, warp), t + 1, {1, 0}).first;
      }
      CHECK(wrong == 0);
    }
  });
}
