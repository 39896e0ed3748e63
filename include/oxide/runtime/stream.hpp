// A queue of work on one device.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/counted.hpp>
#include <oxide/runtime/backend.hpp>

namespace oxide {

// Work put into one stream runs in order; on a GPU after the call has returned, on the CPU within it. A handle: copies are the same
// stream, which lives until the last copy and the last buffer made with it are gone.
class Stream {
 public:
  explicit Stream(Counted<runtime::StreamState> state) : state_(std::move(state)) {}

  // Waits until everything in the stream is done. Throws KernelFault when a kernel's check failed, DeviceError when something else did.
  void synchronize() const { state_->synchronize(); }
  // What is put into this stream from now on starts after what is in `other` now. They may be of two devices.
  void wait_for(const Stream& other) const { state_->wait_for(*other.state_); }

  std::uint32_t device_id() const { return state_->device_id; }
  // The CUstream, to hand to other libraries; nullptr on the CPU.
  void* raw() const { return state_->raw(); }

  runtime::StreamState& state() const { return *state_; }
  const Counted<runtime::StreamState>& shared_state() const { return state_; }
  friend bool operator==(const Stream&, const Stream&) = default;

 private:
  Counted<runtime::StreamState> state_;
};

}  // namespace oxide
