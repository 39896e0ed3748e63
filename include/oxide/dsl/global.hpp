// Memory of a device that kernels name without its being passed: ox::Constant and ox::Global.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/dsl/span.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/storage.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {
namespace detail {

OXIDE_INLINE std::uint32_t declare_storage(ir::Type element, std::uint64_t elements, ir::Access access,
                                           const std::shared_ptr<runtime::Storage>& storage, Where where);

// What ox::Constant and ox::Global have in common: N elements of T on each device, set and read by the host.
template <class T, std::size_t N>
class StoredElements {
  static_assert(Element<T>, "oxide: an ox::Constant or ox::Global holds bool, 8- to 64-bit integers, float or double, or an array of them");
  static_assert(N > 0, "oxide: an ox::Constant or ox::Global has at least one element");

 public:
  StoredElements(const StoredElements&) = delete;
  StoredElements& operator=(const StoredElements&) = delete;

 protected:
  explicit StoredElements(std::span<const T> initial) : storage_(std::make_shared<runtime::Storage>(bytes_of(initial))) {}

  void write(const Stream& stream, std::span<const T, N> values) { storage_->write(stream, values.data(), 0, N * sizeof(T)); }
  void read(const Stream& stream, std::span<T, N> values) const { storage_->read(stream, values.data(), 0, N * sizeof(T)); }
  std::uint32_t memory(ir::Access access, Where where) const { return declare_storage(ir::type_for<T>(), N, access, storage_, where); }
  static Index first(Where where) { return Index(0, where); }

 private:
  static std::vector<unsigned char> bytes_of(std::span<const T> initial) {
    std::vector<unsigned char> bytes(N * sizeof(T));
    if (!initial.empty())
      std::memcpy(bytes.data(), initial.data(), initial.size_bytes() < bytes.size() ? initial.size_bytes() : bytes.size());
    return bytes;
  }
  std::shared_ptr<runtime::Storage> storage_;
};

}  // namespace detail

// A number (or with T[N] an array) that the host sets and kernels read, through the read-only cache. One object stands for one copy on each
// device; it holds its initial value, or zero, until it is set there. Kernels use it without its being passed.
// Setting is ordered by its stream: kernels put into the stream later see the new value; no kernel that reads it may be running in another
// stream meanwhile.
// Example: ox::Constant<float> gain{1.0f};  ...  gain.set(stream, 2.0f);  // and in kernels: *gain * x
template <class T>
class Constant : public detail::StoredElements<T, 1> {
 public:
  Constant() : Constant(T{}) {}
  explicit Constant(const T& initial) : detail::StoredElements<T, 1>(std::span<const T>(&initial, 1)) {}

  // For the host. Throw DeviceError.
  void set(const Stream& stream, const T& value) { this->write(stream, std::span<const T, 1>(&value, 1)); }
  T get(const Stream& stream) const {
    T value{};
    this->read(stream, std::span<T, 1>(&value, 1));
    return value;
  }

  // For kernels: the value.
  detail::ValueFor<T> value(detail::Where where = detail::Where::current()) const {
    return detail::ValueFor<T>::from_handle(
        detail::emit(ir::Opcode::load, ir::type_for<T>(), this->first(where).handle, this->memory(ir::Access::read, where), where), where);
  }
  detail::ValueFor<T> operator*() const { return value(); }
};

template <class T, std::size_t N>
class Constant<T[N]> : public detail::StoredElements<T, N> {
 public:
  Constant() : Constant(std::span<const T>()) {}
  // The elements that are not given are zero.
  explicit Constant(std::span<const T> initial) : detail::StoredElements<T, N>(initial) {}

  void set(const Stream& stream, std::span<const T, N> values) { this->write(stream, values); }
  std::vector<T> get(const Stream& stream) const {
    std::vector<T> values(N);
    this->read(stream, std::span<T, N>(values));
    return values;
  }

  static constexpr std::size_t size() { return N; }
  // For kernels: an element, after a check of the index; all of them as a span.
  detail::ValueFor<T> operator[](detail::Index i) const { return span(i.where)[i]; }
  Span<const T> span(detail::Where where = detail::Where::current()) const { return Span<const T>(this->memory(ir::Access::read, where)); }
};

// A number (or with T[N] an array) of the device that kernels read and write and that keeps its value from launch to launch. One object
// stands for one copy on each device, which starts as the initial value, or zero. Kernels use it without its being passed.
// All threads share it: a plain write says `unchecked`, because that no other thread reads or writes the element meanwhile is up to the
// kernel; use atomics where threads meet.
// Example: ox::Global<std::uint32_t> launches;  ...  // in a kernel: if (i == 0) ++launches.unchecked_mut();
template <class T>
class Global : public detail::StoredElements<T, 1> {
 public:
  Global() : Global(T{}) {}
  explicit Global(const T& initial) : detail::StoredElements<T, 1>(std::span<const T>(&initial, 1)) {}

  // For the host, in the order of the stream. Throw DeviceError, and KernelFault as every call that waits.
  void set(const Stream& stream, const T& value) { this->write(stream, std::span<const T, 1>(&value, 1)); }
  T get(const Stream& stream) const {
    T value{};
    this->read(stream, std::span<T, 1>(&value, 1));
    return value;
  }

  // For kernels: the value as it is now.
  detail::ValueFor<T> value(detail::Where where = detail::Where::current()) const {
    return detail::ValueFor<T>::from_handle(unchecked_mut(where).read(), where);
  }
  detail::ValueFor<T> operator*() const { return value(); }
  Ref<T> unchecked_mut(detail::Where where = detail::Where::current()) const {
    return Ref<T>(this->memory(ir::Access::write, where), this->first(where).handle, where);
  }
  // As a span of one element, for atomics.
  Span<T> span(detail::Where where = detail::Where::current()) const { return Span<T>(this->memory(ir::Access::write, where)); }
};

template <class T, std::size_t N>
class Global<T[N]> : public detail::StoredElements<T, N> {
 public:
  Global() : Global(std::span<const T>()) {}
  // The elements that are not given are zero.
  explicit Global(std::span<const T> initial) : detail::StoredElements<T, N>(initial) {}

  void set(const Stream& stream, std::span<const T, N> values) { this->write(stream, values); }
  std::vector<T> get(const Stream& stream) const {
    std::vector<T> values(N);
    this->read(stream, std::span<T, N>(values));
    return values;
  }

  static constexpr std::size_t size() { return N; }
  // For kernels: reads, after a check of the index; reads or writes without one; all of it as a span, for atomics and helpers.
  Ref<const T> operator[](detail::Index i) const { return span(i.where)[i]; }
  Ref<T> unchecked_mut(detail::Index i) const { return span(i.where).unchecked_mut(i); }
  Span<T> span(detail::Where where = detail::Where::current()) const { return Span<T>(this->memory(ir::Access::write, where)); }
};

}  // namespace oxide
