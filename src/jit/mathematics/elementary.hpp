// Roots, lengths, sin(pi x), remainders.
#pragma once

#include "arithmetic.hpp"

namespace oxide::mathematics {
namespace {

// ---- roots and lengths

// One step of Newton's method from the reciprocal of the root, on the error of x y^3 = 1.
double rcbrt(double x) {
  if (x == 0 || is_infinite(x) || is_nan(x)) return 1 / x;
  double scale = 1;
  if (absolute(x) < 0x1p-500) x *= 0x1p600, scale = 0x1p200;
  else if (absolute(x) > 0x1p500) x *= 0x1p-600, scale = 0x1p-200;
  const double y = 1 / cbrt(x);
  const Sum square = product(y, y), cube = product(square.high, y);
  const double error = fused(-cube.high, x, 1.0) - fused(square.low, y, cube.low) * x;
  return fused(y * error, 1.0 / 3, y) * scale;
}

// The length of a vector, scaled by `scale`: a power of two by which no square overflows and none that counts underflows.
struct Length {
  double length, scale;
};
Length length(double x, double y, double z) {
  const double a = absolute(x), b = absolute(y), c = absolute(z);
  double largest = a > b ? a : b;
  largest = c > largest ? c : largest;
  int e = exponent(largest);
  e = e < -1000 ? -1000 : e > 1022 ? 1022 : e;
  const double down = power_of_two(-e), up = power_of_two(e);
  const Sum p = product(a * down, a * down), q = product(b * down, b * down), r = product(c * down, c * down);
  const Sum pq = sum(p.high, q.high), all = sum(pq.high, r.high);
  const double low = all.low + pq.low + p.low + q.low + r.low;
  const double first = root(all.high);
  if (!(first > 0)) return {first, up};  // 0, or a NaN
  return {first + (fused(-first, first, all.high) + low) / (2 * first), up};
}
double norm(double x, double y, double z, bool reciprocal) {
  if (is_infinite(x) || is_infinite(y) || is_infinite(z)) return reciprocal ? 0 : infinity;
  const Length l = length(x, y, z);
  return reciprocal ? 1 / l.length / l.scale : l.length * l.scale;
}

// ---- sin(pi x) and cos(pi x)

double sinpi(double x, bool cosine) {
  if (is_nan(x) || is_infinite(x)) return not_a_number;
  const double a = absolute(x);
  // Even numbers of half turns go first, exactly: a = 2 n + r, r = k / 2 + f.
  const double r = a - 2 * __builtin_trunc(a / 2), k = __builtin_floor(2 * r + 0.5), f = r - k / 2;
  const int quarter = static_cast<int>(k) + (cosine ? 1 : 0);
  const double high = pi * f, low = fused(pi, f, -high) + pi_low * f;
  double y = (quarter & 1) == 0 ? fused(low, cos(high), sin(high)) : fused(-low, sin(high), cos(high));
  if ((quarter & 2) != 0) y = -y;
  if (cosine) return y + 0.0;  // no -0
  return f == 0 && (quarter & 1) == 0 ? with_sign(0, x) : x < 0 ? -y : y;
}

// ---- the remainder of the quotient rounded to nearest, and the quotient's last three bits

double remquo(double x, double y, int* quotient) {
  *quotient = 0;
  if (is_nan(x) || is_nan(y) || y == 0 || is_infinite(x)) return not_a_number;
  double a = absolute(x);
  const double b = absolute(y);
  int q = 0;
  if (b <= 0x1p1020) a = fmod(a, 8 * b);
  if (b <= 0x1p1021 && a >= 4 * b) a -= 4 * b, q += 4;
  if (b <= 0x1p1022 && a >= 2 * b) a -= 2 * b, q += 2;
  if (b < 0x1p-1021) {  // half of b may not be a number
    if (a + a > b) {
      a -= b, ++q;
      if (a + a >= b) a -= b, ++q;
    }
  } else if (a > b / 2) {
    a -= b, ++q;
    if (a >= b / 2) a -= b, ++q;
  }
  q &= 7;
  *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -q : q;
  if (a == 0) a = 0;
  return __builtin_signbit(x) ? -a : a;
}

}  // namespace
}  // namespace oxide::mathematics
