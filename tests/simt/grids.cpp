// Kernels that wait for their whole grid: on every device, at its limits, and what goes wrong with them.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

namespace {

// Each step, every element becomes the sum of itself and two elements of other blocks, of the step before: in place, with values, a shared
// array and an array of the thread's own that live across the barriers.
constexpr auto waves = ox::kernel("waves", [](ox::u32 steps, ox::Span<std::uint32_t> cells, ox::Span<std::uint32_t> out) {
                         ox::Shared<std::uint32_t, 256> tile;
                         ox::LocalArray<std::uint32_t, 4> own;
                         auto grid = ox::this_grid();
                         const ox::u32 n = ox::cast<std::uint32_t>(grid.size()), i = ox::cast<std::uint32_t>(grid.thread_rank());
                         const ox::u32 t = ox::block::thread_rank();
                         tile[t] = i;
                         ox::u32 sum = 0;
                         for (auto step : ox::range(steps)) {
                           ox::u32 x = cells[i] + cells[(i + n / 2u) % n] * 3u + cells[(i * 7u + step) % n];
                           own[step % 4u] = x;
                           grid.sync();
                           cells.unchecked_mut(i) = x;
                           grid.sync();
                           sum += x;
                         }
                         out.unchecked_mut(i) = sum + tile[t] + own[0] * 5u;
                       }).cooperative();

std::vector<std::uint32_t> model_of_waves(std::uint32_t steps, std::vector<std::uint32_t> cells) {
  const auto n = static_cast<std::uint32_t>(cells.size());
  std::vector<std::uint32_t> sum(n, 0), own(n, 0);
  for (std::uint32_t step = 0; step != steps; ++step) {
    std::vector<std::uint32_t> next(n);
    for (std::uint32_t i = 0; i != n; ++i) next[i] = cells[i] + cells[(i + n / 2) % n] * 3 + cells[(i * 7 + step) % n];
    cells = next;
    for (std::uint32_t i = 0; i != n; ++i) {
      sum[i] += cells[i];
      if (step % 4 == 0) own[i] = cells[i];
    }
  }
  for (std::uint32_t i = 0; i != n; ++i) sum[i] += i + own[i] * 5;
  return sum;
}

// Waits once, on one of two lines, or not at all.
constexpr std::uint32_t meets_line = __LINE__;
constexpr auto meets = ox::kernel("meets", [](ox::u32 block, ox::u32 thread, ox::u32 mode, ox::Span<std::uint32_t> out) {
                         if (ox::block_idx.x() == block && ox::thread_idx.x() >= thread) {
                           if (mode == 1u) return;
                           if (mode == 2u) out.unchecked_mut(0) = out[ox::thread_idx.x() + 1000000u];
                           if (mode == 3u) {
                             ox::this_grid().sync();
                             return;
                           }
                         }
                         ox::this_grid().sync();
                         out.unchecked_mut(0) = 1;
                       }).cooperative();

std::string at(std::uint32_t line) { return "grids.cpp:" + std::to_string(line); }

}  // namespace

TEST_CASE("a grid waits for all of its threads, again and again") {
  on_every_device([](const ox::Stream& stream) {
    struct Shape {
      ox::Dim3 grid, block;
    };
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 96}, Shape{7, 33}, Shape{{3, 2, 2}, {4, 5, 3}}, Shape{60, 256}, Shape{100, 64}}) {
      const auto n = static_cast<std::size_t>(shape.grid.count() * shape.block.count());
      const std::vector<std::uint32_t> in = random_numbers<std::uint32_t>(n, 0, 0xffffffff, n);
      auto cells = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
      waves(stream, ox::LaunchConfig{.grid = shape.grid, .block = shape.block}, 9, cells, out);
      INFO("grid " << shape.grid.text() << ", block " << shape.block.text());
      CHECK(out.to_host(stream) == model_of_waves(9, in));
    }
  });
}

TEST_CASE("a grid barrier that not all threads reach is an error with its line on every device, and none hangs", "[fault]") {
  on_every_device([](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 256);
    const auto fault = [&](std::uint32_t block, std::uint32_t thread, std::uint32_t mode) {
      return std::string(
          fault_of(stream, [&] { meets(stream, ox::LaunchConfig{.grid = 9, .block = 70}, block, thread, mode, out); }).what());
    };
    // A block that ends, and threads of a block.
    for (const std::uint32_t thread : {0u, 3u, 69u})
      for (const std::uint32_t block : {0u, 5u}) {
        const std::string text = fault(block, thread, 1);
        CHECK_THAT(text, Catch::Contains("this_grid().sync was not reached by all threads of the grid; others have ended"));
        CHECK_THAT(text, Catch::Contains(at(meets_line + 10)) && Catch::Contains("kernel 'meets'"));
      }
    // A check that fails is what is told of.
    // On a GPU whichever of the ten threads was first.
    CHECK_THAT(fault(4, 60, 2),
               Catch::Contains("index 10000") && Catch::Contains("is outside of parameter 4") && Catch::Contains(at(meets_line + 4)));
    // And then all is as before.
    meets(stream, ox::LaunchConfig{.grid = 9, .block = 70}, 100, 0, 0, out);
    CHECK(out.to_host(stream)[0] == 1);
  });
  // Barriers on two lines: a GPU cannot tell them apart.
  const ox::Stream cpu = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(cpu, 256);
  for (const std::uint32_t thread : {0u, 3u}) {
    const std::string text = fault_of(cpu, [&] { meets(cpu, ox::LaunchConfig{.grid = 3, .block = 64}, 1, thread, 3, out); }).what();
    CHECK_THAT(text, Catch::Contains("this_grid().sync was not reached by all threads of the grid; others wait at this_grid().sync at"));
    CHECK_THAT(text, Catch::Contains(at(meets_line + 6)) && Catch::Contains(at(meets_line + 10)));
  }
}

TEST_CASE("a grid that does not fit its device at once is refused; so is a kernel that waits for it and is not cooperative") {
  on_every_device([](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 1);
    CHECK_THROWS_WITH(meets(stream, ox::LaunchConfig{.grid = 3000000, .block = 1024}, 0, 0, 0, out),
                      Catch::Contains("kernel 'meets': needed at most ") &&
                          Catch::Contains(" blocks of 1024 threads, because the kernel is "
                                          "cooperative") &&
                          Catch::Contains("3000000"));
  });
  constexpr std::uint32_t line = __LINE__;
  constexpr auto alone = ox::kernel("alone", [](ox::Span<int> out) {
    out.unchecked_mut(0) = 1;
    ox::this_grid().sync();
  });
  CHECK_THROWS_WITH(alone.graph(), Catch::Contains("kernel 'alone'") && Catch::Contains(at(line + 3)) &&
                                       Catch::Contains("the kernel waits for its whole grid") && Catch::Contains(".cooperative()"));
}

TEST_CASE("PTX has a grid's barriers where they were written, with their fences") {
  for (const unsigned sm : {75u, 90u, 120u}) {
    const std::string ptx = waves.ptx(ox::jit::Target::nvptx(sm));
    CHECK(count(ptx, "atom.acq_rel.gpu.global.add.u32") == 2);
    CHECK(count(ptx, "bar.red.popc.u32") == 2);
    CHECK(count(ptx, "bar.red.or.pred") == 2);
    CHECK(count(ptx, "st.release.gpu.global.b32") >= 2);  // where threads end, and where they fail
    // What is read between two barriers is read there.
    const std::size_t first = ptx.find("bar.red.popc"), second = ptx.find("bar.red.popc", first + 1);
    const std::string between = ptx.substr(first, second - first);
    CHECK(count(between, "st.global.b32") == 1);
    CHECK(count(between, "ld.global.b32") == 0);
    if (has_assembler()) CHECK(assemble(ptx, sm) == "");
  }
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}

namespace {

static constexpr auto met = ox::function("met", [](ox::u32 x) {
  ox::sync_threads();
  return x;
});
template <bool gpu>
inline constexpr auto one_side = ox::kernel("one_side", [](ox::Span<std::uint32_t> out) {
                                   const ox::u32 i = ox::block_idx.x() * ox::block_dim.x() + ox::thread_idx.x();
                                   ox::u32 x = 5;
                                   if (ox::on_gpu() == gpu) {
                                     ox::this_grid().sync();
                                     x = met(i);
                                   }
                                   out.unchecked_mut(i) = x;
                                 }).cooperative();

}  // namespace

TEST_CASE("a grid that is waited for on one sort of device only runs on both") {
  on_every_device([](const ox::Stream& stream) {
    const auto check = [&](const auto& kernel, bool waits) {
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 16);
      kernel(stream, ox::LaunchConfig{4, 4}, out);
      std::vector<std::uint32_t> expected(16, 5);
      for (std::uint32_t i = 0; waits && i != 16; ++i) expected[i] = i;
      CHECK(out.to_host(stream) == expected);
    };
    const bool gpu = device_of(stream).is_gpu();
    check(one_side<true>, gpu);
    check(one_side<false>, !gpu);
  });
}
