// A check that fails on a GPU: who learns of it, what is said, and how to go on.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/launch.hpp>

#include <catch2/catch.hpp>

#include <vector>

#include "support/fakes.hpp"
#include "support/graphs.hpp"

using Catch::Matchers::Contains;
using namespace oxide;
using runtime::Argument;

static const fakes::Use use_fakes;

namespace {
const auto errors = FAKE_CUDA_CONTROL(fake_cuda_errors);

// Launches a kernel whose input b is too short at element `short_at`.
void launch_faulty(const Device& gpu, const std::string& name, std::size_t short_at) {
  const Stream stream = gpu.default_stream();
  const auto a = DeviceBuffer<float>::zeroed(stream, 1000), b = DeviceBuffer<float>::zeroed(stream, short_at);
  auto c = DeviceBuffer<float>::zeroed(stream, 1000);
  const auto program = runtime::load_program(gpu, graphs::vecadd(name));
  const Argument arguments[] = {a.argument(), b.argument(), c.argument()};
  runtime::launch(*program, stream, LaunchConfig::for_num_elems(1000), arguments);
}

bool works(const Device& gpu) {
  const Stream stream = gpu.default_stream();
  const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>(10, 1.0f)),
             b = DeviceBuffer<float>::from_host(stream, std::vector<float>(10, 2.0f));
  auto c = DeviceBuffer<float>::zeroed(stream, 10);
  const Argument arguments[] = {a.argument(), b.argument(), c.argument()};
  runtime::launch(*runtime::load_program(gpu, graphs::vecadd("afterwards")), stream, LaunchConfig::for_num_elems(10), arguments);
  return c.to_host(stream) == std::vector<float>(10, 3.0f);
}
}  // namespace

#define LOST Contains("GPU 0") && Contains("context is lost since: kernel 'short_input': index 300") && Contains("Device::reset()")

TEST_CASE("the call that meets a fault throws it with kernel, line, values, block and thread; later calls say that the context is lost") {
  const Device gpu = Device::gpu(0), other = Device::gpu(1);
  REQUIRE(works(gpu));
  const Stream stream = gpu.default_stream();
  launch_faulty(gpu, "short_input", 300);  // reported later, as a launch is asynchronous
  try {
    stream.synchronize();
    FAIL("no fault");
  } catch (const KernelFault& fault) {
    CHECK(fault.kernel == "short_input");
    CHECK(fault.line == SourceLine{"kernel.cpp", 21, 1});
    CHECK(fault.block[0] == 1);
    CHECK(fault.thread[0] == 44);
    CHECK(std::string(fault.what()) ==
          "kernel 'short_input': index 300 is outside of parameter 2, which has 300 elements, in block (1, 0, 0), thread (44, 0, 0) "
          "(kernel.cpp:21)");
  }
  CHECK_THROWS_WITH(stream.synchronize(), LOST);
  CHECK_THROWS_AS(stream.synchronize(), DeviceError);
  CHECK_THROWS_WITH(DeviceBuffer<int>::zeroed(stream, 3), LOST);
  CHECK_THROWS_WITH(gpu.new_stream(), LOST);
  CHECK_THROWS_WITH(gpu.synchronize(), LOST);
  CHECK_THROWS_WITH(launch_faulty(gpu, "short_input", 1000), LOST);
  CHECK(works(other));

  gpu.reset();
  CHECK(works(gpu));
  CHECK_THROWS_WITH(stream.synchronize(), Contains("the device was reset after this stream or buffer was made"));
  CHECK(errors() == 0);
}

TEST_CASE("a reset GPU loads its kernels again, and buffers of before are dead and harmless") {
  const Device gpu = Device::gpu(0);
  const Stream old_stream = gpu.default_stream();
  auto old = DeviceBuffer<float>::zeroed(old_stream, 10);
  const auto program = runtime::load_program(gpu, graphs::vecadd("reloaded", 5));
  gpu.reset();
  const Stream stream = gpu.default_stream();
  const auto a = DeviceBuffer<float>::from_host(stream, std::vector<float>(10, 1.0f));
  auto c = DeviceBuffer<float>::zeroed(stream, 10);
  const Argument arguments[] = {a.argument(), a.argument(), c.argument()};
  for (int i = 0; i != 2; ++i) {
    runtime::launch(*program, stream, LaunchConfig::for_num_elems(10), arguments);
    CHECK(c.to_host(stream) == std::vector<float>(10, 2.0f));
    gpu.synchronize();
  }
  CHECK_THROWS_AS(old.to_host(old_stream), DeviceError);
  CHECK_THROWS_AS(runtime::launch(*program, old_stream, LaunchConfig::for_num_elems(10), arguments), DeviceError);
  old = DeviceBuffer<float>();  // frees nothing in the new context
  CHECK(errors() == 0);
}

TEST_CASE("a fault that the device did not finish to report still names its kernel") {
  const Device gpu = Device::gpu(0);
  gpu.reset();
  FAKE_CUDA_CONTROL(fake_cuda_leave_record_open)();
  launch_faulty(gpu, "cut_short", 7);
  CHECK_THROWS_WITH(gpu.synchronize(), "kernel 'cut_short': a check failed, and the device stopped before it said which");
  gpu.reset();
}

TEST_CASE("a lost context without a fault says what the driver said") {
  const Device gpu = Device::gpu(0);
  gpu.reset();
  const Stream stream = gpu.default_stream();
  const auto buffer = DeviceBuffer<int>::zeroed(stream, 3);
  FAKE_CUDA_CONTROL(fake_cuda_fail_next)("cuMemcpyDtoHAsync", runtime::cuda::ILLEGAL_ADDRESS);
  CHECK_THROWS_WITH(buffer.to_host(stream),
                    Contains("copying to the host (cuMemcpyDtoHAsync) on GPU 0: CUDA_ERROR_ILLEGAL_ADDRESS") && Contains("lost"));
  CHECK_THROWS_WITH(buffer.to_host(stream), Contains("context is lost since: CUDA_ERROR_ILLEGAL_ADDRESS"));
  gpu.reset();
  CHECK(works(gpu));
  CHECK(errors() == 0);
}
