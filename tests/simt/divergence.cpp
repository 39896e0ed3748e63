// On the CPU, what not all threads reach ends in an error that names where, never in a hang or in a made-up result; and threads that have
// ended are not waited for.
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"

namespace {

std::string at(std::uint32_t line) { return "divergence.cpp:" + std::to_string(line); }

template <class Kernel>
std::string fault_of_mode(const Kernel& kernel, std::uint32_t block, int mode) {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 1024);
  try {
    kernel(stream, ox::LaunchConfig{.grid = 2, .block = block}, mode, out);
  } catch (const ox::KernelFault& fault) {
    return fault.what();
  }
  return "no fault";
}

// Barriers in loops and branches. With `lanes` the kernel has operations of a warp, and each warp runs on its own.
constexpr std::uint32_t barriers_line = __LINE__;
template <bool lanes>
constexpr auto barriers = ox::kernel("barriers", [](ox::i32 mode, ox::Span<int> out) {
  const ox::i32 t = ox::cast<int>(ox::thread_idx.x());
  ox::i32 sum = t;
  if constexpr (lanes) sum += ox::warp::shfl_xor(t, 1);
  if (mode == 0)                                // nested loops, the inner one with other numbers of passes
    for (auto k : ox::range(3))
      for (auto j : ox::range(k + t / 40)) {
        ox::sync_threads();                     // + 9
        sum += j;
      }
  if (mode == 1) {                              // a loop on a device condition
    ox::i32 left = t / 16 + 1;
    while (left > 0) {
      ox::sync_threads();                       // + 15
      left -= 1;
    }
  }
  if (mode == 2 && t < 32 && ox::sync_threads_or(t == 3)) sum = 1;                // + 19
  if (mode == 3) {
    if (t >= 32) ox::sync_threads();            // + 21
    if (t < 32) ox::sync_threads();             // + 22
  }
  if (mode == 4) {                              // one way out of a loop goes past its barrier
    for (auto k : ox::range(5)) {
      if (k == 2 && t == 50) break;
      ox::sync_threads();                       // + 27
    }
  }
  if (mode == 5 && t == 5) return;              // ends before all barriers
  if (mode == 6) {                              // ends in a loop of barriers
    for (auto k : ox::range(4)) {
      if (t > 20 * k + 3) return;
      ox::sync_threads();
    }
  }
  ox::i32 yes = ox::cast<int>(ox::sync_threads_count(t >= 0));                    // + 37
  out.unchecked_mut(t) = sum + yes;
});

constexpr std::uint32_t warps_line = __LINE__;
constexpr auto warps = ox::kernel("warps", [](ox::i32 mode, ox::Span<int> out) {
  const ox::i32 t = ox::cast<int>(ox::thread_idx.x()), lane = t % 32;
  ox::i32 x = t;
  if (mode == 0)                                // other numbers of passes
    for (auto k : ox::range(lane / 8)) x += ox::warp::shfl(x, ox::cast<std::uint32_t>(k));                // + 5
  if (mode == 1) {
    if (lane < 16) x = ox::warp::reduce_add(x);                                   // + 7
    else x = ox::warp::reduce_add(x);                                             // + 8
  }
  if (mode == 2 && lane < 8) x = ox::warp::shfl(x, 0, 32, 0xffffu);               // + 10
  if (mode == 3 && lane >= 8) return;
  if (mode == 3) x = ox::warp::shfl(x, 1, 32, 0xffffffffu);  // the mask names lanes that have ended
  if (mode == 4) x = ox::warp::shfl(x, 0, 32, ox::select(lane < 16, ox::u32(0xffffu), ox::u32(0xffff0000u)));
  if (mode == 5) x = ox::warp::shfl(x, 0, 32, ox::select(lane < 17, ox::u32(0x1ffffu), ox::u32(0xffff0000u)));  // + 14
  if (mode == 6 && lane != 3) ox::warp::sync();                                   // + 15
  if (mode == 7 && (lane < 4 || !ox::warp::any(lane == 9))) x = 2;                // + 16
  ox::sync_threads();                                                             // + 17
  out.unchecked_mut(t) = x;
});

template <class Kernel>
void check_missed(const Kernel& kernel, int mode, std::uint32_t line, std::uint32_t other) {
  INFO(mode);
  const std::string text = fault_of_mode(kernel, 64, mode);
  CHECK_THAT(text, Catch::Contains(" was not reached by all threads of the ") && Catch::Contains("; others wait at "));
  CHECK_THAT(text, Catch::Contains(at(line)) && Catch::Contains(at(other)));
}

template <bool lanes>
void check_barriers() {
  const auto& k = barriers<lanes>;
  constexpr std::uint32_t line = barriers_line, last = line + 37;
  check_missed(k, 0, line + 9, last);
  check_missed(k, 1, line + 15, last);
  check_missed(k, 2, line + 19, last);
  check_missed(k, 3, line + 21, line + 22);
  check_missed(k, 4, line + 27, last);
  for (const int mode : {5, 6, 7}) {
    INFO(mode);
    CHECK(fault_of_mode(k, 64, mode) == "no fault");
  }
}

}  // namespace

TEST_CASE("barriers in loops and branches that threads pass unlike each other name their lines") {
  check_barriers<false>();
  check_barriers<true>();
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 64);
  barriers<false>(stream, ox::LaunchConfig{.grid = 1, .block = 64}, 5, out);  // 63 threads are left to be counted
  const std::vector<int> got = out.to_host(stream);
  for (int t = 0; t != 64; ++t) CHECK(got[static_cast<std::size_t>(t)] == (t == 5 ? 0 : t + 63));
}

TEST_CASE("operations of a warp that lanes pass unlike each other name their lines; lanes that have ended are not waited for") {
  constexpr std::uint32_t line = warps_line, last = line + 17;
  check_missed(warps, 0, line + 5, last);
  check_missed(warps, 1, line + 7, line + 8);
  check_missed(warps, 2, line + 10, last);
  check_missed(warps, 6, line + 15, last);
  check_missed(warps, 7, line + 16, last);
  for (const int mode : {3, 4, 8}) {
    INFO(mode);
    CHECK(fault_of_mode(warps, 64, mode) == "no fault");
    CHECK(fault_of_mode(warps, 40, mode) == "no fault");
  }
  // Lane 16 names the lower half, which does not name those above it, and they name it.
  CHECK_THAT(fault_of_mode(warps, 64, 5), Catch::Contains("warp::shfl was not reached by all threads of the warp that its mask names") &&
                                              Catch::Contains(at(line + 14)));
}
