// Kernels with shared memory and barriers on the CPU device, against the same kernels in OpenCL C under PoCL: the same blocks, data and
// number of threads. The time is that of the process's processors, which other load on the machine does not change.
#include <oxide/oxide.hpp>
#include <oxide/runtime/cpu/block_pool.hpp>
#include <stdlib.h>

#include <stdexcept>

#include "cpu_simt/kernels.hpp"
#include "cpu_simt/opencl.hpp"
#include "support/figure.hpp"

namespace {

using namespace oxide::bench;
using oxide::DeviceBuffer;

constexpr int rounds = 15;

double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Small whole numbers, whose sums are exact in any order.
std::vector<float> numbers(std::size_t n, std::size_t step) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i != n; ++i) out[i] = static_cast<float>((i * step) % 17) - 8;
  return out;
}

class Bench {
 public:
  Bench(Report& report, const OpenCl& cl) : report_(report), cl_(cl) {}

  void gemm() {
    constexpr std::uint32_t n = 512;
    const std::vector<float> a = numbers(std::size_t{n} * n, 7919), b = numbers(std::size_t{n} * n, 104729);
    const auto ours_a = DeviceBuffer<float>::from_host(stream_, a), ours_b = DeviceBuffer<float>::from_host(stream_, b);
    auto ours_c = DeviceBuffer<float>::zeroed(stream_, a.size());
    const auto theirs_a = cl_.buffer(a), theirs_b = cl_.buffer(b), theirs_c = cl_.buffer(std::vector<float>(a.size()));
    const auto theirs = cl_.build(tiled_gemm_in_opencl, "tiled_gemm");
    measure(
        "tiled_gemm", 1,
        [&] {
          tiled_gemm(stream_, oxide::LaunchConfig{.grid = {n / tile, n / tile}, .block = {tile, tile_step}}, n, ours_a, ours_b, ours_c);
        },
        [&] { theirs({n / tile, n / tile}, {tile, tile_step}, n, theirs_a, theirs_b, theirs_c); });
    same("tiled_gemm", ours_c.to_host(stream_), cl_.read<float>(theirs_c, a.size()));
  }

  void sums() {
    constexpr std::uint32_t blocks = 64;
    const std::vector<float> in = numbers(std::size_t{1} << 22, 7919);
    const std::uint64_t n = in.size();
    const auto ours_in = DeviceBuffer<float>::from_host(stream_, in);
    auto ours_out = DeviceBuffer<float>::zeroed(stream_, blocks);
    const auto theirs_in = cl_.buffer(in), theirs_out = cl_.buffer(std::vector<float>(blocks));
    const auto theirs = cl_.build(reduce_in_opencl, "reduce");
    measure(
        "reduce", 4, [&] { reduce(stream_, oxide::LaunchConfig{.grid = blocks, .block = reduce_threads}, ours_in, ours_out); },
        [&] { theirs({blocks, 1}, {reduce_threads, 1}, theirs_in, n, theirs_out); });
    same("reduce", ours_out.to_host(stream_), cl_.read<float>(theirs_out, blocks));
  }

  void blur() {
    constexpr std::uint32_t width = 512, height = 384;
    const std::vector<float> in = numbers(std::size_t{width} * height, 7919);
    const auto ours_in = DeviceBuffer<float>::from_host(stream_, in);
    auto ours_out = DeviceBuffer<float>::zeroed(stream_, in.size());
    const auto theirs_in = cl_.buffer(in), theirs_out = cl_.buffer(std::vector<float>(in.size()));
    const auto theirs = cl_.build(stencil_in_opencl, "stencil");
    measure(
        "stencil", 16,
        [&] {
          stencil(stream_, oxide::LaunchConfig{.grid = {width / stencil_x, height / stencil_y}, .block = {stencil_x, stencil_y}}, width,
                  height, ours_in, ours_out);
        },
        [&] { theirs({width / stencil_x, height / stencil_y}, {stencil_x, stencil_y}, width, height, theirs_in, theirs_out); });
    same("stencil", ours_out.to_host(stream_), cl_.read<float>(theirs_out, in.size()));
  }

 private:
  template <class Ours, class Theirs>
  void measure(const char* what, int launches, Ours&& ours, Theirs&& theirs) {
    const double first = seconds(ours);  // compiled now
    theirs();
    const auto time = [&](auto& launch) {
      const double start = process_seconds();
      for (int i = 0; i != launches; ++i) launch();
      return (process_seconds() - start) / launches;
    };
    const Comparison c = compare(rounds, [&] { return time(theirs); }, [&] { return time(ours); });
    report_.detail(what,
                   fmt::format("PoCL {:.3f} ms, oxide {:.3f} ms, its first call {:.0f} ms", c.ours * 1e3, c.theirs * 1e3, first * 1e3));
    report_.figure(what, c.ratio(), at_least(1.1));
  }
  static void same(const char* what, const std::vector<float>& ours, const std::vector<float>& theirs) {
    for (std::size_t i = 0; i != ours.size(); ++i)
      if (ours[i] != theirs[i]) throw std::runtime_error(fmt::format("{}: element {} is {} and {}", what, i, ours[i], theirs[i]));
  }

  Report& report_;
  const OpenCl& cl_;
  const oxide::Stream stream_ = oxide::Device::cpu().default_stream();
};

}  // namespace

int main() {
  Report report("cpu_simt");
  const std::string threads = std::to_string(oxide::runtime::cpu::BlockPool::get().threads());
  setenv("POCL_MAX_PTHREAD_COUNT", threads.c_str(), 1);  // before PoCL is loaded
  const auto cases = {std::pair{"tiled_gemm", &Bench::gemm}, std::pair{"reduce", &Bench::sums}, std::pair{"stencil", &Bench::blur}};
  std::optional<OpenCl> cl;
  std::string why;
  try {
    cl = OpenCl::load(why);
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (!cl) {
    for (const auto& [name, run] : cases) report.skip(name, why);
    return report.exit_code();
  }
  report.detail("PoCL", fmt::format("{}, {} threads", cl->name(), threads));
  Bench bench(report, *cl);
  for (const auto& [name, run] : cases) try {
      (bench.*run)();
    } catch (const std::exception& e) {
      report.error(name, e.what());
    }
  return report.exit_code();
}
