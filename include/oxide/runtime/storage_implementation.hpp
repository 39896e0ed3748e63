// How storages are made and reached.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/storage.hpp>

namespace oxide::runtime {

OXIDE_INLINE Storage::~Storage() {
  for (const Place& place : places_)
    if (place.pointer != nullptr) place.stream->free(place.pointer);
}

OXIDE_INLINE void* Storage::on(DeviceState& device) {
  std::shared_ptr<StreamState> stream = device.default_stream();
  const std::lock_guard lock(mutex_);
  if (places_.size() <= device.id) places_.resize(device.id + 1);
  Place& place = places_[device.id];
  if (place.pointer != nullptr && place.stream == stream) return place.pointer;
  place = {stream, nullptr};  // after a reset, what was there before is gone
  void* pointer = stream->allocate(initial_.size());
  try {
    stream->copy_from_host(pointer, initial_.data(), initial_.size());  // waits, so that every stream may use it
  } catch (...) {
    stream->free(pointer);
    throw;
  }
  place.pointer = pointer;
  return pointer;
}

OXIDE_INLINE void Storage::write(const Stream& stream, const void* from, std::size_t offset, std::size_t bytes) {
  stream.state().copy_from_host(static_cast<char*>(on(*stream.state().device)) + offset, from, bytes);
}
OXIDE_INLINE void Storage::read(const Stream& stream, void* to, std::size_t offset, std::size_t bytes) {
  stream.state().copy_to_host(to, static_cast<char*>(on(*stream.state().device)) + offset, bytes);
}

}  // namespace oxide::runtime
