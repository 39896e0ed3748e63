// oxide's own mathematical functions. Of several results all are written through pointers, or the first is returned.
#pragma once

extern "C" {

#define OXIDE_MATH_DECLARE_1(name) \
  double oxide_##name(double x);   \
  float oxide_##name##f(float x);
#define OXIDE_MATH_DECLARE_2(name)         \
  double oxide_##name(double x, double y); \
  float oxide_##name##f(float x, float y);
#define OXIDE_MATH_DECLARE_3(name)                   \
  double oxide_##name(double x, double y, double z); \
  float oxide_##name##f(float x, float y, float z);
#define OXIDE_MATH_DECLARE_SINCOS(name)              \
  void oxide_##name(double x, double* s, double* c); \
  void oxide_##name##f(float x, float* s, float* c);
OXIDE_MATH_DECLARE_1(rcbrt)
OXIDE_MATH_DECLARE_2(rhypot)
OXIDE_MATH_DECLARE_3(norm3d)
OXIDE_MATH_DECLARE_3(rnorm3d)
OXIDE_MATH_DECLARE_SINCOS(sincos)
OXIDE_MATH_DECLARE_1(sinpi)
OXIDE_MATH_DECLARE_1(cospi)
OXIDE_MATH_DECLARE_SINCOS(sincospi)
OXIDE_MATH_DECLARE_1(erfinv)
OXIDE_MATH_DECLARE_1(erfcinv)
OXIDE_MATH_DECLARE_1(erfcx)
OXIDE_MATH_DECLARE_1(normcdf)
OXIDE_MATH_DECLARE_1(normcdfinv)
OXIDE_MATH_DECLARE_1(cyl_bessel_i0)
OXIDE_MATH_DECLARE_1(cyl_bessel_i1)
OXIDE_MATH_DECLARE_1(j0)
OXIDE_MATH_DECLARE_1(j1)
OXIDE_MATH_DECLARE_1(y0)
OXIDE_MATH_DECLARE_1(y1)
#undef OXIDE_MATH_DECLARE_1
#undef OXIDE_MATH_DECLARE_2
#undef OXIDE_MATH_DECLARE_3
#undef OXIDE_MATH_DECLARE_SINCOS
double oxide_jn(int n, double x);
float oxide_jnf(int n, float x);
double oxide_yn(int n, double x);
float oxide_ynf(int n, float x);
double oxide_remquo(double x, double y, int* quotient);
float oxide_remquof(float x, float y, int* quotient);
}
