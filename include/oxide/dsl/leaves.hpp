// What a composite of device values consists of: the scalars in it, in order. Functions pass and return composites by them.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/local_array.hpp>
#include <oxide/dsl/reflect.hpp>
#include <oxide/dsl/type_list.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/dsl/with_fields.hpp>
#include <oxide/trace/handle.hpp>

namespace oxide::detail {

// count: how many scalars. list(types): writes their types. get(value, out): writes their handles. make(handles, where): the composite of
// these. Not defined for what consists of no device values.
template <class T>
struct Leaves {
  static constexpr bool supported = false;
};

template <class T>
inline constexpr bool has_leaves = Leaves<T>::supported;

// Values of host types, which know their numbers themselves.
template <Element T>
struct Leaves<Value<T>> {
  static constexpr bool supported = true;
  static constexpr std::size_t count = Flat<T>::count;
  static void list(ir::Type* types) {
    for (std::size_t i = 0; i != count; ++i) types[i] = leaves_of<T>()[i].type;
  }
  static void get(const Value<T>& value, trace::Handle* out) { Flat<T>::into(value, out); }
  static Value<T> make(const trace::Handle* handles, Where where) { return Flat<T>::from(handles, where); }
};

// Other names of such values: ox::Option<ox::f32>, ox::Result<ox::f32, ox::u32>.
template <class T>
  requires(!std::is_same_v<HostType<T>, T> && !std::is_same_v<Value<HostType<T>>, T> && std::is_base_of_v<Value<HostType<T>>, T>)
struct Leaves<T> : Leaves<Value<HostType<T>>> {
  static T make(const trace::Handle* handles, Where where) { return T(Leaves<Value<HostType<T>>>::make(handles, where), where); }
};

// An array of a thread's own goes by its address: the function works on the caller's elements.
template <class T, std::size_t n>
struct Leaves<LocalArray<T, n>> {
  static constexpr bool supported = true;
  static constexpr std::size_t count = 1;
  static void list(ir::Type* types) { *types = ir::Type::address; }
  static void get(const LocalArray<T, n>& array, trace::Handle* out) { *out = array.address(); }
  static LocalArray<T, n> make(const trace::Handle* handles, Where) { return LocalArray<T, n>::at(*handles); }
};
template <class T>
inline constexpr bool is_local_array = false;
template <class T, std::size_t n>
inline constexpr bool is_local_array<LocalArray<T, n>> = true;

// Of a list of members, each with a place among the scalars.
template <class... Members>
struct MemberLeaves {
  static constexpr bool supported = (has_leaves<Members> && ...);
  static constexpr std::size_t count = [] {
    if constexpr (supported) return (std::size_t{0} + ... + Leaves<Members>::count);
    else return std::size_t{0};
  }();
  static constexpr std::array<std::size_t, sizeof...(Members) + 1> places = [] {
    std::array<std::size_t, sizeof...(Members) + 1> all{};
    if constexpr (supported) {
      constexpr std::size_t counts[] = {Leaves<Members>::count..., 0};
      for (std::size_t i = 0; i != sizeof...(Members); ++i) all[i + 1] = all[i] + counts[i];
    }
    return all;
  }();
  static void list(ir::Type* types) {
    std::size_t i = 0;
    (Leaves<Members>::list(types + places[i++]), ...);
  }
  static void get(trace::Handle* out, const Members&... members) {
    std::size_t i = 0;
    (Leaves<Members>::get(members, out + places[i++]), ...);
  }
  template <class T, std::size_t... I>
  static T make(const trace::Handle* handles, Where where, std::index_sequence<I...>) {
    return T{Leaves<Members>::make(handles + places[I], where)...};
  }
};

template <class... T>
struct Leaves<std::tuple<T...>> : MemberLeaves<T...> {
  static void get(const std::tuple<T...>& value, trace::Handle* out) {
    std::apply([&](const T&... members) { MemberLeaves<T...>::get(out, members...); }, value);
  }
  static std::tuple<T...> make(const trace::Handle* handles, Where where) {
    return MemberLeaves<T...>::template make<std::tuple<T...>>(handles, where, std::index_sequence_for<T...>());
  }
};

template <class A, class B>
struct Leaves<std::pair<A, B>> : MemberLeaves<A, B> {
  static void get(const std::pair<A, B>& value, trace::Handle* out) { MemberLeaves<A, B>::get(out, value.first, value.second); }
  static std::pair<A, B> make(const trace::Handle* handles, Where where) {
    return MemberLeaves<A, B>::template make<std::pair<A, B>>(handles, where, std::index_sequence<0, 1>());
  }
};

template <class T, std::size_t n>
  requires has_leaves<T>
struct Leaves<std::array<T, n>> {
  static constexpr bool supported = true;
  static constexpr std::size_t count = n * Leaves<T>::count;
  static void list(ir::Type* types) {
    for (std::size_t i = 0; i != n; ++i) Leaves<T>::list(types + i * Leaves<T>::count);
  }
  static void get(const std::array<T, n>& value, trace::Handle* out) {
    for (std::size_t i = 0; i != n; ++i) Leaves<T>::get(value[i], out + i * Leaves<T>::count);
  }
  static std::array<T, n> make(const trace::Handle* handles, Where where) { return make(handles, where, std::make_index_sequence<n>()); }

 private:
  template <std::size_t... I>
  static std::array<T, n> make(const trace::Handle* handles, Where where, std::index_sequence<I...>) {
    return {Leaves<T>::make(handles + I * Leaves<T>::count, where)...};
  }
};

// ---- structs of device values, by their members in order, without being told of them

// Arrays as members of such structs.
template <class T, std::size_t n>
  requires has_leaves<T>
struct Leaves<T[n]> {
  static constexpr bool supported = true;
  static constexpr std::size_t count = n * Leaves<T>::count;
  static void list(ir::Type* types) {
    for (std::size_t i = 0; i != n; ++i) Leaves<T>::list(types + i * Leaves<T>::count);
  }
  static void get(const T (&value)[n], trace::Handle* out) {
    for (std::size_t i = 0; i != n; ++i) Leaves<T>::get(value[i], out + i * Leaves<T>::count);
  }
};

// What initializes a member: one value, or of an array each element. Where initializer k begins among the member's scalars.
template <class M>
struct InitializersOf {
  static constexpr std::size_t count = 1;
  template <std::size_t>
  using type = M;
  static constexpr std::size_t place(std::size_t) { return 0; }
};
template <class T, std::size_t n>
struct InitializersOf<T[n]> {
  using Element = InitializersOf<T>;
  static constexpr std::size_t count = n * Element::count;
  template <std::size_t k>
  using type = typename Element::template type<k % Element::count>;
  static constexpr std::size_t place(std::size_t k) { return k / Element::count * Leaves<T>::count + Element::place(k % Element::count); }
};

// Calls f(members...) of a struct with as many members.
template <class T, class F>
constexpr decltype(auto) with_value_members(const T& t, F&& f) {
  return with_fields<count_members<T>()>(t, std::forward<F>(f));
}

template <class... M>
struct LeavesOfMembers : MemberLeaves<M...> {
  template <class T>
  static T make(const trace::Handle* handles, Where where) {
    return make<T>(handles, where, std::make_index_sequence<(std::size_t{0} + ... + InitializersOf<M>::count)>());
  }

 private:
  static constexpr std::pair<std::size_t, std::size_t> member_and_initializer(std::size_t i) {
    constexpr std::size_t counts[] = {InitializersOf<M>::count...};
    std::size_t member = 0;
    for (; i >= counts[member]; ++member) i -= counts[member];
    return {member, i};
  }
  template <std::size_t i>
  static auto initializer(const trace::Handle* handles, Where where) {
    constexpr auto at = member_and_initializer(i);
    using Of = InitializersOf<TypeAt<at.first, TypeList<M...>>>;
    return Leaves<typename Of::template type<at.second>>::make(handles + LeavesOfMembers::places[at.first] + Of::place(at.second), where);
  }
  template <class T, std::size_t... I>
  static T make(const trace::Handle* handles, Where where, std::index_sequence<I...>) {
    return T{initializer<I>(handles, where)...};
  }
};

struct ValueMemberTypes {
  template <class... M>
  constexpr std::type_identity<LeavesOfMembers<M...>> operator()(const M&...) const {
    return {};
  }
};

// No struct of host numbers: that is a value by itself, as an ox::Value<T>.
template <class T>
concept StructOfValues =
    std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T> && !std::is_polymorphic_v<T> && !HostArray<T> && !Element<T>;

template <StructOfValues T>
using LeavesOfStruct = typename decltype(with_value_members(std::declval<const T&>(), ValueMemberTypes()))::type;

template <StructOfValues T>
  requires LeavesOfStruct<T>::supported
struct Leaves<T> : LeavesOfStruct<T> {
  static void get(const T& value, trace::Handle* out) {
    with_value_members(value, [&](const auto&... members) { LeavesOfStruct<T>::get(out, members...); });
  }
  static T make(const trace::Handle* handles, Where where) { return LeavesOfStruct<T>::template make<T>(handles, where); }
};

}  // namespace oxide::detail
