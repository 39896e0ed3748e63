// Finding devices, and what is said when there is none.
#include <oxide/runtime/device.hpp>

#include <catch2/catch.hpp>

#include "support/fakes.hpp"
#include "support/probe.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using oxide::Device;
using support::probe;

static const fakes::Use use_fakes;

TEST_CASE("the CPU is device 0 and always there") {
  const Device cpu = Device::cpu();
  CHECK(cpu.id() == 0);
  CHECK(cpu.kind() == oxide::DeviceKind::cpu);
  CHECK_FALSE(cpu.is_gpu());
  CHECK_FALSE(cpu.name().empty());
  CHECK(cpu.properties().multiprocessors >= 1);
  CHECK(cpu.properties().memory > 0);
  CHECK(cpu.target() == oxide::jit::Target::host());
  CHECK(cpu.default_stream() == cpu.default_stream());
  CHECK_FALSE(cpu.new_stream() == cpu.default_stream());
  cpu.synchronize();
  cpu.reset();
}

TEST_CASE("GPUs are numbered from 1 and know their properties") {
  const Device gpu = Device::gpu(1);
  CHECK(gpu.id() == 2);
  CHECK(gpu == Device::gpu(1));
  CHECK_FALSE(gpu == Device::gpu(0));
  CHECK(gpu.name() == "Fake GPU");
  CHECK(gpu.properties().sm == 90);
  CHECK(gpu.properties().multiprocessors == 7);
  CHECK(gpu.properties().memory == 1u << 30);
  CHECK(gpu.properties().driver_version == 12080);
  CHECK(gpu.properties().limits.grid == oxide::Dim3(0x7fffffff, 65535, 65535));
  CHECK(gpu.target() == oxide::jit::Target::nvptx(90, 87));
  CHECK(Device::why_no_gpu().empty());
}

TEST_CASE("best is the first GPU, and all lists the CPU last") {
  CHECK(probe("", "best") == "1 Fake GPU");
  CHECK(probe("", "all") == "1 2 0 ");
  CHECK(probe("FAKE_CUDA_DEVICES=0", "all") == "0 ");
  CHECK_THAT(probe("FAKE_CUDA_DEVICES=0", "best"), StartsWith("0 "));
}

TEST_CASE("OXIDE_DEVICE overrides best") {
  CHECK_THAT(probe("OXIDE_DEVICE=cpu", "best"), StartsWith("0 "));
  CHECK(probe("OXIDE_DEVICE=gpu", "best") == "1 Fake GPU");
  CHECK(probe("OXIDE_DEVICE=gpu:1", "best") == "2 Fake GPU");
  CHECK(probe("OXIDE_DEVICE=gpu:7", "best") == "threw: opening GPU 7: the driver shows 2, counted from 0");
  for (const char* bad : {"tpu", "gpu:", "gpu:x", "gpu:-1", "gpu:99999999999"})
    CHECK(probe(std::string("OXIDE_DEVICE=") + bad, "best") ==
          "threw: reading the environment variable OXIDE_DEVICE: needed cpu, gpu or gpu:N, got '" + std::string(bad) + "'");
}

TEST_CASE("no driver is an error of gpu and a reason of why_no_gpu") {
  const std::string no_driver = "OXIDE_LIBCUDA=/nowhere/libcuda.so.1";
  CHECK_THAT(probe(no_driver, "gpu"), StartsWith("threw: loading the CUDA driver: no driver: ") && Contains("/nowhere/libcuda.so.1"));
  CHECK_THAT(probe(no_driver, "why"), StartsWith("loading the CUDA driver: no driver: "));
  CHECK_THAT(probe(no_driver, "best"), StartsWith("0 "));
  CHECK_THAT(probe("OXIDE_DEVICE=gpu " + no_driver, "best"), StartsWith("threw: loading the CUDA driver"));
}

TEST_CASE("an old driver is told with the version found and the version needed") {
  CHECK(probe("FAKE_CUDA_VERSION=11080", "gpu") ==
        "threw: loading the CUDA driver: the driver is too old: needed CUDA 12.0 (driver 525) or newer, found CUDA 11.8");
  CHECK_THAT(probe("FAKE_CUDA_VERSION=11080", "best"), StartsWith("0 "));
  CHECK(probe("FAKE_CUDA_VERSION=12000", "target") == "sm_90, PTX 8.0");
}

TEST_CASE("a library that is not a driver is told") {
  CHECK_THAT(probe("OXIDE_LIBCUDA=" FAKE_JIT, "gpu"), Contains("does not answer cuDriverGetVersion"));
}

TEST_CASE("a driver without a device is told with the driver's name for it") {
  CHECK(probe("FAKE_CUDA_DEVICES=0", "gpu") ==
        "threw: initializing the CUDA driver (cuInit): CUDA_ERROR_NO_DEVICE (as the fake driver says)");
}

TEST_CASE("a GPU that is not there or too old is told") {
  CHECK(probe("", "gpu7") == "threw: opening GPU 7: the driver shows 2, counted from 0");
  CHECK(probe("FAKE_CUDA_SM=70", "gpu") == "threw: opening GPU 0 (Fake GPU): unsupported architecture: needed sm_75 or newer, found sm_70");
  CHECK(probe("FAKE_CUDA_SM=70", "all") == "0 ");
  CHECK_THAT(probe("FAKE_CUDA_SM=70", "why"), Contains("unsupported architecture"));
}

TEST_CASE("the CPU's threads can be set") {
  CHECK(probe("OXIDE_CPU_THREADS=3", "threads") == "3");
  CHECK(probe("OXIDE_CPU_THREADS=x", "threads") == probe("", "threads"));
}

TEST_CASE("a buffer of static storage duration may be freed after main") {
  CHECK(probe("", "static_buffer") == "left");
  CHECK(probe("OXIDE_DEVICE=cpu", "static_buffer") == "left");
}
