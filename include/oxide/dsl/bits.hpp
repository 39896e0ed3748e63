// The numbers of a struct as the bytes they are, in words: what ox::bit_cast and the alternatives of a variant, which share their
// bytes, are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/array_value.hpp>

namespace oxide {
namespace detail {

constexpr ir::Type word_type(std::size_t bytes) {
  return bytes == 1 ? ir::Type::u8 : bytes == 2 ? ir::Type::u16 : bytes == 4 ? ir::Type::u32 : ir::Type::u64;
}
// The largest words that an object of this size and alignment is made of.
constexpr std::size_t word_size(std::size_t size, std::size_t alignment) {
  std::size_t word = alignment > 8 ? 8 : alignment;
  while (size % word != 0) word /= 2;
  return word;
}

// Words hold their first byte lowest; bytes that belong to no number are 0. Throw TraceError for a number that lies across two words.
OXIDE_INLINE void pack(const Leaf* leaves, std::size_t count, const trace::Handle* numbers, std::size_t word, std::size_t words,
                       trace::Handle* out, Where where);
OXIDE_INLINE void unpack(const Leaf* leaves, std::size_t count, const trace::Handle* words, std::size_t word, trace::Handle* out,
                         Where where);

template <class T>
constexpr std::size_t number_bytes();
template <class List>
struct BytesOf;
template <class... M>
struct BytesOf<TypeList<M...>> {
  static constexpr std::size_t value = (std::size_t{0} + ... + number_bytes<M>());
};
// Bytes of T's numbers, where that is known to the compiler: 0 for one with booleans.
template <class T>
constexpr std::size_t number_bytes() {
  if constexpr (std::is_same_v<T, bool>) return 0;
  else if constexpr (ir::Scalar<T> || std::is_enum_v<T>) return sizeof(T);
  else if constexpr (HostArray<T>) return ArrayTraits<T>::size * number_bytes<typename ArrayTraits<T>::element>();
  else if constexpr (Structure<T>) return BytesOf<typename Fields<T>::types>::value;
  else return 0;
}

}  // namespace detail

// The bytes of x as a T of the same size: between structs, arrays, vectors, enumerations and numbers without padding and booleans.
// Example: auto words = ox::bit_cast<std::array<std::uint32_t, 4>>(v);
template <class T, class A>
  requires(detail::AggregateArgument<A> || (detail::Number<A> && !ir::Scalar<typename detail::HostOf<T>::type>))
auto bit_cast(A&& x, detail::Where where = detail::Where::current()) {
  using From = typename detail::HostOf<std::remove_cvref_t<A>>::type;
  using To = typename detail::HostOf<T>::type;
  static_assert(sizeof(From) == sizeof(To), "oxide: ox::bit_cast<T>(x) needs a T of the size of x");
  static_assert(detail::number_bytes<From>() == sizeof(From) && detail::number_bytes<To>() == sizeof(To),
                "oxide: ox::bit_cast takes and gives types without padding and without booleans, whose bits are not defined");
  constexpr std::size_t alignment = alignof(From) > alignof(To) ? alignof(From) : alignof(To);
  constexpr std::size_t word = detail::word_size(sizeof(From), alignment), words = sizeof(From) / word;
  const detail::ValueOf<From> value(std::forward<A>(x));
  trace::Handle all[words];
  detail::pack(detail::leaves_of<From>(), detail::leaf_count<From>, detail::handles_of<From>(value).of, word, words, all, where);
  detail::Handles<To> out;
  detail::unpack(detail::leaves_of<To>(), detail::leaf_count<To>, all, word, out.of, where);
  return detail::value_from<To>(out, where);
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/bits_implementation.hpp>
#endif
