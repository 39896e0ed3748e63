// Parameter types of operators. Their converting constructors have room for what an operator has not: a defaulted source location.
#pragma once

#include <type_traits>
#include <utility>

#include <oxide/dsl/conversion.hpp>
#include <oxide/dsl/emit.hpp>

namespace oxide::detail {

// The recorded value of a number that fits T: a constant, the value itself, a widened one, or an element that is read.
template <class T, class A>
trace::Handle handle_as(A&& source, Where where) {
  constexpr Source from = source_of<A>;
  constexpr ir::Type to = ir::type_for<T>();
  if constexpr (from.kind == SourceKind::host) return host_constant(to, source, where);
  else if constexpr (from.kind == SourceKind::element) return convert(from.type, to, source.read(), where);
  else return convert(from.type, to, source.handle(), where);
}

// The same, as a variable of its own.
template <class T, class A>
trace::Handle fresh_handle_as(A&& source, Where where) {
  constexpr Source from = source_of<A>;
  constexpr bool shared = from.kind == SourceKind::device && from.type == ir::type_for<T>();
  const trace::Handle handle = handle_as<T>(std::forward<A>(source), where);
  return shared ? emit(ir::Opcode::copy, ir::type_for<T>(), handle, 0, where) : handle;
}

// A number that is read as a T.
template <class T>
struct Operand {
  Operand(const Value<T>& value, Where place = Where::current()) : handle(value.handle()), where(place) {}
  template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Value<T>> && Fits<A, ir::type_for<T>()>)
  Operand(A&& source, Where place = Where::current()) : handle(handle_as<T>(std::forward<A>(source), place)), where(place) {}

  trace::Handle handle;
  Where where;
};

// A T or a host number, but nothing that would have to be widened: the value of a shift keeps its type.
template <class T>
struct ExactOperand : Operand<T> {
  ExactOperand(const Value<T>& value, Where place = Where::current()) : Operand<T>(value, place) {}
  template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Value<T>> && Fits<A, ir::type_for<T>()> &&
             (source_of<A>.kind == SourceKind::host || source_of<A>.type == ir::type_for<T>()))
  ExactOperand(A&& source, Where place = Where::current()) : Operand<T>(std::forward<A>(source), place) {}
};

// How far a T is shifted: a T, or a host integer modulo the width.
template <class T>
struct ShiftCount : Operand<T> {
  ShiftCount(const Value<T>& count, Where place = Where::current()) : Operand<T>(count, place) {}
  template <class A>
    requires(source_of<A>.kind != SourceKind::host && !std::is_same_v<std::remove_cvref_t<A>, Value<T>> && Fits<A, ir::type_for<T>()> &&
             source_of<A>.type == ir::type_for<T>())
  ShiftCount(A&& count, Where place = Where::current()) : Operand<T>(std::forward<A>(count), place) {}
  template <class H>
    requires(source_of<H>.kind == SourceKind::host && ir::is_integer(source_of<H>.type))
  ShiftCount(H count, Where place = Where::current())
      : Operand<T>(static_cast<std::uint8_t>(static_cast<std::uint64_t>(count) & (8 * sizeof(T) - 1)), place) {}
};

// A variable that ++ and -- change.
template <class T>
struct Variable {
  Variable(Value<T>& v, Where place = Where::current()) : value(&v), where(place) {}
  Value<T>* value;
  Where where;
};

}  // namespace oxide::detail
