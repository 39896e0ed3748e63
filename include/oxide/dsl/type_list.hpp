// A list of types.
#pragma once

#include <cstddef>

namespace oxide::detail {

template <class... P>
struct TypeList {
  static constexpr std::size_t size = sizeof...(P);
};

template <std::size_t n, class List>
struct TypeAtPlace;
template <std::size_t n, class First, class... Rest>
struct TypeAtPlace<n, TypeList<First, Rest...>> : TypeAtPlace<n - 1, TypeList<Rest...>> {};
template <class First, class... Rest>
struct TypeAtPlace<0, TypeList<First, Rest...>> {
  using type = First;
};
template <std::size_t n, class List>
using TypeAt = typename TypeAtPlace<n, List>::type;

}  // namespace oxide::detail
