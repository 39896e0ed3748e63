// What threads do together in ox::functions: where threads are, and collective operations, on every device, against a host model.
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

#include <oxide/dsl/cluster.hpp>

namespace {

std::string at(std::uint32_t line) { return "functions.cpp:" + std::to_string(line); }

// ---- where a thread is: in functions that are called, at some depth

struct Place {
  ox::u32 x, y, z, lane, warp, warps;
};
const ox::Function<Place(ox::u32)> place_at_depth("place_at_depth", [](ox::u32 depth) -> Place {
  if (depth > 0) {
    Place p = place_at_depth(depth - 1u);
    p.x = p.x + 1u;
    return p;
  }
  return {ox::thread_idx.x(),  ox::thread_idx.y(),  ox::thread_idx.z(),
          ox::warp::lane_id(), ox::warp::warp_id(), (ox::block_dim.x() * ox::block_dim.y() * ox::block_dim.z() + 31u) / 32u};
});

template <bool meets>
constexpr auto places = ox::kernel("places", [](ox::u32 depth, ox::Span<std::uint32_t> out) {
  if constexpr (meets) ox::sync_threads();
  const Place p = place_at_depth(depth);
  const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
  const ox::u32 all[] = {p.x, p.y, p.z, p.lane, p.warp, p.warps};
  for (std::uint32_t k = 0; k != 6; ++k) out.unchecked_mut(i * 6u + k) = all[k];
});

template <bool meets>
void check_places(const ox::Stream& stream) {
  constexpr std::uint32_t x = 5, y = 7, z = 3, size = x * y * z, depth = 4;
  auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, std::size_t{2} * size * 6);
  places<meets>(stream, ox::LaunchConfig{.grid = 2, .block = {x, y, z}}, depth, out);
  const std::vector<std::uint32_t> got = out.to_host(stream);
  for (std::uint32_t i = 0; i != 2 * size; ++i) {
    const std::uint32_t t = i % size;
    const std::array<std::uint32_t, 6> wanted{t % x + depth, t / x % y, t / x / y, t % 32, t / 32, (size + 31) / 32};
    CHECK(std::equal(wanted.begin(), wanted.end(), got.begin() + 6 * i));
  }
}

// ---- collective operations

// A reduction of the block by hand: warps first. Called by other functions, and in a loop.
constexpr auto block_sum = ox::function("block_sum", [](ox::u32 x) -> ox::u32 {
  ox::Shared<std::uint32_t, 32> sums;
  ox::u32 sum = x;
  for (std::uint32_t d = 16; d != 0; d /= 2) sum += ox::warp::shfl_xor(sum, d);
  if (ox::warp::lane_id() == 0u) sums[ox::warp::warp_id()] = sum;
  ox::sync_threads();
  sum = 0;
  for (auto w : ox::range((ox::block_dim.x() + 31u) / 32u)) sum += sums[w];
  ox::sync_threads();  // the next call writes them again
  return sum;
});

struct Statistics {
  ox::u32 sum, odd;
};
// Calls twice, gives back a struct, changes what it is given, and ends early where all threads do.
constexpr auto statistics = ox::function("statistics", [](ox::u32 x, ox::u32& calls, ox::LocalArray<std::uint32_t, 4>& last) -> Statistics {
  calls += 1;
  if (calls > 2) return Statistics{0, 77};
  Statistics s{block_sum(x), block_sum(x & 1u)};
  last[calls % 4u] = s.sum;
  return s;
});
const ox::Function<ox::u32(ox::u32)> gauss("gauss", [](ox::u32 n) -> ox::u32 {  // called, not inlined, from what is
  if (n == 0) return 0;
  return n + gauss(n - 1u);
});
constexpr auto votes = ox::function("votes", [](auto op, ox::u32 x, ox::Span<const std::uint32_t> in) {
  const ox::u32 scanned = ox::block::inclusive_scan(x, op);
  ox::u32 lanes = ox::warp::ballot((in[scanned % ox::cast<std::uint32_t>(in.size())] & 1u) == 1u);
  if (ox::sync_threads_or(x == 3u)) lanes ^= 1u;
  return lanes + scanned + gauss(x % 8u);
});

constexpr auto together = ox::kernel("together", [](ox::u32 passes, ox::Span<const std::uint32_t> in, ox::Span<std::uint32_t> out) {
  const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
  ox::u32 calls = 0, total = 0, odd = 0;
  ox::LocalArray<std::uint32_t, 4> last;
  for (auto pass : ox::range(passes)) {
    Statistics s = statistics(in[i] + pass, calls, last);
    total += s.sum;
    odd += s.odd;
  }
  const auto plus = [](ox::u32 a, ox::u32 b) { return a + b; };
  const ox::u32 mixed = votes(plus, in[i], in);
  const ox::u32 all[] = {total, odd, calls, last[1] + last[2], mixed};
  for (std::uint32_t k = 0; k != 5; ++k) out.unchecked_mut(i * 5u + k) = all[k];
});

// ---- grids and clusters

constexpr auto next_step = ox::function("next_step", [](ox::u32 i, ox::u32 n, ox::u32 step, ox::Span<std::uint32_t> cells) -> ox::u32 {
  ox::u32 x = cells[i] + cells[(i + n / 2u) % n] + step;
  ox::this_grid().sync();
  cells.unchecked_mut(i) = x;
  ox::this_grid().sync();
  return x;
});
constexpr auto grid_steps = ox::kernel("grid_steps", [](ox::u32 steps, ox::Span<std::uint32_t> cells, ox::Span<std::uint32_t> out) {
                              const ox::u32 n = ox::cast<std::uint32_t>(ox::this_grid().size());
                              const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
                              ox::u32 sum = 0;
                              for (auto step : ox::range(steps)) sum += next_step(i, n, step, cells);
                              out.unchecked_mut(i) = sum;
                            }).cooperative();

const ox::Function<ox::u32(ox::u32)> rank_at_depth("rank_at_depth", [](ox::u32 depth) -> ox::u32 {
  if (depth == 0) return ox::this_cluster().block_rank() * 100u + ox::this_cluster().num_blocks();
  return rank_at_depth(depth - 1u);
});
constexpr auto from_next = ox::function("from_next", [](ox::u32 x) -> ox::u32 {
  ox::Shared<std::uint32_t, 64> tile;
  auto cluster = ox::this_cluster();
  tile[ox::thread_idx.x()] = x;
  cluster.sync();
  const ox::u32 got = cluster.map_shared_rank(tile, (cluster.block_rank() + 1u) % cluster.num_blocks())[ox::thread_idx.x()];
  cluster.sync();
  return got;
});
constexpr auto ring = ox::kernel("ring", [](ox::Span<std::uint32_t> out) {
                        const ox::u32 i = ox::cast<std::uint32_t>(ox::this_grid().thread_rank());
                        out.unchecked_mut(i) = from_next(from_next(i)) * 1000u + rank_at_depth(3);
                      }).cluster(4);

}  // namespace

TEST_CASE("functions know the thread's place in its block and its warp, however deep they are called") {
  on_every_device([](const ox::Stream& stream) {
    check_places<false>(stream);
    check_places<true>(stream);
  });
}

TEST_CASE("functions do what threads do together: called by functions, in loops, with results, references and arrays") {
  constexpr std::uint32_t block = 96, blocks = 3, passes = 4;
  const std::vector<std::uint32_t> in = random_numbers<std::uint32_t>(block * blocks, 0, 50, 3);
  on_every_device([&](const ox::Stream& stream) {
    const auto device_in = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, in.size() * 5);
    together(stream, ox::LaunchConfig{.grid = blocks, .block = block}, passes, device_in, out);
    const std::vector<std::uint32_t> got = out.to_host(stream);
    for (std::uint32_t b = 0; b != blocks; ++b) {
      const std::uint32_t* x = in.data() + b * block;
      std::array<std::uint32_t, 2> sum{}, odd{};
      for (std::uint32_t pass = 0; pass != 2; ++pass)
        for (std::uint32_t t = 0; t != block; ++t) sum[pass] += x[t] + pass, odd[pass] += (x[t] + pass) & 1;
      std::vector<std::uint32_t> scanned(block), lanes(block / 32, 0);
      std::inclusive_scan(x, x + block, scanned.begin());
      for (std::uint32_t t = 0; t != block; ++t) lanes[t / 32] |= (in[scanned[t] % in.size()] & 1) << (t % 32);
      const std::uint32_t flip = std::find(x, x + block, 3u) != x + block ? 1 : 0;
      for (std::uint32_t t = 0; t != block; ++t) {
        const std::uint32_t up = x[t] % 8;
        const std::array<std::uint32_t, 5> wanted{sum[0] + sum[1], odd[0] + odd[1] + 2 * 77, passes, sum[0] + sum[1],
                                                  (lanes[t / 32] ^ flip) + scanned[t] + up * (up + 1) / 2};
        const std::uint32_t* here = got.data() + 5 * (b * block + t);
        CHECK(std::vector<std::uint32_t>(here, here + 5) == std::vector<std::uint32_t>(wanted.begin(), wanted.end()));
      }
    }
  });
  CHECK(together.graph()->functions.size() == 4);
}

TEST_CASE("functions wait for the grid, and for their cluster") {
  constexpr std::uint32_t block = 64, blocks = 4, n = block * blocks, steps = 3;
  const std::vector<std::uint32_t> in = random_numbers<std::uint32_t>(n, 0, 1000, 5);
  std::vector<std::uint32_t> wanted = in, sums(n, 0);
  for (std::uint32_t step = 0; step != steps; ++step) {
    const std::vector<std::uint32_t> old = wanted;
    for (std::uint32_t i = 0; i != n; ++i) sums[i] += wanted[i] = old[i] + old[(i + n / 2) % n] + step;
  }
  on_every_device([&](const ox::Stream& stream) {
    auto cells = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
    auto sums_out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
    grid_steps(stream, ox::LaunchConfig{.grid = blocks, .block = block}, steps, cells, sums_out);
    CHECK(cells.to_host(stream) == wanted);
    CHECK(sums_out.to_host(stream) == sums);
    const ox::DeviceProperties& p = device_of(stream).properties();
    if (p.kind == ox::DeviceKind::gpu && p.sm < 90) return;
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 2 * n);
    ring(stream, ox::LaunchConfig{.grid = 2 * blocks, .block = block}, out);
    const std::vector<std::uint32_t> got = out.to_host(stream);
    for (std::uint32_t i = 0; i != 2 * n; ++i) {
      const std::uint32_t rank = i / block % 4, from = i - rank * block + (rank + 2) % 4 * block;
      CHECK(got[i] == from * 1000 + rank * 100 + 4);
    }
  });
  for (const unsigned sm : {75u, 90u}) {
    const std::string ptx = grid_steps.ptx(sm);
    CHECK(count(ptx, "bar.red.popc.u32") == 2);  // the function is part of the kernel
    if (has_assembler()) CHECK(assemble(ptx, sm) == "");
  }
  if (has_assembler()) CHECK(assemble(ring.ptx(90), 90) == "");
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}

namespace {

constexpr std::uint32_t wait_line = __LINE__ + 2;
constexpr auto wait_for_all = ox::function("wait_for_all", [](ox::u32 x) -> ox::u32 {
  ox::sync_threads();
  return x + 1u;
});
constexpr std::uint32_t share_line = __LINE__ + 2;
constexpr auto share = ox::function("share", [](ox::u32 x, ox::Span<std::uint32_t> out) -> ox::u32 {
  ox::u32 y = ox::warp::shfl(x, 0);
  ox::u32 z = wait_for_all(y);
  return out[z];
});

constexpr std::uint32_t kernel_line = __LINE__;
constexpr auto parts = ox::kernel("parts", [](ox::u32 mode, ox::Span<std::uint32_t> out) {
  const ox::u32 t = ox::thread_idx.x();
  ox::u32 x = t;
  if (mode == 0u && t < 40u) x = wait_for_all(x);
  else if (mode == 0u) x = wait_for_all(x);
  if (mode == 1u && t % 2u == 0u) x = share(x, out);
  if (mode == 2u && t >= 32u) x = share(x, out);
  if (mode == 3u) x = share(1000000u - t, out);
  if (mode == 4u && t > 9u) return;
  ox::sync_threads();
  out.unchecked_mut(t) = x;
});

const ox::Function<ox::u32(ox::u32)> sum_down("sum_down", [](ox::u32 depth) -> ox::u32 {
  if (depth == 0) return 0;
  return ox::warp::shfl_down(depth, 1) + sum_down(depth - 1u);
});
constexpr auto recursive = ox::kernel("recursive", [](ox::DisjointSpan<std::uint32_t> out) {
  auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = sum_down(4);
});

const ox::Function<ox::u32(ox::u32)> wait_down("wait_down", [](ox::u32 depth) -> ox::u32 {
  if (depth == 0) return 0;
  ox::this_grid().sync();
  return wait_down(depth - 1u);
});

template <int depth>
ox::u32 twice_at_each_level(ox::u32 x) {
  if constexpr (depth == 0) {
    return ox::warp::shfl_xor(x, 1);
  } else {
    static constexpr auto f = ox::function("level", [](ox::u32 y) -> ox::u32 { return twice_at_each_level<depth - 1>(y); });
    return f(x) + f(x + 1u);
  }
}

}  // namespace

TEST_CASE("on the CPU what not all threads reach in a function names its line, the function and where it was called") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 64);
  const auto fault = [&](std::uint32_t mode) {
    try {
      parts(stream, ox::LaunchConfig{.grid = 1, .block = 64}, mode, out);
    } catch (const ox::KernelFault& e) {
      return std::string(e.what());
    }
    return std::string("no fault");
  };
  CHECK(fault(4) == "no fault");
  CHECK(fault(5) == "no fault");

  const std::string two_calls = fault(0);
  CHECK_THAT(two_calls, Catch::Contains("kernel 'parts'") && Catch::Contains("sync_threads was not reached by all threads of the block") &&
                            Catch::Contains("others wait at sync_threads at ") && Catch::Contains(at(wait_line)) &&
                            Catch::Contains("in function 'wait_for_all' called at ") && Catch::Contains(at(kernel_line + 4)) &&
                            Catch::Contains(at(kernel_line + 5)));
  const std::string lanes = fault(1);
  CHECK_THAT(lanes, Catch::Contains("warp::shfl was not reached by all threads of the warp that its mask names") &&
                        Catch::Contains("others wait at sync_threads at ") && Catch::Contains(at(share_line)) &&
                        Catch::Contains("in function 'share' called at ") && Catch::Contains(at(kernel_line + 6)));
  const std::string nested = fault(2);
  CHECK_THAT(nested, Catch::Contains("in function 'wait_for_all' called at ") && Catch::Contains(at(share_line + 1)) &&
                         Catch::Contains("in function 'share' called at ") && Catch::Contains(at(kernel_line + 7)));
  const std::string outside = fault(3);
  CHECK_THAT(outside, Catch::Contains("index 1000001 is outside of") && Catch::Contains(at(share_line + 2)) &&
                          Catch::Contains("in function 'share' called at ") && Catch::Contains(at(kernel_line + 8)));
}

TEST_CASE("recursion in which threads do something together is for GPUs; waiting for the grid there, for no device") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 64);
  CHECK_THROWS_WITH(recursive(stream, ox::LaunchConfig::for_num_elems(64), out),
                    Catch::Contains("recursive") &&
                        Catch::Contains("function 'sum_down' may be called while it runs, and does 'shuffle'") &&
                        Catch::Contains("functions.cpp:"));
  CHECK(count(recursive.ptx(90), "shfl.sync.down") == 1);
  constexpr auto waits = ox::kernel("waits", [](ox::Span<std::uint32_t> to) { to.unchecked_mut(0) = wait_down(3); }).cooperative();
  CHECK_THROWS_WITH(waits.graph(), Catch::Contains("kernel 'waits'") &&
                                       Catch::Contains("a function that calls itself cannot wait for the grid") &&
                                       Catch::Contains("functions.cpp:"));
  constexpr auto too_many = ox::kernel("too_many", [](ox::Span<std::uint32_t> to) { to.unchecked_mut(0) = twice_at_each_level<18>(1); });
  CHECK_THROWS_WITH(too_many(stream, ox::LaunchConfig{.grid = 1, .block = 32}, out),
                    Catch::Contains("become part of the kernel at each call") && Catch::Contains("function 'level'"));
}
