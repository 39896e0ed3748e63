// Memory on a device, owned.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/argument.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {

namespace runtime {

// Orders an operation in a stream after the own stream of the buffer that it is on, and the other way round when it is over.
class StreamOrder {
 public:
  StreamOrder(StreamState* own, StreamState& other) {
    if (own != nullptr && own != &other) begin(own, other);
  }
  ~StreamOrder() {
    if (own_ != nullptr) end();
  }
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

 private:
  OXIDE_INLINE void begin(StreamState* own, StreamState& other);
  OXIDE_INLINE void end();
  StreamState *own_ = nullptr, *other_ = nullptr;
};

[[noreturn]] OXIDE_INLINE void other_size(const char* doing, std::size_t buffer, std::size_t other);
[[noreturn]] OXIDE_INLINE void other_device(const char* doing, std::uint32_t buffer, std::uint32_t stream);
[[noreturn]] OXIDE_INLINE void too_large(std::size_t size, std::size_t element);

}  // namespace runtime

// A host range whose elements lie one after the other and are T's: a vector, an array, a span.
template <class Range, class T>
concept HostRange =
    requires(const Range& range) {
      { std::data(range) } -> std::convertible_to<const T*>;
      { std::size(range) } -> std::convertible_to<std::size_t>;
    } && !requires(const Range& range) { range.device_id(); } /* a buffer's data is not the host's */ &&
    std::same_as<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const Range&>()))>>, T>;

// `size()` elements of T in one device's memory. Move-only. It belongs to the stream it was made with: its memory is given back in
// that stream's order, after the work that was put there before. Work on it in another stream has to be ordered by
// Stream::wait_for or ended by synchronize before the buffer goes.
// Example: auto a = ox::DeviceBuffer<float>::from_host(stream, host_vector);
template <class T>
class DeviceBuffer {
  // Of std::pair and std::tuple only the assignment is not trivial.
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "a device buffer holds elements that can be copied as bytes");
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>, "write DeviceBuffer<T> without const; a kernel takes it as Span<const T>");

 public:
  using value_type = T;

  // A copy of a host range, which may change or go when this returns. Throws DeviceError.
  template <HostRange<T> Range>
  static DeviceBuffer from_host(const Stream& stream, const Range& range) {
    DeviceBuffer buffer = uninitialized(stream, std::size(range));
    buffer.copy_from(stream, range);
    return buffer;
  }
  // `size` elements whose bytes are zero. Throws DeviceError.
  static DeviceBuffer zeroed(const Stream& stream, std::size_t size) {
    DeviceBuffer buffer = uninitialized(stream, size);
    if (size != 0) stream.state().zero(buffer.data_, buffer.bytes());
    return buffer;
  }
  // `size` elements that hold anything. Throws DeviceError.
  static DeviceBuffer uninitialized(const Stream& stream, std::size_t size) { return DeviceBuffer(stream, size); }

  DeviceBuffer() = default;  // no memory, on no device: what a buffer is after it was moved from
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : stream_(std::move(other.stream_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer taken(std::move(other));  // first, so that a buffer may be moved to itself
    std::swap(stream_, taken.stream_);
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) stream_->free(data_);
  }

  template <class I>
  T& operator[](const I&) const {
    static_assert(sizeof(I) == 0, "oxide: the elements of a DeviceBuffer lie on the device; buffer.to_host(stream)[i] copies them here");
    return *static_cast<T*>(nullptr);
  }

  // The elements, when everything in the stream is done. Throws KernelFault when a kernel's check failed, DeviceError.
  std::vector<T> to_host(const Stream& stream) const {
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no contiguous elements
      std::vector<unsigned char> bytes(size_);
      copy_out(stream, reinterpret_cast<bool*>(bytes.data()));
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> out(size_);
      copy_out(stream, out.data());
      return out;
    }
  }
  // As to_host, into memory that is there already. Throws Error when the sizes differ.
  void copy_to(const Stream& stream, std::span<T> out) const {
    require_size("copying a buffer to the host", out.size());
    copy_out(stream, out.data());
  }
  // Overwrites all elements from a host range of the same size, which may change when this returns. Throws Error when the sizes differ.
  template <HostRange<T> Range>
  void copy_from(const Stream& stream, const Range& range) {
    require_size("copying a host range to a buffer", std::size(range));
    require_device("copying a host range to a buffer", stream);
    const Order order(*this, stream);
    if (size_ != 0) stream.state().copy_from_host(data_, std::data(range), bytes());
  }
  // Overwrites all elements from another buffer of the same size on the same device. Throws Error when sizes or devices differ.
  void copy_from(const Stream& stream, const DeviceBuffer& other) {
    require_size("copying a buffer to a buffer", other.size_);
    require_device("copying a buffer to a buffer", stream);
    other.require_device("copying a buffer to a buffer", stream);
    const Order order(*this, stream), other_order(other, stream);
    if (size_ != 0) stream.state().copy_on_device(data_, other.data_, bytes());
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  // The first element, in the device's memory: the host may read it on the CPU device only. nullptr when there are none.
  T* data() { return data_; }
  const T* data() const { return data_; }
  // Device::id() of the device; runtime::no_device for a buffer that was moved from.
  std::uint32_t device_id() const { return stream_ == nullptr ? runtime::no_device : stream_->device_id; }

  // What a launch passes for this buffer.
  runtime::Argument argument() const { return runtime::Argument::of_span(data_, size_, device_id()); }

 private:
  // Orders an operation in another stream.
  struct Order : runtime::StreamOrder {
    Order(const DeviceBuffer& buffer, const Stream& stream) : StreamOrder(buffer.stream_.get(), stream.state()) {}
  };

  DeviceBuffer(const Stream& stream, std::size_t size) : stream_(stream.shared_state()), size_(size) {
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) runtime::too_large(size, sizeof(T));
    if (size != 0) data_ = static_cast<T*>(stream_->allocate(bytes()));
  }

  void copy_out(const Stream& stream, T* out) const {
    require_device("copying a buffer to the host", stream);
    const Order order(*this, stream);
    if (size_ != 0) stream.state().copy_to_host(out, data_, bytes());
    else stream.synchronize();
  }

  void require_size(const char* doing, std::size_t other) const {
    if (other != size_) runtime::other_size(doing, size_, other);
  }
  void require_device(const char* doing, const Stream& stream) const {
    if (stream_ == nullptr && size_ == 0) return;
    if (device_id() != stream.device_id()) runtime::other_device(doing, device_id(), stream.device_id());
  }

  Counted<runtime::StreamState> stream_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/runtime/buffer_implementation.hpp>
#endif
