// An inclusive prefix sum in one launch: each block scans its part, publishes its sum, and looks back at the blocks before it until it
// meets one whose prefix is known. A block's number is a ticket, so that the ones before it have started.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <oxide/dsl/atomic_struct.hpp>
#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t block = 256, per_thread = 16, part = block * per_thread;

// What a block has published: nothing yet, the sum of its part, or that of all parts up to it. One access reads both numbers.
constexpr std::uint32_t unknown = 0, sum_of_part = 1, prefix = 2;
struct alignas(8) Published {
  std::uint32_t what;
  std::uint32_t sum;
};
OXIDE_STRUCT(Published, what, sum)

ox::Value<Published> publish(std::uint32_t what, const ox::u32& sum) {
  ox::Value<Published> p;
  p.what = what;
  p.sum = sum;
  return p;
}

inline constexpr auto scan = ox::kernel(
    "scan", [](ox::Span<const std::uint32_t> in, ox::Span<std::uint32_t> out, ox::Span<std::uint32_t> tickets, ox::Span<Published> parts) {
      ox::Shared<std::uint32_t, 2> shared;
      const ox::u32 t = ox::thread_idx.x();
      const auto add = [](ox::u32 a, ox::u32 b) { return a + b; };
      if (t == 0u) shared[0] = ox::atomic(tickets, 0).fetch_add(1);
      ox::sync_threads();
      const ox::u32 number = shared[0];
      const ox::u64 first = ox::u64(number) * part + t * per_thread, n = in.size();

      std::array<ox::u32, per_thread> x;
      ox::u32 mine = 0;
      for (std::uint32_t k = 0; k != per_thread; ++k) {
        if (first + k < n) mine += in[first + k];
        x[k] = mine;
      }
      const ox::u32 up_to_mine = ox::block::inclusive_scan(mine, add);
      if (t == block - 1) {
        auto own = ox::atomic(parts, number);
        ox::u32 before = 0;
        if (number != 0u) {
          own.store(publish(sum_of_part, up_to_mine), ox::MemoryOrder::release);
          ox::u32 at = number - 1u;
          ox::boolean done = false;
          while (!done) {
            ox::Value<Published> p = ox::atomic(parts, at).load(ox::MemoryOrder::acquire);
            if (p.what != unknown) {
              before += p.sum;
              done = p.what == prefix;
              at -= 1u;
            }
          }
        }
        own.store(publish(prefix, before + up_to_mine), ox::MemoryOrder::release);
        shared[1] = before;
      }
      ox::sync_threads();
      const ox::u32 before = shared[1] + up_to_mine - mine;
      for (std::uint32_t k = 0; k != per_thread; ++k)
        if (first + k < n) out.unchecked_mut(first + k) = before + x[k];
    });

int main(int argc, char** argv) {
  return support::run("scan", [&] {
    const support::CommandLine arguments(argc, argv, "Sums each number with all before it.",
                                         {{"n", "numbers; 2^22 when not given, 2^28 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << (device.is_gpu() ? 28 : 22));
    support::say_device(device);

    std::vector<std::uint32_t> numbers(n), expected(n);
    std::uint32_t state = 1;
    for (std::uint32_t& x : numbers) x = (state = state * 1664525 + 1013904223) >> 8;
    std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin());

    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<std::uint32_t>::from_host(stream, numbers);
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
    const auto blocks = static_cast<std::uint32_t>((n + part - 1) / part);
    const auto launch = [&] {
      auto tickets = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 1);
      auto parts = ox::DeviceBuffer<Published>::zeroed(stream, blocks);
      scan(stream, ox::LaunchConfig{.grid = blocks, .block = block}, in, out, tickets, parts);
    };
    launch();
    support::say_build("scan", *scan.build(device));

    support::Checks checks;
    const std::vector<std::uint32_t> result = out.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != n; ++i) wrong += result[i] != expected[i];
    checks.expect(wrong == 0, "{} of {} sums differ from the host's", wrong, n);
    const double ms = support::best_launch_ms(stream, 5, launch);
    support::say("launch", "{:.3f} ms for {} numbers, {:.1f} GB/s read and written", ms, n, 8e-6 * static_cast<double>(n) / ms);
    return checks.exit_status();
  });
}
