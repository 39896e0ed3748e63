// Mathematical functions of device values, by the names of the CUDA Math API. docs/math.md says how exact each is on each device, and what
// it gives for zeros, infinities and NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <oxide/dsl/emit_math.hpp>
#include <oxide/dsl/math.hpp>

namespace oxide {

// Results of functions that have two: `auto [s, c] = ox::sincos(x);`
template <class T>
struct SinCos {
  Value<T> sin, cos;
};
template <class T>
struct Frexp {
  Value<T> fraction;  // x = fraction * 2^exponent, 0.5 <= |fraction| < 1
  Value<std::int32_t> exponent;
};
template <class T>
struct Modf {
  Value<T> fraction, whole;  // both with the sign of x
};
template <class T>
struct RemQuo {
  Value<T> remainder;
  Value<std::int32_t> quotient;  // the sign and at least the last three bits of x / y, rounded to nearest
};

namespace detail {

template <class A>
concept NumberOnDevice = NumbersOnDevice<A>;

template <class A>
struct Unary {  // one floating argument
  static constexpr ir::Type type = needed_common_type<A>();
  using Result = DeviceValue<type>;
  using Scalar = typename Result::scalar_type;
  static trace::Handle handle(A&& x, Where where) {
    needs_floating<type>();
    return handle_as<Scalar>(std::forward<A>(x), where);
  }
};

template <class A>
auto math1(ir::Math f, A&& x, Where where) {
  using U = Unary<A>;
  return U::Result::from_handle(emit_math(f, 0, U::type, {U::handle(std::forward<A>(x), where)}, where), where);
}
template <class A, class B>
auto math2(ir::Math f, A&& x, B&& y, Where where) {
  constexpr ir::Type type = needed_common_type<A, B>();
  needs_floating<type>();
  using Result = DeviceValue<type>;
  const trace::Handle a = handle_as<typename Result::scalar_type>(std::forward<A>(x), where);
  const trace::Handle b = handle_as<typename Result::scalar_type>(std::forward<B>(y), where);
  return Result::from_handle(emit_math(f, 0, type, {a, b}, where), where);
}
template <class A, class B, class C>
auto math3(ir::Math f, A&& x, B&& y, C&& z, Where where) {
  constexpr ir::Type type = needed_common_type<A, B, C>();
  needs_floating<type>();
  using Result = DeviceValue<type>;
  const trace::Handle a = handle_as<typename Result::scalar_type>(std::forward<A>(x), where);
  const trace::Handle b = handle_as<typename Result::scalar_type>(std::forward<B>(y), where);
  const trace::Handle c = handle_as<typename Result::scalar_type>(std::forward<C>(z), where);
  return Result::from_handle(emit_math(f, 0, type, {a, b, c}, where), where);
}

// An argument that is an i32, or a host integer.
template <class N>
trace::Handle int_argument(N&& n, Where where) {
  constexpr Verdict v = verdict(source_of<N>, ir::Type::i32);
  static_assert(v == Verdict::fits, "oxide: this argument is a whole number; pass an ox::i32, or write ox::cast<ox::i32>(n)");
  if constexpr (v == Verdict::fits) return handle_as<std::int32_t>(std::forward<N>(n), where);
  else return {};
}

}  // namespace detail

#define OXIDE_DSL_MATH1(name)                                        \
  template <detail::NumberOnDevice A>                                \
  auto name(A&& x, detail::Where where = detail::Where::current()) { \
    return detail::math1(ir::Math::name, std::forward<A>(x), where); \
  }
#define OXIDE_DSL_MATH2(name)                                                            \
  template <class A, class B>                                                            \
    requires detail::NumbersOnDevice<A, B>                                               \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {              \
    return detail::math2(ir::Math::name, std::forward<A>(x), std::forward<B>(y), where); \
  }

// ---- roots and lengths

OXIDE_DSL_MATH1(rsqrt)   // 1 / sqrt(x)
OXIDE_DSL_MATH1(cbrt)
OXIDE_DSL_MATH1(rcbrt)   // 1 / cbrt(x)
OXIDE_DSL_MATH2(hypot)   // sqrt(x*x + y*y), without overflow or underflow on the way; so are all lengths
OXIDE_DSL_MATH2(rhypot)  // 1 / hypot(x, y)
template <class A, class B, class C>
  requires detail::NumbersOnDevice<A, B, C>
auto norm3d(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {
  return detail::math3(ir::Math::norm3d, std::forward<A>(x), std::forward<B>(y), std::forward<C>(z), where);
}
template <class A, class B, class C>
  requires detail::NumbersOnDevice<A, B, C>
auto rnorm3d(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {
  return detail::math3(ir::Math::rnorm3d, std::forward<A>(x), std::forward<B>(y), std::forward<C>(z), where);
}
// The length of a vector of any number of values, a std::array<ox::f32, N> say, and its reciprocal.
template <template <class, std::size_t> class Array, class T, std::size_t N>
Value<T> norm(const Array<Value<T>, N>& x, detail::Where where = detail::Where::current()) {
  detail::needs_floating<ir::type_for<T>()>();
  trace::Handle handles[N];
  for (std::size_t i = 0; i != N; ++i) handles[i] = x[i].handle();
  return Value<T>::from_handle(detail::emit_norm(ir::type_for<T>(), handles, N, false, where), where);
}
template <template <class, std::size_t> class Array, class T, std::size_t N>
Value<T> rnorm(const Array<Value<T>, N>& x, detail::Where where = detail::Where::current()) {
  detail::needs_floating<ir::type_for<T>()>();
  trace::Handle handles[N];
  for (std::size_t i = 0; i != N; ++i) handles[i] = x[i].handle();
  return Value<T>::from_handle(detail::emit_norm(ir::type_for<T>(), handles, N, true, where), where);
}
#define OXIDE_DSL_NORM4D(name, reciprocal)                                                                           \
  template <class A, class B, class C, class D>                                                                      \
    requires detail::NumbersOnDevice<A, B, C, D>                                                                     \
  auto name(A&& x, B&& y, C&& z, D&& w, detail::Where where = detail::Where::current()) {                            \
    constexpr ir::Type three = detail::needed_common_type<A, B, C>();                                                \
    constexpr ir::Type type = detail::needed_common_type<detail::DeviceValue<three>, D>();                           \
    detail::needs_floating<type>();                                                                                  \
    using Result = detail::DeviceValue<type>;                                                                        \
    using Scalar = typename Result::scalar_type;                                                                     \
    const trace::Handle handles[] = {                                                                                \
        detail::handle_as<Scalar>(std::forward<A>(x), where), detail::handle_as<Scalar>(std::forward<B>(y), where),  \
        detail::handle_as<Scalar>(std::forward<C>(z), where), detail::handle_as<Scalar>(std::forward<D>(w), where)}; \
    return Result::from_handle(detail::emit_norm(type, handles, 4, reciprocal, where), where);                       \
  }
OXIDE_DSL_NORM4D(norm4d, false)
OXIDE_DSL_NORM4D(rnorm4d, true)
#undef OXIDE_DSL_NORM4D

// ---- exponentials and logarithms

OXIDE_DSL_MATH1(exp)
OXIDE_DSL_MATH1(exp2)
OXIDE_DSL_MATH1(exp10)
OXIDE_DSL_MATH1(expm1)  // exp(x) - 1
OXIDE_DSL_MATH1(log)
OXIDE_DSL_MATH1(log2)
OXIDE_DSL_MATH1(log10)
OXIDE_DSL_MATH1(log1p)  // log(1 + x)
OXIDE_DSL_MATH2(pow)
// x to a whole power, an ox::i32 or a host integer.
template <detail::NumberOnDevice A, class N>
auto powi(A&& x, N&& n, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  const trace::Handle a = U::handle(std::forward<A>(x), where);
  return U::Result::from_handle(detail::emit_math(ir::Math::powi, 0, U::type, {a, detail::int_argument(std::forward<N>(n), where)}, where),
                                where);
}

// ---- trigonometry, in radians; sinpi(x) is sin(pi * x)

OXIDE_DSL_MATH1(sin)
OXIDE_DSL_MATH1(cos)
OXIDE_DSL_MATH1(tan)
OXIDE_DSL_MATH1(sinpi)
OXIDE_DSL_MATH1(cospi)
OXIDE_DSL_MATH1(asin)
OXIDE_DSL_MATH1(acos)
OXIDE_DSL_MATH1(atan)
OXIDE_DSL_MATH2(atan2)
OXIDE_DSL_MATH1(sinh)
OXIDE_DSL_MATH1(cosh)
OXIDE_DSL_MATH1(tanh)
OXIDE_DSL_MATH1(asinh)
OXIDE_DSL_MATH1(acosh)
OXIDE_DSL_MATH1(atanh)
#define OXIDE_DSL_SINCOS(name)                                                                                                   \
  template <detail::NumberOnDevice A>                                                                                            \
  auto name(A&& x, detail::Where where = detail::Where::current()) {                                                             \
    using U = detail::Unary<A>;                                                                                                  \
    const trace::Handle a = U::handle(std::forward<A>(x), where);                                                                \
    return SinCos<typename U::Scalar>{U::Result::from_handle(detail::emit_math(ir::Math::name, 0, U::type, {a}, where), where),  \
                                      U::Result::from_handle(detail::emit_math(ir::Math::name, 1, U::type, {a}, where), where)}; \
  }
OXIDE_DSL_SINCOS(sincos)
OXIDE_DSL_SINCOS(sincospi)
#undef OXIDE_DSL_SINCOS

// ---- error functions, the standard normal distribution, gamma

OXIDE_DSL_MATH1(erf)
OXIDE_DSL_MATH1(erfc)        // 1 - erf(x)
OXIDE_DSL_MATH1(erfinv)      // erf(erfinv(x)) = x
OXIDE_DSL_MATH1(erfcinv)     // erfc(erfcinv(x)) = x
OXIDE_DSL_MATH1(erfcx)       // exp(x*x) * erfc(x)
OXIDE_DSL_MATH1(normcdf)     // erfc(-x / sqrt(2)) / 2
OXIDE_DSL_MATH1(normcdfinv)  // normcdf(normcdfinv(x)) = x
OXIDE_DSL_MATH1(tgamma)
OXIDE_DSL_MATH1(lgamma)      // log(|tgamma(x)|)

// ---- Bessel functions: of the first kind j, of the second kind y, modified of the first kind i

OXIDE_DSL_MATH1(j0)
OXIDE_DSL_MATH1(j1)
OXIDE_DSL_MATH1(y0)
OXIDE_DSL_MATH1(y1)
OXIDE_DSL_MATH1(cyl_bessel_i0)
OXIDE_DSL_MATH1(cyl_bessel_i1)
// Of order n, an ox::i32 or a host integer that is not negative; of a negative one they are NaN.
#define OXIDE_DSL_BESSEL(name)                                                                              \
  template <class N, detail::NumberOnDevice A>                                                              \
  auto name(N&& n, A&& x, detail::Where where = detail::Where::current()) {                                 \
    using U = detail::Unary<A>;                                                                             \
    const trace::Handle order = detail::int_argument(std::forward<N>(n), where);                            \
    const trace::Handle a = U::handle(std::forward<A>(x), where);                                           \
    return U::Result::from_handle(detail::emit_math(ir::Math::name, 0, U::type, {order, a}, where), where); \
  }
OXIDE_DSL_BESSEL(jn)
OXIDE_DSL_BESSEL(yn)
#undef OXIDE_DSL_BESSEL

// ---- remainders: exact

OXIDE_DSL_MATH2(fmod)       // with the sign of x
OXIDE_DSL_MATH2(remainder)  // of the quotient rounded to nearest, ties to even
template <class A, class B>
  requires detail::NumbersOnDevice<A, B>
auto remquo(A&& x, B&& y, detail::Where where = detail::Where::current()) {
  constexpr ir::Type type = detail::needed_common_type<A, B>();
  detail::needs_floating<type>();
  using Result = detail::DeviceValue<type>;
  using Scalar = typename Result::scalar_type;
  const trace::Handle a = detail::handle_as<Scalar>(std::forward<A>(x), where);
  const trace::Handle b = detail::handle_as<Scalar>(std::forward<B>(y), where);
  return RemQuo<Scalar>{Result::from_handle(detail::emit_math(ir::Math::remquo, 0, type, {a, b}, where), where),
                        Value<std::int32_t>::from_handle(detail::emit_math(ir::Math::remquo, 1, type, {a, b}, where), where)};
}

// ---- the parts of a number: exact

OXIDE_DSL_MATH1(round)      // to the nearest integer, ties away from zero
OXIDE_DSL_MATH2(fdim)       // x - y, but at least 0
OXIDE_DSL_MATH2(copysign)   // x with the sign of y
OXIDE_DSL_MATH2(nextafter)  // the next representable number from x towards y
OXIDE_DSL_MATH1(logb)       // the exponent of x, as a number of the same type
template <detail::NumberOnDevice A>
auto modf(A&& x, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  const trace::Handle a = U::handle(std::forward<A>(x), where);
  return Modf<typename U::Scalar>{U::Result::from_handle(detail::emit_math(ir::Math::modf, 0, U::type, {a}, where), where),
                                  U::Result::from_handle(detail::emit_math(ir::Math::modf, 1, U::type, {a}, where), where)};
}
// Of a zero, an infinity or a NaN: itself, and 0.
template <detail::NumberOnDevice A>
auto frexp(A&& x, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  const trace::Handle a = U::handle(std::forward<A>(x), where);
  return Frexp<typename U::Scalar>{U::Result::from_handle(detail::emit_math(ir::Math::frexp, 0, U::type, {a}, where), where),
                                   Value<std::int32_t>::from_handle(detail::emit_math(ir::Math::frexp, 1, U::type, {a}, where), where)};
}
// The exponent of x as an ox::i32: of 0 and NaN the least i32, of an infinity the greatest.
template <detail::NumberOnDevice A>
Value<std::int32_t> ilogb(A&& x, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  return Value<std::int32_t>::from_handle(detail::emit_math(ir::Math::ilogb, 0, U::type, {U::handle(std::forward<A>(x), where)}, where),
                                          where);
}
// x * 2^n, rounded once. n is an ox::i32 or a host integer; scalbln also takes an ox::i64.
template <detail::NumberOnDevice A, class N>
auto ldexp(A&& x, N&& n, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  const trace::Handle a = U::handle(std::forward<A>(x), where);
  return U::Result::from_handle(detail::emit_math(ir::Math::ldexp, 0, U::type, {a, detail::int_argument(std::forward<N>(n), where)}, where),
                                where);
}
template <detail::NumberOnDevice A, class N>
auto scalbn(A&& x, N&& n, detail::Where where = detail::Where::current()) {
  return ldexp(std::forward<A>(x), std::forward<N>(n), where);
}
template <detail::NumberOnDevice A>
auto scalbln(A&& x, const detail::Operand<std::int64_t>& n, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  const trace::Handle a = U::handle(std::forward<A>(x), where);
  return U::Result::from_handle(detail::emit_math(ir::Math::ldexp, 0, U::type, {a, detail::saturated_i32(n.handle, where)}, where), where);
}
// Rounded to an ox::i64 that saturates; a NaN gives 0. lrint takes ties to even, lround away from zero.
#define OXIDE_DSL_TO_INTEGER(name, ties_away)                                                                                         \
  template <detail::NumberOnDevice A>                                                                                                 \
  Value<std::int64_t> name(A&& x, detail::Where where = detail::Where::current()) {                                                   \
    using U = detail::Unary<A>;                                                                                                       \
    return Value<std::int64_t>::from_handle(detail::emit_to_integer(U::type, U::handle(std::forward<A>(x), where), ties_away, where), \
                                            where);                                                                                   \
  }
OXIDE_DSL_TO_INTEGER(lrint, false)
OXIDE_DSL_TO_INTEGER(llrint, false)
OXIDE_DSL_TO_INTEGER(lround, true)
OXIDE_DSL_TO_INTEGER(llround, true)
#undef OXIDE_DSL_TO_INTEGER

// ---- what kind of number it is

// What fpclassify gives: the C library's FP_NAN and so on.
enum FpClass : std::int32_t { fp_nan, fp_infinite, fp_zero, fp_subnormal, fp_normal };

#define OXIDE_DSL_CLASSIFY(name)                                                                                                      \
  template <detail::NumberOnDevice A>                                                                                                 \
  Value<bool> name(A&& x, detail::Where where = detail::Where::current()) {                                                           \
    using U = detail::Unary<A>;                                                                                                       \
    return Value<bool>::from_handle(detail::emit_classify(detail::Class::name, U::type, U::handle(std::forward<A>(x), where), where), \
                                    where);                                                                                           \
  }
OXIDE_DSL_CLASSIFY(isnan)
OXIDE_DSL_CLASSIFY(isinf)
OXIDE_DSL_CLASSIFY(isfinite)
OXIDE_DSL_CLASSIFY(isnormal)
OXIDE_DSL_CLASSIFY(signbit)
#undef OXIDE_DSL_CLASSIFY
template <detail::NumberOnDevice A>
Value<std::int32_t> fpclassify(A&& x, detail::Where where = detail::Where::current()) {
  using U = detail::Unary<A>;
  return Value<std::int32_t>::from_handle(
      detail::emit_classify(detail::Class::fpclassify, U::type, U::handle(std::forward<A>(x), where), where), where);
}

// Comparisons by name; all but isunordered are false when a side is a NaN.
#define OXIDE_DSL_COMPARE(name)                                                                          \
  template <class A, class B>                                                                            \
    requires detail::NumbersOnDevice<A, B>                                                               \
  Value<bool> name(A&& x, B&& y, detail::Where where = detail::Where::current()) {                       \
    constexpr ir::Type type = detail::needed_common_type<A, B>();                                        \
    detail::needs_floating<type>();                                                                      \
    using Scalar = typename detail::ScalarOf<type>::type;                                                \
    const trace::Handle a = detail::handle_as<Scalar>(std::forward<A>(x), where);                        \
    const trace::Handle b = detail::handle_as<Scalar>(std::forward<B>(y), where);                        \
    return Value<bool>::from_handle(detail::emit_compare(detail::Comparison::name, a, b, where), where); \
  }
OXIDE_DSL_COMPARE(isgreater)
OXIDE_DSL_COMPARE(isgreaterequal)
OXIDE_DSL_COMPARE(isless)
OXIDE_DSL_COMPARE(islessequal)
OXIDE_DSL_COMPARE(islessgreater)
OXIDE_DSL_COMPARE(isunordered)
#undef OXIDE_DSL_COMPARE

#undef OXIDE_DSL_MATH1
#undef OXIDE_DSL_MATH2

}  // namespace oxide
