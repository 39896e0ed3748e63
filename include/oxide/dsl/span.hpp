// Parameters that are arrays in device memory: ox::Span<const T> for reading, ox::Span<T> for unchecked writing.
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/dsl/index.hpp>
#include <oxide/dsl/ref.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {
namespace detail {

// What every kind of span has: its memory in the graph, and its length.
class SpanBase {
 public:
  // The number of elements.
  u64 size(Where where = Where::current()) const {
    return u64::from_handle(emit(ir::Opcode::length, ir::Type::u64, memory_, where), where);
  }

  // For oxide's own headers.
  explicit SpanBase(std::uint32_t memory) : memory_(memory) {}
  std::uint32_t memory() const { return memory_; }

 protected:
  void check(const Index& index) const { emit(ir::Opcode::check_bounds, ir::Type::none, index.handle, memory_, index.where); }

 private:
  std::uint32_t memory_;
};

template <class T, std::size_t n>
struct VectorSpans;

// What lies in memory where a span's elements are written T: another type for an ox::Atomic.
template <class T>
struct StoredElement {
  using type = T;
};
template <class T>
using Stored = typename StoredElement<T>::type;

}  // namespace detail

template <class T>
class Span;

// An array that this kernel reads and nobody writes meanwhile: the launch refuses arguments that overlap one that is written.
template <class T>
  requires std::is_const_v<T>
class Span<T> : public detail::SpanBase {
  static_assert(
      detail::Element<T>,
      "oxide: the elements of a span are bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays of them");

 public:
  using element_type = T;
  using detail::SpanBase::SpanBase;

  // The element, after a check of i against the length. Example: ox::f32 x = s[i];
  // One with more than 32 numbers is not read as a whole: it is a Ref, see Span<T>, of which s[i].name reads one member.
  auto operator[](detail::Index i) const {
    constexpr std::size_t most_read = 32;
    if constexpr (detail::leaf_count<std::remove_const_t<T>> <= most_read) {
      check(i);
      return detail::read<T>(detail::element_of<T>(memory(), i.handle, i.where));
    } else {
      i.handle = detail::emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
      check(i);
      return Ref<T>(memory(), i.handle, i.where);
    }
  }
  // The array as vectors of N elements, read at once; see <oxide/dsl/vector.hpp>. Example: ox::f32x4 v = a.as_vectors<4>()[i];
  template <std::size_t N>
  auto as_vectors(detail::Where where = detail::Where::current()) const {
    return detail::VectorSpans<T, N>::span(memory(), where);
  }
};

// An array that this kernel writes where it likes; that no two threads write one element is up to the kernel. Prefer DisjointSpan.
template <class T>
  requires(!std::is_const_v<T>)
class Span<T> : public detail::SpanBase {
  static_assert(
      detail::Element<T>,
      "oxide: the elements of a span are bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays of them");

 public:
  using element_type = T;
  using detail::SpanBase::SpanBase;

  // Reads, after a check of i against the length.
  Ref<const T> operator[](detail::Index i) const {
    // A copy, so that what is read is what was checked, even if the variable i changes in between.
    i.handle = detail::emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
    check(i);
    return Ref<const T>(memory(), i.handle, i.where);
  }
  // Reads or writes without any check: i must be below size(), and no other thread may touch the element.
  Ref<T> unchecked_mut(detail::Index i) const { return Ref<T>(memory(), i.handle, i.where); }
  // The array as vectors of N elements, read and written at once; see <oxide/dsl/vector.hpp>.
  template <std::size_t N>
  auto as_vectors(detail::Where where = detail::Where::current()) const {
    return detail::VectorSpans<T, N>::span(memory(), where);
  }
};

}  // namespace oxide
