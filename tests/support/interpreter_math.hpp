// The mathematical functions as the interpreter has them: the C library's, and formulas over those for the ones that C lacks. Models for
// comparisons within some units in the last place; what is exact in oxide is exact here.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <oxide/ir/math.hpp>

namespace oxide::testing {

template <class T>
struct MathOperands {
  T x[3] = {};
  std::size_t count = 0;
  std::int32_t n = 0;
};
template <class T>
struct MathResult {
  MathResult(T value) : x(value) {}
  static MathResult integer(std::int32_t n) {
    MathResult r{T{}};
    r.n = n;
    r.whole = true;
    return r;
  }
  T x;
  std::int32_t n = 0;
  bool whole = false;
};

namespace models {

inline constexpr long double pi = 3.14159265358979323846264338327950288L;

// sin(pi * x) and cos(pi * x), reduced exactly first: x = n / 2 + r with |r| <= 1/4.
template <class T>
T sinpi(T x, bool cosine) {
  if (std::isinf(x) || std::isnan(x)) return std::numeric_limits<T>::quiet_NaN();
  if (!cosine && x == std::trunc(x)) return std::copysign(T{0}, x);
  const long double quarter = std::remainder(static_cast<long double>(x), 2.0L) * 2;  // in half turns of pi/2
  const long double n = std::nearbyint(quarter), r = (quarter - n) * pi / 2;
  switch ((static_cast<int>(n) + (cosine ? 1 : 0)) & 3) {
    case 0:
      return static_cast<T>(std::sin(r));
    case 1:
      return static_cast<T>(std::cos(r));
    case 2:
      return static_cast<T>(-std::sin(r));
    default:
      return static_cast<T>(-std::cos(r)) + T{0};
  }
}

inline long double erfcx(long double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const long double t = 1 / (2 * x * x);
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t)))) / (x * std::sqrt(pi));
}

// erfc(y) = p, by bisection of a function that falls.
inline long double erfcinv(long double p) {
  if (!(p >= 0 && p <= 2)) return std::numeric_limits<long double>::quiet_NaN();
  if (p == 0 || p == 2) return p == 0 ? HUGE_VALL : -HUGE_VALL;
  long double low = -110, high = 110;
  for (int i = 0; i != 140; ++i) {
    const long double middle = (low + high) / 2;
    (std::erfc(middle) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}
inline long double erfinv(long double x) {
  if (!(std::fabs(x) <= 1)) return std::numeric_limits<long double>::quiet_NaN();
  if (std::fabs(x) == 1) return x * HUGE_VALL;
  if (std::fabs(x) > 0.5L) return std::copysign(erfcinv(1 - std::fabs(x)), x);
  long double y = x * std::sqrt(pi) / 2;
  for (int i = 0; i != 20; ++i) y -= (std::erf(y) - x) * std::sqrt(pi) / 2 * std::exp(y * y);
  return y;
}

// The power series of the modified Bessel functions; all terms are positive.
inline long double bessel_i(int order, long double x) {
  const long double h = x / 2, q = h * h;
  long double term = order == 0 ? 1 : h, sum = term;
  for (int k = 1; k != 3000 && std::fabs(term) > std::fabs(sum) * 1e-22L; ++k)
    sum += term *= q / (static_cast<long double>(k) * (k + order));
  return sum;
}

}  // namespace models

template <class T>
MathResult<T> math_model(ir::Math f, unsigned result, const MathOperands<T>& in) {
  using enum ir::Math;
  using L = long double;
  const T x = in.x[0], y = in.x[1], z = in.x[2];
  const auto narrow = [](L value) { return static_cast<T>(value); };
  const auto length = [&](L a, L b, L c) {
    if (std::isinf(a) || std::isinf(b) || std::isinf(c)) return std::numeric_limits<L>::infinity();
    return std::sqrt(a * a + b * b + c * c);
  };
  constexpr bool single = sizeof(T) == 4;
  int n = 0;
  switch (f) {
    case rsqrt:
    case approx_rsqrt:
      return T{1} / std::sqrt(x);
    case cbrt:
      return std::cbrt(x);
    case rcbrt:
      return narrow(1 / std::cbrt(static_cast<L>(x)));
    case hypot:
      return std::hypot(x, y);
    case rhypot:
      return narrow(1 / length(x, y, 0));
    case norm3d:
      return narrow(length(x, y, z));
    case rnorm3d:
      return narrow(1 / length(x, y, z));
    case exp:
    case approx_exp:
      return std::exp(x);
    case exp2:
    case approx_exp2:
      return std::exp2(x);
    case exp10:
    case approx_exp10:
      return single ? static_cast<T>(::exp10f(static_cast<float>(x))) : static_cast<T>(::exp10(x));
    case expm1:
      return std::expm1(x);
    case log:
    case approx_log:
      return std::log(x);
    case log2:
    case approx_log2:
      return std::log2(x);
    case log10:
    case approx_log10:
      return std::log10(x);
    case log1p:
      return std::log1p(x);
    case pow:
    case approx_pow:
      return std::pow(x, y);
    case powi:
      return narrow(std::pow(static_cast<L>(x), static_cast<L>(in.n)));
    case sin:
    case approx_sin:
      return std::sin(x);
    case cos:
    case approx_cos:
      return std::cos(x);
    case tan:
    case approx_tan:
      return std::tan(x);
    case sincos:
      return result == 0 ? std::sin(x) : std::cos(x);
    case sinpi:
      return models::sinpi(x, false);
    case cospi:
      return models::sinpi(x, true);
    case sincospi:
      return models::sinpi(x, result == 1);
    case asin:
      return std::asin(x);
    case acos:
      return std::acos(x);
    case atan:
      return std::atan(x);
    case atan2:
      return std::atan2(x, y);
    case sinh:
      return std::sinh(x);
    case cosh:
      return std::cosh(x);
    case tanh:
    case approx_tanh:
      return std::tanh(x);
    case asinh:
      return std::asinh(x);
    case acosh:
      return std::acosh(x);
    case atanh:
      return std::atanh(x);
    case erf:
      return std::erf(x);
    case erfc:
      return std::erfc(x);
    case erfinv:
      return narrow(models::erfinv(x));
    case erfcinv:
      return narrow(models::erfcinv(x));
    case erfcx:
      return narrow(models::erfcx(x));
    case normcdf:
      return narrow(std::erfc(-static_cast<L>(x) / std::sqrt(2.0L)) / 2);
    case normcdfinv:
      return narrow(-std::sqrt(2.0L) * models::erfcinv(2 * static_cast<L>(x)));
    case tgamma:
      return std::tgamma(x);
    case lgamma:
      return std::lgamma(x);
    case j0:
      return single ? static_cast<T>(::j0f(static_cast<float>(x))) : static_cast<T>(::j0(x));
    case j1:
      return single ? static_cast<T>(::j1f(static_cast<float>(x))) : static_cast<T>(::j1(x));
    case jn:
      if (in.n < 0) return std::numeric_limits<T>::quiet_NaN();
      return single ? static_cast<T>(::jnf(in.n, static_cast<float>(x))) : static_cast<T>(::jn(in.n, x));
    case y0:
      return single ? static_cast<T>(::y0f(static_cast<float>(x))) : static_cast<T>(::y0(x));
    case y1:
      return single ? static_cast<T>(::y1f(static_cast<float>(x))) : static_cast<T>(::y1(x));
    case yn:
      if (in.n < 0) return std::numeric_limits<T>::quiet_NaN();
      return single ? static_cast<T>(::ynf(in.n, static_cast<float>(x))) : static_cast<T>(::yn(in.n, x));
    case cyl_bessel_i0:
      return narrow(models::bessel_i(0, x));
    case cyl_bessel_i1:
      return narrow(models::bessel_i(1, x));
    case fmod:
      return std::fmod(x, y);
    case remainder:
      return std::remainder(x, y);
    case remquo: {
      const T r = std::remquo(x, y, &n);
      if (result == 0) return r;
      return MathResult<T>::integer(std::isnan(r) ? 0 : n);
    }
    case modf: {
      T whole;
      const T fraction = std::modf(x, &whole);
      return result == 0 ? fraction : whole;
    }
    case round:
      return std::round(x);
    case fdim:
      return std::fdim(x, y);
    case copysign:
      return std::copysign(x, y);
    case nextafter:
      return std::nextafter(x, y);
    case logb:
      return std::logb(x);
    case ilogb:
      return MathResult<T>::integer(std::ilogb(x));
    case frexp: {
      const T fraction = std::frexp(x, &n);
      if (result == 0) return fraction;
      return MathResult<T>::integer(std::isfinite(x) ? n : 0);
    }
    case ldexp:
      return std::ldexp(x, in.n);
    case approx_sqrt:
      return std::sqrt(x);
    case approx_rcp:
      return T{1} / x;
    case approx_div:
      return x / y;
  }
  throw std::logic_error("the interpreter does not know mathematical function " + std::to_string(static_cast<unsigned>(f)));
}

}  // namespace oxide::testing
