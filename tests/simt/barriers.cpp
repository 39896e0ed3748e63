// Barriers of a block: with values that live across them, in loops and branches, in blocks of any size; and what goes wrong with them.
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"

namespace {

// Every thread adds, over log2 steps, what its neighbour had before the barrier: an inclusive scan by the book.
constexpr auto scan_block = ox::kernel("scan_block", [](ox::Span<const int> in, ox::DisjointSpan<int> out) {
  ox::Shared<int, 1024> tile;
  const auto i = ox::thread::index_1d();
  ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  ox::i32 x = 0;
  if (i < in.size()) x = in[i];
  tile[t] = x;
  ox::sync_threads();
  for (ox::u32 distance = 1; distance < n; distance *= 2u) {
    ox::i32 left = 0;
    if (t >= distance) left = tile[t - distance];
    ox::sync_threads();
    tile[t] += left;
    ox::sync_threads();
  }
  if (auto e = out.get_mut(i)) *e = tile[t] * 2 - x;
});

}  // namespace

TEST_CASE("a scan with barriers in a loop, values across them and blocks of any size") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t block : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 256u, 1000u, 1024u}) {
      const std::size_t n = 3 * block + block / 2;
      const std::vector<int> in = random_numbers<int>(n, -1000, 1000, block);
      auto a = ox::DeviceBuffer<int>::from_host(stream, in);
      auto b = ox::DeviceBuffer<int>::zeroed(stream, n);
      scan_block(stream, ox::LaunchConfig{.grid = 4, .block = block}, a, b);
      std::vector<int> expected(n);
      for (std::size_t first = 0; first < n; first += block) {
        int sum = 0;
        for (std::size_t i = first; i < std::min<std::size_t>(n, first + block); ++i) {
          sum += in[i];
          expected[i] = 2 * sum - in[i];
        }
      }
      INFO("block " << block);
      CHECK(b.to_host(stream) == expected);
    }
  });
}
