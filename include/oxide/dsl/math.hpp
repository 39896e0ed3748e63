// Exact arithmetic on device values; functions are in math_functions.hpp. The rules for NaN, infinities and rounding are in
// docs/numbers.md.
#pragma once

#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {
namespace detail {

template <class... A>
concept NumbersOnDevice = (Number<A> && ...) && (is_device(source_of<A>) || ...);

// The common type of two or three arguments, or an error in words.
template <class A, class B>
constexpr ir::Type needed_common_type() {
  constexpr ir::Type type = common_type(source_of<A>, source_of<B>);
  if constexpr (type == ir::Type::none) explain<refusal(source_of<A>, source_of<B>)>();
  return type == ir::Type::none ? ir::Type::f32 : type;
}
template <class A, class B, class C>
constexpr ir::Type needed_common_type() {
  if constexpr (source_of<A>.kind == SourceKind::host && source_of<B>.kind == SourceKind::host) {
    needed_common_type<A, C>();
    return needed_common_type<B, C>();
  } else {
    return needed_common_type<DeviceValue<needed_common_type<A, B>()>, C>();
  }
}
template <class A>
constexpr ir::Type needed_common_type() {
  explain<verdict(source_of<A>, source_of<A>.type)>();
  return source_of<A>.type;
}

template <ir::Type type>
constexpr void needs_floating() {
  static_assert(ir::is_floating(type), "oxide: this function takes ox::f32 or ox::f64; write ox::cast<ox::f32>(x)");
}
template <ir::Type type>
constexpr void needs_number() {
  static_assert(!ir::is_boolean(type), "oxide: this function takes numbers, not ox::boolean");
}

}  // namespace detail

#define OXIDE_DSL_UNARY(name, opcode, needs)                                                            \
  template <class A>                                                                                    \
    requires detail::NumbersOnDevice<A>                                                                 \
  auto name(A&& x, detail::Where where = detail::Where::current()) {                                    \
    constexpr ir::Type type = detail::needed_common_type<A>();                                          \
    detail::needs<type>();                                                                              \
    using Result = detail::DeviceValue<type>;                                                           \
    const trace::Handle a = detail::handle_as<typename Result::scalar_type>(std::forward<A>(x), where); \
    return Result::from_handle(detail::emit(ir::Opcode::opcode, type, a, 0, where), where);             \
  }
#define OXIDE_DSL_BINARY(name, opcode, needs)                                                           \
  template <class A, class B>                                                                           \
    requires detail::NumbersOnDevice<A, B>                                                              \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {                             \
    constexpr ir::Type type = detail::needed_common_type<A, B>();                                       \
    detail::needs<type>();                                                                              \
    using Result = detail::DeviceValue<type>;                                                           \
    const trace::Handle a = detail::handle_as<typename Result::scalar_type>(std::forward<A>(x), where); \
    const trace::Handle b = detail::handle_as<typename Result::scalar_type>(std::forward<B>(y), where); \
    return Result::from_handle(detail::emit(ir::Opcode::opcode, type, a, b, 0, where), where);          \
  }

// The smaller and the larger; of a number and a NaN, the number (IEEE 754-2019 minimumNumber, maximumNumber).
OXIDE_DSL_BINARY(min, min, needs_number)
OXIDE_DSL_BINARY(max, max, needs_number)
// The absolute value; that of the smallest integer is itself.
OXIDE_DSL_UNARY(abs, abs, needs_number)

// Exact, or correctly rounded.
OXIDE_DSL_UNARY(sqrt, sqrt, needs_floating)
OXIDE_DSL_UNARY(floor, floor, needs_floating)
OXIDE_DSL_UNARY(ceil, ceil, needs_floating)
OXIDE_DSL_UNARY(trunc, trunc, needs_floating)
OXIDE_DSL_UNARY(rint, round_even, needs_floating)  // to the nearest integer, ties to even
OXIDE_DSL_UNARY(nearbyint, round_even, needs_floating)
OXIDE_DSL_UNARY(fabs, abs, needs_floating)
OXIDE_DSL_BINARY(fmin, min, needs_floating)
OXIDE_DSL_BINARY(fmax, max, needs_floating)

#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_BINARY

// x * y + z, rounded once.
template <class A, class B, class C>
  requires detail::NumbersOnDevice<A, B, C>
auto fma(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::needed_common_type<A, B, C>();
  detail::needs_floating<type>();
  using Result = detail::DeviceValue<type>;
  const trace::Handle a = detail::handle_as<typename Result::scalar_type>(std::forward<A>(x), where);
  const trace::Handle b = detail::handle_as<typename Result::scalar_type>(std::forward<B>(y), where);
  const trace::Handle c = detail::handle_as<typename Result::scalar_type>(std::forward<C>(z), where);
  return Result::from_handle(detail::emit(ir::Opcode::fma, type, a, b, c, where), where);
}

// x, but at least low and at most high.
template <class A, class B, class C>
  requires detail::NumbersOnDevice<A, B, C>
auto clamp(A&& x, B&& low, C&& high, detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::needed_common_type<A, B, C>();
  detail::needs_number<type>();
  using Result = detail::DeviceValue<type>;
  const trace::Handle a = detail::handle_as<typename Result::scalar_type>(std::forward<A>(x), where);
  const trace::Handle b = detail::handle_as<typename Result::scalar_type>(std::forward<B>(low), where);
  const trace::Handle c = detail::handle_as<typename Result::scalar_type>(std::forward<C>(high), where);
  const trace::Handle at_least = detail::emit(ir::Opcode::max, type, a, b, 0, where);
  return Result::from_handle(detail::emit(ir::Opcode::min, type, at_least, c, 0, where), where);
}

// a where the condition holds, else b. Both are computed, and no way is chosen: for cheap values, where `c ? a : b` would branch. Of two
// host numbers of one type, a value of that type.
template <class A, class B>
  requires detail::NumbersOnDevice<A, B> || (detail::Number<A> && std::is_same_v<std::decay_t<A>, std::decay_t<B>>)
auto select(detail::Operand<bool> condition, A&& a, B&& b, detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::NumbersOnDevice<A, B> ? detail::needed_common_type<A, B>() : detail::source_of<A>.type;
  using Result = detail::DeviceValue<type>;
  const trace::Handle x = detail::handle_as<typename Result::scalar_type>(std::forward<A>(a), where);
  const trace::Handle y = detail::handle_as<typename Result::scalar_type>(std::forward<B>(b), where);
  return Result::from_handle(detail::emit(ir::Opcode::select, type, condition.handle, x, y, where), where);
}
// The same of structs, arrays, enumerations and the like.
template <detail::AggregateArgument A, detail::AggregateArgument B>
  requires std::is_same_v<detail::HostType<A>, detail::HostType<B>>
auto select(detail::Operand<bool> condition, A&& a, B&& b, detail::Where where = detail::Where::current()) {
  using T = detail::HostType<A>;
  detail::Handles<T> all = detail::handles_of<T>(detail::as_value(std::forward<A>(a), where));
  const detail::Handles<T> other = detail::handles_of<T>(detail::as_value(std::forward<B>(b), where));
  for (std::size_t i = 0; i != detail::leaf_count<T>; ++i)
    all.of[i] = detail::emit(ir::Opcode::select, detail::leaves_of<T>()[i].type, condition.handle, all.of[i], other.of[i], where);
  return detail::value_from<T>(all, where);
}

}  // namespace oxide
