// Constant tables: host arrays that a kernel reads with an index of the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/index.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/linkage.hpp>

namespace oxide {
namespace detail {

// The number of a memory of constants, for spans; equal ones are one.
OXIDE_INLINE std::uint32_t declare_table(const ElementLayout& element, const Leaf* leaves, std::size_t leaf_count, const void* first,
                                         std::uint64_t elements, Where where);

[[noreturn]] OXIDE_INLINE void outside_of_table(Where where, HostInteger index, std::size_t elements);

template <class T>
std::uint32_t declare_table(const T* first, std::size_t count, Where where) {
  return declare_table(element_layout<T>(), leaves_of<T>(), leaf_count<T>, first, count, where);
}

#define OXIDE_DSL_TABLE_ELEMENTS \
  "oxide: a constant table holds bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays of them"

template <class A>
using TableElement = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const A&>()))>>;

template <class A>
constexpr bool can_be_table() {
  static_assert(Element<TableElement<A>>, OXIDE_DSL_TABLE_ELEMENTS);
  return Element<TableElement<A>>;
}

}  // namespace detail

// The elements of a host array (std::array, C array, std::vector, std::span) as memory that the kernel reads: they become part of its
// code, and equal tables are one. Reads are checked, as those of every span. For use in kernel lambdas; the array may go when this returns.
// Example: const auto weights = ox::constant_table(host_weights);  sum += weights[i % 3];
template <class A>
  requires requires(const A& array) { std::data(array), std::size(array); }
auto constant_table(const A& array, detail::Where where = detail::Where::current()) {
  using T = detail::TableElement<A>;
  if constexpr (detail::can_be_table<A>()) return Span<const T>(detail::declare_table(std::data(array), std::size(array), where));
}

// A host array of N elements that a kernel may index with device values as it stands. On the host it is a plain array.
// Example: inline constexpr ox::Table weights{0.25f, 0.5f, 0.25f};  ... sum += weights[k] * x;  // k may be an ox::u32 or an int
template <class T, std::size_t N>
struct Table {
  static_assert(detail::Element<T>, OXIDE_DSL_TABLE_ELEMENTS);
  static_assert(N > 0, "oxide: a constant table has at least one element");

  T elements[N];

  constexpr std::size_t size() const { return N; }
  constexpr const T* data() const { return elements; }
  constexpr const T* begin() const { return elements; }
  constexpr const T* end() const { return elements + N; }

  // Of the host: the number itself. Where there is none: throws TraceError in a kernel, else Error; in a constant expression, does not
  // compile.
  constexpr const T& operator[](detail::HostIndex i) const {
    if (i.number.negative || i.number.high != 0 || i.number.magnitude >= N) detail::outside_of_table(i.where, i.number, N);
    return elements[i.number.magnitude];
  }
  // Of a kernel: read from the table, after a check of the index.
  auto operator[](detail::DeviceIndex i) const { return span(i.where)[static_cast<detail::Index&&>(i)]; }

  // The table as a span, for functions that take one.
  Span<const T> span(detail::Where where = detail::Where::current()) const {
    return Span<const T>(detail::declare_table(elements, N, where));
  }
};
template <class T, class... Rest>
Table(T, Rest...) -> Table<T, 1 + sizeof...(Rest)>;
#undef OXIDE_DSL_TABLE_ELEMENTS

}  // namespace oxide
