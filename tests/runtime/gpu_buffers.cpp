// Buffers and streams on GPUs, through a driver that is strict about contexts, handles and sizes.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/device.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <span>
#include <vector>

#include "support/fakes.hpp"

using Catch::Matchers::Contains;
using oxide::Device;
using oxide::DeviceBuffer;
using oxide::Stream;

static const fakes::Use use_fakes;

namespace {
const auto calls = FAKE_CUDA_CONTROL(fake_cuda_calls);
const auto clear_calls = FAKE_CUDA_CONTROL(fake_cuda_clear_calls);
const auto fail_next = FAKE_CUDA_CONTROL(fake_cuda_fail_next);
const auto allocations = FAKE_CUDA_CONTROL(fake_cuda_allocations);
const auto errors = FAKE_CUDA_CONTROL(fake_cuda_errors);
}  // namespace

TEMPLATE_TEST_CASE("a round trip keeps every element", "", std::int8_t, std::uint16_t, int, float, double, std::uint64_t) {
  for (const Device& device : {Device::cpu(), Device::gpu()}) {
    const Stream stream = device.default_stream();
    const std::vector<TestType> host = {1, 2, 3, 4, 5};
    const auto buffer = DeviceBuffer<TestType>::from_host(stream, host);
    CHECK(buffer.size() == 5);
    CHECK(buffer.bytes() == 5 * sizeof(TestType));
    CHECK(buffer.device_id() == device.id());
    CHECK(buffer.to_host(stream) == host);
    CHECK(DeviceBuffer<TestType>::zeroed(stream, 3).to_host(stream) == std::vector<TestType>(3, 0));
  }
  CHECK(errors() == 0);
}

TEST_CASE("arrays, spans and booleans are host ranges too") {
  const Stream stream = Device::gpu().default_stream();
  const bool flags[] = {true, false, true};
  CHECK(DeviceBuffer<bool>::from_host(stream, flags).to_host(stream) == std::vector<bool>{true, false, true});
  std::array<int, 3> numbers = {7, 8, 9};
  CHECK(DeviceBuffer<int>::from_host(stream, numbers).to_host(stream) == std::vector<int>{7, 8, 9});
  CHECK(DeviceBuffer<int>::from_host(stream, std::span<const int>(numbers).first(2)).to_host(stream) == std::vector<int>{7, 8});
  static_assert(!oxide::HostRange<std::vector<float>, int>);
  static_assert(!oxide::HostRange<std::vector<bool>, bool>);
  static_assert(!oxide::HostRange<DeviceBuffer<int>, int>, "a buffer's memory is not the host's");
}

TEST_CASE("memory is given back in the stream's order, once") {
  const Device gpu = Device::gpu();
  const long before = allocations();
  {
    const Stream stream = gpu.new_stream();
    auto a = DeviceBuffer<int>::zeroed(stream, 100);
    auto b = std::move(a);
    CHECK(a.size() == 0);
    CHECK(a.data() == nullptr);
    CHECK(a.device_id() == oxide::runtime::no_device);
    CHECK(b.size() == 100);
    a = DeviceBuffer<int>::zeroed(stream, 5);
    CHECK(allocations() == before + 2);
    a = std::move(b);
    CHECK(allocations() == before + 1);
    CHECK(a.size() == 100);
    auto& self = a;
    a = std::move(self);
    clear_calls();
  }
  CHECK(std::string(calls()) == "cuMemFreeAsync\ncuStreamDestroy\n");
  CHECK(allocations() == before);
  CHECK(errors() == 0);
}

TEST_CASE("an empty buffer needs no memory") {
  for (const Device& device : {Device::cpu(), Device::gpu()}) {
    const Stream stream = device.default_stream();
    const long before = allocations();
    const auto empty = DeviceBuffer<float>::from_host(stream, std::vector<float>{});
    CHECK(empty.empty());
    CHECK(empty.data() == nullptr);
    CHECK(empty.device_id() == device.id());
    CHECK(empty.to_host(stream).empty());
    CHECK(DeviceBuffer<float>::zeroed(stream, 0).to_host(stream).empty());
    CHECK(allocations() == before);
  }
}

TEST_CASE("wrong sizes in copies name both sizes") {
  for (const Device& device : {Device::cpu(), Device::gpu()}) {
    const Stream stream = device.default_stream();
    auto buffer = DeviceBuffer<int>::zeroed(stream, 4);
    std::vector<int> five(5, 1), four(4, 1);
    CHECK_THROWS_WITH(buffer.copy_from(stream, five), "copying a host range to a buffer: the buffer has 4 elements, the other side has 5");
    CHECK_THROWS_WITH(buffer.copy_to(stream, five), "copying a buffer to the host: the buffer has 4 elements, the other side has 5");
    CHECK_THROWS_WITH(buffer.copy_from(stream, DeviceBuffer<int>::zeroed(stream, 3)),
                      "copying a buffer to a buffer: the buffer has 4 elements, the other side has 3");
    buffer.copy_from(stream, four);
    CHECK(buffer.to_host(stream) == four);
  }
  CHECK(errors() == 0);
}

TEST_CASE("buffers copy to buffers of their device only") {
  const Stream gpu = Device::gpu(0).default_stream(), other = Device::gpu(1).default_stream(), cpu = Device::cpu().default_stream();
  const auto from = DeviceBuffer<int>::from_host(gpu, std::vector<int>{1, 2, 3});
  auto to = DeviceBuffer<int>::uninitialized(gpu, 3);
  to.copy_from(gpu, from);
  CHECK(to.to_host(gpu) == std::vector<int>{1, 2, 3});
  CHECK_THROWS_WITH(to.to_host(other), "copying a buffer to the host: the buffer is on device 1, the stream on device 2");
  CHECK_THROWS_WITH(to.copy_from(cpu, std::vector<int>{1, 2, 3}),
                    "copying a host range to a buffer: the buffer is on device 1, the stream on device 0");
  auto elsewhere = DeviceBuffer<int>::uninitialized(other, 3);
  CHECK_THROWS_AS(elsewhere.copy_from(other, from), oxide::Error);
  CHECK(errors() == 0);
}

TEST_CASE("a copy in another stream is ordered after the buffer's own stream, and the other way round") {
  const Device gpu = Device::gpu();
  const Stream own = gpu.new_stream(), other = gpu.new_stream();
  const auto buffer = DeviceBuffer<int>::zeroed(own, 3);
  clear_calls();
  CHECK(buffer.to_host(other) == std::vector<int>(3, 0));
  CHECK(std::string(calls()) ==
        "cuEventCreate\ncuEventRecord\ncuStreamWaitEvent\ncuEventDestroy\ncuMemcpyDtoHAsync\ncuStreamSynchronize\n"
        "cuEventCreate\ncuEventRecord\ncuStreamWaitEvent\ncuEventDestroy\n");
  clear_calls();
  CHECK(buffer.to_host(own) == std::vector<int>(3, 0));
  CHECK(std::string(calls()) == "cuMemcpyDtoHAsync\ncuStreamSynchronize\n");
}

TEST_CASE("streams of any two devices can be ordered") {
  const Stream streams[] = {Device::cpu().default_stream(), Device::gpu(0).default_stream(), Device::gpu(1).default_stream()};
  for (const Stream& later : streams)
    for (const Stream& earlier : streams) {
      later.wait_for(earlier);
      later.synchronize();
    }
  clear_calls();
  streams[2].wait_for(streams[1]);
  CHECK_THAT(calls(), Contains("cuEventRecord") && Contains("cuStreamWaitEvent") && !Contains("Synchronize"));
  CHECK(errors() == 0);
}

TEST_CASE("running out of memory says how much was wanted, and the device goes on") {
  const Stream stream = Device::gpu().default_stream();
  try {
    DeviceBuffer<double>::zeroed(stream, std::size_t{1} << 40);
    FAIL("no error");
  } catch (const oxide::DeviceError& e) {
    CHECK(e.code == oxide::runtime::cuda::OUT_OF_MEMORY);
    CHECK(std::string(e.what()) ==
          "allocating 8796093022208 bytes (cuMemAllocFromPoolAsync) on GPU 0: CUDA_ERROR_OUT_OF_MEMORY (as the fake driver says)");
  }
  CHECK_THROWS_WITH(DeviceBuffer<double>::zeroed(stream, ~std::size_t{0} / 8), Contains("more than the address space"));
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // their allocators end the program instead
  CHECK_THROWS_AS(DeviceBuffer<double>::zeroed(Device::cpu().default_stream(), std::size_t{1} << 55), oxide::DeviceError);
#endif
  CHECK(DeviceBuffer<int>::zeroed(stream, 1).to_host(stream) == std::vector<int>{0});
}

TEST_CASE("every failed call is an error with the driver's name and what was done, and leaks nothing") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.new_stream(), other = gpu.new_stream();
  auto buffer = DeviceBuffer<int>::zeroed(stream, 3);
  const long before = allocations();
  const std::pair<const char*, const char*> cases[] = {{"cuMemAllocFromPoolAsync", "allocating 12 bytes"},
                                                       {"cuMemsetD8Async", "filling memory with zeros"},
                                                       {"cuMemcpyDtoHAsync", "copying to the host"},
                                                       {"cuMemcpyHtoDAsync", "copying to the device"},
                                                       {"cuMemcpyAsync", "copying on the device"},
                                                       {"cuStreamSynchronize", "copying to the"},
                                                       {"cuStreamCreate", "making a stream"},
                                                       {"cuEventCreate", "ordering two streams"},
                                                       {"cuEventRecord", "ordering two streams"},
                                                       {"cuStreamWaitEvent", "ordering two streams"},
                                                       {"cuCtxSynchronize", "waiting for the device"}};
  for (const auto& [function, doing] : cases) {
    fail_next(function, oxide::runtime::cuda::INVALID_VALUE);
    try {
      auto copy = DeviceBuffer<int>::zeroed(stream, 3);
      copy.copy_from(stream, std::vector<int>(3));
      copy.copy_from(stream, buffer);
      copy.to_host(stream);
      gpu.new_stream();
      stream.wait_for(other);
      gpu.synchronize();
      FAIL("no error from " << function);
    } catch (const oxide::DeviceError& e) {
      CHECK_THAT(e.what(), Contains(doing) && Contains(function) && Contains("GPU 0") && Contains("CUDA_ERROR_INVALID_VALUE"));
    }
    CHECK(allocations() == before);
  }
}

TEST_CASE("a thread's own context is given back, and a thread without one keeps oxide's") {
  const Stream first = Device::gpu(0).default_stream(), second = Device::gpu(1).default_stream();
  const auto& driver = oxide::runtime::cuda::Driver::get();
  oxide::runtime::cuda::ContextHandle mine = nullptr, now = nullptr;
  driver.CtxSetCurrent(nullptr);
  DeviceBuffer<int>::zeroed(first, 3);
  driver.CtxGetCurrent(&mine);
  CHECK(mine != nullptr);
  clear_calls();
  DeviceBuffer<int>::zeroed(first, 3);
  CHECK_THAT(calls(), !Contains("cuCtxSetCurrent"));
  DeviceBuffer<int>::zeroed(second, 3);
  driver.CtxGetCurrent(&now);
  CHECK(now == mine);
  CHECK(errors() == 0);
}
