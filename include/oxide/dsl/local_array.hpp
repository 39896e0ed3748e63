// ox::LocalArray<T, N>: an array of a thread's own, whose elements are chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/array_value.hpp>

namespace oxide {

// N elements of host type T, zero when made. a[i] is an element, as of an ox::Span<T>: read when it becomes a value, written when it is
// assigned to, checked against N; a host index is checked while tracing. Copies and assignments copy all elements. It lies in registers
// where the compiler knows every index (unrolled loops), else in the thread's local memory (kernel.resources(device).local_arrays
// says so), at most 512 KiB for all arrays of a kernel.
// Example: ox::LocalArray<float, 16> bins;  bins[ox::cast<ox::u32>(x * 16)] += 1;
template <class T, std::size_t N>
class LocalArray {
  static_assert(detail::Element<T> && !std::is_const_v<T>,
                "oxide: the elements of an ox::LocalArray are bool, integers, floating-point numbers, enumerations, and structs, tuples "
                "and arrays of them");
  static_assert(N > 0, "oxide: an ox::LocalArray has at least one element");
  static_assert(N <= (std::size_t{1} << 19) / sizeof(T), "oxide: an ox::LocalArray has at most 512 KiB, what a thread has on a GPU");

 public:
  using element_type = T;

  LocalArray(detail::Where where = detail::Where::current()) : address_(make(where)) {}
  LocalArray(const LocalArray& other, detail::Where where = detail::Where::current()) : address_(make(where)) { copy(other, where); }
  LocalArray& operator=(const LocalArray& other) {
    copy(other, detail::Where::current());
    return *this;
  }
  // All elements one value.
  static LocalArray filled(const detail::ValueOf<T>& value, detail::Where where = detail::Where::current()) {
    LocalArray all(where);
    for (std::size_t i = 0; i != N; ++i) detail::write<T>(all.position(i, where), value, where);
    return all;
  }

  static constexpr std::size_t size() { return N; }

  Ref<T> operator[](detail::Index i) { return Ref<T>(position(i)); }
  Ref<const T> operator[](detail::Index i) const { return Ref<const T>(position(i)); }
  // Without a check: i must be below N.
  Ref<T> unchecked(detail::Index i) { return Ref<T>(detail::element_behind<T>(address_, i.handle, i.where)); }

  // For oxide's own headers.
  trace::Handle address() const { return address_; }
  static LocalArray at(trace::Handle address) { return LocalArray(address, Adopt()); }

 private:
  struct Adopt {};
  LocalArray(trace::Handle address, Adopt) : address_(address) {}
  static trace::Handle make(detail::Where where) {
    return detail::emit(ir::Opcode::local_array, ir::Type::address, ir::array_immediate({sizeof(T), static_cast<std::uint32_t>(N)}), where);
  }
  void copy(const LocalArray& other, detail::Where where) {
    detail::emit(ir::Opcode::copy_array, ir::Type::none, address_, other.address_, sizeof(T) * N, where);
  }
  detail::Position position(std::size_t i, detail::Where where) const {
    return detail::element_behind<T>(address_, detail::constant(ir::Type::u64, i, where), where);
  }
  detail::Position position(const detail::Index& i) const {
    return detail::element_behind<T>(address_, detail::checked_index(i, N), i.where);
  }

  trace::Handle address_;
};

}  // namespace oxide
