// Rows of a matrix, a warp each: their sums, and where their largest number is, by exchanging values between lanes, with no shared memory.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

struct Largest {
  float value;
  std::uint32_t column;
};
OXIDE_STRUCT(Largest, value, column)

constexpr std::uint32_t warps = 8;  // a block

inline constexpr auto warp_reduce =
    ox::kernel("warp_reduce", [](ox::u32 columns, ox::Span<const float> matrix, ox::Span<float> sums, ox::Span<Largest> largest) {
      const ox::u32 row = ox::block_idx.x() * warps + ox::warp::warp_id(), lane = ox::warp::lane_id();
      if (row >= sums.size()) return;  // all lanes of the warp
      ox::f32 sum = 0;
      ox::Value<Largest> best;
      best.value = -INFINITY;
      for (auto c : ox::range(lane, columns, 32u)) {
        ox::f32 x = matrix[ox::u64(row) * columns + c];
        sum += x;
        if (x > best.value) {
          best.value = x;
          best.column = c;
        }
      }
      sum = ox::warp::reduce(sum, [](ox::f32 a, ox::f32 b) { return a + b; });
      best = ox::warp::reduce(best, [](ox::Value<Largest> a, ox::Value<Largest> b) {
        ox::Value<Largest> first = a;
        if (b.value > a.value || (b.value == a.value && b.column < a.column)) first = b;
        return first;
      });
      if (lane == 0u) {
        sums.unchecked_mut(row) = sum;
        largest.unchecked_mut(row) = best;
      }
    });

int main(int argc, char** argv) {
  return support::run("warp_reduce", [&] {
    const support::CommandLine arguments(argc, argv, "Reduces each row of a matrix by a warp.",
                                         {{"rows", "20000 when not given, 400000 on a GPU"}, {"columns", "300 when not given"}});
    const ox::Device device = arguments.device();
    const std::size_t rows = arguments.number("rows", device.is_gpu() ? 400000 : 20000), columns = arguments.number("columns", 300);
    support::say_device(device);

    std::vector<float> numbers(rows * columns);
    std::uint64_t state = 1;
    for (float& x : numbers) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x = static_cast<float>(static_cast<std::int32_t>(state >> 32) / 65536);  // whole numbers, some of them equal
    }
    const ox::Stream stream = device.default_stream();
    const auto matrix = ox::DeviceBuffer<float>::from_host(stream, numbers);
    auto sums = ox::DeviceBuffer<float>::zeroed(stream, rows);
    auto largest = ox::DeviceBuffer<Largest>::zeroed(stream, rows);
    const ox::LaunchConfig config{.grid = static_cast<std::uint32_t>((rows + warps - 1) / warps), .block = 32 * warps};
    const auto launch = [&] { warp_reduce(stream, config, static_cast<std::uint32_t>(columns), matrix, sums, largest); };
    launch();
    support::say_build("warp_reduce", *warp_reduce.build(device));

    support::Checks checks;
    const std::vector<float> row_sums = sums.to_host(stream);
    const std::vector<Largest> row_largest = largest.to_host(stream);
    std::size_t wrong_sums = 0, wrong_largest = 0;
    for (std::size_t r = 0; r != rows; ++r) {
      double sum = 0, magnitude = 0;
      std::size_t best = 0;
      for (std::size_t c = 0; c != columns; ++c) {
        const float x = numbers[r * columns + c];
        sum += static_cast<double>(x), magnitude += std::fabs(static_cast<double>(x));
        if (x > numbers[r * columns + best]) best = c;
      }
      wrong_sums += !(std::fabs(static_cast<double>(row_sums[r]) - sum) <= magnitude * 0x1p-23 * static_cast<double>(columns / 32 + 6));
      wrong_largest += row_largest[r].column != best || row_largest[r].value != numbers[r * columns + best];
    }
    checks.expect(wrong_sums == 0, "{} of {} sums differ from the host's", wrong_sums, rows);
    checks.expect(wrong_largest == 0, "{} of {} largest numbers differ from the host's", wrong_largest, rows);
    const double ms = support::best_launch_ms(stream, 5, launch);
    support::say("launch", "{:.3f} ms for {} x {} numbers, {:.1f} GB/s", ms, rows, columns,
                 4e-6 * static_cast<double>(rows * columns) / ms);
    return checks.exit_status();
  });
}
