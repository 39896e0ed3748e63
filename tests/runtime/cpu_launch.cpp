// Kernels on the CPU device through the real compiler library.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/launch.hpp>

#include <catch2/catch.hpp>

#include <cfenv>
#include <thread>
#include <vector>

#include "support/graphs.hpp"
#include "support/skip.hpp"

using namespace oxide;
using runtime::Argument;

namespace {

bool no_compiler() {
  try {
    jit::Library::get();
    return false;
  } catch (const CompileError&) {
    return true;
  }
}

void vecadd(const Stream& stream, std::size_t n, const DeviceBuffer<float>& a, const DeviceBuffer<float>& b, DeviceBuffer<float>& c) {
  const auto program = runtime::load_program(Device::cpu(), graphs::vecadd());
  const Argument arguments[] = {a.argument(), b.argument(), c.argument()};
  runtime::launch(*program, stream, LaunchConfig::for_num_elems(n), arguments);
}

std::vector<float> numbers(std::size_t n, float first) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i != n; ++i) v[i] = first + static_cast<float>(i % 1000);
  return v;
}

}  // namespace

TEST_CASE("a kernel runs on the CPU") {
  if (no_compiler()) OXIDE_SKIP("the compiler library is not built");
  const Stream stream = Device::cpu().default_stream();
  for (const std::size_t n : {1u, 255u, 257u, 1000003u}) {
    const auto a = DeviceBuffer<float>::from_host(stream, numbers(n, 1)), b = DeviceBuffer<float>::from_host(stream, numbers(n, 0.5f));
    auto c = DeviceBuffer<float>::zeroed(stream, n);
    vecadd(stream, n, a, b, c);
    const std::vector<float> out = c.to_host(stream), x = numbers(n, 1), y = numbers(n, 0.5f);
    bool equal = true;
    for (std::size_t i = 0; i != n; ++i) equal &= out[i] == x[i] + y[i];
    CHECK(equal);
  }
}

TEST_CASE("an index out of bounds on the CPU is a fault with its line and values, and the device goes on") {
  if (no_compiler()) OXIDE_SKIP("the compiler library is not built");
  const Stream stream = Device::cpu().default_stream();
  const auto a = DeviceBuffer<float>::zeroed(stream, 100), b = DeviceBuffer<float>::zeroed(stream, 50);
  auto c = DeviceBuffer<float>::zeroed(stream, 51);
  try {
    vecadd(stream, 51, a, b, c);
    FAIL("no fault");
  } catch (const KernelFault& fault) {
    CHECK(std::string(fault.what()) ==
          "kernel 'vecadd': index 50 is outside of parameter 2, which has 50 elements, in block (0, 0, 0), thread (50, 0, 0) "
          "(kernel.cpp:21)");
    CHECK(fault.line.line == 21);
    CHECK(fault.thread[0] == 50);
  }
  auto d = DeviceBuffer<float>::zeroed(stream, 50);
  vecadd(stream, 50, a, b, d);
}

TEST_CASE("a kernel does not change the thread's floating-point environment") {
  if (no_compiler()) OXIDE_SKIP("the compiler library is not built");
  const Stream stream = Device::cpu().default_stream();
  const float tiny = 1e-42f;  // subnormal
  const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>{tiny, 1.0f}),
             b = DeviceBuffer<float>::from_host(stream, std::vector<float>{0, 1e-10f});
  auto c = DeviceBuffer<float>::zeroed(stream, 2);
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  vecadd(stream, 2, a, b, c);
  const int rounding = std::fegetround(), raised = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TONEAREST);
  CHECK(rounding == FE_UPWARD);
  CHECK(raised == 0);
  CHECK(c.to_host(stream) == std::vector<float>{tiny, 1.0f});  // to nearest, subnormals kept
}

TEST_CASE("launches of several host threads are apart") {
  if (no_compiler()) OXIDE_SKIP("the compiler library is not built");
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t t = 0; t != good.size(); ++t)
    threads.emplace_back([&, t] {
      const Stream stream = t % 2 == 0 ? Device::cpu().default_stream() : Device::cpu().new_stream();
      for (int round = 0; round != 20; ++round) {
        const std::size_t n = 100000;
        const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>(n, static_cast<float>(t)));
        const auto b = DeviceBuffer<float>::from_host(stream, std::vector<float>(n, static_cast<float>(round)));
        auto c = DeviceBuffer<float>::zeroed(stream, n);
        vecadd(stream, n, a, b, c);
        good[t] += c.to_host(stream) == std::vector<float>(n, static_cast<float>(t) + static_cast<float>(round));
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(good == std::vector<int>(4, 20));
}

TEST_CASE("a kernel's stages can be read as text without a device") {
  if (no_compiler()) OXIDE_SKIP("the compiler library is not built");
  const runtime::CompiledText gpu = runtime::compile_text(jit::Target::nvptx(80), *graphs::vecadd());
  CHECK(gpu.ptx.find(".target sm_80") != std::string::npos);
  CHECK(gpu.llvm_ir.find("define") != std::string::npos);
  CHECK(runtime::compile_text(jit::Target::host(), *graphs::vecadd()).assembly.find("ret") != std::string::npos);
}
