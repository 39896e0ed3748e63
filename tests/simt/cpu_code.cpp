// What becomes of threads together on the CPU: loops that all threads make in step, and checks that are proved and not made.
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/jit/compile.hpp>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

namespace {

// A loop over memory with ways past and out of it, in a loop of barriers, behind an early end.
constexpr auto strided = ox::kernel("strided", [](ox::i32 rounds, ox::Span<const int> in, ox::Span<int> out) {
  ox::Shared<int, 256> tile;
  const ox::u32 t = ox::thread_idx.x(), threads = ox::block_dim.x(), i = ox::block_idx.x() * threads + t;
  tile[t] = 0;
  if (i == 7u) return;
  ox::i32 sum = 0;
  for (auto round : ox::range(rounds)) {
    tile[t] = sum;
    ox::sync_threads();
    sum = tile[select(t + 1u == threads, t, t + 1u)];
    for (auto k : ox::grid_stride(in.size())) {
      ox::i32 x = in[k];
      if (x % 7 == 0) continue;
      if (x > 900) break;
      sum += x * (round + 1);
    }
    ox::sync_threads();
  }
  out.unchecked_mut(i) = sum;
});

std::vector<int> strided_on_host(int rounds, const std::vector<int>& in, std::uint32_t blocks, std::uint32_t threads) {
  std::vector<int> out(std::size_t{blocks} * threads, -1);
  for (std::uint32_t block = 0; block != blocks; ++block) {
    std::vector<int> sums(threads, 0);
    for (int round = 0; round != rounds; ++round) {
      std::vector<int> next = sums;
      for (std::uint32_t t = 0; t != threads; ++t) {
        const std::uint32_t i = block * threads + t, from = t + 1 == threads ? t : t + 1;
        if (i == 7) continue;
        int sum = sums[from];
        for (std::size_t k = i; k < in.size(); k += std::size_t{blocks} * threads) {
          if (in[k] % 7 == 0) continue;
          if (in[k] > 900) break;
          sum += in[k] * (round + 1);
        }
        next[t] = sum;
      }
      sums = next;
    }
    for (std::uint32_t t = 0; t != threads; ++t)
      if (block * threads + t != 7) out[block * threads + t] = sums[t];
  }
  return out;
}

// Reads behind the end in the last pass of some threads.
constexpr auto too_far = ox::kernel("too_far", [](ox::Span<const int> in, ox::Span<int> out) {
  ox::Shared<int, 64> tile;
  const ox::u32 t = ox::thread_idx.x();
  ox::i32 sum = 0;
  for (auto k : ox::grid_stride(in.size())) sum += in[ox::u64(k) + 3u];
  tile[t] = sum;
  ox::sync_threads();
  out.unchecked_mut(t) = tile[63u - t];
});

constexpr auto checks = ox::kernel("checks", [](ox::Span<const float> in, ox::Span<float> out) {
  ox::Shared2D<float, 4, 64> tile;
  ox::Shared<float, 128> line;
  const ox::u32 x = ox::thread_idx.x(), y = ox::thread_idx.y();
  line[x + 64u] = in[x];
  line[x & 127u] = line[ox::min(x, 60u) + y];
  tile(y, x) = in[x];
  tile(y, x) += in[x];
  ox::sync_threads();
  out.unchecked_mut(y * 64u + x) = tile(3u - y, 63u - x) + tile(y, x);
});

// The checks that are left for the CPU, before anything is optimized: each is an unlikely branch.
template <class K>
std::size_t checks_left(const K& kernel) {
  using Buffer = ox::DeviceBuffer<float>;
  const ox::jit::CompiledCode code =
      ox::jit::compile(*kernel.template graph<Buffer, Buffer>(), {ox::jit::Target::host(), 0, OXIDE_JIT_KEEP_LLVM});
  return count(std::string(code.llvm_ir()), "!prof !");
}

}  // namespace

TEST_CASE("loops that stride over memory, with ways past and out of them") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t threads : {1u, 33u, 64u, 256u})
      for (const std::size_t n : {std::size_t{0}, std::size_t{40}, std::size_t{5003}}) {
        INFO(threads << " threads, " << n << " elements");
        const std::vector<int> in = random_numbers<int>(n, -1000, 1000, n + threads);
        const auto a = ox::DeviceBuffer<int>::from_host(stream, in);
        auto out = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>(std::size_t{3} * threads, -1));
        strided(stream, ox::LaunchConfig{.grid = 3, .block = threads}, 4, a, out);
        CHECK(out.to_host(stream) == strided_on_host(4, in, 3, threads));
      }
  });
}

TEST_CASE("a check that fails in such a loop names the thread's own pass") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  const auto in = ox::DeviceBuffer<int>::zeroed(stream, 150);
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 64);
  std::string error;
  try {
    too_far(stream, ox::LaunchConfig{.grid = 1, .block = 64}, in, out);
  } catch (const ox::KernelFault& e) {
    error = e.what();
  }
  INFO(error);
  CHECK(error.find("150") != std::string::npos);
  CHECK(error.find("thread (19, 0, 0)") != std::string::npos);  // 2 * 64 + 19 + 3 is 150
}

TEST_CASE("checks that the block's size or a check before proves are not made") {
  CHECK(checks_left(checks.block(64, 4)) == 1);  // in[x], once
  // Also x + 64 and min(x, 60) + y below 128, x below 64, y below 4, 3 - y and 63 - x; the last one in the code of plain rows, too.
  CHECK(checks_left(checks) == 8);
}
