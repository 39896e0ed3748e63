// The GPUs of the machine.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/jit/prepare.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/cuda/context.hpp>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/cuda/kernel.hpp>
#include <oxide/runtime/cuda/stream.hpp>
#include <oxide/runtime/ptx_lines.hpp>

namespace oxide::runtime::cuda {

class CudaDevice final : public DeviceState {
 public:
  // Reads the device's properties; its context is made at the first use. Throws DeviceError.
  CudaDevice(const Driver& driver, int ordinal);

  jit::Target target() const override { return target_; }
  Counted<StreamState> default_stream() override {
    const std::lock_guard lock(mutex_);
    if (default_stream_ == nullptr) default_stream_ = make_stream(context_locked());
    return default_stream_;
  }
  Counted<StreamState> new_stream() override { return make_stream(context()); }
  void synchronize() override;
  void reset() override;
  void link(CompiledKernel& kernel, const ir::Graph& graph) override;
  Counted<LoadedKernel> load(Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph) override {
    return make_counted<CudaKernel>(*this, context(), std::move(kernel), std::move(graph));
  }

 private:
  Counted<Context> context() {
    const std::lock_guard lock(mutex_);
    return context_locked();
  }
  Counted<Context> context_locked() {
    if (context_ == nullptr) {
      jit::prepare(target_);  // the driver takes longer
      context_ = make_counted<Context>(driver_, device_, ordinal_);
    }
    return context_;
  }
  Counted<StreamState> make_stream(Counted<Context> used) {
    Counted<StreamState> stream = make_counted<CudaStream>(std::move(used), id);
    stream->device = this;
    return stream;
  }
  std::uint32_t attribute(DeviceAttribute which) const;
  void read_properties();

  const Driver& driver_;
  int ordinal_;
  DeviceOrdinal device_ = 0;
  jit::Target target_;
  std::mutex mutex_;
  Counted<Context> context_;            // guarded by mutex_
  Counted<StreamState> default_stream_;  // guarded by mutex_
};

inline CudaDevice::CudaDevice(const Driver& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {
  id = static_cast<std::uint32_t>(ordinal) + 1;
  driver_.check(driver_.DeviceGet(&device_, ordinal), "opening a GPU (cuDeviceGet)");
  read_properties();
  target_ = jit::target_of_device(properties.sm, driver_.version());
  if (target_.sm == 0)
    throw DeviceError(
        "opening GPU " + std::to_string(ordinal) + " (" + properties.name + ")",
        "unsupported architecture: needed sm_" + std::to_string(jit::oldest_sm) + " or newer, found sm_" + std::to_string(properties.sm));
}

inline std::uint32_t CudaDevice::attribute(DeviceAttribute which) const {
  int value = 0;
  driver_.check(driver_.DeviceGetAttribute(&value, which, device_), "reading a GPU's properties (cuDeviceGetAttribute)");
  return static_cast<std::uint32_t>(value);
}

inline void CudaDevice::read_properties() {
  using enum DeviceAttribute;
  char name[256] = {};
  std::size_t memory = 0;
  driver_.check(driver_.DeviceGetName(name, sizeof name, device_), "reading a GPU's name (cuDeviceGetName)");
  driver_.check(driver_.DeviceTotalMem(&memory, device_), "reading a GPU's memory size (cuDeviceTotalMem)");
  properties.name = name;
  properties.kind = DeviceKind::gpu;
  properties.memory = memory;
  properties.sm = 10 * attribute(COMPUTE_CAPABILITY_MAJOR) + attribute(COMPUTE_CAPABILITY_MINOR);
  properties.multiprocessors = attribute(MULTIPROCESSOR_COUNT);
  properties.warp_size = attribute(WARP_SIZE);
  properties.shared_memory_per_block = attribute(MAX_SHARED_MEMORY_PER_BLOCK);
  properties.most_shared_memory_per_block = attribute(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties.driver_version = driver_.version();
  properties.limits.threads_per_block = attribute(MAX_THREADS_PER_BLOCK);
  properties.limits.block = {attribute(MAX_BLOCK_DIM_X), attribute(MAX_BLOCK_DIM_Y), attribute(MAX_BLOCK_DIM_Z)};
  properties.limits.grid = {attribute(MAX_GRID_DIM_X), attribute(MAX_GRID_DIM_Y), attribute(MAX_GRID_DIM_Z)};
}

inline void CudaDevice::synchronize() {
  const Counted<Context> used = context();
  used->require_usable("waiting for the device");
  const ContextScope current(*used);
  const Result result = driver_.CtxSynchronize();
  if (result == SUCCESS) used->flush_prints();
  used->check(result, "waiting for the device (cuCtxSynchronize)");
  used->check_kernels();
}

inline void CudaDevice::reset() {
  const std::lock_guard lock(mutex_);
  default_stream_ = nullptr;
  if (context_ == nullptr) return;
  const Counted<Context> old = std::exchange(context_, nullptr);
  old->destroy();
}

inline void CudaDevice::link(CompiledKernel& kernel, const ir::Graph& graph) {
  const runtime::detail::Stopwatch time(kernel.times.link_ms);
  try {
    kernel.cubin = link_ptx(*context(), graph.name, kernel.code.ptx(), kernel.line_info);
  } catch (const CompileError& e) {
    const SourceLine line = inline_ptx_line(graph, kernel.code.ptx(), e.what());
    if (line.line == 0) throw;
    throw CompileError(graph.name, "ox::ptx at " + line.text() + " does not assemble: " + e.what());
  }
}

}  // namespace oxide::runtime::cuda
