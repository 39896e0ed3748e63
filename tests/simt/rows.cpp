// Rows of threads that the CPU takes apart: branches on a thread's place, clamps and guards at both ends of the data, threads that end
// early in one part and wait in another, and checks that fail in the middle of a row.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"

namespace {

// Reads two to the left and three to the right, where the ends are repeated: with indices of all kinds, between barriers.
template <class Finish>
void clamped_sums(ox::u32 n, ox::u32 offset, ox::i32 shift, ox::Span<const int>& in, Finish finish) {
  ox::Shared2D<int, 4, 64> tile;
  const ox::u32 x = ox::thread_idx.x(), y = ox::thread_idx.y();
  const ox::u32 i = (ox::block_idx.x() * ox::block_dim.y() + y) * ox::block_dim.x() + x;
  const ox::u32 left = ox::min(ox::max(i + offset, 2u) - 2u, n - 1u);
  const ox::i32 right = ox::min(ox::max(ox::cast<int>(i) + shift, 0), ox::cast<int>(n) - 1);
  const ox::u64 far = ox::min(ox::u64(i) + 60u, ox::u64(n - 1u));
  ox::i32 sum = in[left] * 3 + in[ox::cast<std::uint64_t>(right)] * 5 + in[far];
  if (x < 2u) sum += 1000;
  else if (x >= 33u && y != 1u) sum += 2000;
  if (y == 1u || !(x + 3u <= 20u)) sum -= 7;
  if (x == 4u && y < 2u) sum = -sum;
  tile(y, x) = sum;
  ox::sync_threads();
  if (y == 2u && x < 3u) return;  // others go on to the barrier
  if (x > 0u) sum += tile(y, x - 1u);
  if (x + 1u < ox::block_dim.x()) sum += 2 * tile(y, x + 1u);
  ox::sync_threads();
  tile(y, x) = sum;
  ox::sync_threads();
  sum = tile(y, x) + 1;
  finish(i, sum);
}

constexpr auto guarded = ox::kernel("guarded", [](ox::u32 n, ox::u32 offset, ox::i32 shift, ox::Span<const int> in, ox::Span<int> out) {
  clamped_sums(n, offset, shift, in, [&](ox::u32 i, ox::i32 sum) {
    if (i < n) out.unchecked_mut(i) = sum;
  });
});
constexpr auto returning = ox::kernel("returning", [](ox::u32 n, ox::u32 offset, ox::i32 shift, ox::Span<const int> in, ox::Span<int> out) {
  clamped_sums(n, offset, shift, in, [&](ox::u32 i, ox::i32 sum) {
    if (i >= n) return;
    if (ox::cast<int>(i) > ox::cast<int>(n) - 4) sum *= 3;
    out.unchecked_mut(i) = sum;
  });
});
constexpr auto guarded_64 = guarded.block(64, 4);
constexpr auto returning_64 = returning.block(64, 4);

std::vector<int> sums_on_host(bool triples, int n, std::uint32_t offset, int shift, const std::vector<int>& in, int blocks, int width,
                              int height) {
  std::vector<int> out(static_cast<std::size_t>(n), -1);
  for (int block = 0; block != blocks; ++block)
    for (int y = 0; y != height; ++y) {
      std::vector<int> row(static_cast<std::size_t>(width));
      const int first = (block * height + y) * width;
      for (int x = 0; x != width; ++x) {
        const auto at = [&](std::int64_t i) { return in[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, n - 1))]; };
        const int i = first + x;
        const std::uint32_t left = static_cast<std::uint32_t>(i) + offset;  // both wrap
        const auto right = static_cast<std::int32_t>(static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(shift));
        int sum = at(std::int64_t{left} - 2) * 3 + at(right) * 5 + at(i + 60);
        if (x < 2) sum += 1000;
        else if (x >= 33 && y != 1) sum += 2000;
        if (y == 1 || !(x + 3 <= 20)) sum -= 7;
        if (x == 4 && y < 2) sum = -sum;
        row[static_cast<std::size_t>(x)] = sum;
      }
      for (int x = 0; x != width; ++x) {
        const auto X = static_cast<std::size_t>(x);
        const int i = first + x;
        if (i >= n || (y == 2 && x < 3)) continue;
        int sum = row[X];
        if (x > 0) sum += row[X - 1];
        if (x + 1 < width) sum += 2 * row[X + 1];
        ++sum;
        if (triples && i > n - 4) sum *= 3;
        out[static_cast<std::size_t>(i)] = sum;
      }
    }
  return out;
}

template <class Kernel>
void check_sums(const ox::Stream& stream, const Kernel& kernel, bool triples, int n, std::uint32_t offset, int shift, int blocks, int width,
                int height) {
  INFO(n << " elements, offset " << offset << ", shift " << shift << ", " << blocks << " blocks of " << width << " x " << height);
  const std::vector<int> in = random_numbers<int>(static_cast<std::size_t>(n) + 100, -100, 100, static_cast<std::uint64_t>(n));
  const auto a = ox::DeviceBuffer<int>::from_host(stream, in);
  auto out = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>(static_cast<std::size_t>(n), -1));
  const ox::LaunchConfig config{.grid = static_cast<std::uint32_t>(blocks),
                                .block = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)}};
  kernel(stream, config, static_cast<std::uint32_t>(n), offset, shift, a, out);
  CHECK(out.to_host(stream) == sums_on_host(triples, n, offset, shift, in, blocks, width, height));
}

// Thread 41 of row 2 reads behind the end, in a row that is otherwise plain; its rest writes.
constexpr auto fails = ox::kernel("fails", [](ox::u32 n, ox::Span<const int> in, ox::Span<int> out) {
  ox::Shared<int, 256> tile;
  const ox::u32 x = ox::thread_idx.x(), i = ox::thread_idx.y() * 64u + x;
  if (x < 10u) out.unchecked_mut(i) = 5;
  tile[i] = in[i + n];
  ox::sync_threads();
  out.unchecked_mut(i) = tile[i];
});

}  // namespace

TEST_CASE("rows with clamps, guards and branches on the thread's place at every end of the data") {
  on_every_device([](const ox::Stream& stream) {
    for (const int n : {1, 3, 40, 64, 65, 200, 509, 512})
      for (const int shift : {3, -1, -70, 0x7fffffff - 40}) {
        const std::uint32_t offset = shift == 3 ? 0 : static_cast<std::uint32_t>(shift) * 2;
        check_sums(stream, guarded, false, n, offset, shift, 2, 64, 4);
        check_sums(stream, returning, true, n, offset, shift, 2, 64, 4);
        check_sums(stream, guarded_64, false, n, offset, shift, 2, 64, 4);
        check_sums(stream, returning_64, true, n, offset, shift, 3, 64, 4);
      }
    for (const int width : {1, 2, 5, 33, 37}) check_sums(stream, guarded, false, 150, 0, 3, 3, width, 3);
  });
}

TEST_CASE("a check that fails in a row names its first thread, and the threads before it have run") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  const auto in = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>(179, 8));
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 256);
  const auto run = [&](std::uint32_t n) { fails(stream, ox::LaunchConfig{.grid = 1, .block = {64, 4}}, n, in, out); };
  const ox::KernelFault fault = fault_of(stream, [&] { run(10); });
  CHECK_THAT(fault.what(), Catch::Contains("index 179 is outside of parameter 2") && Catch::Contains("thread (41, 2, 0)"));
  const std::vector<int> got = out.to_host(stream);
  for (std::size_t i = 0; i != 256; ++i) {
    INFO(i);
    CHECK(got[i] == (i < 169 ? 8 : i % 64 < 10 ? 5 : 0));
  }
  const ox::KernelFault wrapped = fault_of(stream, [&] { run(0xffffffffu - 5u); });  // i + n wraps in the first row
  CHECK_THAT(wrapped.what(), Catch::Contains("index 4294967290 is outside of parameter 2") && Catch::Contains("thread (0, 0, 0)"));
}
