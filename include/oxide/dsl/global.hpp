// Memory of a device that kernels name without its being passed: ox::Constant and ox::Global.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/storage.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {
namespace detail {

OXIDE_INLINE std::uint32_t declare_storage(const ElementLayout& element, std::uint64_t elements, ir::Access access,
                                           const Counted<runtime::Storage>& storage, Where where);

[[noreturn]] OXIDE_INLINE void too_many_elements(std::size_t given, std::size_t elements);

// What ox::Constant and ox::Global have in common: a T, or the N elements of a T[N], on each device, set and read by the host.
template <class T>
class StoredElements {
 protected:
  using E = std::remove_extent_t<T>;
  static constexpr std::size_t count = std::is_array_v<T> ? std::extent_v<T> : 1;
  static_assert(
      Element<E> && !std::is_const_v<E>,
      "oxide: an ox::Constant or ox::Global holds a bool, an integer, a floating-point number, an enumeration, a struct, tuple or "
      "std::array of them, or an array of such");

 public:
  StoredElements() : StoredElements(std::span<const E>(), 0) {}
  // The elements that are not given are zero. Throws Error for more than there are.
  explicit StoredElements(std::span<const E> initial)
    requires std::is_array_v<T>
      : StoredElements(initial, 0) {}
  explicit StoredElements(const E& initial)
    requires(!std::is_array_v<T>)
      : StoredElements(std::span<const E>(&initial, 1), 0) {}
  StoredElements(const StoredElements&) = delete;
  StoredElements& operator=(const StoredElements&) = delete;

  // For the host, in the order of the stream. Throw DeviceError, and KernelFault as every call that waits.
  void set(const Stream& stream, const E& value)
    requires(!std::is_array_v<T>)
  {
    storage_->write(stream, &value, 0, sizeof(E));
  }
  void set(const Stream& stream, std::span<const E, count> values)
    requires std::is_array_v<T>
  {
    storage_->write(stream, values.data(), 0, values.size_bytes());
  }
  // The value, or a std::vector of the elements.
  auto get(const Stream& stream) const {
    if constexpr (!std::is_array_v<T>) {
      E value{};
      storage_->read(stream, &value, 0, sizeof(E));
      return value;
    } else {
      std::vector<std::conditional_t<std::is_same_v<E, bool>, unsigned char, E>> elements(count);  // a std::vector<bool> has none
      storage_->read(stream, elements.data(), 0, count * sizeof(E));
      return std::vector<E>(elements.begin(), elements.end());
    }
  }

 protected:
  std::uint32_t memory(ir::Access access, Where where) const {
    return declare_storage(element_layout<E>(), count, access, storage_, where);
  }
  Position first(ir::Access access, Where where) const {
    const Index index(0, where);
    return element_of<E>(memory(access, where), index.handle, where);
  }

 private:
  StoredElements(std::span<const E> initial, int) : storage_(make_counted<runtime::Storage>(bytes_of(initial))) {}
  static std::vector<unsigned char> bytes_of(std::span<const E> initial) {
    if (initial.size() > count) too_many_elements(initial.size(), count);
    std::vector<unsigned char> bytes(count * sizeof(E));
    if (!initial.empty()) std::memcpy(bytes.data(), static_cast<const void*>(initial.data()), initial.size_bytes());
    return bytes;
  }
  Counted<runtime::Storage> storage_;
};

}  // namespace detail

// A value (or with T[N] an array) that the host sets and kernels read, through the read-only cache. One object stands for one copy on each
// device; it holds its initial value, or zero, until it is set there. Kernels use it without its being passed.
// Setting is ordered by its stream: kernels put into the stream later see the new value; no kernel that reads it may be running in another
// stream meanwhile.
// Example: ox::Constant<float> gain{1.0f};  ...  gain.set(stream, 2.0f);  // and in kernels: *gain * x
template <class T>
class Constant : public detail::StoredElements<T> {
 public:
  using detail::StoredElements<T>::StoredElements;

  // For kernels: the value.
  detail::ValueOf<T> value(detail::Where where = detail::Where::current()) const {
    return detail::read<T>(this->first(ir::Access::read, where));
  }
  detail::ValueOf<T> operator*() const { return value(); }
};

template <class T, std::size_t N>
class Constant<T[N]> : public detail::StoredElements<T[N]> {
 public:
  using detail::StoredElements<T[N]>::StoredElements;

  static constexpr std::size_t size() { return N; }
  // For kernels: an element, after a check of the index; all of them as a span.
  auto operator[](detail::Index i) const { return span(i.where)[i]; }
  Span<const T> span(detail::Where where = detail::Where::current()) const { return Span<const T>(this->memory(ir::Access::read, where)); }
};

// A value (or with T[N] an array) of the device that kernels read and write and that keeps its value from launch to launch. One object
// stands for one copy on each device, which starts as the initial value, or zero. Kernels use it without its being passed.
// All threads share it: a plain write says `unchecked`, because that no other thread reads or writes the element meanwhile is up to the
// kernel; use atomics where threads meet.
// Example: ox::Global<std::uint32_t> launches;  ...  // in a kernel: if (i == 0) ++launches.unchecked_mut();
template <class T>
class Global : public detail::StoredElements<T> {
 public:
  using detail::StoredElements<T>::StoredElements;

  // For kernels: the value as it is now.
  detail::ValueOf<T> value(detail::Where where = detail::Where::current()) const {
    return detail::read<T>(this->first(ir::Access::write, where));
  }
  detail::ValueOf<T> operator*() const { return value(); }
  Ref<T> unchecked_mut(detail::Where where = detail::Where::current()) const { return Ref<T>(this->first(ir::Access::write, where)); }
  // As a span of one element, for atomics.
  Span<T> span(detail::Where where = detail::Where::current()) const { return Span<T>(this->memory(ir::Access::write, where)); }
};

template <class T, std::size_t N>
class Global<T[N]> : public detail::StoredElements<T[N]> {
 public:
  using detail::StoredElements<T[N]>::StoredElements;

  static constexpr std::size_t size() { return N; }
  // For kernels: reads, after a check of the index; reads or writes without one; all of it as a span, for atomics and helpers.
  Ref<const T> operator[](detail::Index i) const { return span(i.where)[i]; }
  Ref<T> unchecked_mut(detail::Index i) const { return span(i.where).unchecked_mut(i); }
  Span<T> span(detail::Where where = detail::Where::current()) const { return Span<T>(this->memory(ir::Access::write, where)); }
};

}  // namespace oxide
