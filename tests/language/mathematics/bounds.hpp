// How exact the mathematical functions are: the numbers of docs/math.md, which a test compares with these.
#pragma once

#include <limits>
#include <string>

#include <oxide/ir/math.hpp>
#include <oxide/jit/library.hpp>
#include <oxide/runtime/device.hpp>

namespace oxide::testing {

// Where a device's functions come from.
enum class Library { libdevice, libclc, cpu };
// Of this process, as OXIDE_LIBDEVICE and the machine decide.
inline Library library_of(const Device& device) {
  if (!device.is_gpu()) return Library::cpu;
  const char* path = jit::Library::get().info().device_library;
  return path != nullptr && path[0] == '/' ? Library::libdevice : Library::libclc;
}

// X(name, libdevice f32, f64, libclc f32, f64, CPU f32, f64, near zero)
//   Units in the last place of the exact result that a result may be off; 0.5 is correctly rounded, 0 exact.
//   near zero: how far off a result may be instead, as the libraries do not reach the bound where a function crosses zero (columns below).
#define OXIDE_MATH_BOUNDS(X)               \
  X(rsqrt, 2, 1, 2, 2, 2, 2, none)         \
  X(cbrt, 1, 1, 1, 1, 1, 4, none)          \
  X(rcbrt, 1, 1, 1, 1, 1, 1, none)         \
  X(hypot, 3, 2, 1, 1, 1, 1, none)         \
  X(rhypot, 2, 1, 1, 2, 1, 2, none)        \
  X(norm3d, 3, 2, 1, 1, 1, 1, none)        \
  X(rnorm3d, 2, 2, 1, 2, 1, 2, none)       \
  X(exp, 2, 1, 1, 1, 1, 1, none)           \
  X(exp2, 2, 1, 1, 1, 1, 1, none)          \
  X(exp10, 2, 1, 2, 1, 1, 3, none)         \
  X(expm1, 2, 2, 1, 1, 1, 1, none)         \
  X(log, 1, 1, 2, 2, 1, 1, none)           \
  X(log2, 1, 2, 1, 1, 1, 1, none)          \
  X(log10, 2, 2, 1, 1, 3, 2, none)         \
  X(log1p, 1, 2, 1, 1, 2, 1, none)         \
  X(pow, 4, 2, 1, 1, 1, 1, none)           \
  X(powi, 1, 2, 1, 1, 1, 1, none)          \
  X(sin, 2, 2, 2, 2, 1, 1, none)           \
  X(cos, 2, 2, 2, 2, 1, 1, none)           \
  X(tan, 4, 2, 3, 1, 2, 1, none)           \
  X(sincos, 2, 2, 2, 2, 1, 1, none)        \
  X(sinpi, 2, 2, 1, 2, 1, 2, none)         \
  X(cospi, 2, 2, 1, 2, 1, 2, none)         \
  X(sincospi, 2, 2, 1, 2, 1, 2, none)      \
  X(asin, 2, 2, 1, 1, 1, 1, none)          \
  X(acos, 2, 2, 2, 1, 1, 1, none)          \
  X(atan, 2, 2, 2, 1, 1, 1, none)          \
  X(atan2, 3, 2, 2, 1, 2, 1, none)         \
  X(sinh, 3, 2, 2, 2, 2, 2, none)          \
  X(cosh, 2, 2, 2, 1, 2, 2, none)          \
  X(tanh, 2, 2, 2, 1, 3, 3, none)          \
  X(asinh, 3, 3, 2, 1, 2, 2, none)         \
  X(acosh, 4, 3, 2, 2, 3, 3, none)         \
  X(atanh, 3, 2, 1, 1, 2, 2, none)         \
  X(erf, 2, 2, 1, 1, 1, 2, none)           \
  X(erfc, 4, 5, 1, 3, 4, 6, none)          \
  X(erfinv, 2, 5, 1, 4, 1, 4, none)        \
  X(erfcinv, 4, 6, 1, 4, 1, 4, none)       \
  X(erfcx, 4, 4, 1, 5, 1, 5, none)         \
  X(normcdf, 5, 5, 1, 4, 1, 6, none)       \
  X(normcdfinv, 5, 8, 1, 4, 1, 4, none)    \
  X(tgamma, 5, 10, 1, 6, 8, 10, none)      \
  X(lgamma, 6, 4, 1, 4, 8, 12, gamma)      \
  X(j0, 9, 7, 1, 4, 10, 4, bessel)         \
  X(j1, 9, 7, 1, 4, 10, 4, bessel)         \
  X(jn, 1, 4, 1, 4, 1, 4, bessel)          \
  X(y0, 9, 7, 1, 4, 10, 4, bessel)         \
  X(y1, 9, 7, 1, 4, 10, 4, bessel)         \
  X(yn, 1, 60, 1, 60, 1, 60, bessel)       \
  X(cyl_bessel_i0, 6, 6, 1, 4, 1, 4, none) \
  X(cyl_bessel_i1, 6, 6, 1, 4, 1, 4, none) \
  X(fmod, 0, 0, 0, 0, 0, 0, none)          \
  X(remainder, 0, 0, 0, 0, 0, 0, none)     \
  X(remquo, 0, 0, 0, 0, 0, 0, none)        \
  X(modf, 0, 0, 0, 0, 0, 0, none)          \
  X(round, 0, 0, 0, 0, 0, 0, none)         \
  X(fdim, 0, 0, 0, 0, 0, 0, none)          \
  X(copysign, 0, 0, 0, 0, 0, 0, none)      \
  X(nextafter, 0, 0, 0, 0, 0, 0, none)     \
  X(logb, 0, 0, 0, 0, 0, 0, none)          \
  X(ilogb, 0, 0, 0, 0, 0, 0, none)         \
  X(frexp, 0, 0, 0, 0, 0, 0, none)         \
  X(ldexp, 0, 0, 0, 0, 0, 0, none)

enum class NearZero { none, gamma, bessel };

struct Bounds {
  ir::Math function;
  double ulps[3][2];  // by library; f32, f64
  NearZero near_zero;

  // How far off a result may be in absolute terms.
  double absolute(Library library, bool single) const {
    if (near_zero == NearZero::gamma) return single ? (library == Library::libdevice ? 4e-6 : 0) : 1e-14;
    if (near_zero == NearZero::bessel) return library == Library::libdevice ? (single ? 5e-6 : 5e-12) : single ? 0 : 4e-15;
    return 0;
  }
};

inline constexpr Bounds math_bounds[] = {
#define OXIDE_MATH_ROW(name, device32, device64, clc32, clc64, cpu32, cpu64, near_zero) \
  {ir::Math::name, {{device32, device64}, {clc32, clc64}, {cpu32, cpu64}}, NearZero::near_zero},
    OXIDE_MATH_BOUNDS(OXIDE_MATH_ROW)
#undef OXIDE_MATH_ROW
};

// On a GPU: ulps, or an absolute error, between two numbers. (PTX ISA, "sin", "cos", "ex2", "lg2" and so on; CUDA C++ Programming Guide,
// "Intrinsic Functions")
struct ApproximateBounds {
  ir::Math function;
  double low, high;
  double ulps, absolute;
};
inline constexpr ApproximateBounds approximate_bounds[] = {
    {ir::Math::approx_sin, -3.14159, 3.14159, 0, 0x1p-20},
    {ir::Math::approx_cos, -3.14159, 3.14159, 0, 0x1p-20},
    {ir::Math::approx_tan, -1, 1, 0, 0x1p-18},
    {ir::Math::approx_exp, -80, 80, 100, 0},
    {ir::Math::approx_exp2, -126, 127, 2, 0},
    {ir::Math::approx_exp10, -37, 38, 120, 0},
    {ir::Math::approx_log, 0.5, 2, 3, 0x1p-21},
    {ir::Math::approx_log2, 0.5, 2, 3, 0x1p-21},
    {ir::Math::approx_log10, 0.5, 2, 3, 0x1p-21},
    {ir::Math::approx_pow, 0.5, 2, 64, 0},
    {ir::Math::approx_tanh, -10, 10, 8192, 0},
    {ir::Math::approx_sqrt, 0, 1e30, 3, 0},
    {ir::Math::approx_rsqrt, 1e-30, 1e30, 3, 0},
    {ir::Math::approx_rcp, 1e-30, 1e30, 2, 0},
    {ir::Math::approx_div, 1e-15, 1e15, 3, 0},
};

// What docs/math.md says of a function: the start of its line in the table.
inline std::string documented(const Bounds& bounds) {
  std::string line = "| `" + std::string(ir::name_of(bounds.function)) + "` |";
  for (const auto& ulps : bounds.ulps)
    line += ' ' + std::to_string(static_cast<int>(ulps[0])) + ", " + std::to_string(static_cast<int>(ulps[1])) + " |";
  return line;
}

}  // namespace oxide::testing
