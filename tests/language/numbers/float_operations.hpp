// Every operation on floating types, those with a rounding mode among them, and what they give by GNU MPFR.
#pragma once

#include "check.hpp"

namespace numbers {

// On two operands, each a number or a vector.
template <class T, class Put, class X, class Y>
void float_operations_of_two(Put& put, const X& x, const Y& y) {
  put(x + y);
  put(x - y);
  put(x * y);
  put(x / y);
  put(ox::min(x, y));
  put(ox::max(x, y));
  put(ox::fmin(x, y));
  put(ox::fmax(x, y));
  put(x < y);
  put(x <= y);
  put(x > y);
  put(x >= y);
  put(x == y);
  put(x != y);
  put(ox::copysign(x, y));
  put(ox::fdim(x, y));
}

// On one, three, and with literals; of numbers or of vectors.
template <class T, class Put, class X>
void other_float_operations(Put& put, const X& x, const X& y, const X& z) {
  put(-x);
  put(+x);
  put(ox::abs(x));
  put(ox::fabs(x));
  put(ox::sqrt(x));
  put(ox::fma(x, y, z));
  put(ox::floor(x));
  put(ox::ceil(x));
  put(ox::trunc(x));
  put(ox::rint(x));
  put(ox::nearbyint(x));
  put(ox::round(x));
  put(ox::isnan(x));
  put(ox::isfinite(x));
  put(ox::clamp(x, -1.5, 10));
  put(x + 1.5);
  put(0.1 - x);
  put(3 * x);
  put(x / 7);
  put(ox::max(x, 0.5));
  put(ox::fma(x, 2.5, -1));
  put(x < 0.5);
  put(0.5 <= x);
  put(ox::select(x < y, z, y));
  X v = x;
  v += y;
  v *= 0.75;
  v -= z;
  ++v;
  v /= y;
  put(v);
}

// What they give, from the bits of a T.
template <class T>
std::vector<Expected> float_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  const Real x = Real::of_bits(type, xb), y = Real::of_bits(type, yb), z = Real::of_bits(type, zb);
  std::vector<Expected> e;
  const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits}); };
  const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
  const auto two = [&](auto f, const Real& a, const Real& b) {
    return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return f(r, a.x, b.x, mode); });
  };
  const auto three = [&](const Real& a, const Real& b, const Real& c) {
    return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_fma(r, a.x, b.x, c.x, mode); });
  };
  const auto bits_of_literal = [&](double v) {
    Real exact_value;
    mpfr_set_d(exact_value.x, v, MPFR_RNDN);
    return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_set(r, exact_value.x, mode); });
  };
  const auto literal = [&](double v) { return Real::of_bits(type, bits_of_literal(v)); };
  const auto whole = [&](mpfr_rnd_t to) { return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t) { return mpfr_rint(r, x.x, to), 0; }); };
  const uint128 sign = uint128{1} << (8 * sizeof(T) - 1);
  const auto smaller = [&](uint128 ab, const Real& a, uint128 bb, const Real& b, bool min) {
    if (mpfr_nan_p(a.x)) return bb;
    if (mpfr_nan_p(b.x)) return ab;
    if (mpfr_zero_p(a.x) && mpfr_zero_p(b.x)) return ((ab & sign) != 0) == min ? ab : bb;
    return (mpfr_less_p(a.x, b.x) != 0) == min ? ab : bb;
  };
  // two operands
  put("+", two(mpfr_add, x, y));
  put("-", two(mpfr_sub, x, y));
  put("*", two(mpfr_mul, x, y));
  put("/", two(mpfr_div, x, y));
  put("min", smaller(xb, x, yb, y, true));
  put("max", smaller(xb, x, yb, y, false));
  put("fmin", smaller(xb, x, yb, y, true));
  put("fmax", smaller(xb, x, yb, y, false));
  truth("<", mpfr_less_p(x.x, y.x) != 0);
  truth("<=", mpfr_lessequal_p(x.x, y.x) != 0);
  truth(">", mpfr_greater_p(x.x, y.x) != 0);
  truth(">=", mpfr_greaterequal_p(x.x, y.x) != 0);
  truth("==", mpfr_equal_p(x.x, y.x) != 0);
  truth("!=", mpfr_equal_p(x.x, y.x) == 0);
  put("copysign", (xb & ~sign) | (yb & sign));
  put("fdim", mpfr_lessequal_p(x.x, y.x) != 0 ? 0 : two(mpfr_sub, x, y));
  // one, and literals
  put("negation", xb ^ sign);
  put("unary plus", xb);
  put("abs", xb & ~sign);
  put("fabs", xb & ~sign);
  put("sqrt", exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_sqrt(r, x.x, mode); }));
  put("fma", three(x, y, z));
  put("floor", whole(MPFR_RNDD));
  put("ceil", whole(MPFR_RNDU));
  put("trunc", whole(MPFR_RNDZ));
  put("rint", whole(MPFR_RNDN));
  put("nearbyint", whole(MPFR_RNDN));
  put("round", exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t) { return mpfr_round(r, x.x), 0; }));
  truth("isnan", mpfr_nan_p(x.x) != 0);
  truth("isfinite", mpfr_number_p(x.x) != 0);
  const uint128 low = bits_of_literal(-1.5), high = bits_of_literal(10);
  const uint128 at_least = smaller(xb, x, low, literal(-1.5), false);
  put("clamp to [-1.5, 10]", smaller(at_least, Real::of_bits(type, at_least), high, literal(10), true));
  put("x + 1.5", two(mpfr_add, x, literal(1.5)));
  put("0.1 - x", two(mpfr_sub, literal(0.1), x));
  put("3 * x", two(mpfr_mul, literal(3), x));
  put("x / 7", two(mpfr_div, x, literal(7)));
  put("max(x, 0.5)", smaller(xb, x, bits_of_literal(0.5), literal(0.5), false));
  put("fma(x, 2.5, -1)", three(x, literal(2.5), literal(-1)));
  truth("x < 0.5", mpfr_less_p(x.x, literal(0.5).x) != 0);
  truth("0.5 <= x", mpfr_greaterequal_p(x.x, literal(0.5).x) != 0);
  put("select", mpfr_less_p(x.x, y.x) != 0 ? zb : yb);
  const auto again = [&](auto f, uint128 a, const Real& b) { return two(f, Real::of_bits(type, a), b); };
  uint128 v = again(mpfr_add, xb, y);
  v = again(mpfr_mul, v, literal(0.75));
  v = again(mpfr_sub, v, z);
  v = again(mpfr_add, v, literal(1));
  put("compound assignments", again(mpfr_div, v, y));
  return e;
}

// ---- rounding modes

#define OXIDE_EVERY_MODE(X) X(rn) X(rz) X(rm) X(rp)

template <class T, class Put, class X>
void rounded_operations(Put& put, const X& x, const X& y, const X& z) {
#define OXIDE_MODE(suffix)                                                                       \
  put(ox::add_##suffix(x, y));                                                                   \
  put(ox::sub_##suffix(x, y));                                                                   \
  put(ox::mul_##suffix(x, y));                                                                   \
  put(ox::div_##suffix(x, y));                                                                   \
  put(ox::fma_##suffix(x, y, z));                                                                \
  put(ox::sqrt_##suffix(x));                                                                     \
  put(ox::rcp_##suffix(x));                                                                      \
  put(ox::add_##suffix(x, 0.1));                                                                 \
  put(ox::cast_##suffix<float>(x));                                                              \
  put(ox::cast_##suffix<ox::half>(x));                                                           \
  put(ox::cast_##suffix<ox::bfloat16>(x));                                                       \
  put(ox::cast_##suffix<ox::half>(ox::bit_cast<typename Integers<X, T>::signed_type>(z)));       \
  put(ox::cast_##suffix<ox::bfloat16>(ox::bit_cast<typename Integers<X, T>::unsigned_type>(z))); \
  put(ox::cast_##suffix<std::int32_t>(x));                                                       \
  put(ox::cast_##suffix<std::uint64_t>(x));                                                      \
  put(ox::cast_##suffix<float>(ox::bit_cast<typename Integers<X, T>::unsigned_type>(y)));        \
  put(ox::cast_##suffix<double>(ox::bit_cast<typename Integers<X, T>::signed_type>(y)));
  OXIDE_EVERY_MODE(OXIDE_MODE)
#undef OXIDE_MODE
}

template <class T>
std::vector<Expected> rounding_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  const Real x = Real::of_bits(type, xb), y = Real::of_bits(type, yb), z = Real::of_bits(type, zb);
  Real one, tenth;
  mpfr_set_ui(one.x, 1, MPFR_RNDN);
  mpfr_set_d(tenth.x, 0.1, MPFR_RNDN);
  const uint128 tenth_bits = exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, tenth.x, m); });
  const Real literal = Real::of_bits(type, tenth_bits);
  mpfr_set(tenth.x, literal.x, MPFR_RNDN);
  std::vector<Expected> e;
  for (const mpfr_rnd_t mode : {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU}) {
    const std::string suffix = mode == MPFR_RNDN ? "_rn" : mode == MPFR_RNDZ ? "_rz" : mode == MPFR_RNDD ? "_rm" : "_rp";
    const auto put = [&](const char* name, Type t, uint128 bits) { e.push_back({name + suffix, t, bits}); };
    const auto to = [&](Type t, auto f) { return exact::rounded(t, f, mode); };
    const auto two = [&](auto f, const Real& a, const Real& b) {
      return to(type, [&](mpfr_t r, mpfr_rnd_t m) { return f(r, a.x, b.x, m); });
    };
    put("add", type, two(mpfr_add, x, y));
    put("sub", type, two(mpfr_sub, x, y));
    put("mul", type, two(mpfr_mul, x, y));
    put("div", type, two(mpfr_div, x, y));
    put("fma", type, to(type, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_fma(r, x.x, y.x, z.x, m); }));
    put("sqrt", type, to(type, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_sqrt(r, x.x, m); }));
    put("rcp", type, two(mpfr_div, one, x));
    put("add 0.1", type, two(mpfr_add, x, tenth));
    put("cast to f32", Type::f32, to(Type::f32, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, x.x, m); }));
    for (const Type half : {Type::f16, Type::bf16})
      put("cast to a half", half, to(half, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, x.x, m); }));
    const Real of_signed = Real::of_integer(true, zb, 8 * sizeof(T)), of_unsigned = Real::of_integer(false, zb, 8 * sizeof(T));
    put("half of signed", Type::f16, to(Type::f16, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, of_signed.x, m); }));
    put("bfloat16 of unsigned", Type::bf16, to(Type::bf16, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, of_unsigned.x, m); }));
    put("cast to i32", Type::i32, exact::to_integer(x, true, 32, mode));
    put("cast to u64", Type::u64, exact::to_integer(x, false, 64, mode));
    const Real natural = Real::of_integer(false, yb, 8 * sizeof(T)), integer = Real::of_integer(true, yb, 8 * sizeof(T));
    put("cast of unsigned", Type::f32, to(Type::f32, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, natural.x, m); }));
    put("cast of signed", Type::f64, to(Type::f64, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, integer.x, m); }));
  }
  return e;
}

}  // namespace numbers
