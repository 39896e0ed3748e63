// The runtime on a real GPU with the real compiler library.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/launch.hpp>

#include <catch2/catch.hpp>

#include <vector>

#include "support/graphs.hpp"
#include "support/skip.hpp"

using namespace oxide;
using runtime::Argument;

namespace {
std::string why_not() {
  if (const std::string why = Device::why_no_gpu(); !why.empty()) return why;
  try {
    jit::Library::get();
    return {};
  } catch (const CompileError& e) {
    return e.what();
  }
}

void vecadd(const Stream& stream, const DeviceBuffer<float>& a, const DeviceBuffer<float>& b, DeviceBuffer<float>& c) {
  const auto program = runtime::load_program(Device::gpu(), graphs::vecadd());
  const Argument arguments[] = {a.argument(), b.argument(), c.argument()};
  runtime::launch(*program, stream, LaunchConfig::for_num_elems(c.size()), arguments);
}
}  // namespace

TEST_CASE("a kernel runs on the GPU", "[gpu]") {
  if (const std::string why = why_not(); !why.empty()) OXIDE_SKIP(why);
  const Stream stream = Device::gpu().default_stream();
  for (const std::size_t n : {1u, 257u, 1u << 20}) {
    const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 1.5f)),
               b = DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 2.0f));
    auto c = DeviceBuffer<float>::zeroed(stream, n);
    vecadd(stream, a, b, c);
    CHECK(c.to_host(stream) == std::vector<float>(n, 3.5f));
  }
}

TEST_CASE("streams of one GPU can be ordered", "[gpu]") {
  if (const std::string why = why_not(); !why.empty()) OXIDE_SKIP(why);
  const Stream first = Device::gpu().new_stream(), second = Device::gpu().new_stream();
  const std::size_t n = 1u << 22;
  const auto a = DeviceBuffer<float>::from_host(first, std::vector<float>(n, 1.0f));
  auto b = DeviceBuffer<float>::zeroed(first, n), c = DeviceBuffer<float>::zeroed(first, n);
  vecadd(first, a, a, b);
  second.wait_for(first);
  vecadd(second, a, b, c);
  first.wait_for(second);
  CHECK(c.to_host(second) == std::vector<float>(n, 3.0f));
}

TEST_CASE("a failed check on the GPU is an exception with its line, and the device goes on", "[gpu][fault]") {
  if (const std::string why = why_not(); !why.empty()) OXIDE_SKIP(why);
  const Device gpu = Device::gpu();
  {
    const Stream stream = gpu.default_stream();
    const auto a = DeviceBuffer<float>::zeroed(stream, 100000), b = DeviceBuffer<float>::zeroed(stream, 70000);
    auto c = DeviceBuffer<float>::zeroed(stream, 100000);
    vecadd(stream, a, b, c);
    try {
      stream.synchronize();
      FAIL("no fault");
    } catch (const KernelFault& fault) {
      CHECK(fault.kernel == "vecadd");
      CHECK(fault.line.line == 21);
      CHECK(fault.block[0] * 256 + fault.thread[0] >= 70000);
    }
    CHECK_NOTHROW(stream.synchronize());  // said once
    CHECK(c.to_host(stream) == std::vector<float>(100000, 0.0f));
  }
  for (const bool after_reset : {false, true}) {
    if (after_reset) gpu.reset();
    const Stream stream = gpu.default_stream();
    const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>(10, 1.0f));
    auto c = DeviceBuffer<float>::zeroed(stream, 10);
    vecadd(stream, a, a, c);
    CHECK(c.to_host(stream) == std::vector<float>(10, 2.0f));
  }
}
