// A histogram in two levels: each block counts in shared memory, and adds its counts to the result; and the largest count by a reduction.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t bins = 256;

inline constexpr auto histogram = ox::kernel("histogram", [](ox::Span<const std::uint8_t> in, ox::Span<std::uint32_t> counts) {
  ox::Shared<std::uint32_t, bins> mine;
  const ox::u32 t = ox::thread_idx.x(), threads = ox::block_dim.x();
  for (auto b : ox::range(t, bins, threads)) mine[b] = 0u;
  ox::sync_threads();
  for (auto i : ox::grid_stride(in.size())) ox::atomic(mine, in[i]).fetch_add(1);
  ox::sync_threads();
  for (auto b : ox::range(t, bins, threads)) ox::atomic(counts, b).fetch_add(mine[b]);
});

inline constexpr auto largest = ox::kernel("largest", [](ox::Span<const std::uint32_t> counts, ox::Span<std::uint32_t> out) {
  ox::u32 most = ox::block::reduce(counts[ox::thread_idx.x()], [](ox::u32 a, ox::u32 b) { return ox::max(a, b); });
  if (ox::thread_idx.x() == 0u) out.unchecked_mut(0) = most;
});

int main(int argc, char** argv) {
  return support::run("histogram", [&] {
    const support::CommandLine arguments(argc, argv, "Counts how often each byte comes up.",
                                         {{"n", "bytes; 2^22 when not given, 2^28 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << (device.is_gpu() ? 28 : 22));
    support::say_device(device);

    std::vector<std::uint8_t> bytes(n);
    std::uint64_t state = 1;
    for (std::uint8_t& b : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      b = static_cast<std::uint8_t>((state >> 40) % 251 * (state >> 56) / 255);  // more of the small ones
    }
    std::vector<std::uint32_t> expected(bins, 0);
    for (const std::uint8_t b : bytes) ++expected[b];

    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<std::uint8_t>::from_host(stream, bytes);
    auto counts = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, bins), most = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 1);
    const ox::LaunchConfig config{.grid = 264, .block = 256};
    histogram(stream, config, in, counts);
    support::say_build("histogram", *histogram.build(device));
    largest(stream, ox::LaunchConfig{.grid = 1, .block = bins}, counts, most);
    const std::vector<std::uint32_t> result = counts.to_host(stream);

    support::Checks checks;
    std::size_t wrong = 0;
    for (std::size_t b = 0; b != bins; ++b) wrong += result[b] != expected[b];
    checks.expect(wrong == 0, "{} of {} counts differ from the host's", wrong, bins);
    const std::uint32_t found = most.to_host(stream)[0], most_expected = *std::max_element(expected.begin(), expected.end());
    checks.expect(found == most_expected, "the largest count is {}, on the host {}", found, most_expected);
    auto again = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, bins);
    const double ms = support::best_launch_ms(stream, 5, [&] { histogram(stream, config, in, again); });
    support::say("launch", "{:.3f} ms for {} bytes, {:.1f} GB/s", ms, n, 1e-6 * static_cast<double>(n) / ms);
    return checks.exit_status();
  });
}
