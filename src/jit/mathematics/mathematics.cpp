// The functions of ir/math.hpp that the C library or libclc lacks, in terms of those that both have. This file is compiled twice: into the
// compiler library, for the CPU, and by clang to bitcode for NVPTX, which is linked with libclc's. So it uses nothing but arithmetic.
//
// Functions of f32 are computed in f64 and rounded once. What helps accuracy is written out: products are fused only where it says so.
#include "mathematics.hpp"

#include "bessel.hpp"
#include "elementary.hpp"
#include "error_functions.hpp"

#ifdef __NVPTX__
#include "libclc_repairs.hpp"
#endif

namespace own = oxide::mathematics;

extern "C" {

#define OXIDE_MATH_1(name, function)                         \
  double oxide_##name(double x) { return own::function(x); } \
  float oxide_##name##f(float x) { return static_cast<float>(own::function(x)); }
OXIDE_MATH_1(rcbrt, rcbrt)
OXIDE_MATH_1(erfinv, erfinv)
OXIDE_MATH_1(erfcinv, erfcinv)
OXIDE_MATH_1(erfcx, erfcx)
OXIDE_MATH_1(normcdf, normcdf)
OXIDE_MATH_1(normcdfinv, normcdfinv)
OXIDE_MATH_1(cyl_bessel_i0, i0)
OXIDE_MATH_1(cyl_bessel_i1, i1)
OXIDE_MATH_1(j0, j0)
OXIDE_MATH_1(j1, j1)
OXIDE_MATH_1(y0, y0)
OXIDE_MATH_1(y1, y1)

double oxide_rhypot(double x, double y) { return own::norm(x, y, 0, true); }
float oxide_rhypotf(float x, float y) { return static_cast<float>(own::norm(x, y, 0, true)); }
double oxide_norm3d(double x, double y, double z) { return own::norm(x, y, z, false); }
float oxide_norm3df(float x, float y, float z) { return static_cast<float>(own::norm(x, y, z, false)); }
double oxide_rnorm3d(double x, double y, double z) { return own::norm(x, y, z, true); }
float oxide_rnorm3df(float x, float y, float z) { return static_cast<float>(own::norm(x, y, z, true)); }

double oxide_jn(int n, double x) { return own::jn(n, x); }
float oxide_jnf(int n, float x) { return static_cast<float>(own::jn(n, x)); }
double oxide_yn(int n, double x) { return own::yn(n, x); }
float oxide_ynf(int n, float x) { return static_cast<float>(own::yn(n, x)); }

double oxide_remquo(double x, double y, int* quotient) { return own::remquo(x, y, quotient); }
float oxide_remquof(float x, float y, int* quotient) { return static_cast<float>(own::remquo(x, y, quotient)); }

void oxide_sincos(double x, double* s, double* c) {
  *s = x == 0 ? x : sin(x);
  *c = cos(x);
}
void oxide_sincosf(float x, float* s, float* c) {
  *s = sin(x);
  *c = cos(x);
}

double oxide_sinpi(double x) { return own::sinpi(x, false); }
float oxide_sinpif(float x) { return static_cast<float>(own::sinpi(x, false)); }
double oxide_cospi(double x) { return own::sinpi(x, true); }
float oxide_cospif(float x) { return static_cast<float>(own::sinpi(x, true)); }
void oxide_sincospi(double x, double* s, double* c) {
  *s = own::sinpi(x, false);
  *c = own::sinpi(x, true);
}
void oxide_sincospif(float x, float* s, float* c) {
  *s = oxide_sinpif(x);
  *c = oxide_cospif(x);
}

#ifdef __NVPTX__
float oxide_expf(float x) { return own::exp_single(x); }
double oxide_exp(double x) { return exp(x); }
float oxide_exp2f(float x) { return own::exp2_single(x); }
double oxide_exp2(double x) { return exp2(x); }
#define OXIDE_MATH_ODD(name)                                     \
  double oxide_##name(double x) { return x == 0 ? x : name(x); } \
  float oxide_##name##f(float x) { return name(x); }
OXIDE_MATH_ODD(expm1)
OXIDE_MATH_ODD(sin)
OXIDE_MATH_ODD(tan)
OXIDE_MATH_ODD(asin)
OXIDE_MATH_ODD(atan)
OXIDE_MATH_ODD(erf)
double oxide_sinh(double x) { return own::sinh_double(x); }
float oxide_sinhf(float x) { return sinh(x); }
double oxide_cosh(double x) { return own::cosh_double(x); }
float oxide_coshf(float x) { return cosh(x); }
double oxide_erfc(double x) { return erfc(x); }
float oxide_erfcf(float x) { return static_cast<float>(erfc(static_cast<double>(x))); }
OXIDE_MATH_1(tgamma, gamma)
OXIDE_MATH_1(lgamma, log_gamma)
double oxide_pow(double x, double y) { return own::power(x, y); }
float oxide_powf(float x, float y) { return pow(x, y); }
double oxide_fmod(double x, double y) { return fmod(x, y); }
float oxide_fmodf(float x, float y) { return static_cast<float>(fmod(static_cast<double>(x), static_cast<double>(y))); }
double oxide_remainder(double x, double y) { return remainder(x, y); }
float oxide_remainderf(float x, float y) { return static_cast<float>(remainder(static_cast<double>(x), static_cast<double>(y))); }
#endif
}
