// Memory that kernels name without its being passed: one of each on every device, made at the first use there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/linkage.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide::runtime {

class DeviceState;

class Storage {
 public:
  // Of `bytes`, which are its first content on each device.
  OXIDE_INLINE explicit Storage(std::vector<unsigned char> bytes);
  OXIDE_INLINE ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::size_t bytes() const { return initial_.size(); }

  // Where it lies on a device. Made there when it was not, or when the device was reset. Throws DeviceError.
  OXIDE_INLINE void* on(DeviceState& device);
  // In the order of the stream; the host memory may be reused when these return. Throw DeviceError.
  OXIDE_INLINE void write(const Stream& stream, const void* from, std::size_t offset, std::size_t bytes);
  OXIDE_INLINE void read(const Stream& stream, void* to, std::size_t offset, std::size_t bytes);

 private:
  struct Places;
  const std::vector<unsigned char> initial_;
  Places* const places_;  // owned
};

}  // namespace oxide::runtime

#ifndef OXIDE_LINKED
#include <oxide/runtime/storage_implementation.hpp>
#endif
