// A matrix transposed by tiles in shared memory, so that rows are read and rows are written: with tiles as they come, padded, and swizzled,
// and without tiles.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t tile_size = 32, tile_rows = 8;  // a thread has tile_size / tile_rows elements

inline constexpr auto by_element =
    ox::kernel("by_element", [](ox::u32 rows, ox::u32 columns, ox::Span<const float> in, ox::Span<float> out) {
      const ox::u32 x = ox::block_idx.x() * tile_size + ox::thread_idx.x(), y = ox::block_idx.y() * tile_size + ox::thread_idx.y();
      for (std::uint32_t k = 0; k != tile_size; k += tile_rows)
        if (x < columns && y + k < rows) out.unchecked_mut(ox::u64(x) * rows + y + k) = in[ox::u64(y + k) * columns + x];
    });

// A warp writes a row of the tile and reads a column: with RowMajor, all 32 elements of a column lie in one bank.
template <class Layout>
inline constexpr auto by_tile = ox::kernel("by_tile", [](ox::u32 rows, ox::u32 columns, ox::Span<const float> in, ox::Span<float> out) {
  ox::Shared2D<float, tile_size, tile_size, Layout> tile;
  const ox::u32 tx = ox::thread_idx.x(), ty = ox::thread_idx.y();
  const ox::u32 first_x = ox::block_idx.x() * tile_size, first_y = ox::block_idx.y() * tile_size;
  for (std::uint32_t k = 0; k != tile_size; k += tile_rows)
    if (first_x + tx < columns && first_y + ty + k < rows) tile(ty + k, tx) = in[ox::u64(first_y + ty + k) * columns + first_x + tx];
  ox::sync_threads();
  for (std::uint32_t k = 0; k != tile_size; k += tile_rows)
    if (first_y + tx < rows && first_x + ty + k < columns)
      out.unchecked_mut(ox::u64(first_x + ty + k) * rows + first_y + tx) = tile(tx, ty + k);
});

int main(int argc, char** argv) {
  return support::run("transpose", [&] {
    const support::CommandLine arguments(
        argc, argv, "Transposes a matrix.",
        {{"rows", "1000 when not given, 16000 on a GPU"}, {"columns", "700 when not given, 12000 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t rows = arguments.number("rows", device.is_gpu() ? 16000 : 1000);
    const std::size_t columns = arguments.number("columns", device.is_gpu() ? 12000 : 700), n = rows * columns;
    support::say_device(device);

    std::vector<float> matrix(n);
    for (std::size_t i = 0; i != n; ++i) matrix[i] = static_cast<float>(i * 2654435761u % 1000003);
    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<float>::from_host(stream, matrix);
    const auto tiles = [](std::size_t size) { return static_cast<std::uint32_t>((size + tile_size - 1) / tile_size); };
    const ox::LaunchConfig config{.grid = {tiles(columns), tiles(rows)}, .block = {tile_size, tile_rows}};

    support::Checks checks;
    const auto try_kernel = [&](std::string_view name, const auto& kernel) {
      auto out = ox::DeviceBuffer<float>::zeroed(stream, n);
      const auto launch = [&] { kernel(stream, config, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), in, out); };
      launch();
      const std::vector<float> result = out.to_host(stream);
      std::size_t wrong = 0;
      for (std::size_t r = 0; r != rows; ++r)
        for (std::size_t c = 0; c != columns; ++c) wrong += result[c * rows + r] != matrix[r * columns + c];
      checks.expect(wrong == 0, "{}: {} of {} elements are not where they should be", name, wrong, n);
      const double ms = support::best_launch_ms(stream, 5, launch);
      support::say(name, "{:.3f} ms, {:.1f} GB/s read and written", ms, 8e-6 * static_cast<double>(n) / ms);
    };
    try_kernel("by element", by_element);
    try_kernel("row by row", by_tile<ox::RowMajor>);
    try_kernel("padded", by_tile<ox::Padded<>>);
    try_kernel("swizzled", by_tile<ox::XorSwizzle<>>);
    return checks.exit_status();
  });
}
