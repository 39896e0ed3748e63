// Structs, tuples and arrays that consist of values: what is done to all numbers of one, and how one lies in memory. (A struct of host
// numbers is a value by itself, an ox::Value<S>.)
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/leaves.hpp>
#include <oxide/dsl/operand.hpp>

namespace oxide {
namespace detail {

// The host type that has the same numbers in the same order.
template <class V>
struct ImageOf;
template <class V>
  requires(std::is_base_of_v<Value<HostType<V>>, V>)
struct ImageOf<V> {
  using type = HostType<V>;
};
template <class V, std::size_t n>
struct ImageOf<std::array<V, n>> {
  using type = std::array<typename ImageOf<V>::type, n>;
};
template <class V, std::size_t n>
struct ImageOf<V[n]> {
  using type = std::array<typename ImageOf<V>::type, n>;
};
template <class... V>
struct ImageOf<std::tuple<V...>> {
  using type = std::tuple<typename ImageOf<V>::type...>;
};
template <class A, class B>
struct ImageOf<std::pair<A, B>> {
  using type = std::pair<typename ImageOf<A>::type, typename ImageOf<B>::type>;
};
struct ImageOfMembers {
  template <class... M>
  constexpr std::type_identity<std::tuple<typename ImageOf<M>::type...>> operator()(const M&...) const {
    return {};
  }
};
template <StructOfValues T>
  requires has_leaves<T>
struct ImageOf<T> {
  using type = typename decltype(with_value_members(std::declval<const T&>(), ImageOfMembers()))::type;
};
template <class V>
using Image = typename ImageOf<V>::type;

template <class V>
concept Composite = has_leaves<V> && !is_local_array<V> && !std::is_base_of_v<Value<HostType<V>>, V>;

template <class V>
struct CompositeHandles {
  static constexpr std::size_t count = Leaves<V>::count;
  ir::Type types[count == 0 ? 1 : count];
  trace::Handle of[count == 0 ? 1 : count];
  explicit CompositeHandles(const V& value) {
    Leaves<V>::list(types);
    Leaves<V>::get(value, of);
  }
};

// As a value of that type, and back. A value is one already.
template <class V>
  requires(!Composite<V>)
const V& to_image(const V& value, Where) {
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): what the caller has
}
template <Composite V>
Value<Image<V>> to_image(const V& value, Where where) {
  const CompositeHandles<V> all(value);
  const trace::Handle* in = all.of;
  return Flat<Image<V>>::from(in, where);
}
template <class V>
  requires(!Composite<V>)
const V& from_image(const Value<Image<V>>& value, Where) {
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): what the caller has
}
template <Composite V>
V from_image(const Value<Image<V>>& value, Where where) {
  return Leaves<V>::make(handles_of<Image<V>>(value).of, where);
}

}  // namespace detail

// a where the condition holds, else b, of structs, tuples and arrays of values; both are computed.
template <detail::Composite V>
V select(detail::Operand<bool> condition, const V& a, const V& b, detail::Where where = detail::Where::current()) {
  detail::CompositeHandles<V> all(a);
  const detail::CompositeHandles<V> other(b);
  for (std::size_t i = 0; i != all.count; ++i)
    all.of[i] = detail::emit(ir::Opcode::select, all.types[i], condition.handle, all.of[i], other.of[i], where);
  return detail::Leaves<V>::make(all.of, where);
}

}  // namespace oxide
