// What buffers do and say that is the same for all elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/error.hpp>
#include <oxide/runtime/buffer.hpp>

namespace oxide::runtime {

OXIDE_INLINE void StreamOrder::begin(StreamState* own, StreamState& other) {
  own_ = own, other_ = &other;
  other_->wait_for(*own_);
}
OXIDE_INLINE void StreamOrder::end() {
  try {
    own_->wait_for(*other_);
  } catch (const Error&) {  // the context is lost: the operation has thrown, or the next call will
  }
}

OXIDE_INLINE void other_size(const char* doing, std::size_t buffer, std::size_t other) {
  throw Error(std::string(doing) + ": the buffer has " + std::to_string(buffer) + " elements, the other side has " + std::to_string(other));
}
OXIDE_INLINE void other_device(const char* doing, std::uint32_t buffer, std::uint32_t stream) {
  throw Error(std::string(doing) + ": the buffer is on device " + std::to_string(buffer) + ", the stream on device " +
              std::to_string(stream));
}
OXIDE_INLINE void too_large(std::size_t size, std::size_t element) {
  throw DeviceError("making a buffer of " + std::to_string(size) + " elements of " + std::to_string(element) + " bytes",
                    "more than the address space");
}

}  // namespace oxide::runtime
