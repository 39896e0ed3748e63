// Bessel functions of both kinds, and the modified ones of the first kind.
#pragma once

#include "arithmetic.hpp"
#include "coefficients.hpp"

namespace oxide::mathematics {
namespace {

// ---- modified Bessel functions

double large_i(double factor, double a) {
  // exp(a) overflows before the function does.
  const double shift = a > 700 ? 16 : 0;
  const double y = factor / root(a) * exp(a - shift);
  return a > 700 ? y * 0x1.0f2ebd0a8002p+23 : y;  // exp(16)
}
double i0(double x) {
  const double a = absolute(x);
  if (!(a < 720)) return a * infinity;
  return a <= 8 ? polynomial(i0_small, a * a) : large_i(polynomial(i0_large, 16 / a - 1), a);
}
double i1(double x) {
  const double a = absolute(x);
  if (!(a < 720)) return x * infinity;
  return a <= 8 ? x * polynomial(i1_small, a * a) : with_sign(large_i(polynomial(i1_large, 16 / a - 1), a), x);
}

// ---- Bessel functions

// The modulus and the phase of both kinds for x >= 5, from the sine and cosine of x itself: sin(x - pi/4) = (sin x - cos x) / sqrt(2).
struct Wave {
  double j, y;
};
Wave wave(int order, double x) {
  const double t = 50 / (x * x) - 1, s = sin(x), c = cos(x);
  const double p = order == 0 ? polynomial(p0, t) : polynomial(p1, t);
  const double q = (order == 0 ? polynomial(q0, t) : polynomial(q1, t)) / x;
  // u = x - pi/4 or x - 3 pi/4
  const double sine = order == 0 ? s - c : -(s + c), cosine = order == 0 ? s + c : s - c;
  const double amplitude = two_over_root_pi / 2 / root(x);
  return {amplitude * (p * cosine - q * sine), amplitude * (p * sine + q * cosine)};
}
double j0(double x) {
  const double a = absolute(x);
  if (is_nan(x)) return x;
  if (a == infinity) return 0;
  return a <= 5 ? polynomial(j0_small, a * a / 12.5 - 1) : wave(0, a).j;
}
double j1(double x) {
  const double a = absolute(x);
  if (is_nan(x)) return x;
  if (a == infinity) return with_sign(0, x);
  return a <= 5 ? x * polynomial(j1_small, a * a / 12.5 - 1) : x < 0 ? -wave(1, a).j : wave(1, a).j;
}
double y0(double x) {
  if (is_nan(x) || x < 0) return not_a_number;
  if (x == 0) return -infinity;
  if (x == infinity) return 0;
  if (x > 5) return wave(0, x).y;
  return fused(two_over_pi * log(x), j0(x), polynomial(y0_small, x * x / 12.5 - 1));
}
double y1(double x) {
  if (is_nan(x) || x < 0) return not_a_number;
  if (x == 0) return -infinity;
  if (x == infinity) return 0;
  if (x > 5) return wave(1, x).y;
  if (x < 0x1p-60) return -two_over_pi / x;
  return fused(two_over_pi, fused(log(x), j1(x), -1 / x), x * polynomial(y1_small, x * x / 12.5 - 1));
}

double jn(int n, double x) {
  if (n < 0 || is_nan(x)) return not_a_number;
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  const double a = absolute(x), order = n;
  const double sign = __builtin_signbit(x) && (n & 1) != 0 ? -1 : 1;
  if (a == 0 || a == infinity) return sign * 0.0;
  if (a > order) {  // upwards, which is stable there
    double before = j0(a), now = j1(a);
    for (int k = 1; k < n; ++k) {
      const double next = 2 * k / a * now - before;
      before = now;
      now = next;
    }
    return sign * now;
  }
  // (x/2)^n / n! is an upper bound there, and n! > (n/e)^n.
  if (order * (log(a / (2 * order)) + 1) < -760) return sign * 0.0;
  // The continued fraction of J_n / J_(n-1), then downwards from arbitrary numbers to those that are known (Lentz; Miller).
  double fraction = 2 * order / a, c = fraction, d = 0;
  for (int k = n + 1; k < n + 100000; ++k) {
    const double b = 2.0 * k / a;
    d = 1 / (b - d);
    c = b - 1 / c;
    const double change = c * d;
    fraction *= change;
    if (absolute(change - 1) < 0x1p-53) break;
  }
  double above = 1, now = fraction, answer = 1;  // J_n and J_(n-1)
  for (int k = n - 1; k > 0; --k) {
    const double below = 2 * k / a * now - above;
    above = now;
    now = below;
    if (absolute(now) > 0x1p500) {
      now *= 0x1p-500;
      above *= 0x1p-500;
      answer *= 0x1p-500;
    }
  }
  const double zero = j0(a), one = j1(a);
  return sign * (absolute(zero) >= absolute(one) ? answer / now * zero : answer / above * one);
}
double yn(int n, double x) {
  if (n < 0 || is_nan(x) || x < 0) return not_a_number;
  if (n == 0) return y0(x);
  if (n == 1) return y1(x);
  if (x == 0) return -infinity;
  if (x == infinity) return 0;
  double before = y0(x), now = y1(x);
  for (int k = 1; k < n && now != -infinity; ++k) {
    const double next = 2.0 * k / x * now - before;
    before = now;
    now = next;
  }
  return now;
}

}  // namespace
}  // namespace oxide::mathematics
