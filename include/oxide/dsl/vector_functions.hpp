// The functions of numbers on vectors, place by place: whatever there is for a T is there for vectors of it, with a number standing for all
// places. And what works across places: reductions and moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/integer.hpp>
#include <oxide/dsl/math_approx.hpp>
#include <oxide/dsl/math_functions.hpp>
#include <oxide/dsl/packed.hpp>
#include <oxide/dsl/rounding.hpp>
#include <oxide/dsl/vector_refused.hpp>

namespace oxide {
namespace detail {

// An argument as an operand of a vector function, or an error in words.
template <class T, std::size_t n, class A>
VectorOperand<T, n> vector_operand(A&& a, Where where) {
  if constexpr (std::is_constructible_v<VectorOperand<T, n>, A, Where>) {
    return VectorOperand<T, n>(std::forward<A>(a), where);
  } else {
    explain_vector<T, n, A>();
    return VectorOperand<T, n>(Vector<T, n>(), where);
  }
}

// A function of numbers, F, at each of n places.
template <class F, class T, std::size_t... k>
auto call_at(const trace::Handle* const* operands, std::size_t i, Where where, std::index_sequence<k...>) {
  return F()(Value<T>::from_handle(operands[k][i], where)..., where);
}
template <class F, class T, std::size_t count>
using NumberOf = typename decltype(call_at<F, T>(nullptr, std::size_t{0}, Where(), std::make_index_sequence<count>()))::scalar_type;
template <class F, class T, std::size_t count>
void call_each(std::size_t n, const trace::Handle* const* operands, trace::Handle* out, Where where) {
  for (std::size_t i = 0; i != n; ++i) out[i] = call_at<F, T>(operands, i, where, std::make_index_sequence<count>()).handle();
}
template <class F, class... A>
auto by_place(Where where, A&&... arguments) {
  using V = CommonVector<A...>;
  using T = typename V::number;
  constexpr std::size_t n = V::size, count = sizeof...(A);
  const VectorOperand<T, n> operands[] = {vector_operand<T, n>(std::forward<A>(arguments), where)...};
  const trace::Handle* at[count];
  for (std::size_t k = 0; k != count; ++k) at[k] = operands[k].all.of;
  using R = NumberOf<F, T, count>;
  Handles<Vector<R, n>> all;
  call_each<F, T, count>(n, at, all.of, where);
  return value_from<Vector<R, n>>(all, where);
}

}  // namespace detail

#define OXIDE_DSL_PLACES(name)                     \
  namespace detail::of_number {                    \
  struct name {                                    \
    template <class... X>                          \
    auto operator()(X&&... x) const {              \
      return ::oxide::name(std::forward<X>(x)...); \
    }                                              \
  };                                               \
  }
#define OXIDE_DSL_UNARY(name)                                                    \
  OXIDE_DSL_PLACES(name)                                                         \
  template <class A>                                                             \
    requires detail::VectorArgument<A>                                           \
  auto name(A&& x, detail::Where where = detail::Where::current()) {             \
    return detail::by_place<detail::of_number::name>(where, std::forward<A>(x)); \
  }
#define OXIDE_DSL_BINARY(name)                                                                       \
  OXIDE_DSL_PLACES(name)                                                                             \
  template <class A, class B>                                                                        \
    requires detail::VectorArguments<A, B>                                                           \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {                          \
    return detail::by_place<detail::of_number::name>(where, std::forward<A>(x), std::forward<B>(y)); \
  }
#define OXIDE_DSL_TERNARY(name)                                                                                          \
  OXIDE_DSL_PLACES(name)                                                                                                 \
  template <class A, class B, class C>                                                                                   \
    requires detail::VectorArguments<A, B, C>                                                                            \
  auto name(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {                                       \
    return detail::by_place<detail::of_number::name>(where, std::forward<A>(x), std::forward<B>(y), std::forward<C>(z)); \
  }

// ---- of math.hpp

OXIDE_DSL_UNARY(abs)
OXIDE_DSL_UNARY(fabs)
OXIDE_DSL_UNARY(sqrt)
OXIDE_DSL_UNARY(floor)
OXIDE_DSL_UNARY(ceil)
OXIDE_DSL_UNARY(trunc)
OXIDE_DSL_UNARY(rint)
OXIDE_DSL_UNARY(nearbyint)
OXIDE_DSL_BINARY(min)
OXIDE_DSL_BINARY(max)
OXIDE_DSL_BINARY(fmin)
OXIDE_DSL_BINARY(fmax)
OXIDE_DSL_TERNARY(fma)
OXIDE_DSL_TERNARY(clamp)

// ---- of integer.hpp

OXIDE_DSL_UNARY(popc)
OXIDE_DSL_UNARY(clz)
OXIDE_DSL_UNARY(ctz)
OXIDE_DSL_UNARY(ffs)
OXIDE_DSL_UNARY(brev)
OXIDE_DSL_UNARY(popcount)
OXIDE_DSL_UNARY(countl_zero)
OXIDE_DSL_UNARY(countr_zero)
OXIDE_DSL_BINARY(mulhi)
OXIDE_DSL_BINARY(add_sat)
OXIDE_DSL_BINARY(sub_sat)
OXIDE_DSL_BINARY(mul_sat)
OXIDE_DSL_BINARY(hadd)
OXIDE_DSL_BINARY(rhadd)
OXIDE_DSL_BINARY(abs_diff)
OXIDE_DSL_BINARY(rotate_left)
OXIDE_DSL_BINARY(rotate_right)

// ---- of math_functions.hpp, those with one result whose operands are of one type

OXIDE_DSL_UNARY(rsqrt)
OXIDE_DSL_UNARY(cbrt)
OXIDE_DSL_UNARY(rcbrt)
OXIDE_DSL_BINARY(hypot)
OXIDE_DSL_BINARY(rhypot)
OXIDE_DSL_TERNARY(norm3d)
OXIDE_DSL_TERNARY(rnorm3d)
OXIDE_DSL_UNARY(exp)
OXIDE_DSL_UNARY(exp2)
OXIDE_DSL_UNARY(exp10)
OXIDE_DSL_UNARY(expm1)
OXIDE_DSL_UNARY(log)
OXIDE_DSL_UNARY(log2)
OXIDE_DSL_UNARY(log10)
OXIDE_DSL_UNARY(log1p)
OXIDE_DSL_BINARY(pow)
OXIDE_DSL_UNARY(sin)
OXIDE_DSL_UNARY(cos)
OXIDE_DSL_UNARY(tan)
OXIDE_DSL_UNARY(sinpi)
OXIDE_DSL_UNARY(cospi)
OXIDE_DSL_UNARY(asin)
OXIDE_DSL_UNARY(acos)
OXIDE_DSL_UNARY(atan)
OXIDE_DSL_BINARY(atan2)
OXIDE_DSL_UNARY(sinh)
OXIDE_DSL_UNARY(cosh)
OXIDE_DSL_UNARY(tanh)
OXIDE_DSL_UNARY(asinh)
OXIDE_DSL_UNARY(acosh)
OXIDE_DSL_UNARY(atanh)
OXIDE_DSL_UNARY(erf)
OXIDE_DSL_UNARY(erfc)
OXIDE_DSL_UNARY(erfinv)
OXIDE_DSL_UNARY(erfcinv)
OXIDE_DSL_UNARY(erfcx)
OXIDE_DSL_UNARY(normcdf)
OXIDE_DSL_UNARY(normcdfinv)
OXIDE_DSL_UNARY(tgamma)
OXIDE_DSL_UNARY(lgamma)
OXIDE_DSL_UNARY(j0)
OXIDE_DSL_UNARY(j1)
OXIDE_DSL_UNARY(y0)
OXIDE_DSL_UNARY(y1)
OXIDE_DSL_UNARY(cyl_bessel_i0)
OXIDE_DSL_UNARY(cyl_bessel_i1)
OXIDE_DSL_BINARY(fmod)
OXIDE_DSL_BINARY(remainder)
OXIDE_DSL_UNARY(round)
OXIDE_DSL_BINARY(fdim)
OXIDE_DSL_BINARY(copysign)
OXIDE_DSL_BINARY(nextafter)
OXIDE_DSL_UNARY(logb)
OXIDE_DSL_UNARY(ilogb)
OXIDE_DSL_UNARY(lrint)
OXIDE_DSL_UNARY(llrint)
OXIDE_DSL_UNARY(lround)
OXIDE_DSL_UNARY(llround)
OXIDE_DSL_UNARY(isnan)
OXIDE_DSL_UNARY(isinf)
OXIDE_DSL_UNARY(isfinite)
OXIDE_DSL_UNARY(isnormal)
OXIDE_DSL_UNARY(signbit)
OXIDE_DSL_UNARY(fpclassify)

// ---- of rounding.hpp and packed.hpp

#define OXIDE_DSL_ROUNDED(suffix) \
  OXIDE_DSL_BINARY(add_##suffix)  \
  OXIDE_DSL_BINARY(sub_##suffix)  \
  OXIDE_DSL_BINARY(mul_##suffix)  \
  OXIDE_DSL_BINARY(div_##suffix)  \
  OXIDE_DSL_TERNARY(fma_##suffix) \
  OXIDE_DSL_UNARY(sqrt_##suffix)  \
  OXIDE_DSL_UNARY(rcp_##suffix)   \
  OXIDE_DSL_CAST(cast_##suffix)
// Each place as a T. Example: ox::f32x4 f = ox::cast<float>(i);
#define OXIDE_DSL_CAST(name)                                                                \
  namespace detail::of_number {                                                             \
  template <class T>                                                                        \
  struct name {                                                                             \
    template <class X>                                                                      \
    auto operator()(X&& x, Where where) const {                                             \
      return ::oxide::name<T>(std::forward<X>(x), where);                                   \
    }                                                                                       \
  };                                                                                        \
  }                                                                                         \
  template <class T, class A>                                                               \
    requires(detail::VectorArgument<A> && ir::Scalar<typename detail::CastTarget<T>::host>) \
  auto name(A&& x, detail::Where where = detail::Where::current()) {                        \
    return detail::by_place<detail::of_number::name<T>>(where, std::forward<A>(x));         \
  }
OXIDE_DSL_UNARY(round_tf32)
OXIDE_DSL_UNARY(round_tf32_rn)
OXIDE_DSL_UNARY(round_tf32_rz)
OXIDE_DSL_CAST(cast)
OXIDE_DSL_CAST(cast_unsaturated)
OXIDE_DSL_ROUNDED(rn)
OXIDE_DSL_ROUNDED(rz)
OXIDE_DSL_ROUNDED(rm)
OXIDE_DSL_ROUNDED(rp)
#undef OXIDE_DSL_ROUNDED
#undef OXIDE_DSL_CAST
#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_BINARY
#undef OXIDE_DSL_TERNARY
#undef OXIDE_DSL_PLACES

// a in the places where the mask is true, else b. A mask of one ox::boolean is for all places.
template <class M, class A, class B>
  requires detail::VectorArguments<A, B>
auto select(M&& mask, A&& a, B&& b, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B>;
  using T = typename V::number;
  constexpr std::size_t n = V::size;
  static_assert(!detail::VectorArgument<M> || detail::VectorOf<M>::size == n,
                "oxide: the mask of ox::select has as many places as the vectors");
  const auto c = detail::vector_operand<bool, n>(std::forward<M>(mask), where);
  const auto x = detail::vector_operand<T, n>(std::forward<A>(a), where), y = detail::vector_operand<T, n>(std::forward<B>(b), where);
  detail::Handles<Vector<T, n>> all;
  for (std::size_t i = 0; i != n; ++i)
    all.of[i] = detail::emit(ir::Opcode::select, ir::type_for<T>(), c.all.of[i], x.all.of[i], y.all.of[i], where);
  return detail::value_from<Vector<T, n>>(all, where);
}

// ---- across places

namespace detail {
template <class A>
auto reduced(ir::Opcode op, A&& v, Where where) {
  using T = typename VectorOf<A>::number;
  constexpr std::size_t n = VectorOf<A>::size;
  const VectorOperand<T, n> x = vector_operand<T, n>(std::forward<A>(v), where);
  trace::Handle all = x.all.of[0];
  for (std::size_t i = 1; i != n; ++i) all = emit(op, ir::type_for<T>(), all, x.all.of[i], 0, where);
  return ValueFor<T>::from_handle(all, where);
}
template <class A>
constexpr void needs_truths() {
  static_assert(std::is_same_v<typename VectorOf<A>::number, bool>,
                "oxide: ox::any and ox::all take a vector of booleans, as in ox::any(v > 0) or ox::all(v != 0)");
}
template <class A>
constexpr void needs_numbers() {
  static_assert(
      ir::is_arithmetic(ir::type_for<typename VectorOf<A>::number>()),
      "oxide: this takes a vector of numbers; of booleans there are ox::any and ox::all, and ox::reduce_add(ox::cast<ox::u32>(v)) "
      "counts them");
}
}  // namespace detail

// Whether one place, or every one, is true.
template <detail::VectorArgument A>
boolean any(A&& mask, detail::Where where = detail::Where::current()) {
  detail::needs_truths<A>();
  return detail::reduced(ir::Opcode::bit_or, std::forward<A>(mask), where);
}
template <detail::VectorArgument A>
boolean all(A&& mask, detail::Where where = detail::Where::current()) {
  detail::needs_truths<A>();
  return detail::reduced(ir::Opcode::bit_and, std::forward<A>(mask), where);
}

// The sum, least and greatest of the places, from the first to the last.
template <detail::VectorArgument A>
auto reduce_add(A&& v, detail::Where where = detail::Where::current()) {
  detail::needs_numbers<A>();
  return detail::reduced(ir::Opcode::add, std::forward<A>(v), where);
}
template <detail::VectorArgument A>
auto reduce_min(A&& v, detail::Where where = detail::Where::current()) {
  detail::needs_numbers<A>();
  return detail::reduced(ir::Opcode::min, std::forward<A>(v), where);
}
template <detail::VectorArgument A>
auto reduce_max(A&& v, detail::Where where = detail::Where::current()) {
  detail::needs_numbers<A>();
  return detail::reduced(ir::Opcode::max, std::forward<A>(v), where);
}

// The vector of the places that are named: 2, 3, 4, 8 or 16, in any order, also more than once. Example: ox::swizzle<2, 1, 0>(v)
template <std::size_t... place, class A>
  requires detail::VectorArgument<A>
auto swizzle(A&& v, detail::Where where = detail::Where::current()) {
  using T = typename detail::VectorOf<A>::number;
  constexpr std::size_t n = detail::VectorOf<A>::size, count = sizeof...(place);
  static_assert(((place < n) && ...), "oxide: ox::swizzle names a place that the vector has not");
  static_assert(count == 2 || count == 3 || count == 4 || count == 8 || count == 16,
                "oxide: ox::swizzle gives a vector of 2, 3, 4, 8 or 16 numbers");
  const auto x = detail::vector_operand<T, n>(std::forward<A>(v), where);
  const detail::Handles<Vector<T, count>> all{{x.all.of[place]...}};
  return Value<Vector<T, count>>(detail::value_from<Vector<T, count>>(all, where), where);
}
// The places of a, then those of b: two vectors of 2, 4 or 8.
template <class A, class B>
  requires(detail::VectorArgument<A> && detail::VectorArgument<B>)
auto join(A&& a, B&& b, detail::Where where = detail::Where::current()) {
  using T = typename detail::VectorOf<A>::number;
  constexpr std::size_t n = detail::VectorOf<A>::size;
  static_assert(n == 2 || n == 4 || n == 8, "oxide: ox::join takes two vectors of 2, 4 or 8 numbers");
  const auto x = detail::vector_operand<T, n>(std::forward<A>(a), where), y = detail::vector_operand<T, n>(std::forward<B>(b), where);
  detail::Handles<Vector<T, 2 * n>> all;
  for (std::size_t i = 0; i != n; ++i) all.of[i] = x.all.of[i], all.of[n + i] = y.all.of[i];
  return Value<Vector<T, 2 * n>>(detail::value_from<Vector<T, 2 * n>>(all, where), where);
}
// x in each of N places. Example: ox::f32x4 v = ox::splat<4>(x);
template <std::size_t N, class A>
  requires detail::Number<A>
auto splat(A&& x, detail::Where where = detail::Where::current()) {
  using T = typename detail::ScalarOf<detail::source_of<A>.type>::type;
  const detail::VectorOperand<T, N> all(std::forward<A>(x), where);
  return Value<Vector<T, N>>(detail::value_from<Vector<T, N>>(all.all, where), where);
}

}  // namespace oxide
