// Clusters of blocks: their places, their barrier in one piece and in two, and each other's shared memory, on every device that has them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

#include <oxide/dsl/cluster.hpp>

struct ClusterPair {
  float x;
  std::int32_t n;
};
OXIDE_STRUCT(ClusterPair, x, n)

namespace {

template <class Check>
void on_every_device_with_clusters(Check check) {
  on_every_device([&](const ox::Stream& stream) {
    const ox::DeviceProperties& p = device_of(stream).properties();
    if (p.kind == ox::DeviceKind::gpu && p.sm < 90) return;
    check(stream);
  });
}

constexpr std::uint32_t words = 12;  // of each thread

// Each block writes arrays of its own; its threads read and write those of the blocks after it in the ring, and add to one of all.
constexpr auto neighbours = ox::kernel("neighbours", [](ox::Span<const float> in, ox::Span<std::uint32_t> out) {
  ox::Shared<float, 128> tile;
  ox::Shared<ClusterPair, 128> pairs;
  ox::Shared2D<std::uint16_t, 4, 32, ox::XorSwizzle<>> grid;
  ox::Shared<std::uint32_t, 4> counts;
  ox::Shared<std::uint64_t, 1> largest;
  ox::DynamicShared<std::int32_t> given(ox::per_thread(1));
  auto cluster = ox::this_cluster();
  const ox::u32 t = ox::block::thread_rank(), rank = cluster.block_rank(), blocks = cluster.num_blocks();
  const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
  tile[t] = in[i];
  ox::Value<ClusterPair> pair;
  pair.x = in[i] * 2;
  pair.n = ox::cast<int>(i);
  pairs[t] = pair;
  grid(t / 32u, t % 32u) = ox::cast<std::uint16_t>(i);
  if (t < 4u) counts[t] = 0;
  if (t == 0u) largest[0] = 0;
  cluster.sync();
  const ox::u32 next = (rank + 1u) % blocks, place = i * words;
  auto theirs = cluster.map_shared_rank(tile, next);
  ox::f32 x = theirs[t];
  ox::i32 n = cluster.map_shared_rank(pairs, next)[t].n;
  ox::f32 double_x = cluster.map_shared_rank(pairs, next)[t].x;
  ox::u16 element = cluster.map_shared_rank(grid, next)(t / 32u, t % 32u);
  cluster.map_shared_rank(given, next)[t] = n - 1;
  ox::u32 before = ox::atomic(cluster.map_shared_rank(counts, t % blocks), t % 4u).fetch_add(1, ox::MemoryOrder::acq_rel);
  ox::atomic(cluster.map_shared_rank(largest, 0), 0).fetch_max(ox::u64(i));
  ox::u32 zero = ox::atomic(cluster.map_shared_rank(counts, t % blocks), t % 4u).compare_exchange(1000000u, 5u);
  cluster.arrive();
  out.unchecked_mut(place) = rank + 100u * blocks + 10000u * cluster.thread_rank();
  out.unchecked_mut(place + 1u) = cluster.block_index().x() + 10u * cluster.block_index().y() + 100u * cluster.dim_blocks().x() +
                                  1000u * cluster.cluster_index().x() + 100000u * cluster.cluster_index().y();
  cluster.wait();
  out.unchecked_mut(place + 2u) = ox::bit_cast<std::uint32_t>(x);
  out.unchecked_mut(place + 3u) = ox::bit_cast<std::uint32_t>(double_x);
  out.unchecked_mut(place + 4u) = ox::cast<std::uint32_t>(n);
  out.unchecked_mut(place + 5u) = ox::u32(element);
  out.unchecked_mut(place + 6u) = ox::cast<std::uint32_t>(ox::i32(given[t]));
  out.unchecked_mut(place + 7u) = counts[t % 4u];
  out.unchecked_mut(place + 8u) = ox::cast<std::uint32_t>(ox::u64(cluster.map_shared_rank(largest, 0)[0]));
  if (before >= 1000000u || zero >= 1000000u) out.unchecked_mut(place + 9u) = 1;
  cluster.sync();
});

// All threads of a cluster on numbers of its first block.
constexpr auto gathered = ox::kernel("gathered", [](ox::Span<const std::uint64_t> in, ox::Span<std::uint64_t> out) {
  ox::Shared<std::uint64_t, 6> naturals;
  ox::Shared<std::int64_t, 2> integers;
  ox::Shared<float, 2> floats;
  ox::Shared<double, 2> doubles;
  ox::Shared<ox::half, 1> halves;
  auto cluster = ox::this_cluster();
  const ox::u32 t = ox::block::thread_rank();
  if (t < 6u) naturals[t] = 12345;
  if (t < 2u) {
    integers[t] = 0;
    floats[t] = 0;
    doubles[t] = 0;
  }
  if (t == 0u) halves[0] = ox::half(0.0f);
  cluster.sync();
  const ox::u64 x = in[ox::cast<std::uint32_t>(ox::this_grid().thread_rank())];
  const ox::i64 small = ox::cast<std::int64_t>(x % 8u) - 3;
  auto w = cluster.map_shared_rank(naturals, 0);
  ox::atomic(w, 0).fetch_add(x);
  ox::atomic(w, 1).fetch_min(x);
  ox::atomic(w, 2).fetch_max(x);
  ox::atomic(w, 3).fetch_and(x | 255u);
  ox::atomic(w, 4).fetch_or(x & 0xffff00u);
  ox::atomic(w, 5).fetch_xor(x);
  ox::atomic(cluster.map_shared_rank(integers, 0), 0).fetch_min(small * 1000000007);
  ox::atomic(cluster.map_shared_rank(integers, 0), 1).fetch_sub(small);
  ox::atomic(cluster.map_shared_rank(floats, 0), 0).fetch_add(ox::cast<float>(small));
  ox::atomic(cluster.map_shared_rank(floats, 0), 1).fetch_max(ox::cast<float>(small));
  ox::atomic(cluster.map_shared_rank(doubles, 0), 0).fetch_add(ox::cast<double>(small));
  ox::atomic(cluster.map_shared_rank(doubles, 0), 1).fetch_min(ox::cast<double>(small));
  ox::atomic(cluster.map_shared_rank(halves, 0), 0).fetch_add(ox::cast<ox::half>(small % 2));
  cluster.sync();
  if (cluster.block_rank() == 0u && t == 0u) {
    const ox::u32 at = ox::cast<std::uint32_t>(ox::this_grid().thread_rank()) / (ox::block_dim.x() * cluster.num_blocks()) * 13u;
    for (std::uint32_t k = 0; k != 6; ++k) out.unchecked_mut(at + k) = naturals[k];
    for (std::uint32_t k = 0; k != 2; ++k) {
      out.unchecked_mut(at + 6u + k) = ox::bit_cast<std::uint64_t>(ox::i64(integers[k]));
      out.unchecked_mut(at + 8u + k) = ox::bit_cast<std::uint64_t>(ox::cast<std::int64_t>(ox::f32(floats[k])));
      out.unchecked_mut(at + 10u + k) = ox::bit_cast<std::uint64_t>(ox::cast<std::int64_t>(ox::f64(doubles[k])));
    }
    out.unchecked_mut(at + 12u) = ox::bit_cast<std::uint64_t>(ox::cast<std::int64_t>(ox::f16(halves[0])));
  }
  cluster.sync();
});

void check_gathered(const ox::Stream& stream) {
  constexpr std::uint32_t block = 128, blocks = 4, clusters = 5, n = block * blocks * clusters;
  const std::vector<std::uint64_t> in = random_numbers<std::uint64_t>(n, 0, ~std::uint64_t{0}, 3);
  const auto a = ox::DeviceBuffer<std::uint64_t>::from_host(stream, in);
  auto b = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 13 * clusters);
  gathered.cluster(blocks)(stream, ox::LaunchConfig{.grid = blocks * clusters, .block = block}, a, b);
  const std::vector<std::uint64_t> out = b.to_host(stream);
  for (std::uint32_t c = 0; c != clusters; ++c) {
    std::uint64_t w[6] = {12345, 12345, 12345, 12345, 12345, 12345};
    std::int64_t least = 0, sum = 0, largest = 0, smallest = 0, odd = 0;
    for (std::uint32_t i = 0; i != block * blocks; ++i) {
      const std::uint64_t x = in[c * block * blocks + i];
      const std::int64_t small = static_cast<std::int64_t>(x % 8) - 3;
      w[0] += x, w[1] = std::min(w[1], x), w[2] = std::max(w[2], x), w[3] &= x | 255, w[4] |= x & 0xffff00, w[5] ^= x;
      least = std::min(least, small * 1000000007), sum += small, odd += small % 2;
      largest = std::max(largest, small), smallest = std::min(smallest, small);
    }
    const std::int64_t rest[7] = {least, -sum, sum, largest, sum, smallest, odd};
    for (std::uint32_t k = 0; k != 13; ++k) {
      INFO("word " << k << " of cluster " << c);
      CHECK(out[13 * c + k] == (k < 6 ? w[k] : static_cast<std::uint64_t>(rest[k - 6])));
    }
  }
}

void check_neighbours(const ox::Stream& stream, ox::Dim3 grid, ox::Dim3 size, std::uint32_t block) {
  INFO("grid " << grid.text() << ", clusters of " << size.text() << ", block " << block);
  const auto blocks = static_cast<std::uint32_t>(size.count());
  const std::size_t n = grid.count() * block;
  const std::vector<float> in = random_numbers<float>(n, -100, 100, n);
  const auto a = ox::DeviceBuffer<float>::from_host(stream, in);
  auto b = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n * words);
  neighbours.cluster(size.x, size.y, size.z)(stream, ox::LaunchConfig{.grid = grid, .block = block}, a, b);
  const std::vector<std::uint32_t> out = b.to_host(stream);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i != n; ++i) {
    const std::uint32_t t = i % block, number = i / block, bx = number % grid.x, by = number / grid.x % grid.y,
                        bz = number / grid.x / grid.y;
    const std::uint32_t x = bx % size.x, y = by % size.y, z = bz % size.z, rank = x + size.x * (y + size.y * z);
    const auto block_of = [&](std::uint32_t r) {
      const std::uint32_t nx = bx - x + r % size.x, ny = by - y + r / size.x % size.y, nz = bz - z + r / size.x / size.y;
      return nx + grid.x * (ny + grid.y * nz);
    };
    const std::uint32_t there = block_of((rank + 1) % blocks) * block + t;
    std::uint32_t count_here = 0, largest = 0;
    for (std::uint32_t o = 0; o != block; ++o) count_here += o % blocks == rank && o % 4 == t % 4;
    for (std::uint32_t r = 0; r != blocks; ++r) largest = std::max(largest, block_of(r) * block + block - 1);
    const std::uint32_t expected[10] = {rank + 100 * blocks + 10000 * (rank * block + t),
                                        x + 10 * y + 100 * size.x + 1000 * (bx / size.x) + 100000 * (by / size.y),
                                        std::bit_cast<std::uint32_t>(in[there]),
                                        std::bit_cast<std::uint32_t>(in[there] * 2),
                                        there,
                                        there & 0xffff,
                                        i - 1,
                                        count_here * blocks,
                                        largest,
                                        0};
    for (std::uint32_t k = 0; k != 10; ++k) {
      if (out[i * words + k] == expected[k]) continue;
      if (++wrong <= 3) UNSCOPED_INFO("word " << k << " of thread " << i << ": " << out[i * words + k] << ", expected " << expected[k]);
    }
  }
  CHECK(wrong == 0);
}

// A block's own array under both of its names, by one thread: nothing may be taken to stay as it was.
constexpr auto two_names = ox::kernel("two_names", [](ox::Span<std::uint32_t> out) {
                             ox::Shared<std::uint32_t, 64> tile;
                             auto cluster = ox::this_cluster();
                             const ox::u32 t = ox::thread_idx.x();
                             auto own = cluster.map_shared_rank(tile, cluster.block_rank());
                             tile[t] = t + 1u;
                             ox::u32 a = own[t];
                             own[t] = a * 3u;
                             ox::u32 b = tile[t];
                             tile[t] = b + 5u;
                             ox::u32 c = own[t];
                             ox::fence<ox::Scope::cluster>();
                             if (cluster.block_rank() == 1u) {
                               ox::atomic<ox::Scope::cluster>(out, t).fetch_or(0);
                               out.unchecked_mut(t) = a + 1000u * b + 1000000u * c;
                             }
                           }).cluster(2);

// Barriers of the grid and of clusters in one kernel.
constexpr auto both = ox::kernel("both",
                                 [](ox::Span<std::uint32_t> cells, ox::Span<std::uint32_t> out) {
                                   ox::Shared<std::uint32_t, 64> tile;
                                   auto cluster = ox::this_cluster();
                                   const ox::u32 t = ox::thread_idx.x(), n = ox::cast<std::uint32_t>(ox::this_grid().size());
                                   const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
                                   ox::u32 sum = 0;
                                   for (auto step : ox::range(3u)) {
                                     tile[t] = i * 5u + step;
                                     cluster.arrive();
                                     cells.unchecked_mut(i) = i + step;
                                     ox::this_grid().sync();
                                     sum += cells[(i + n / 2u) % n];
                                     cluster.wait();
                                     sum += cluster.map_shared_rank(tile, 1u - cluster.block_rank())[t] * 7u;
                                     ox::this_grid().sync();
                                   }
                                   out.unchecked_mut(i) = sum;
                                   cluster.sync();  // no block ends while another one may read its memory
                                 })
                          .cluster(2)
                          .cooperative();

constexpr std::uint32_t wrong_line = __LINE__;
constexpr auto wrong = ox::kernel("wrong_cluster", [](ox::u32 mode, ox::Span<std::uint32_t> out) {
                         ox::Shared<std::uint32_t, 32> tile;
                         auto cluster = ox::this_cluster();
                         tile[ox::thread_idx.x()] = 7;
                         if (mode == 1u && cluster.block_rank() == 2u) ox::sync_threads();
                         if (mode == 2u && cluster.block_rank() == 2u) return;  // the others do not wait for it
                         if (mode == 3u) cluster.arrive();
                         if (mode == 4u) cluster.wait();
                         if (mode == 5u && cluster.block_rank() == 2u) ox::this_grid().sync();
                         cluster.sync();
                         out.unchecked_mut(0) =
                             cluster.map_shared_rank(tile, mode == 6u ? ox::u32(4) : ox::u32(1))[mode == 7u ? ox::u32(32) : ox::u32(3)];
                         cluster.sync();
                         if (mode == 5u && cluster.block_rank() != 2u) ox::this_grid().sync();
                         if (mode == 8u && ox::thread_idx.x() < 9u) cluster.sync();
                         if (mode == 8u) ox::sync_threads();
                       }).cluster(2, 2);

}  // namespace

TEST_CASE("atomic accesses to the shared memory of another block are atomic, of every type") {
  on_every_device_with_clusters([](const ox::Stream& stream) { check_gathered(stream); });
}

TEST_CASE("blocks of a cluster know their places, wait for each other and use each other's shared memory") {
  on_every_device_with_clusters([](const ox::Stream& stream) {
    check_neighbours(stream, 6, 2, 128);
    check_neighbours(stream, 16, 8, 96);
    check_neighbours(stream, 3, 1, 64);
    check_neighbours(stream, {4, 6, 2}, {2, 3, 1}, 33);
    check_neighbours(stream, {2, 2, 4}, {1, 2, 2}, 100);
  });
}

TEST_CASE("a block's own shared memory is the same under its name in the cluster") {
  on_every_device_with_clusters([](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 64);
    two_names(stream, ox::LaunchConfig{.grid = 2, .block = 64}, out);
    std::vector<std::uint32_t> expected(64);
    for (std::uint32_t t = 0; t != 64; ++t) expected[t] = t + 1 + 1000 * 3 * (t + 1) + 1000000 * (3 * (t + 1) + 5);
    CHECK(out.to_host(stream) == expected);
  });
}

TEST_CASE("a kernel waits for its clusters and for its grid") {
  on_every_device_with_clusters([](const ox::Stream& stream) {
    const std::uint32_t block = 64, grid = 10, n = block * grid;
    auto cells = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n), b = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
    both(stream, ox::LaunchConfig{.grid = grid, .block = block}, cells, b);
    const std::vector<std::uint32_t> out = b.to_host(stream);
    std::size_t wrong_sums = 0;
    for (std::uint32_t i = 0; i != n; ++i) {
      std::uint32_t sum = 0;
      const std::uint32_t partner = (i / block ^ 1) * block + i % block;
      for (std::uint32_t step = 0; step != 3; ++step) sum += (i + n / 2) % n + step + (partner * 5 + step) * 7;
      wrong_sums += out[i] != sum;
    }
    CHECK(wrong_sums == 0);
  });
}

TEST_CASE("what goes wrong in a cluster names its line", "[fault]") {
  const auto at = [](std::uint32_t line) { return "clusters.cpp:" + std::to_string(wrong_line + line); };
  const auto launch = [](const ox::Stream& stream, std::uint32_t mode) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 4);
    wrong.cooperative()(stream, ox::LaunchConfig{.grid = {2, 4}, .block = 32}, mode, out);
    return out.to_host(stream)[0];
  };
  const auto fault = [&](const ox::Stream& stream, std::uint32_t mode) {
    return std::string(fault_of(stream, [&] { launch(stream, mode); }).what());
  };
  on_every_device_with_clusters([&](const ox::Stream& stream) {
    CHECK(launch(stream, 0) == 7);
    CHECK(launch(stream, 1) == 7);
    CHECK(launch(stream, 2) == 7);
    CHECK_THAT(fault(stream, 6), Catch::Contains("rank 4 is outside of the cluster, which has 4 blocks") && Catch::Contains(at(12)));
    CHECK_THAT(fault(stream, 7), Catch::Contains("index 32 is outside of the shared array of") && Catch::Contains(at(12)));
  });
  const ox::Stream cpu = ox::Device::cpu().default_stream();
  CHECK_THAT(fault(cpu, 3), Catch::Contains("this_cluster().arrive a second time without a wait between") && Catch::Contains(at(10)));
  CHECK_THAT(fault(cpu, 4), Catch::Contains("this_cluster().wait without an arrive before it") && Catch::Contains(at(8)));
  CHECK_THAT(fault(cpu, 8), Catch::Contains("this_cluster().arrive was not reached by all threads of the cluster; others wait at "
                                            "sync_threads at") &&
                                Catch::Contains(at(15)) && Catch::Contains(at(16)));
  CHECK_THAT(fault(cpu, 5), Catch::Contains("this_cluster().wait was not reached by all threads of the cluster; others wait at "
                                            "this_grid().sync at") &&
                                Catch::Contains(at(9)) && Catch::Contains(at(10)));
}

TEST_CASE("clusters are refused where they cannot be") {
  CHECK_THROWS_WITH(neighbours.graph(), Catch::Contains("kernel 'neighbours'") && Catch::Contains("clusters.cpp:") &&
                                            Catch::Contains("the kernel uses clusters of blocks") && Catch::Contains(".cluster(n)"));
  CHECK_THROWS_WITH(neighbours.cluster(2).ptx(80), Catch::Contains("clusters need sm_90 or newer, and this is sm_80"));
  on_every_device_with_clusters([](const ox::Stream& stream) {
    auto a = ox::DeviceBuffer<float>::zeroed(stream, 96);
    auto b = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 96 * words);
    CHECK_THROWS_WITH(neighbours.cluster(2)(stream, ox::LaunchConfig{.grid = 3, .block = 32}, a, b),
                      Catch::Contains("a grid of whole clusters of 2 x 1 x 1 blocks"));
  });
}

TEST_CASE("PTX reaches the shared memory of a cluster directly, with each barrier once") {
  for (const unsigned sm : {90u, 100u, 120u}) {
    const std::string ptx = neighbours.cluster(4).ptx(ox::jit::Target::nvptx(sm));
    INFO(ptx);
    CHECK(count(ptx, "barrier.cluster.arrive.aligned") == 3);
    CHECK(count(ptx, "barrier.cluster.wait.aligned") == 3);
    CHECK(count(ptx, "mapa.shared::cluster") == 6);
    CHECK(count(ptx, "ld.shared::cluster") == 4);
    CHECK(count(ptx, "st.shared::cluster") == 1);
    CHECK(count(ptx, "atom.acq_rel.cluster.shared::cluster.add.u32") == 1);
    CHECK(count(ptx, "atom.relaxed.cluster.shared::cluster.cas.b64") == 1);  // a maximum of 64 bits
    CHECK(count(ptx, "atom.relaxed.cluster.shared::cluster.cas.b32") == 1);
    CHECK(count(ptx, "cvta") == 0);
    const std::string named = two_names.ptx(ox::jit::Target::nvptx(sm));
    INFO(named);
    CHECK(count(named, "st.shared.") == 2);
    CHECK(count(named, "ld.shared.") == 1);
    CHECK(count(named, "st.shared::cluster.") == 1);
    CHECK(count(named, "ld.shared::cluster.") == 2);
    CHECK(count(named, "fence.sc.cluster;") == 1);
    CHECK(count(named, "atom.relaxed.cluster.global.or.b32") == 1);
    if (has_assembler()) CHECK(assemble(named, sm) == "");
    if (has_assembler()) CHECK(assemble(ptx, sm) == "");
    if (has_assembler()) CHECK(assemble(both.ptx(ox::jit::Target::nvptx(sm)), sm) == "");
  }
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}

namespace {

static constexpr auto met = ox::function("met", [](ox::u32 x) {
  ox::this_cluster().sync();
  return x;
});
template <bool gpu>
inline constexpr auto one_side = ox::kernel("one_side", [](ox::Span<std::uint32_t> out) {
                                   const ox::u32 i = ox::block_idx.x() * ox::block_dim.x() + ox::thread_idx.x();
                                   ox::u32 x = 5;
                                   if (ox::on_gpu() == gpu) x = met(i);
                                   out.unchecked_mut(i) = x;
                                 }).cluster(2);

}  // namespace

TEST_CASE("blocks that meet on one sort of device only all run on both") {
  on_every_device_with_clusters([](const ox::Stream& stream) {
    const auto check = [&](const auto& kernel, bool meets) {
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 16);
      kernel(stream, ox::LaunchConfig{4, 4}, out);
      std::vector<std::uint32_t> expected(16, 5);
      for (std::uint32_t i = 0; meets && i != 16; ++i) expected[i] = i;
      CHECK(out.to_host(stream) == expected);
    };
    const bool gpu = device_of(stream).is_gpu();
    check(one_side<true>, gpu);
    check(one_side<false>, !gpu);
  });
}
