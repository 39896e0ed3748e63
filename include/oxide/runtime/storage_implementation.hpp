// How storages are made and reached.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/storage.hpp>

namespace oxide::runtime {

struct Storage::Places {
  struct Place {
    Counted<StreamState> stream;  // that it was made in
    void* pointer;
  };
  std::mutex mutex;
  std::vector<Place> all;  // guarded by mutex; by device id
};

OXIDE_INLINE Storage::Storage(std::vector<unsigned char> bytes) : initial_(std::move(bytes)), places_(new Places) {}

OXIDE_INLINE Storage::~Storage() {
  for (const Places::Place& place : places_->all)
    if (place.pointer != nullptr) place.stream->free(place.pointer);
  delete places_;
}

OXIDE_INLINE void* Storage::on(DeviceState& device) {
  Counted<StreamState> stream = device.default_stream();
  const std::lock_guard lock(places_->mutex);
  if (places_->all.size() <= device.id) places_->all.resize(device.id + 1);
  Places::Place& place = places_->all[device.id];
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
