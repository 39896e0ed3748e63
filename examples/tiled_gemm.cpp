// C = A B through shared memory: each block computes a tile of C, from tiles of A and B that its threads load together.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t tile_size = 32, rows_per_thread = 4;  // 32 x 8 threads make a tile of 32 x 32

inline constexpr auto tiled_gemm =
    ox::kernel("tiled_gemm", [](ox::u32 n, ox::Span<const float> a, ox::Span<const float> b, ox::Span<float> c) {
      ox::Shared2D<float, tile_size, tile_size> a_tile, b_tile;
      const ox::u32 x = ox::thread_idx.x(), y = ox::thread_idx.y();
      const ox::u64 column = ox::block_idx.x() * tile_size + x, first_row = ox::block_idx.y() * tile_size;
      std::array<ox::f32, rows_per_thread> sums;
      for (auto first : ox::range(ox::u32(0), n, tile_size)) {
        for (std::uint32_t k = 0; k != tile_size; k += tile_size / rows_per_thread) {
          const ox::u32 row = y + k;
          a_tile(row, x) = a[(first_row + row) * n + (first + x)];
          b_tile(row, x) = b[ox::u64(first + row) * n + column];
        }
        ox::sync_threads();
        for (std::uint32_t k = 0; k != tile_size; ++k) {
          ox::f32 factor = b_tile(k, x);
          for (std::uint32_t r = 0; r != rows_per_thread; ++r) sums[r] += a_tile(y + r * (tile_size / rows_per_thread), k) * factor;
        }
        ox::sync_threads();
      }
      for (std::uint32_t r = 0; r != rows_per_thread; ++r)
        c.unchecked_mut((first_row + (y + r * (tile_size / rows_per_thread))) * n + column) = sums[r];
    }).block(tile_size, tile_size / rows_per_thread);

int main(int argc, char** argv) {
  return support::run("tiled_gemm", [&] {
    const support::CommandLine arguments(argc, argv, "Multiplies two square matrices through shared memory.",
                                         {{"n", "rows, a multiple of 32; 512 when not given, 4096 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", device.is_gpu() ? 4096 : 512) / tile_size * tile_size;
    support::say_device(device);

    // Small whole numbers, whose sums are exact in any order.
    std::vector<float> a_host(n * n), b_host(n * n);
    for (std::size_t i = 0; i != n * n; ++i) {
      a_host[i] = static_cast<float>((i * 7919) % 17) - 8;
      b_host[i] = static_cast<float>((i * 104729) % 13) - 6;
    }
    const ox::Stream stream = device.default_stream();
    const auto a = ox::DeviceBuffer<float>::from_host(stream, a_host), b = ox::DeviceBuffer<float>::from_host(stream, b_host);
    auto c = ox::DeviceBuffer<float>::zeroed(stream, n * n);
    const auto tiles = static_cast<std::uint32_t>(n / tile_size);
    const ox::LaunchConfig config{.grid = {tiles, tiles}, .block = {tile_size, tile_size / rows_per_thread}};
    const auto size = static_cast<std::uint32_t>(n);
    tiled_gemm(stream, config, size, a, b, c);
    support::say_build("tiled_gemm", *tiled_gemm.build(device));
    const double ms = support::best_launch_ms(stream, 3, [&] { tiled_gemm(stream, config, size, a, b, c); });
    support::say("launch", "{:.3f} ms for {} x {}, {:.1f} GFLOP/s", ms, n, n,
                 2e-6 * static_cast<double>(n * n) * static_cast<double>(n) / ms);

    // Some rows, against the host.
    const std::vector<float> product = c.to_host(stream);
    std::size_t wrong = 0;
    const std::size_t step = n / 16 + 1;
    for (std::size_t row = 0; row < n; row += step)
      for (std::size_t column = 0; column != n; ++column) {
        double sum = 0;
        for (std::size_t k = 0; k != n; ++k) sum += static_cast<double>(a_host[row * n + k]) * static_cast<double>(b_host[k * n + column]);
        wrong += static_cast<double>(product[row * n + column]) != sum;
      }
    support::Checks checks;
    checks.expect(wrong == 0, "{} elements differ from the host's", wrong);
    return checks.exit_status();
  });
}
