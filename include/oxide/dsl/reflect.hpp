// How many members a struct has that nobody lists: asked by what its initializers may be.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <oxide/dsl/with_fields.hpp>

namespace oxide::detail {

// Stands for a member of any type in an initializer that is never evaluated.
struct AnyMember {
  template <class T>
  constexpr operator T() const;
};
template <std::size_t>
using AnyMemberAt = AnyMember;

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{AnyMemberAt<I>{}...}; };
}

// The most initializers that T takes when the elements of arrays count one each.
template <class T, std::size_t n = 0>
constexpr std::size_t initializers() {
  constexpr std::size_t limit = 8 * most_members;
  static_assert(n != limit,
                "oxide: this struct has too many members or array elements to be looked at; list its members with OXIDE_STRUCT");
  if constexpr (n == limit) return n;
  else if constexpr (takes<T>(std::make_index_sequence<n + 1>())) return initializers<T, n + 1>();
  else if constexpr (n < 1 && takes<T>(std::make_index_sequence<n + 2>())) return initializers<T, n + 2>();
  else return n;
}

// Whether T{before..., {any}, after...} is one.
template <class T, std::size_t... before, std::size_t... after>
constexpr bool takes_braced(std::index_sequence<before...>, std::index_sequence<after...>) {
  return requires { T{AnyMemberAt<before>{}..., {AnyMember{}}, AnyMemberAt<after>{}...}; };
}

// How many of `all` initializers the member takes that begins at `place`: 1 + more when, with braces around one, all but `more` of the
// rest are still taken.
template <class T, std::size_t all, std::size_t place, std::size_t more = 0>
constexpr std::size_t initializers_of_member() {
  if constexpr (place + more >= all) return 1;
  else if constexpr (takes_braced<T>(std::make_index_sequence<place>(), std::make_index_sequence<all - place - 1 - more>()))
    return 1 + more;
  else return initializers_of_member<T, all, place, more + 1>();
}

// Members of an aggregate: an array takes one initializer for each of its elements, and is found by what follows when it has braces.
template <class T, std::size_t all, std::size_t place = 0, std::size_t members = 0>
constexpr std::size_t count_members() {
  if constexpr (place >= all) return members;
  else return count_members<T, all, place + initializers_of_member<T, all, place>(), members + 1>();
}
template <class T>
constexpr std::size_t count_members() {
  return count_members<T, initializers<T>()>();
}

}  // namespace oxide::detail
