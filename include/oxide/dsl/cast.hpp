// Conversions that are asked for by name, because they may lose something.
#pragma once

#include <type_traits>
#include <utility>

#include <oxide/dsl/value.hpp>

namespace oxide {

namespace detail {

// ox::cast<ox::f32> and ox::cast<float> are the same.
template <class T>
struct CastTarget {
  static_assert(ir::type_for<T>() != ir::Type::none, "oxide: ox::cast<T>(x) converts to a device value, as in ox::cast<ox::f32>(x)");
  static constexpr ir::Type type = ir::type_for<T>();
  using host = T;
};
template <class T>
struct CastTarget<Value<T>> : CastTarget<T> {};

template <class T>
inline constexpr bool is_number_target = ir::type_for<T>() != ir::Type::none;
template <class T>
inline constexpr bool is_number_target<Value<T>> = ir::type_for<T>() != ir::Type::none;

trace::Handle cast(ir::Type from, ir::Type to, trace::Handle x, Where where);

template <class A>
trace::Handle own_handle(A&& x, Where where) {
  constexpr Source from = source_of<A>;
  explain<verdict(from, from.type)>();
  return handle_as<typename ScalarOf<from.type>::type>(std::forward<A>(x), where);
}

}  // namespace detail

// x as a T. Integers keep their low bits; a float that becomes an integer is truncated, saturates, and NaN gives 0; an integer or
// double that becomes a float is rounded to nearest even, once; a boolean is x != 0, and is 1 or 0 as a number. What is too large for an
// 8-bit float becomes its largest number.
// Example: ox::f32 half = ox::cast<ox::f32>(n) / 2;
template <class T, class A>
  requires detail::Number<A>
auto cast(A&& x, detail::Where where = detail::Where::current()) {
  constexpr ir::Type to = detail::CastTarget<T>::type;
  static_assert(ir::can_cast(detail::source_of<A>.type, to),
                "oxide: 8-bit floats convert to and from floating types only, and pairs of halves not at all; write "
                "ox::cast<ox::f32>(x) in between, or ox::low(p) and ox::high(p)");
  return detail::DeviceValue<to>::from_handle(
      detail::cast(detail::source_of<A>.type, to, detail::own_handle(std::forward<A>(x), where), where), where);
}

// The bits of x as a T of the same size. Example: ox::u32 bits = ox::bit_cast<ox::u32>(x);
template <class T, class A>
  requires(detail::Number<A> && detail::is_number_target<T>)
auto bit_cast(A&& x, detail::Where where = detail::Where::current()) {
  constexpr ir::Type from = detail::source_of<A>.type, to = detail::CastTarget<T>::type;
  static_assert(ir::size_of(from) == ir::size_of(to), "oxide: ox::bit_cast<T>(x) needs a T of the size of x");
  static_assert(!ir::is_boolean(from) && !ir::is_boolean(to), "oxide: the bits of an ox::boolean are not defined; use ox::cast<T>(x)");
  return detail::DeviceValue<to>::from_handle(
      detail::emit(ir::Opcode::bit_cast, to, detail::own_handle(std::forward<A>(x), where), 0, where), where);
}

inline trace::Handle detail::cast(ir::Type from, ir::Type to, trace::Handle x, Where where) {
  if (from == to) return emit(ir::Opcode::copy, to, x, 0, where);
  if (ir::is_boolean(to)) return emit(ir::Opcode::not_equal, to, x, constant(from, 0, where), 0, where);
  return emit(ir::Opcode::cast, to, x, 0, where);
}

}  // namespace oxide
