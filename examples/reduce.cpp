// A sum and a maximum of many numbers: each thread takes every so-many-th number, a block its threads' results, and a second launch the
// blocks'.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t block = 256, most_blocks = 1024;

// With a sum that starts at `start` and any associative operation; one kernel for each.
inline constexpr auto reduce = ox::kernel("reduce", [](auto operation, ox::f32 start, ox::Span<const float> in, ox::Span<float> out) {
  ox::f32 mine = start;
  for (auto i : ox::grid_stride(in.size())) mine = operation(mine, in[i]);
  ox::f32 all = ox::block::reduce(mine, operation);
  if (ox::thread_idx.x() == 0u) out.unchecked_mut(ox::block_idx.x()) = all;
});

template <class Operation>
float reduced(const ox::Stream& stream, Operation operation, float start, const ox::DeviceBuffer<float>& in) {
  const auto blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(in.size() / (block * 8), 1, most_blocks));
  auto partial = ox::DeviceBuffer<float>::zeroed(stream, blocks), result = ox::DeviceBuffer<float>::zeroed(stream, 1);
  reduce(stream, ox::LaunchConfig{.grid = blocks, .block = block}, operation, start, in, partial);
  reduce(stream, ox::LaunchConfig{.grid = 1, .block = block}, operation, start, partial, result);
  return result.to_host(stream)[0];
}

int main(int argc, char** argv) {
  return support::run("reduce", [&] {
    const support::CommandLine arguments(argc, argv, "Sums numbers and finds the largest.",
                                         {{"n", "numbers; 2^22 when not given, 2^28 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << (device.is_gpu() ? 28 : 22));
    support::say_device(device);

    std::vector<float> numbers(n);
    std::uint64_t state = 1;
    double sum = 0, magnitude = 0;
    for (float& x : numbers) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f;
      sum += static_cast<double>(x);
      magnitude += std::fabs(static_cast<double>(x));
    }
    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<float>::from_host(stream, numbers);
    const auto add = [](ox::f32 a, ox::f32 b) { return a + b; };
    const auto larger = [](ox::f32 a, ox::f32 b) { return ox::max(a, b); };
    const double found = static_cast<double>(reduced(stream, add, 0, in));

    support::Checks checks;
    // Each number goes through about as many additions as a thread makes, and some levels of a tree.
    const double allowed = magnitude * 0x1p-24 * (static_cast<double>(n) / (block * most_blocks) + 40);
    checks.expect(std::fabs(found - sum) <= allowed, "the sum is {:.6f}, on the host {:.6f}", found, sum);
    const float most = reduced(stream, larger, -2, in), most_expected = *std::max_element(numbers.begin(), numbers.end());
    checks.expect(most == most_expected, "the largest is {}, on the host {}", most, most_expected);
    const double ms = support::best_launch_ms(stream, 5, [&] { reduced(stream, add, 0, in); });
    support::say("launch", "{:.3f} ms for {} numbers, {:.1f} GB/s", ms, n, 4e-6 * static_cast<double>(n) / ms);
    return checks.exit_status();
  });
}
