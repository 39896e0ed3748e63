// The blocks of a cluster in a ring: each passes what it has to the next one's shared memory, until all have the sum of all.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/dsl/cluster.hpp>
#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t block = 128, blocks = 8;  // of a cluster

// out[i] = the sum of the elements at i's place in the blocks of its cluster. A message has two places, which are used in turn: one is
// read while the next message is written.
inline constexpr auto cluster_ring = ox::kernel("cluster_ring", [](ox::Span<const std::int32_t> in, ox::DisjointSpan<std::int32_t> out) {
                                       ox::Shared2D<std::int32_t, 2, block> message;
                                       auto cluster = ox::this_cluster();
                                       const auto i = ox::thread::index_1d();
                                       const ox::u32 t = ox::thread_idx.x(), next = (cluster.block_rank() + 1u) % cluster.num_blocks();
                                       ox::i32 passing = in[i], sum = passing;
                                       cluster.sync();  // all blocks run
                                       for (std::uint32_t step = 1; step != blocks; ++step) {
                                         cluster.map_shared_rank(message, next)(step % 2, t) = passing;
                                         cluster.sync();
                                         passing = message(step % 2, t);
                                         sum += passing;
                                       }
                                       if (auto e = out.get_mut(i)) *e = sum;
                                     }).cluster(blocks);

int main(int argc, char** argv) {
  return support::run("cluster_ring", [&] {
    const support::CommandLine arguments(argc, argv, "Sums over the blocks of clusters.",
                                         {{"clusters", "64 when not given, 4096 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t clusters = arguments.number("clusters", device.is_gpu() ? 4096 : 64), n = clusters * blocks * block;
    support::say_device(device);
    if (device.is_gpu() && device.properties().sm < 90) {
      support::say("cluster_ring", "[skipped] clusters need compute capability 9.0");
      return 0;
    }
    std::vector<std::int32_t> numbers(n);
    std::uint32_t state = 1;
    for (std::int32_t& x : numbers) x = std::bit_cast<std::int32_t>(state = state * 1664525 + 1013904223) >> 8;

    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<std::int32_t>::from_host(stream, numbers);
    auto out = ox::DeviceBuffer<std::int32_t>::zeroed(stream, n);
    const ox::LaunchConfig config{.grid = static_cast<std::uint32_t>(clusters * blocks), .block = block};
    cluster_ring(stream, config, in, out);
    support::say_build("cluster_ring", *cluster_ring.build(device));

    support::Checks checks;
    const std::vector<std::int32_t> sums = out.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != n; ++i) {
      std::int32_t sum = 0;
      for (std::size_t b = 0; b != blocks; ++b) sum += numbers[i / (blocks * block) * (blocks * block) + b * block + i % block];
      wrong += sums[i] != sum;
    }
    checks.expect(wrong == 0, "{} of {} sums differ from the host's", wrong, n);
    const double ms = support::best_launch_ms(stream, 5, [&] { cluster_ring(stream, config, in, out); });
    support::say("launch", "{:.3f} ms for {} clusters of {} blocks", ms, clusters, blocks);
    return checks.exit_status();
  });
}
