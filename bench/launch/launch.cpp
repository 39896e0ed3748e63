// What a launch through oxide costs: on a GPU against cuLaunchKernel with the same arguments, on the CPU against a direct call of the
// machine code.
#include <oxide/ir/graph.hpp>
#include <oxide/jit/compile.hpp>
#include <oxide/oxide.hpp>
#include <oxide/runtime/cuda/driver.hpp>

#include <optional>

#include "support/figure.hpp"

namespace {

using namespace oxide::bench;
namespace jit = oxide::jit;
namespace cuda = oxide::runtime::cuda;

constexpr auto vecadd = oxide::kernel("vecadd", [](oxide::Span<const float> a, oxide::Span<const float> b, oxide::DisjointSpan<float> c) {
  auto i = oxide::thread::index_1d();
  if (auto out = c.get_mut(i)) *out = a[i] + b[i];
});

struct Arrays {
  Arrays(const oxide::Stream& stream, std::size_t n)
      : a(oxide::DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 1.0f))),
        b(oxide::DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 2.0f))), c(oxide::DeviceBuffer<float>::zeroed(stream, n)) {}
  void check(const oxide::Stream& stream) const {
    for (const float x : c.to_host(stream))
      if (x != 3.0f) throw std::runtime_error("1 + 2 is not 3");
  }
  oxide::DeviceBuffer<float> a, b, c;
};

jit::CompiledCode compiled_vecadd(const jit::Target& target) {
  using Buffer = oxide::DeviceBuffer<float>;
  return jit::compile(*vecadd.graph<Buffer, Buffer, Buffer>(), {target});
}

// The kernel as any CUDA program would launch it.
class RawKernel {
 public:
  RawKernel(const oxide::Device& device, const oxide::Stream& stream)
      : driver_(cuda::Driver::get()), code_(compiled_vecadd(device.target())), stream_(stream),
        fault_(oxide::DeviceBuffer<std::uint32_t>::zeroed(stream, 64)) {
    cuda::DeviceOrdinal ordinal{};
    driver_.check(driver_.DeviceGet(&ordinal, static_cast<int>(device.id()) - 1), "cuDeviceGet");
    cuda::ContextHandle context = nullptr;
    driver_.check(driver_.DevicePrimaryCtxRetain(&context, ordinal), "cuDevicePrimaryCtxRetain");
    driver_.check(driver_.CtxSetCurrent(context), "cuCtxSetCurrent");
    cuda::ModuleHandle module = nullptr;
    driver_.check(driver_.ModuleLoadData(&module, std::string(code_.ptx()).c_str()), "cuModuleLoadData");
    driver_.check(driver_.ModuleGetFunction(&function_, module, code_.entry_name()), "cuModuleGetFunction");
  }

  void launch(const oxide::LaunchConfig& config, Arrays& arrays) {
    float *a = arrays.a.data(), *b = arrays.b.data(), *c = arrays.c.data();
    std::uint64_t n = arrays.c.size();
    std::uint32_t* fault = fault_.data();
    void* arguments[] = {&a, &n, &b, &n, &c, &n, &fault};
    driver_.check(driver_.LaunchKernel(function_, config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y,
                                       config.block.z, 0, static_cast<cuda::StreamHandle>(stream_.raw()), arguments, nullptr),
                  "cuLaunchKernel");
  }

 private:
  const cuda::Driver& driver_;
  jit::CompiledCode code_;
  oxide::Stream stream_;
  oxide::DeviceBuffer<std::uint32_t> fault_;
  cuda::FunctionHandle function_ = nullptr;
};

void gpu(Report& report) {
  std::optional<oxide::Device> device;
  try {
    device = oxide::Device::gpu(0);
  } catch (const oxide::DeviceError& e) {
    report.skip("gpu", e.what());
    return;
  }
  const oxide::Stream stream = device->new_stream();
  constexpr std::size_t n = 256;  // a kernel that is done before the next is launched
  constexpr int batch = 256;      // fewer than the driver queues, so that a launch never waits for the GPU
  Arrays arrays(stream, n);
  RawKernel raw(*device, stream);
  const auto config = oxide::LaunchConfig::for_num_elems(n);
  const auto time_batch = [&](auto&& launch) {
    stream.synchronize();
    const double taken = seconds([&] {
      for (int i = 0; i < batch; ++i) launch();
    });
    stream.synchronize();
    return taken / batch;
  };
  const auto ours = [&] { return time_batch([&] { vecadd(stream, config, arrays.a, arrays.b, arrays.c); }); };
  const auto theirs = [&] { return time_batch([&] { raw.launch(config, arrays); }); };
  ours();
  arrays.check(stream);
  theirs();
  const Comparison c = compare(201, ours, theirs);
  report.detail("gpu", fmt::format("oxide {:.3f} us, cuLaunchKernel {:.3f} us", c.ours * 1e6, c.theirs * 1e6));
  report.figure("gpu", c.ratio(), at_most(1.10));
}

// One call of the machine code for the whole grid, on this thread.
void call_directly(oxide_host_kernel entry, const oxide::LaunchConfig& config, Arrays& arrays) {
  const float *a = arrays.a.data(), *b = arrays.b.data();
  float* c = arrays.c.data();
  const std::uint64_t n = arrays.c.size();
  const void* const arguments[] = {&a, &n, &b, &n, &c, &n};
  oxide_fault_record fault{};
  const oxide_host_launch launch{
      arguments, &fault, {config.grid.x, config.grid.y, config.grid.z}, {config.block.x, config.block.y, config.block.z}, 0, 0, 0};
  entry(&launch, 0, config.grid.count());
  if (fault.claimed != 0) throw std::runtime_error("a check failed");
}

void cpu(Report& report, const char* what, std::size_t n) {
  const oxide::Device device = oxide::Device::cpu();
  const oxide::Stream stream = device.default_stream();
  Arrays arrays(stream, n);
  const auto config = oxide::LaunchConfig::for_num_elems(n);
  const jit::CompiledCode code = compiled_vecadd(device.target());
  const int batch = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 22) / n));
  const auto time_batch = [&](auto&& launch) {
    return seconds([&] {
             for (int i = 0; i < batch; ++i) launch();
           }) /
           batch;
  };
  const auto ours = [&] { return time_batch([&] { vecadd(stream, config, arrays.a, arrays.b, arrays.c); }); };
  const auto theirs = [&] { return time_batch([&] { call_directly(code.entry(), config, arrays); }); };
  ours();
  arrays.check(stream);
  theirs();
  const Comparison c = compare(51, ours, theirs);
  report.detail(what, fmt::format("oxide {:.3f} us, direct call {:.3f} us", c.ours * 1e6, c.theirs * 1e6));
  report.figure(what, c.ratio(), at_most(1.10));
}

}  // namespace

int main() {
  Report report("launch");
  const auto guarded = [&](const char* what, auto&& measure) {
    try {
      measure();
    } catch (const std::exception& e) {
      report.error(what, e.what());
    }
  };
  guarded("gpu", [&] { gpu(report); });
  guarded("cpu_16Ki_elements", [&] { cpu(report, "cpu_16Ki_elements", std::size_t{1} << 14); });
  guarded("cpu_1Mi_elements", [&] { cpu(report, "cpu_1Mi_elements", std::size_t{1} << 20); });
  return report.exit_code();
}
