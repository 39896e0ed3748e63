// How a host type is made of numbers: which it has and where they lie in its bytes. A value of the type has one variable of the kernel
// for each of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/position.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide::detail {

// One number of a host type.
struct Leaf {
  ir::Type type = ir::Type::none;
  std::uint32_t offset = 0;  // in bytes
};

// count                   how many numbers it has
// leaves(out, offset)     writes them, of a T that starts at `offset`, and moves `out` behind them
// from(in, where)         the value made of recorded numbers, in that order; moves `in`
// into(value, out)        the numbers of a value; moves `out`
// equal(a, b, where)      whether two values are equal, as a boolean
// Specialized for every type that can be an element of memory or a value.
template <class T>
struct Flat;

template <class T>
concept Element = requires { Flat<std::remove_const_t<T>>::count; };

template <class T>
struct ValueOfHost {
  using type = Value<T>;
};
template <ir::Scalar T>
struct ValueOfHost<T> {
  using type = ValueFor<T>;
};
// What an element, member or parameter of host type T is in a kernel.
template <class T>
using ValueOf = typename ValueOfHost<std::remove_cv_t<T>>::type;

// The host type that a value, an element or another name of a value stands for; A itself of anything else.
template <class A>
struct HostOf {
  using type = A;
};
template <class T>
struct HostOf<Value<T>> {
  using type = T;
};
template <class T>
struct HostOf<Ref<T>> {
  using type = std::remove_const_t<T>;
};
template <class T>
struct HostOf<Place<T>> {
  using type = std::remove_const_t<T>;
};

template <class V>
using HostType = typename HostOf<std::remove_cvref_t<V>>::type;

// A value or an element that is not one number: a struct, an array, an enumeration and the like.
template <class A>
concept AggregateArgument = !ir::Scalar<HostType<A>> && Element<HostType<A>>;

template <ir::Scalar T>
struct Flat<T> {
  static constexpr std::size_t count = 1;
  static void leaves(Leaf*& out, std::uint32_t offset) { *out++ = {ir::type_for<T>(), offset}; }
  static ValueFor<T> from(const trace::Handle*& in, Where where) { return ValueFor<T>::from_handle(*in++, where); }
  static void into(const ValueFor<T>& value, trace::Handle*& out) { *out++ = value.handle(); }
  static trace::Handle equal(const ValueFor<T>& a, const ValueFor<T>& b, Where where) {
    return emit(ir::Opcode::equal, ir::Type::boolean, a.handle(), b.handle(), 0, where);
  }
};

template <class T>
inline constexpr std::size_t leaf_count = Flat<T>::count;

template <class T>
const Leaf* leaves_of() {
  static const std::array<Leaf, leaf_count<T> + 1> table = [] {
    std::array<Leaf, leaf_count<T> + 1> all{};
    Leaf* out = all.data();
    Flat<T>::leaves(out, 0);
    return all;
  }();
  return table.data();
}

// ---- numbers by the list

inline void load_leaves(const Position& p, const Leaf* leaves, std::size_t count, trace::Handle* out) {
  for (std::size_t i = 0; i != count; ++i) out[i] = load(part_of(p, leaves[i].offset), leaves[i].type);
}
inline void store_leaves(const Position& p, const Leaf* leaves, std::size_t count, const trace::Handle* values, Where where) {
  for (std::size_t i = 0; i != count; ++i) store(part_of(p, leaves[i].offset), leaves[i].type, values[i], where);
}
inline void copy_leaves(const Leaf* leaves, std::size_t count, trace::Handle* values, Where where) {
  for (std::size_t i = 0; i != count; ++i) values[i] = emit(ir::Opcode::copy, leaves[i].type, values[i], 0, where);
}
inline void assign_leaves(std::size_t count, const trace::Handle* to, const trace::Handle* from, Where where) {
  for (std::size_t i = 0; i != count; ++i) assign(to[i], from[i], where);
}
// At the place of the operation before it: the copy that became the parameter of an operator= (which has no room for a place).
OXIDE_INLINE void assign_leaves(std::size_t count, const trace::Handle* to, const trace::Handle* from);
// Constants: what lies in a host object, or zeros where there is none.
OXIDE_INLINE void constant_leaves(const Leaf* leaves, std::size_t count, const void* bytes, trace::Handle* out, Where where);
// Throws TraceError: a host index that is outside of an array.
[[noreturn]] OXIDE_INLINE void refuse_index(Where where, HostInteger index, std::size_t count);
// A boolean: all of these.
OXIDE_INLINE trace::Handle all_of(const trace::Handle* booleans, std::size_t count, Where where);

// ---- whole values

template <class T>
struct Handles {
  trace::Handle of[leaf_count<T> == 0 ? 1 : leaf_count<T>];
};

template <class T>
Handles<T> handles_of(const ValueOf<T>& value) {
  Handles<T> all;
  trace::Handle* out = all.of;
  Flat<T>::into(value, out);
  return all;
}
template <class T>
Handles<T> copied(const ValueOf<T>& value, Where where) {
  Handles<T> all = handles_of<T>(value);
  copy_leaves(leaves_of<T>(), leaf_count<T>, all.of, where);
  return all;
}
template <class T>
Handles<T> constants(const T* host, Where where) {
  Handles<T> all;
  constant_leaves(leaves_of<T>(), leaf_count<T>, host, all.of, where);
  return all;
}
template <class T>
Handles<T> loaded(const Position& p) {
  Handles<T> all;
  load_leaves(p, leaves_of<T>(), leaf_count<T>, all.of);
  return all;
}
template <class T>
ValueOf<T> value_from(const Handles<T>& all, Where where) {
  const trace::Handle* in = all.of;
  return Flat<T>::from(in, where);
}

template <class T>
ValueOf<T> read(const Position& p) {
  using Host = std::remove_const_t<T>;
  if constexpr (ir::Scalar<Host>) return ValueFor<Host>::from_handle(load(p, ir::type_for<Host>()), p.where);
  else return value_from<Host>(loaded<Host>(p), p.where);
}
template <class T>
void write(const Position& p, const ValueOf<T>& value, Where where) {
  store_leaves(p, leaves_of<T>(), leaf_count<T>, handles_of<T>(value).of, where);
}
template <class T>
void assign_value(const ValueOf<T>& to, const ValueOf<T>& from) {
  assign_leaves(leaf_count<T>, handles_of<T>(to).of, handles_of<T>(from).of);
}
template <class T>
void assign_value(const ValueOf<T>& to, const ValueOf<T>& from, Where where) {
  assign_leaves(leaf_count<T>, handles_of<T>(to).of, handles_of<T>(from).of, where);
}

// A value, an element or a host object as a value of its type.
template <class A>
ValueOf<HostType<A>> as_value(A&& x, Where where) {
  using V = ValueOf<HostType<A>>;
  if constexpr (std::is_constructible_v<V, A&&, Where>) return V(static_cast<A&&>(x), where);
  else return V(static_cast<A&&>(x));
}

// A value as the operand of an operator, which has no room for a place.
template <class T>
struct ValueOperand {
  ValueOperand(const ValueOf<T>& v, Where place = Where::current()) : value(value_from<T>(handles_of<T>(v), place)), where(place) {}
  template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, ValueOf<T>> && std::is_convertible_v<A &&, ValueOf<T>>)
  ValueOperand(A&& a, Where place = Where::current()) : value(static_cast<A&&>(a)), where(place) {}
  ValueOf<T> value;
  Where where;
};
template <class T>
Value<bool> equal_values(const ValueOperand<T>& a, const ValueOperand<T>& b) {
  return Value<bool>::from_handle(Flat<T>::equal(a.value, b.value, b.where), b.where);
}

// How elements lie in a span of T.
struct ElementLayout {
  ir::Type type = ir::Type::none;  // none: structs and the like
  ir::Layout layout = {};
};
template <class T>
constexpr ElementLayout element_layout() {
  using Host = std::remove_const_t<T>;
  if constexpr (ir::Scalar<Host>) return {ir::type_for<Host>(), {}};
  else return {ir::Type::none, {sizeof(Host), alignof(Host)}};
}

// A shared array's number among memories. `elements` is 0 where the launch's list says how many; it ends with release_shared.
OXIDE_INLINE std::uint32_t declare_shared(const ElementLayout& element, std::uint64_t elements, bool dynamic, Where where);

}  // namespace oxide::detail

#ifndef OXIDE_LINKED
#include <oxide/dsl/flat_implementation.hpp>
#endif
