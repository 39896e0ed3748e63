// The one place that owns the devices of this process, and how they are found.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/cpu/device.hpp>
#include <oxide/runtime/cuda/device.hpp>
#include <oxide/runtime/device.hpp>

namespace oxide {

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

OXIDE_INLINE Device Device::cpu() { return Device(runtime::detail::DeviceRegistry::get().cpu()); }
OXIDE_INLINE Device Device::gpu(std::uint32_t index) { return Device(runtime::detail::DeviceRegistry::get().gpu(index)); }

OXIDE_INLINE std::vector<Device> Device::all() {
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

OXIDE_INLINE std::string Device::why_no_gpu() {
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

OXIDE_INLINE Device Device::chosen(const std::string& text) {
  if (text == "cpu") return cpu();
  if (text == "gpu") return gpu(0);
  if (text.size() > 4 && text.size() <= 8 && text.starts_with("gpu:") && text.find_first_not_of("0123456789", 4) == std::string::npos)
    return gpu(static_cast<std::uint32_t>(std::stoul(text.substr(4))));
  throw DeviceError("reading the environment variable OXIDE_DEVICE", "needed cpu, gpu or gpu:N, got '" + text + "'");
}

OXIDE_INLINE Device Device::best() {
  if (const char* text = std::getenv("OXIDE_DEVICE"); text != nullptr && *text != '\0') return chosen(text);
  return all().front();
}

}  // namespace oxide
