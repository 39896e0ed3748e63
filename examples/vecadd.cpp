// The first kernel: c = a + b, one element a thread.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

ox::f32 add(ox::f32 a, ox::f32 b) { return a + b; }  // a plain helper: called, so compiled

inline constexpr auto vecadd = ox::kernel("vecadd", [](ox::Span<const float> a, ox::Span<const float> b, ox::DisjointSpan<float> c) {
  auto idx = ox::thread::index_1d();
  if (auto c_elem = c.get_mut(idx)) {
    *c_elem = add(a[idx], b[idx]);
  }
});

// Numbers in [-1, 1) that nobody knows before the program runs; one multiplication each, as there may be hundreds of millions.
std::vector<float> random_numbers(std::size_t n) {
  std::vector<float> numbers(n);
  std::uint64_t state = std::random_device()() | 1u;
  for (float& x : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<float>(static_cast<std::int64_t>(state) >> 39) * 0x1p-24f;
  }
  return numbers;
}

int main(int argc, char** argv) {
  return support::run("vecadd", [&] {
    const support::CommandLine arguments(argc, argv, "Adds two vectors of random numbers on a device.",
                                         {{"n", "elements; 2^24 when not given, 2^28 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << (device.is_gpu() ? 28 : 24));
    support::say_device(device);

    const std::vector<float> a_host = random_numbers(n), b_host = random_numbers(n);
    const ox::Stream stream = device.default_stream();
    const auto a = ox::DeviceBuffer<float>::from_host(stream, a_host);
    const auto b = ox::DeviceBuffer<float>::from_host(stream, b_host);
    auto c = ox::DeviceBuffer<float>::zeroed(stream, n);

    vecadd(stream, ox::LaunchConfig::for_num_elems(n), a, b, c);
    support::say_build("vecadd", *vecadd.build(device));
    const double ms = support::best_launch_ms(stream, 10, [&] { vecadd(stream, ox::LaunchConfig::for_num_elems(n), a, b, c); });
    support::say("launch", "{:.3f} ms for {} elements, {:.1f} GB/s read and written", ms, n, 12e-6 * static_cast<double>(n) / ms);

    const std::vector<float> sums = c.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += sums[i] != a_host[i] + b_host[i];

    support::Checks checks;
    checks.expect(sums.size() == n && wrong == 0, "{} of {} sums differ from the host's", wrong, n);
    return checks.exit_status();
  });
}
