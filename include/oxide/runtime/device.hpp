// The devices of this machine: the GPUs that the CUDA driver shows, and the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {

// A device that runs kernels; a handle, cheap to copy. Devices exist until the process ends.
// Example: ox::Device device = ox::Device::best();
class Device {
 public:
  // The first GPU that oxide can use, or the CPU when there is none; why_no_gpu() then tells why. The environment variable
  // OXIDE_DEVICE overrides it: cpu, gpu (the first) or gpu:N. Throws DeviceError when that asks for what is not there.
  static Device best();
  // GPU number `index` in the driver's order (CUDA_VISIBLE_DEVICES applies). Throws DeviceError when there is no driver, the driver is
  // older than CUDA 12.0, there is no such GPU, or it is older than sm_75.
  static Device gpu(std::uint32_t index = 0);
  static Device cpu();
  // Every GPU that oxide can use, then the CPU.
  static std::vector<Device> all();
  // Empty when there is a GPU that oxide can use; else the reason, for people.
  static std::string why_no_gpu();

  std::uint32_t id() const { return state_->id; }  // 0 for the CPU, 1 + index for a GPU
  DeviceKind kind() const { return state_->properties.kind; }
  bool is_gpu() const { return kind() == DeviceKind::gpu; }
  const std::string& name() const { return state_->properties.name; }
  const DeviceProperties& properties() const { return state_->properties; }
  jit::Target target() const { return state_->target(); }

  // The stream that everyone shares who does not ask for one. Throws DeviceError.
  Stream default_stream() const { return Stream(state_->default_stream()); }
  // A stream of its own, concurrent with the others. Throws DeviceError.
  Stream new_stream() const { return Stream(state_->new_stream()); }
  // Waits for all work on the device. Throws KernelFault when a kernel's check failed, DeviceError when something else did.
  void synchronize() const { state_->synchronize(); }

  // Destroys everything on a GPU, for every library of this process that uses it, and starts over: the way on after a KernelFault.
  // Streams and buffers made before are dead (a call on them throws DeviceError); kernels load again at their next launch. No other
  // thread may be using the device. Does nothing on the CPU, where a fault ends only its own launch.
  void reset() const { state_->reset(); }

  runtime::DeviceState& state() const { return *state_; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  explicit Device(runtime::DeviceState& state) : state_(&state) {}
  static Device chosen(const std::string& text);
  runtime::DeviceState* state_;
};

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/runtime/device_registry.hpp>
#endif
