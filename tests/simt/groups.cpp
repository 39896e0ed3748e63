// Groups of threads: tiles of a warp, the lanes that are here, the block and the grid.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/composition.hpp"
#include "simt/support/numbers.hpp"

namespace {

template <std::uint32_t N>
inline constexpr auto tiles = ox::kernel("tiles", [](ox::Span<const int> in, ox::Span<int> out) {
  const auto add = [](ox::i32 a, ox::i32 b) { return a + b; };
  const auto first = [](ox::i32 a, ox::i32) { return a; };
  auto group = ox::this_thread_block();
  auto tile = ox::tiled_partition<N>(group);
  const ox::u32 t = group.thread_rank(), place = 8u * t;
  ox::i32 x = in[t];
  out.unchecked_mut(place) = tile.reduce(x, add);
  out.unchecked_mut(place + 1u) = tile.inclusive_scan(x, add);
  out.unchecked_mut(place + 2u) = tile.exclusive_scan(x, 100, add);
  out.unchecked_mut(place + 3u) = tile.reduce(x, first);
  out.unchecked_mut(place + 4u) = ox::cast<int>(tile.ballot(x % 2 == 0) ^ tile.thread_rank() << 16);
  tile.sync();
  if (x % 3 == 0) {
    auto here = ox::coalesced_threads();
    out.unchecked_mut(place + 5u) = here.reduce(x, add) * 1000 + ox::cast<int>(here.size() * 32u + here.thread_rank());
  }
  group.sync();
  out.unchecked_mut(place + 6u) = group.reduce(x, add);
  out.unchecked_mut(place + 7u) = ox::cast<int>(ox::this_grid().thread_rank() * 1000u + ox::this_grid().size());
});

template <std::uint32_t N>
void check(const ox::Stream& stream, std::uint32_t threads) {
  INFO("tiles of " << N << ", block " << threads);
  const std::vector<int> in = random_numbers<int>(threads, 0, 30, threads);
  const auto a = ox::DeviceBuffer<int>::from_host(stream, in);
  auto b = ox::DeviceBuffer<int>::zeroed(stream, 8 * threads);
  tiles<N>(stream, ox::LaunchConfig{.grid = 1, .block = threads}, a, b);
  const std::vector<int> out = b.to_host(stream);
  std::size_t wrong = 0;
  int block_sum = 0;
  for (const int x : in) block_sum += x;
  for (std::size_t t = 0; t != threads; ++t) {
    const std::size_t first = t / N * N, end = std::min<std::size_t>(threads, first + N);
    int sum = 0, scan = 0, exclusive = 100;
    unsigned even = 0;
    for (std::size_t o = first; o != end; ++o) {
      sum += in[o];
      if (o <= t) scan += in[o];
      if (o < t) exclusive += in[o];
      if (in[o] % 2 == 0) even |= 1u << (o - first);
    }
    const int* r = &out[8 * t];
    wrong += r[0] != sum || r[1] != scan || r[2] != exclusive || r[3] != in[first];
    wrong += r[4] != static_cast<int>(even ^ static_cast<unsigned>(t - first) << 16);
    int side = 0, size = 0, rank = 0;
    const std::size_t warp = t / 32 * 32, warp_end = std::min<std::size_t>(threads, warp + 32);
    for (std::size_t o = warp; o != warp_end; ++o)
      if (in[o] % 3 == 0) side += in[o], ++size, rank += o < t;
    wrong += r[5] != (in[t] % 3 == 0 ? side * 1000 + size * 32 + rank : 0);
    wrong += r[6] != block_sum || r[7] != static_cast<int>(t * 1000 + threads);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("tiles, coalesced threads, the block and the grid") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t threads : {64u, 45u}) {
      check<8>(stream, threads);
      check<32>(stream, threads);
    }
  });
}

namespace {

constexpr auto moves = ox::kernel("moves", [](ox::Span<const std::uint32_t> in, ox::Span<std::uint32_t> out) {
  const auto group = ox::this_thread_block();
  const auto tile = ox::tiled_partition<8>(group);
  const ox::u32 t = group.thread_rank(), x = in[t], place = 9u * t;
  out.unchecked_mut(place) = tile.shfl(x, 5);
  out.unchecked_mut(place + 1u) = tile.shfl_up(x, 3);
  out.unchecked_mut(place + 2u) = tile.shfl_down(x, 3);
  out.unchecked_mut(place + 3u) = tile.shfl_xor(x, 6);
  out.unchecked_mut(place + 4u) = ox::cast<std::uint32_t>(tile.any(x % 8u == 0u)) + 2u * ox::cast<std::uint32_t>(tile.all(x % 8u != 1u));
  out.unchecked_mut(place + 5u) = tile.match_any(x % 3u);
  out.unchecked_mut(place + 6u) = tile.meta_group_rank() * 100u + tile.size();
  const auto here = ox::coalesced_threads();
  out.unchecked_mut(place + 7u) =
      ox::cast<std::uint32_t>(here.any(x % 32u == 0u)) + 2u * ox::cast<std::uint32_t>(here.all(x % 32u != 1u)) + here.size() * 100u;
  const auto grid = ox::this_grid();
  out.unchecked_mut(place + 8u) = ox::cast<std::uint32_t>(grid.block_rank() * 1000u + grid.num_blocks());
});

constexpr auto numbered = ox::kernel("numbered", [](ox::Span<std::uint32_t> out) {
  const auto grid = ox::this_grid();
  out.unchecked_mut(grid.thread_rank()) =
      ox::cast<std::uint32_t>(grid.block_rank() * 10000u + grid.num_blocks() * 1000u + ox::block::thread_rank() + grid.size() * 1000000u);
});

}  // namespace

TEST_CASE("tiles shuffle, vote and match within themselves") {
  on_every_device([](const ox::Stream& stream) {
    constexpr std::size_t n = 96;
    const auto in = random_numbers<std::uint32_t>(n, 0, 1000, 5);
    const auto a = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
    auto b = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 9 * n);
    moves(stream, ox::LaunchConfig{.grid = 1, .block = {8, 12}}, a, b);
    const std::vector<std::uint32_t> out = b.to_host(stream);
    std::size_t wrong[9] = {};
    for (std::size_t t = 0; t != n; ++t) {
      const std::size_t first = t / 8 * 8, rank = t % 8, warp = t / 32 * 32;
      const std::uint32_t* r = &out[9 * t];
      bool any = false, all = true, any_here = false, all_here = true;
      std::uint32_t same = 0;
      for (std::size_t o = 0; o != 8; ++o) {
        const std::uint32_t x = in[first + o];
        any |= x % 8 == 0, all &= x % 8 != 1;
        same |= (x % 3 == in[t] % 3 ? 1u : 0u) << o;
      }
      for (std::size_t o = warp; o != warp + 32; ++o) any_here |= in[o] % 32 == 0, all_here &= in[o] % 32 != 1;
      const std::uint32_t expected[] = {in[first + 5],
                                        in[rank < 3 ? t : t - 3],
                                        in[rank > 4 ? t : t + 3],
                                        in[first + (rank ^ 6)],
                                        (any ? 1u : 0u) + (all ? 2u : 0u),
                                        same,
                                        static_cast<std::uint32_t>(t / 8 * 100 + 8),
                                        (any_here ? 1u : 0u) + (all_here ? 2u : 0u) + 3200,
                                        1};
      for (std::size_t k = 0; k != 9; ++k) wrong[k] += r[k] != expected[k];
    }
    for (std::size_t k = 0; k != 9; ++k) {
      INFO(k);
      CHECK(wrong[k] == 0);
    }
    auto c = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 2 * 3 * 2 * 24);
    numbered(stream, ox::LaunchConfig{.grid = {2, 3, 2}, .block = {4, 3, 2}}, c);
    const std::vector<std::uint32_t> numbers = c.to_host(stream);
    std::size_t wrongly_numbered = 0;
    for (std::size_t i = 0; i != numbers.size(); ++i) wrongly_numbered += numbers[i] != i / 24 * 10000 + 12 * 1000 + i % 24 + 288 * 1000000;
    CHECK(wrongly_numbered == 0);
  });
}

namespace {

constexpr auto parted = ox::kernel("parted", [](ox::Span<const Map> in, ox::Span<Map> out) {
  const ox::u32 t = ox::thread_idx.x(), place = t * 10u;
  const ox::Value<Map> x = in[t];
  const auto tile = ox::tiled_partition<16>(ox::this_thread_block());
  const auto alike = ox::labeled_partition(tile, x.a % 3);
  const auto half = ox::binary_partition(alike, x.b % 2 == 0);
  const auto put = [&](std::uint32_t k, const auto& value) { out.unchecked_mut(place + k) = value; };
  put(0, alike.reduce(x, composition));
  put(1, alike.inclusive_scan(x, composition));
  put(2, half.exclusive_scan(x, Map{2, 3}, composition));
  put(3, alike.shfl(x, 2));  // or its last
  put(4, alike.shfl_up(x, 2));
  put(5, alike.shfl_down(x, x.a % 3 + 1));
  put(6, ox::Value<Map>{half.thread_rank() * 100 + half.size(), ox::select(half.is_first(), 1u, 0u)});
  put(7, ox::Value<Map>{alike.ballot(x.b % 2 == 0), tile.meta_group_size() * 100 + tile.meta_group_rank()});
  put(8, ox::warp::segmented_scan(x, x.b % 5 == 0, composition));
  put(9, ox::block::segmented_scan(x, x.b % 50 == 0, composition));  // few: segments that reach over warps
});

}  // namespace

TEST_CASE("groups are parted by a label and by a predicate, and threads exchange by rank") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {128u, 77u, 1u}) {
      INFO("block " << n);
      std::vector<Map> in;
      for (const std::uint32_t x : random_numbers<std::uint32_t>(n, 0, 0xffffffff, n)) in.push_back({x % 1000, x});
      const auto a = ox::DeviceBuffer<Map>::from_host(stream, in);
      auto b = ox::DeviceBuffer<Map>::zeroed(stream, 10 * n);
      parted(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, b);
      const std::vector<Map> out = b.to_host(stream);
      std::vector<std::size_t> wrong(10, 0);
      for (std::size_t t = 0; t != n; ++t) {
        const auto expect = [&](std::size_t k, const Map& wanted) { wrong[k] += out[10 * t + k] != wanted; };
        std::vector<Map> alike, half;
        std::size_t rank = 0, half_rank = 0;
        std::uint32_t even = 0;
        for (std::size_t o = t / 16 * 16; o != std::min<std::size_t>(n, t / 16 * 16 + 16); ++o) {
          if (in[o].a % 3 != in[t].a % 3) continue;
          if (o < t) ++rank;
          even |= (in[o].b % 2 == 0 ? 1u : 0u) << alike.size();
          alike.push_back(in[o]);
          if (in[o].b % 2 != in[t].b % 2) continue;
          if (o < t) ++half_rank;
          half.push_back(in[o]);
        }
        const auto fold = [](const std::vector<Map>& all, std::size_t end, Map sum) {
          for (std::size_t i = 0; i != end; ++i) sum = after(sum, all[i]);
          return sum;
        };
        const auto segment = [&](std::size_t first, std::uint32_t head) {
          std::size_t start = t;
          while (start > first && in[start].b % head != 0) --start;
          Map sum = in[start];
          for (std::size_t i = start + 1; i <= t; ++i) sum = after(sum, in[i]);
          return sum;
        };
        expect(0, fold(alike, alike.size(), {1, 0}));
        expect(1, fold(alike, rank + 1, {1, 0}));
        expect(2, fold(half, half_rank, {2, 3}));
        expect(3, alike[std::min<std::size_t>(2, alike.size() - 1)]);
        expect(4, alike[rank >= 2 ? rank - 2 : rank]);
        const std::size_t distance = in[t].a % 3 + 1;
        expect(5, alike[rank + distance < alike.size() ? rank + distance : rank]);
        expect(6, {static_cast<std::uint32_t>(half_rank * 100 + half.size()), half_rank == 0 ? 1u : 0u});
        expect(7, {even, static_cast<std::uint32_t>((n + 15) / 16 * 100 + t / 16)});
        expect(8, segment(t / 32 * 32, 5));
        expect(9, segment(0, 50));
      }
      CHECK(wrong == std::vector<std::size_t>(10, 0));
    }
  });
}

namespace {

// Groups are made before some of their threads end.
constexpr auto leaving = ox::kernel("leaving", [](ox::Span<const int> in, ox::u32 stay, ox::Span<int> out) {
  const auto add = [](ox::i32 a, ox::i32 b) { return a + b; };
  const ox::u32 t = ox::thread_idx.x(), place = t * 5u;
  const auto tile = ox::tiled_partition<16>(ox::this_thread_block());
  const auto odd = ox::binary_partition(tile, t % 2 == 1);
  const ox::i32 x = in[t];
  out.unchecked_mut(place) = ox::cast<int>(odd.size());
  out.unchecked_mut(place + 1) = odd.reduce(x, add);
  if (t % 16 >= stay) return;
  out.unchecked_mut(place + 2) = tile.reduce(x, add);
  out.unchecked_mut(place + 3) = odd.inclusive_scan(x, add);
  out.unchecked_mut(place + 4) = ox::cast<int>(ox::binary_partition(tile, t % 2 == 1).size());
});

}  // namespace

TEST_CASE("threads that are not there or have ended are not of a group's operations") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t n : {32u, 45u, 5u}) {
      const auto in = random_numbers<int>(n, 0, 1000, n);
      const auto a = ox::DeviceBuffer<int>::from_host(stream, in);
      auto b = ox::DeviceBuffer<int>::zeroed(stream, 5 * n);
      const std::uint32_t stay = 11;
      leaving(stream, ox::LaunchConfig{.grid = 1, .block = n}, a, stay, b);
      const std::vector<int> out = b.to_host(stream);
      std::vector<std::size_t> wrong(5, 0);
      for (std::size_t t = 0; t != n; ++t) {
        int size = 0, sum = 0, tile_sum = 0, scan = 0, size_left = 0;
        for (std::size_t o = t / 16 * 16; o != std::min<std::size_t>(n, t / 16 * 16 + 16); ++o) {
          const bool like = o % 2 == t % 2, stays = o % 16 < stay;
          size += like, sum += like ? in[o] : 0;
          tile_sum += stays ? in[o] : 0, scan += stays && like && o <= t ? in[o] : 0, size_left += stays && like;
        }
        const int expected[] = {size, sum, tile_sum, scan, size_left};
        for (std::size_t k = 0; k != (t % 16 < stay ? 5u : 2u); ++k) wrong[k] += out[5 * t + k] != expected[k];
      }
      INFO("block " << n);
      CHECK(wrong == std::vector<std::size_t>(5, 0));
    }
  });
}
