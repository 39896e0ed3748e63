// The error functions and the normal distribution, and their inverses.
#pragma once

#include "arithmetic.hpp"
#include "coefficients.hpp"

namespace oxide::mathematics {
namespace {

double erfcx(double x) {
  if (is_nan(x)) return x;
  if (x < -26.7) return infinity;
  const double a = absolute(x);
  double y;
  if (a > 0x1p50) {
    y = two_over_root_pi / 2 / a;
  } else {
    y = polynomial(erfcx_coefficients, (a - 4) / (a + 4)) / fused(2.0, a, 1.0);
  }
  if (x >= 0) return y;
  // erfcx(-x) = 2 exp(x^2) - erfcx(x)
  const Sum square = product(x, x);
  const double e = 2 * exp(square.high);
  return e == infinity ? e : fused(e, square.low, e) - y;
}

// A first approximation to |erfinv|, of 1 - x^2, within some thousandths (S. Winitzki, 2008).
double inverse_start(double one_minus_square) {
  constexpr double a = 0.147;
  const double l = log(one_minus_square), h = 2 / (3.14159265358979 * a) + l / 2;
  return root(root(h * h - l / a) - h);
}

// erfc(y) = p for 0 < p <= 1/2: Halley's method on log erfc(y) = log p, which is well conditioned down to the least p.
double upper_inverse(double p) {
  double y = inverse_start(p * (2 - p));
  const double log_p = log(p);
  OXIDE_ROLLED
  for (int i = 0; i != 3; ++i) {
    const double e = erfcx(y), slope = two_over_root_pi / e;
    const Sum square = product(y, y);
    const double error = (log(e) - log_p - square.high) - square.low;
    const double step = error / slope;
    y += step / (1 - step * (2 * y - slope) / 2);
  }
  return y;
}
// erf(y) = x for |x| <= 1/2, by Halley's method.
double middle_inverse(double x) {
  if (absolute(x) < 0x1p-28) return fused(x, half_root_pi, x * half_root_pi_low);
  double y = with_sign(inverse_start((1 - x) * (1 + x)), x);
  OXIDE_ROLLED
  for (int i = 0; i != 2; ++i) {
    const double step = (erf(y) - x) * half_root_pi * exp(y * y);
    y -= step / fused(y, step, 1.0);
  }
  return y;
}

double erfinv(double x) {
  const double a = absolute(x);
  if (!(a <= 1)) return not_a_number;
  if (a == 1) return with_sign(infinity, x);
  return a <= 0.5 ? middle_inverse(x) : with_sign(upper_inverse(1 - a), x);
}
double erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return not_a_number;
  if (x == 0) return infinity;
  if (x == 2) return -infinity;
  if (x <= 0.5) return upper_inverse(x);
  return x < 1.5 ? middle_inverse(1 - x) : -upper_inverse(2 - x);
}

double normcdf(double x) {
  if (is_nan(x)) return x;
  if (x < -40) return 0;
  if (x > 40) return 1;
  // erfc at -x / sqrt(2), as a sum of two; the low part by the derivative.
  const double high = -x * root_half, low = fused(-x, root_half, -high) - x * root_half_low;
  const double y = erfc(high);
  return fused(-low * two_over_root_pi, exp(-high * high), y) / 2;
}
double normcdfinv(double x) {
  const double y = erfcinv(2 * x);
  if (y == 0 || is_infinite(y)) return 0 - y;
  return -fused(y, 2 * root_half, y * (2 * root_half_low));
}

}  // namespace
}  // namespace oxide::mathematics
