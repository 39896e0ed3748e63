// The devices of this machine: the GPUs that the CUDA driver shows, and the CPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/cpu/device.hpp>
#include <oxide/runtime/cuda/device.hpp>
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

namespace runtime::detail {

// The devices that were opened so far; the one place that owns them.
class DeviceRegistry {
 public:
  static DeviceRegistry& get() {
    static DeviceRegistry& registry = *new DeviceRegistry;  // never freed: buffers of static storage duration refer to devices
    return registry;
  }
  DeviceState& cpu() { return cpu_; }
  DeviceState& gpu(std::uint32_t index) {
    const cuda::Driver& driver = cuda::Driver::get();
    const auto count = static_cast<std::uint32_t>(driver.device_count());
    if (index >= count)
      throw DeviceError("opening GPU " + std::to_string(index),
                        count == 0 ? "the driver shows no GPU" : "the driver shows " + std::to_string(count) + ", counted from 0");
    const std::lock_guard lock(mutex_);
    if (gpus_.size() < count) gpus_.resize(count);
    if (gpus_[index] == nullptr) gpus_[index] = new cuda::CudaDevice(driver, static_cast<int>(index));
    return *gpus_[index];
  }

 private:
  cpu::CpuDevice cpu_;
  std::mutex mutex_;
  std::vector<DeviceState*> gpus_;  // by index; nullptr until opened, then never freed. Guarded by mutex_
};

}  // namespace runtime::detail

inline Device Device::cpu() { return Device(runtime::detail::DeviceRegistry::get().cpu()); }
inline Device Device::gpu(std::uint32_t index) { return Device(runtime::detail::DeviceRegistry::get().gpu(index)); }

inline std::vector<Device> Device::all() {
  std::vector<Device> devices;
  try {
    const int count = runtime::cuda::Driver::get().device_count();
    for (int i = 0; i != count; ++i) {
      try {
        devices.push_back(gpu(static_cast<std::uint32_t>(i)));
      } catch (const DeviceError&) {  // one that oxide cannot use
      }
    }
  } catch (const DeviceError&) {  // no driver
  }
  devices.push_back(cpu());
  return devices;
}

inline std::string Device::why_no_gpu() {
  try {
    const int count = runtime::cuda::Driver::get().device_count();
    std::string why = "the driver shows no GPU";
    for (int i = 0; i != count; ++i) {
      try {
        gpu(static_cast<std::uint32_t>(i));
        return {};
      } catch (const DeviceError& e) {
        why = e.what();
      }
    }
    return why;
  } catch (const DeviceError& e) {
    return e.what();
  }
}

inline Device Device::chosen(const std::string& text) {
  if (text == "cpu") return cpu();
  if (text == "gpu") return gpu(0);
  if (text.size() > 4 && text.size() <= 8 && text.starts_with("gpu:") && text.find_first_not_of("0123456789", 4) == std::string::npos)
    return gpu(static_cast<std::uint32_t>(std::stoul(text.substr(4))));
  throw DeviceError("reading the environment variable OXIDE_DEVICE", "needed cpu, gpu or gpu:N, got '" + text + "'");
}

inline Device Device::best() {
  if (const char* text = std::getenv("OXIDE_DEVICE"); text != nullptr && *text != '\0') return chosen(text);
  return all().front();
}

}  // namespace oxide
