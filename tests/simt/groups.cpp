// Groups of threads: tiles of a warp, the lanes that are here, the block and the grid.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "language/support/devices.hpp"
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
