// What the mathematical functions should give, from MPFR in high precision, and how far off a result is.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <oxide/ir/math.hpp>

#include "support/interpreter_math.hpp"

namespace oxide::testing {

// The operands of one call; an f32 is a double here.
struct Sample {
  double x = 0, y = 0, z = 0;
  std::int32_t n = 0;
};

class Big {
 public:
  static constexpr mpfr_prec_t precision = 220;
  Big() {
    [[maybe_unused]] static const bool wide = mpfr_set_emin(mpfr_get_emin_min()) + mpfr_set_emax(mpfr_get_emax_max()) == 0;
    mpfr_init2(value_, precision);
  }
  Big(double x) : Big() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Big(const Big& other) : Big() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Big& operator=(const Big& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Big() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

  friend Big operator+(const Big& a, const Big& b) { return make(mpfr_add, a, b); }
  friend Big operator-(const Big& a, const Big& b) { return make(mpfr_sub, a, b); }
  friend Big operator*(const Big& a, const Big& b) { return make(mpfr_mul, a, b); }
  friend Big operator/(const Big& a, const Big& b) { return make(mpfr_div, a, b); }
  template <class F, class... A>
  static Big make(F f, const A&... a) {
    Big r;
    f(r.value_, to_mpfr(a)..., MPFR_RNDN);
    return r;
  }

 private:
  static mpfr_srcptr to_mpfr(const Big& b) { return b.value_; }
  static long to_mpfr(int n) { return n; }
  mpfr_t value_;
};

inline Big big_pi() {
  return Big::make([](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_const_pi(r, m); });
}
inline Big nan_of() { return Big(std::numeric_limits<double>::quiet_NaN()); }
inline Big infinity_of(int sign) { return Big(sign * std::numeric_limits<double>::infinity()); }

inline Big big_erfcx(double x) {
  const Big b(x);
  if (x > 1e6) {  // erfc is below MPFR's range; four terms of the asymptotic series have an error of x^-8
    const Big t = Big(1) / (Big(2) * b * b);
    const Big series = Big(1) - t * (Big(1) - Big(3) * t * (Big(1) - Big(5) * t * (Big(1) - Big(7) * t)));
    return series / (b * Big::make(mpfr_sqrt, big_pi()));
  }
  return Big::make(mpfr_exp, b * b) * Big::make(mpfr_erfc, b);
}

// erfc(y) = p for 0 < p <= 1, by Newton's method on log erfc(y) = log p, or on erf near the middle, where 1 - p is given.
inline Big big_erfcinv(const Big& p) {
  const double q = mpfr_get_d(p, MPFR_RNDN);
  const double l = std::log(q) + std::log(2 - q), h = 2 / (3.14159265 * 0.147) + l / 2;
  Big y(std::sqrt(std::sqrt(h * h - l / 0.147) - h));
  const Big log_p = Big::make(mpfr_log, p), root_pi = Big::make(mpfr_sqrt, big_pi());
  for (int i = 0; i != 8; ++i) {
    const Big e = Big::make(mpfr_erfc, y), slope = Big(2) * Big::make(mpfr_exp, Big(0) - y * y) / root_pi / e;
    y = y + (Big::make(mpfr_log, e) - log_p) / slope;
  }
  return y;
}
inline Big big_erfinv(double x) {
  if (!(std::fabs(x) <= 1)) return nan_of();
  if (std::fabs(x) == 1) return infinity_of(x < 0 ? -1 : 1);
  if (x == 0) return Big(x);
  if (std::fabs(x) > 0.25) {
    const Big y = big_erfcinv(Big(1) - Big(std::fabs(x)));
    return x < 0 ? Big(0) - y : y;
  }
  const Big target(x), root_pi = Big::make(mpfr_sqrt, big_pi());
  Big y = target * root_pi / Big(2);
  for (int i = 0; i != 8; ++i) y = y - (Big::make(mpfr_erf, y) - target) * root_pi / Big(2) * Big::make(mpfr_exp, y * y);
  return y;
}
inline Big big_erfcinv(double p) {
  if (!(p >= 0 && p <= 2)) return nan_of();
  if (p == 0 || p == 2) return infinity_of(p == 0 ? 1 : -1);
  if (p > 0.75 && p < 1.25) return big_erfinv(1 - p);  // exact
  return p < 1 ? big_erfcinv(Big(p)) : Big(0) - big_erfcinv(Big(2) - Big(p));
}

inline Big big_bessel_i(int order, double x) {
  if (std::isnan(x)) return nan_of();
  if (std::fabs(x) > 800) return infinity_of(x < 0 && order == 1 ? -1 : 1);
  const Big h = Big(x) / Big(2), q = h * h;
  Big term = order == 0 ? Big(1) : h, sum = term;
  for (int k = 1; k != 3000; ++k) {
    term = term * q / Big(static_cast<double>(k) * (k + order));
    sum = sum + term;
    if (mpfr_zero_p(static_cast<mpfr_srcptr>(term)) ||
        mpfr_get_exp(static_cast<mpfr_srcptr>(term)) < mpfr_get_exp(static_cast<mpfr_srcptr>(sum)) - 200)
      break;
  }
  return sum;
}

inline Big big_length(const Sample& s, int count) {
  const double c[] = {s.x, s.y, s.z};
  for (int i = 0; i != count; ++i)
    if (std::isinf(c[i])) return infinity_of(1);
  Big sum(0);
  for (int i = 0; i != count; ++i) sum = sum + Big(c[i]) * Big(c[i]);
  return Big::make(mpfr_sqrt, sum);
}

// Whether `f` is exact: its reference is then the model itself.
inline bool is_exact(ir::Math f) {
  using enum ir::Math;
  switch (f) {
    case fmod:
    case remainder:
    case remquo:
    case modf:
    case round:
    case copysign:
    case nextafter:
    case logb:
    case ilogb:
    case frexp:
    case ldexp:
    case fdim:
      return true;
    default:
      return false;
  }
}

inline Big reference(ir::Math f, unsigned result, const Sample& s) {
  using enum ir::Math;
  const Big x(s.x), y(s.y);
  const auto unary = [&](int (*g)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) { return Big::make(g, x); };
  switch (f) {
    case rsqrt:
    case approx_rsqrt:
      return s.x == 0 ? infinity_of(std::signbit(s.x) ? -1 : 1) : unary(mpfr_rec_sqrt);
    case cbrt:
      return unary(mpfr_cbrt);
    case rcbrt:
      return Big(1) / unary(mpfr_cbrt);
    case hypot:
      return big_length(s, 2);
    case rhypot:
      return Big(1) / big_length(s, 2);
    case norm3d:
      return big_length(s, 3);
    case rnorm3d:
      return Big(1) / big_length(s, 3);
    case exp:
    case approx_exp:
      return unary(mpfr_exp);
    case exp2:
    case approx_exp2:
      return unary(mpfr_exp2);
    case exp10:
    case approx_exp10:
      return unary(mpfr_exp10);
    case expm1:
      return unary(mpfr_expm1);
    case log:
    case approx_log:
      return unary(mpfr_log);
    case log2:
    case approx_log2:
      return unary(mpfr_log2);
    case log10:
    case approx_log10:
      return unary(mpfr_log10);
    case log1p:
      return unary(mpfr_log1p);
    case pow:
    case approx_pow:
      return Big::make(mpfr_pow, x, y);
    case powi:
      return Big::make(mpfr_pow, x, Big(s.n));
    case sin:
    case approx_sin:
      return unary(mpfr_sin);
    case cos:
    case approx_cos:
      return unary(mpfr_cos);
    case tan:
    case approx_tan:
      return unary(mpfr_tan);
    case sincos:
      return unary(result == 0 ? mpfr_sin : mpfr_cos);
    case sinpi:
    case cospi:
    case sincospi: {
      if (!std::isfinite(s.x)) return nan_of();
      const bool cosine = f == cospi || (f == sincospi && result == 1);
      const double r = std::fmod(s.x, 2.0);  // exact
      if (!cosine && r == std::trunc(r)) return Big(std::copysign(0.0, s.x));
      if (cosine && std::fabs(r) == 0.5) return Big(0);
      if (cosine && std::fabs(r) == 1.5) return Big(0);
      return Big::make(cosine ? mpfr_cos : mpfr_sin, Big(r) * big_pi());
    }
    case asin:
      return unary(mpfr_asin);
    case acos:
      return unary(mpfr_acos);
    case atan:
      return unary(mpfr_atan);
    case atan2:
      return Big::make(mpfr_atan2, x, y);
    case sinh:
      return unary(mpfr_sinh);
    case cosh:
      return unary(mpfr_cosh);
    case tanh:
    case approx_tanh:
      return unary(mpfr_tanh);
    case asinh:
      return unary(mpfr_asinh);
    case acosh:
      return unary(mpfr_acosh);
    case atanh:
      return unary(mpfr_atanh);
    case erf:
      return unary(mpfr_erf);
    case erfc:
      return unary(mpfr_erfc);
    case erfinv:
      return big_erfinv(s.x);
    case erfcinv:
      return big_erfcinv(s.x);
    case erfcx:
      return std::isnan(s.x) ? nan_of() : std::isinf(s.x) ? (s.x < 0 ? infinity_of(1) : Big(0)) : big_erfcx(s.x);
    case normcdf:
      return Big::make(mpfr_erfc, Big(0) - x / Big::make(mpfr_sqrt, Big(2))) / Big(2);
    case normcdfinv:
      return s.x >= 0 && s.x <= 1 ? Big(0) - Big::make(mpfr_sqrt, Big(2)) * big_erfcinv(2 * s.x) : nan_of();
    case tgamma:
      return unary(mpfr_gamma);
    case lgamma: {
      Big r;
      int sign = 0;
      mpfr_lgamma(r, &sign, x, MPFR_RNDN);
      return r;
    }
    case j0:
      return unary(mpfr_j0);
    case j1:
      return unary(mpfr_j1);
    case y0:
      return unary(mpfr_y0);
    case y1:
      return unary(mpfr_y1);
    case jn:
    case yn: {
      if (s.n < 0) return nan_of();
      Big r;
      (f == jn ? mpfr_jn : mpfr_yn)(r, s.n, x, MPFR_RNDN);
      return r;
    }
    case cyl_bessel_i0:
      return big_bessel_i(0, s.x);
    case cyl_bessel_i1:
      return big_bessel_i(1, s.x);
    case approx_sqrt:
      return unary(mpfr_sqrt);
    case approx_rcp:
      return Big(1) / x;
    case approx_div:
      return x / y;
    default:
      return nan_of();
  }
}

// How far a result is from the reference.
struct Deviation {
  double ulps = 0;  // in units of the last place of the reference; infinity where one is a NaN, infinite, or of the other sign of zero
  double absolute = 0;
};

inline Deviation error_of(const Big& expected, double got, bool single) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int digits = single ? 24 : 53, least = single ? -149 : -1074, most = single ? 128 : 1024;
  if (mpfr_nan_p(static_cast<mpfr_srcptr>(expected))) return std::isnan(got) ? Deviation{} : Deviation{infinity, infinity};
  if (std::isnan(got)) return {infinity, infinity};
  if (mpfr_inf_p(static_cast<mpfr_srcptr>(expected)))
    return std::isinf(got) && (got < 0) == (mpfr_sgn(static_cast<mpfr_srcptr>(expected)) < 0) ? Deviation{} : Deviation{infinity, infinity};
  if (mpfr_zero_p(static_cast<mpfr_srcptr>(expected)) && got == 0)
    return std::signbit(got) == (mpfr_signbit(static_cast<mpfr_srcptr>(expected)) != 0) ? Deviation{} : Deviation{infinity, infinity};
  // An infinity stands for the first number that is too large; so does every larger reference.
  const auto limited = [&](Big v) {
    Big limit;
    mpfr_set_ui_2exp(limit, 1, most, MPFR_RNDN);
    if (mpfr_cmpabs(v, limit) > 0) mpfr_setsign(v, limit, mpfr_sgn(static_cast<mpfr_srcptr>(v)) < 0, MPFR_RNDN);
    return v;
  };
  const Big e = limited(expected), g = std::isinf(got) ? limited(infinity_of(got < 0 ? -1 : 1)) : Big(got);
  Big difference = e - g;
  mpfr_abs(difference, difference, MPFR_RNDN);
  const double absolute = mpfr_get_d(difference, MPFR_RNDU);
  long exponent = mpfr_zero_p(static_cast<mpfr_srcptr>(e)) ? least : mpfr_get_exp(static_cast<mpfr_srcptr>(e)) - digits;
  if (exponent < least) exponent = least;
  if (exponent > most - digits) exponent = most - digits;
  mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
  return {mpfr_get_d(difference, MPFR_RNDU), absolute};
}

// Nothing says which zero a Bessel function is at infinity.
inline bool has_signed_zeros(ir::Math f, const Sample& s) {
  using enum ir::Math;
  return !(std::isinf(s.x) && (f == j0 || f == j1 || f == jn || f == y0 || f == y1 || f == yn));
}

template <class T>
Deviation error_of(ir::Math f, unsigned result, const Sample& s, double got) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!is_exact(f)) {
    const Big expected = reference(f, result, s);
    if (got == 0 && !has_signed_zeros(f, s) && mpfr_zero_p(static_cast<mpfr_srcptr>(expected))) return {};
    return error_of(expected, got, sizeof(T) == 4);
  }
  MathOperands<T> in{{static_cast<T>(s.x), static_cast<T>(s.y), static_cast<T>(s.z)}, 3, s.n};
  const MathResult<T> model = math_model(f, result, in);
  double expected = model.whole ? model.n : static_cast<double>(model.x);
  if (f == ir::Math::remquo && result == 1) {  // C asks for the sign and three bits
    const int a = static_cast<int>(expected), b = static_cast<int>(got);
    if (!std::isfinite(s.x) || std::isnan(s.y) || s.y == 0) return {};
    return (std::abs(a) & 7) == (std::abs(b) & 7) && (a < 0) == (b < 0 || ((b & 7) == 0 && a < 0)) ? Deviation{}
                                                                                                   : Deviation{infinity, infinity};
  }
  const bool same = (std::isnan(expected) && std::isnan(got)) || (expected == got && std::signbit(expected) == std::signbit(got));
  return same ? Deviation{} : Deviation{infinity, infinity};
}

}  // namespace oxide::testing
