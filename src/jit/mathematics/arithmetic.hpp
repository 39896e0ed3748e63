// What oxide's mathematical functions are made of: the libraries' functions, constants, sums and products of twice the precision.
#pragma once

#ifdef __NVPTX__
// libclc's, which are mangled as C++ mangles them
#define OXIDE_LIBCLC_1(name) \
  double name(double);       \
  float name(float);
#define OXIDE_LIBCLC_2(name)   \
  double name(double, double); \
  float name(float, float);
OXIDE_LIBCLC_1(exp)
OXIDE_LIBCLC_1(exp2)
OXIDE_LIBCLC_1(expm1)
OXIDE_LIBCLC_1(log)
OXIDE_LIBCLC_1(sin)
OXIDE_LIBCLC_1(cos)
OXIDE_LIBCLC_1(tan)
OXIDE_LIBCLC_1(asin)
OXIDE_LIBCLC_1(atan)
OXIDE_LIBCLC_1(sinh)
OXIDE_LIBCLC_1(cosh)
OXIDE_LIBCLC_1(erf)
OXIDE_LIBCLC_1(erfc)
OXIDE_LIBCLC_1(lgamma)
OXIDE_LIBCLC_1(cbrt)
OXIDE_LIBCLC_2(pow)
OXIDE_LIBCLC_2(fmod)
OXIDE_LIBCLC_2(remainder)
#else
#include <cmath>
using std::cos;
using std::fmod;
using std::sin;
#endif

// A loop that stays one: what it holds is large, and compiled when a kernel is.
#ifdef __clang__
#define OXIDE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define OXIDE_ROLLED
#endif

namespace oxide::mathematics {
namespace {

constexpr double infinity = __builtin_inf(), not_a_number = __builtin_nan("");
constexpr double pi = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;
constexpr double root_half = 0x1.6a09e667f3bcdp-1, root_half_low = -0x1.bdd3413b26456p-55;          // sqrt(1/2)
constexpr double half_root_pi = 0x1.c5bf891b4ef6ap-1, half_root_pi_low = 0x1.618f13eb7ca89p-55;     // sqrt(pi)/2
constexpr double two_over_root_pi = 0x1.20dd750429b6dp+0, two_over_pi = 0x1.45f306dc9c883p-1;

inline double absolute(double x) { return __builtin_fabs(x); }
inline double root(double x) { return __builtin_sqrt(x); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline bool is_nan(double x) { return x != x; }
inline bool is_infinite(double x) { return absolute(x) == infinity; }
inline double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }

// A number as the sum of two.
struct Sum {
  double high, low;
};
inline Sum product(double a, double b) {
  const double p = a * b;
  return {p, fused(a, b, -p)};
}
inline Sum sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

template <int size, int i = 0>
[[gnu::always_inline]] inline double polynomial(const double (&c)[size], double x) {
  if constexpr (i == size - 1) return c[i];
  else return fused(polynomial<size, i + 1>(c, x), x, c[i]);
}

// 2^n for n from -1022 to 1023.
inline double power_of_two(int n) { return __builtin_bit_cast(double, static_cast<unsigned long long>(n + 1023) << 52); }
// The exponent of a number that is neither 0 nor infinite nor a NaN; of a subnormal one, -1023.
inline int exponent(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 52 & 0x7ff) - 1023; }

}  // namespace
}  // namespace oxide::mathematics
