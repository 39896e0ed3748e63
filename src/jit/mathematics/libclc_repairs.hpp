// What libclc's functions lack: signs of zeros, subnormal results, and parts of their ranges.
#pragma once

#include "arithmetic.hpp"
#include "coefficients.hpp"
#include "elementary.hpp"

namespace oxide::mathematics {
namespace {

// 2^n p for a p near 1, rounded once.
inline float scaled(float p, int n) {
  const auto power = [](int k) { return __builtin_bit_cast(float, (k + 127) << 23); };
  return p * power(n >> 1) * power(n - (n >> 1));
}
template <int size, int i = 0>
[[gnu::always_inline]] inline float polynomial(const double (&c)[size], float x) {
  if constexpr (i == size - 1) return static_cast<float>(c[i]);
  else return __builtin_fmaf(polynomial<size, i + 1>(c, x), x, static_cast<float>(c[i]));
}
float exp_single(float x) {
  if (x > 89) return __builtin_inff();
  if (x < -104) return 0;
  if (x != x) return x;
  const float n = __builtin_rintf(x * 0x1.715476p+0f);
  const float r = __builtin_fmaf(n, 0x1.05c610p-29f, __builtin_fmaf(n, -0x1.62e430p-1f, x));  // log(2)
  return scaled(polynomial(exp_coefficients, r), static_cast<int>(n));
}
float exp2_single(float x) {
  if (x >= 128) return __builtin_inff();
  if (x < -151) return 0;
  if (x != x) return x;
  const float n = __builtin_rintf(x);
  return scaled(polynomial(exp_coefficients, (x - n) * 0x1.62e430p-1f), static_cast<int>(n));
}

// Stirling's formula for x >= 8: gamma(x) = half * half * rest, of which no part overflows before gamma(x) does.
struct Stirling {
  double half, rest;
};
[[gnu::noinline]] Stirling stirling(double x) {
  constexpr double root_two_pi = 0x1.40d931ff62706p+1;
  return {pow(x, 0.5 * x - 0.25), exp(-x) * root_two_pi * polynomial(gamma_stirling, 1 / x)};  // the exponent is exact
}
[[gnu::noinline]] double gamma_of_positive(double x) {
  if (x < 0x1p-60) return 1 / x;
  if (x <= 1) return polynomial(gamma_middle, 2 * x - 1) / (x * (1 + x));
  if (x <= 2) return polynomial(gamma_middle, 2 * (x - 1) - 1) / x;
  if (x > 171.7) return infinity;
  if (x >= 8) {
    const Stirling s = stirling(x);
    return s.half * s.rest * s.half;
  }
  double product = 1;
  for (; x >= 3; product *= x) x -= 1;  // exact
  return product * polynomial(gamma_middle, 2 * (x - 2) - 1);
}
// gamma(x) gamma(-x) = -pi / (x sin(pi x))
double gamma(double x) {
  if (x > 0 || is_nan(x)) return gamma_of_positive(x);
  const double a = -x;
  if (a < 0x1p-60) return 1 / x;
  if (x == -infinity || a == __builtin_floor(a)) return not_a_number;
  if (a > 184) return static_cast<long long>(a) % 2 == 0 ? -0.0 : 0.0;
  const double y = -pi / (a * sinpi(a, false));
  if (a < 8) return y / gamma_of_positive(a);
  const Stirling s = stirling(a);
  return y / s.half / s.rest / s.half;
}
double log_gamma(double x) { return is_infinite(x) ? infinity : lgamma(x); }

// A y beyond 2^70 is even, and as good as any other such.
double power(double x, double y) { return pow(x, absolute(y) > 0x1p70 && y == y && !is_infinite(y) ? with_sign(0x1p70, y) : y); }
// Their tables are indexed by x, and a NaN has no place in them.
double sinh_double(double x) { return absolute(x) < 720 ? (x == 0 ? x : sinh(x)) : x * infinity; }
double cosh_double(double x) { return absolute(x) < 720 ? cosh(x) : absolute(x) * infinity; }

}  // namespace
}  // namespace oxide::mathematics
