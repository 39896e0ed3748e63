// Arithmetic and conversions with a rounding mode, under CUDA's suffixes: rn to nearest even, rz toward zero, rm down, rp up. On f16, bf16,
// f32 and f64, subnormals and overflow included: rounded toward zero, what is too large is the largest number. None is contracted.
#pragma once

#include <utility>

#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {
namespace detail {

template <ir::Type type>
constexpr void needs_rounded() {
  static_assert(ir::is_floating(type), "oxide: rounding modes are there for ox::f16, ox::bf16, ox::f32 and ox::f64; write ox::cast<T>(x)");
}

template <class A, class B>
auto rounded(ir::Opcode op, std::uint64_t mode, A&& x, B&& y, Where where) {
  constexpr ir::Type type = needed_common_type<A, B>();
  needs_rounded<type>();
  using T = typename DeviceValue<type>::scalar_type;
  const trace::Handle a = handle_as<T>(std::forward<A>(x), where), b = handle_as<T>(std::forward<B>(y), where);
  return Value<T>::from_handle(emit(op, type, a, b, mode, where), where);
}
template <class A, class B, class C>
auto rounded_fma(std::uint64_t mode, A&& x, B&& y, C&& z, Where where) {
  constexpr ir::Type type = needed_common_type<A, B, C>();
  needs_rounded<type>();
  using T = typename DeviceValue<type>::scalar_type;
  const trace::Handle operands[] = {handle_as<T>(std::forward<A>(x), where), handle_as<T>(std::forward<B>(y), where),
                                    handle_as<T>(std::forward<C>(z), where)};
  return Value<T>::from_handle(record(ir::Opcode::fma_rounded, type, operands, 3, mode, where), where);
}
template <class A>
auto rounded_sqrt(std::uint64_t mode, A&& x, Where where) {
  constexpr ir::Type type = needed_common_type<A>();
  needs_rounded<type>();
  using T = typename DeviceValue<type>::scalar_type;
  return Value<T>::from_handle(emit(ir::Opcode::sqrt_rounded, type, handle_as<T>(std::forward<A>(x), where), mode, where), where);
}
template <class T, class A>
auto rounded_cast(std::uint64_t mode, A&& x, Where where) {
  constexpr ir::Type to = CastTarget<T>::type, from = source_of<A>.type;
  constexpr auto is_integer = [](ir::Type t) { return ir::is_integer(t) && ir::bits_of(t) <= 64; };
  static_assert((ir::is_floating(from) && (ir::is_floating(to) || is_integer(to))) || (is_integer(from) && ir::is_floating(to)),
                "oxide: conversions with a rounding mode go between floating types and integers of at most 64 bits");
  return DeviceValue<to>::from_handle(emit(ir::Opcode::cast_rounded, to, own_handle(std::forward<A>(x), where), mode, where), where);
}

}  // namespace detail

#define OXIDE_DSL_ROUNDED(suffix, mode)                                                                   \
  template <class A, class B>                                                                             \
    requires detail::NumbersOnDevice<A, B>                                                                \
  auto add_##suffix(A&& x, B&& y, detail::Where where = detail::Where::current()) {                       \
    return detail::rounded(ir::Opcode::add_rounded, mode, std::forward<A>(x), std::forward<B>(y), where); \
  }                                                                                                       \
  template <class A, class B>                                                                             \
    requires detail::NumbersOnDevice<A, B>                                                                \
  auto sub_##suffix(A&& x, B&& y, detail::Where where = detail::Where::current()) {                       \
    return detail::rounded(ir::Opcode::sub_rounded, mode, std::forward<A>(x), std::forward<B>(y), where); \
  }                                                                                                       \
  template <class A, class B>                                                                             \
    requires detail::NumbersOnDevice<A, B>                                                                \
  auto mul_##suffix(A&& x, B&& y, detail::Where where = detail::Where::current()) {                       \
    return detail::rounded(ir::Opcode::mul_rounded, mode, std::forward<A>(x), std::forward<B>(y), where); \
  }                                                                                                       \
  template <class A, class B>                                                                             \
    requires detail::NumbersOnDevice<A, B>                                                                \
  auto div_##suffix(A&& x, B&& y, detail::Where where = detail::Where::current()) {                       \
    return detail::rounded(ir::Opcode::div_rounded, mode, std::forward<A>(x), std::forward<B>(y), where); \
  }                                                                                                       \
  template <class A, class B, class C>                                                                    \
    requires detail::NumbersOnDevice<A, B, C>                                                             \
  auto fma_##suffix(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {                \
    return detail::rounded_fma(mode, std::forward<A>(x), std::forward<B>(y), std::forward<C>(z), where);  \
  }                                                                                                       \
  template <class A>                                                                                      \
    requires detail::NumbersOnDevice<A>                                                                   \
  auto sqrt_##suffix(A&& x, detail::Where where = detail::Where::current()) {                             \
    return detail::rounded_sqrt(mode, std::forward<A>(x), where);                                         \
  }                                                                                                       \
  template <class A>                                                                                      \
    requires detail::NumbersOnDevice<A>                                                                   \
  auto rcp_##suffix(A&& x, detail::Where where = detail::Where::current()) {                              \
    return detail::rounded(ir::Opcode::div_rounded, mode, 1, std::forward<A>(x), where);                  \
  }                                                                                                       \
  template <class T, class A>                                                                             \
    requires detail::Number<A>                                                                            \
  auto cast_##suffix(A&& x, detail::Where where = detail::Where::current()) {                             \
    return detail::rounded_cast<T>(mode, std::forward<A>(x), where);                                      \
  }
OXIDE_DSL_ROUNDED(rn, 0)
OXIDE_DSL_ROUNDED(rz, 1)
OXIDE_DSL_ROUNDED(rm, 2)
OXIDE_DSL_ROUNDED(rp, 3)
#undef OXIDE_DSL_ROUNDED

}  // namespace oxide
