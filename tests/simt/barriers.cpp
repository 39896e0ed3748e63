// Barriers of a block: with values that live across them, in loops and branches, in blocks of any size; and what goes wrong with them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"

namespace {

// Every thread adds, over log2 steps, what its neighbour had before the barrier: an inclusive scan by the book.
constexpr auto scan_block = ox::kernel("scan_block", [](ox::Span<const int> in, ox::DisjointSpan<int> out) {
  ox::Shared<int, 1024> tile;
  const auto i = ox::thread::index_1d();
  ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  ox::i32 x = 0;
  if (i < in.size()) x = in[i];
  tile[t] = x;
  ox::sync_threads();
  for (ox::u32 distance = 1; distance < n; distance *= 2u) {
    ox::i32 left = 0;
    if (t >= distance) left = tile[t - distance];
    ox::sync_threads();
    tile[t] += left;
    ox::sync_threads();
  }
  if (auto e = out.get_mut(i)) *e = tile[t] * 2 - x;
});

}  // namespace

TEST_CASE("a scan with barriers in a loop, values across them and blocks of any size") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t block : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 256u, 1000u, 1024u}) {
      const std::size_t n = 3 * block + block / 2;
      const std::vector<int> in = random_numbers<int>(n, -1000, 1000, block);
      auto a = ox::DeviceBuffer<int>::from_host(stream, in);
      auto b = ox::DeviceBuffer<int>::zeroed(stream, n);
      scan_block(stream, ox::LaunchConfig{.grid = 4, .block = block}, a, b);
      std::vector<int> expected(n);
      for (std::size_t first = 0; first < n; first += block) {
        int sum = 0;
        for (std::size_t i = first; i < std::min<std::size_t>(n, first + block); ++i) {
          sum += in[i];
          expected[i] = 2 * sum - in[i];
        }
      }
      INFO("block " << block);
      CHECK(b.to_host(stream) == expected);
    }
  });
}

namespace {

// Uniform branches, threads that end early, the votes of a block, local arrays and products that live across barriers, a 3-D block.
constexpr auto mixed = ox::kernel("mixed", [](ox::i32 mode, ox::Span<const float> in, ox::Span<float> out) {
  ox::Shared<float, 512> tile;
  ox::Shared<bool, 512> flags;
  const ox::u32 t = ox::block::thread_rank(), n = ox::block::size();
  if (t + 3u >= n && mode == 2) return;  // the others' barriers do not wait for these
  ox::f32 x = in[t], product = x * 1.25f;
  std::array<ox::f32, 4> own;
  for (int k = 0; k < 4; ++k) own[static_cast<std::size_t>(k)] = x * k;
  tile[t] = x;
  if (mode == 1) {  // uniform
    ox::sync_threads();
    x += tile[(t + 1u) % n];
    ox::sync_threads();
    tile[t] = x;
  }
  flags[t] = x > 0;
  ox::boolean all = ox::sync_threads_and(x > -9.5f), any = ox::sync_threads_or(x > 9.5f);
  ox::u32 count = ox::sync_threads_count(x > 0);
  ox::f32 sum = product + 0.1f;  // one rounding, as without the barrier
  if (all) sum += 1000;
  if (any) sum += 2000;
  const ox::u32 partner = t ^ 1u;
  if (partner < n) {
    if (mode != 2 || partner + 3u < n) sum += tile[partner];
    if (flags[t]) sum += own[3];
  }
  out.unchecked_mut(2u * t) = sum;
  out.unchecked_mut(2u * t + 1u) = ox::cast<float>(count);
});

}  // namespace

TEST_CASE("barriers in uniform branches, behind early ends, with votes, in blocks of three dimensions") {
  on_every_device([](const ox::Stream& stream) {
    for (const int mode : {0, 1, 2})
      for (const ox::Dim3 block : {ox::Dim3(2), ox::Dim3(64), ox::Dim3(5, 4, 3), ox::Dim3(16, 16), ox::Dim3(500)}) {
        INFO("mode " << mode << ", block " << block.text());
        const std::size_t n = block.count();
        const std::vector<float> in = random_numbers<float>(n, -10, 10, n + static_cast<unsigned>(mode));
        auto a = ox::DeviceBuffer<float>::from_host(stream, in);
        auto b = ox::DeviceBuffer<float>::zeroed(stream, 2 * n);
        mixed(stream, ox::LaunchConfig{.grid = 1, .block = block}, mode, a, b);
        const std::vector<float> out = b.to_host(stream);
        std::vector<float> x = in;
        const std::size_t ends = mode != 2 ? n : n > 3 ? n - 3 : 0;
        if (mode == 1)
          for (std::size_t t = 0; t != n; ++t) x[t] = in[t] + in[(t + 1) % n];
        bool any = false, all = true;
        float count = 0;
        for (std::size_t t = 0; t != ends; ++t) all &= x[t] > -9.5f, any |= x[t] > 9.5f, count += x[t] > 0 ? 1.0f : 0.0f;
        std::size_t wrong = 0;
        for (std::size_t t = 0; t != n; ++t) {
          if (t >= ends) {
            wrong += out[2 * t] != 0;
            continue;
          }
          float sum = __builtin_fmaf(in[t], 1.25f, 0.1f);
          if (all) sum += 1000;
          if (any) sum += 2000;
          const std::size_t partner = t ^ 1;
          if (partner < n) {
            if (mode != 2 || partner + 3 < n) sum += x[partner];
            const float own = in[t] * 3;
            if (x[t] > 0) sum += own;
          }
          wrong += out[2 * t] != sum || out[2 * t + 1] != count;
        }
        CHECK(wrong == 0);
      }
  });
}

namespace {

template <class Kernel>
std::string fault_of(const Kernel& kernel, ox::LaunchConfig config, int value) {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 1024);
  try {
    kernel(stream, config, value, out);
  } catch (const ox::KernelFault& fault) {
    return fault.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("on the CPU a barrier that not all threads reach names its line and the line of the others; none hangs") {
  constexpr std::uint32_t line = __LINE__;
  constexpr auto two_barriers = ox::kernel("two_barriers", [](ox::i32 n, ox::Span<int> out) {
    ox::i32 t = ox::cast<int>(ox::thread_idx.x());
    if (t < n) {
      ox::sync_threads();
    } else {
      ox::sync_threads();
      out.unchecked_mut(0) = 1;
    }
    out.unchecked_mut(1) = 1;
  });
  const std::string text = fault_of(two_barriers, {.grid = 3, .block = 50}, 20);
  CHECK_THAT(text, Catch::Contains("sync_threads was not reached by all threads of the block; others wait at sync_threads at"));
  CHECK_THAT(text,
             Catch::Contains("barriers.cpp:" + std::to_string(line + 4)) && Catch::Contains("barriers.cpp:" + std::to_string(line + 6)));
  CHECK_THAT(text, Catch::Contains("kernel 'two_barriers'"));
  // The same launch where all go one way.
  CHECK(fault_of(two_barriers, {.grid = 3, .block = 50}, 50) == "no fault");
  CHECK(fault_of(two_barriers, {.grid = 3, .block = 50}, 0) == "no fault");

  constexpr auto trips = ox::kernel("trips", [](ox::i32 n, ox::Span<int> out) {
    ox::i32 t = ox::cast<int>(ox::thread_idx.x());
    for (auto k : ox::range(t / n)) {  // as many barriers as the thread's number says
      ox::sync_threads();
      out.unchecked_mut(0) = k;
    }
    ox::sync_threads_or(t > 3);
  });
  CHECK_THAT(fault_of(trips, {.grid = 1, .block = 64}, 16), Catch::Contains("others wait at sync_threads_or"));
  CHECK(fault_of(trips, {.grid = 1, .block = 64}, 64) == "no fault");

  constexpr auto missing_lanes = ox::kernel("missing_lanes", [](ox::i32 n, ox::Span<int> out) {
    ox::i32 t = ox::cast<int>(ox::thread_idx.x());
    if (t % 32 < n) out.unchecked_mut(ox::thread_idx.x()) = ox::warp::shfl(t, 0);
    ox::sync_threads();
  });
  CHECK_THAT(fault_of(missing_lanes, {.grid = 1, .block = 64}, 7),
             Catch::Contains("warp::shfl was not reached by all threads of the warp that its mask names; others wait at sync_threads at"));
  CHECK(fault_of(missing_lanes, {.grid = 1, .block = 64}, 32) == "no fault");

  constexpr auto not_named = ox::kernel(
      "not_named", [](ox::i32 n, ox::Span<int> out) { out.unchecked_mut(ox::thread_idx.x()) = ox::warp::shfl(n, 0, 32, 0xffu); });
  CHECK_THAT(fault_of(not_named, {.grid = 1, .block = 32}, 1),
             Catch::Contains("the mask of warp::shfl does not name the lane that calls it"));

  // Every other operation of threads together, by some lanes only; what the rest waits at is on the line behind.
  constexpr std::uint32_t first = __LINE__ + 6;
  constexpr auto some = ox::kernel("some", [](ox::i32 which, ox::Span<int> out) {
    const ox::u32 t = ox::thread_idx.x();
    const auto add = [](ox::i32 a, ox::i32 b) { return a + b; };
    ox::i32 x = ox::cast<int>(t), sum = 0;
    if (t % 16u < 5u) {
      if (which == 0) sum = ox::warp::reduce(x, add);
      if (which == 1) sum = ox::warp::inclusive_scan(x, add);
      if (which == 2) sum = ox::cast<int>(ox::warp::ballot(x > 3));
      if (which == 3) sum = ox::cast<int>(ox::warp::match_any(x));
      if (which == 4) sum = ox::warp::reduce_max(x);
      if (which == 5) sum = ox::tiled_partition<16>(ox::this_thread_block()).reduce(x, add);
      if (which == 6) ox::tiled_partition<8>(ox::this_thread_block()).sync();
      if (which == 7) sum = ox::block::reduce(x, add);
      if (which == 8) sum = ox::block::exclusive_scan(x, 0, add);
      if (which == 9) sum = ox::cast<int>(ox::sync_threads_count(x > 3));
      if (which == 10) ox::warp::sync();
      if (which == 11) sum = ox::cast<int>(ox::warp::match_all(x));
      if (which == 12 && ox::warp::any(x > 3)) sum = 1;
      if (which == 13) sum = ox::cast<int>(ox::tiled_partition<16>(ox::this_thread_block()).match_any(x));
      if (which == 14) sum = ox::CoalescedThreads(ox::u32(0xffffu) << (t & 16u)).shfl_up(x, 1);
    }
    ox::sync_threads();
    if (which == 15) sum = ox::coalesced_threads().reduce(x, add);  // goes with whoever is there
    out.unchecked_mut(t) = sum;
  });
  for (int which = 0; which != 15; ++which) {
    INFO(which);
    const std::string some_text = fault_of(some, {.grid = 2, .block = 64}, which);
    CHECK_THAT(some_text, Catch::Contains(" was not reached by all threads of the ") && Catch::Contains("; others wait at "));
    CHECK_THAT(some_text, Catch::Contains("barriers.cpp:" + std::to_string(first + static_cast<std::uint32_t>(which))) &&
                              Catch::Contains("barriers.cpp:" + std::to_string(first + 16)));
  }
  CHECK(fault_of(some, {.grid = 2, .block = 64}, 15) == "no fault");

  // Checks fail in one thread, and the others go on past their barriers.
  constexpr auto check_between = ox::kernel("check_between", [](ox::i32 n, ox::Span<int> out) {
    ox::Shared<int, 64> tile;
    tile[ox::thread_idx.x()] = 5;
    ox::sync_threads();
    ox::i32 x = tile[ox::cast<int>(ox::thread_idx.x()) + n];
    ox::sync_threads();
    out.unchecked_mut(ox::thread_idx.x()) = x;
  });
  CHECK_THAT(fault_of(check_between, {.grid = 1, .block = 64}, 60), Catch::Contains("index 64 is outside of the shared array of") &&
                                                                        Catch::Contains("which has 64 elements") &&
                                                                        Catch::Contains("thread (4, 0, 0)"));
}
