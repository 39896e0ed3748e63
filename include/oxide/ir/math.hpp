// The one table of mathematical functions, which the operations math1, math2 and math3 name in their immediate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <oxide/ir/type.hpp>

namespace oxide::ir {

// X(name, signature, libclc, host)
//   signature: results, then operands; f is the function's floating type, i an i32
//   libclc:    where a GPU's code comes from when CUDA's libdevice is not found (with it, all but `code` are __nv_name and __nv_namef)
//   host:      where the CPU's code comes from
//                code   a few instructions, the same for every target (src/jit/lower_math.cpp)
//                clc    libclc's function of that name
//                libm   the C library's function of that name
//                own    oxide's (src/jit/mathematics/)
// What they return for zeros, infinities and NaN is C's (C23, annex F) where C has the function, else that of the CUDA Math API;
// docs/math.md says how exact they are.
#define OXIDE_IR_MATH(X)                                                                         \
  /* roots and lengths */                                                                        \
  X(rsqrt, f_f, clc, code)                                                                       \
  X(cbrt, f_f, clc, libm)                                                                        \
  X(rcbrt, f_f, own, own)                                                                        \
  X(hypot, f_ff, clc, libm)                                                                      \
  X(rhypot, f_ff, own, own)                                                                      \
  X(norm3d, f_fff, own, own)                                                                     \
  X(rnorm3d, f_fff, own, own)                                                                    \
  /* exponentials and logarithms */                                                              \
  X(exp, f_f, own, libm)                                                                         \
  X(exp2, f_f, own, libm)                                                                        \
  X(exp10, f_f, clc, libm)                                                                       \
  X(expm1, f_f, own, libm)                                                                       \
  X(log, f_f, clc, libm)                                                                         \
  X(log2, f_f, clc, libm)                                                                        \
  X(log10, f_f, clc, libm)                                                                       \
  X(log1p, f_f, clc, libm)                                                                       \
  X(pow, f_ff, own, libm)                                                                        \
  X(powi, f_fi, code, code)                                                                      \
  /* trigonometry; sinpi(x) is sin(pi * x) */                                                    \
  X(sin, f_f, own, libm)                                                                         \
  X(cos, f_f, clc, libm)                                                                         \
  X(tan, f_f, own, libm)                                                                         \
  X(sincos, ff_f, own, own)                                                                      \
  X(sinpi, f_f, own, own)                                                                        \
  X(cospi, f_f, own, own)                                                                        \
  X(sincospi, ff_f, own, own)                                                                    \
  X(asin, f_f, own, libm)                                                                        \
  X(acos, f_f, clc, libm)                                                                        \
  X(atan, f_f, own, libm)                                                                        \
  X(atan2, f_ff, clc, libm)                                                                      \
  X(sinh, f_f, own, libm)                                                                        \
  X(cosh, f_f, own, libm)                                                                        \
  X(tanh, f_f, clc, libm)                                                                        \
  X(asinh, f_f, clc, libm)                                                                       \
  X(acosh, f_f, clc, libm)                                                                       \
  X(atanh, f_f, clc, libm)                                                                       \
  /* error functions, the normal distribution, gamma */                                          \
  X(erf, f_f, own, libm)                                                                         \
  X(erfc, f_f, own, libm)                                                                        \
  X(erfinv, f_f, own, own)                                                                       \
  X(erfcinv, f_f, own, own)                                                                      \
  X(erfcx, f_f, own, own)                                                                        \
  X(normcdf, f_f, own, own)                                                                      \
  X(normcdfinv, f_f, own, own)                                                                   \
  X(tgamma, f_f, own, libm)                                                                      \
  X(lgamma, f_f, own, libm)                                                                      \
  /* Bessel functions */                                                                         \
  X(j0, f_f, own, libm)                                                                          \
  X(j1, f_f, own, libm)                                                                          \
  X(jn, f_if, own, own)                                                                          \
  X(y0, f_f, own, libm)                                                                          \
  X(y1, f_f, own, libm)                                                                          \
  X(yn, f_if, own, own)                                                                          \
  X(cyl_bessel_i0, f_f, own, own)                                                                \
  X(cyl_bessel_i1, f_f, own, own)                                                                \
  /* remainders: exact */                                                                        \
  X(fmod, f_ff, own, libm)                                                                       \
  X(remainder, f_ff, own, libm)                                                                  \
  X(remquo, fi_ff, own, own)                                                                     \
  X(modf, ff_f, code, code)                                                                      \
  /* the parts of a number: exact; round takes ties away from zero */                            \
  X(round, f_f, code, code)                                                                      \
  X(fdim, f_ff, code, code)                                                                      \
  X(copysign, f_ff, code, code)                                                                  \
  X(nextafter, f_ff, code, code)                                                                 \
  X(logb, f_f, code, code)                                                                       \
  X(ilogb, i_f, code, code)                                                                      \
  X(frexp, fi_f, code, code)                                                                     \
  X(ldexp, f_fi, code, code)                                                                     \
  /* the fast ones of ox::approx, on f32; where a machine has no faster way, the precise ones */ \
  X(approx_sin, f_f, code, code)                                                                 \
  X(approx_cos, f_f, code, code)                                                                 \
  X(approx_tan, f_f, code, code)                                                                 \
  X(approx_exp, f_f, code, code)                                                                 \
  X(approx_exp2, f_f, code, code)                                                                \
  X(approx_exp10, f_f, code, code)                                                               \
  X(approx_log, f_f, code, code)                                                                 \
  X(approx_log2, f_f, code, code)                                                                \
  X(approx_log10, f_f, code, code)                                                               \
  X(approx_pow, f_ff, code, code)                                                                \
  X(approx_tanh, f_f, code, code)                                                                \
  X(approx_sqrt, f_f, code, code)                                                                \
  X(approx_rsqrt, f_f, code, code)                                                               \
  X(approx_rcp, f_f, code, code)                                                                 \
  X(approx_div, f_ff, code, code)

enum class Math : std::uint16_t {
#define OXIDE_IR_ENUMERATOR(name, signature, libclc, host) name,
  OXIDE_IR_MATH(OXIDE_IR_ENUMERATOR)
#undef OXIDE_IR_ENUMERATOR
};

enum class MathSignature : std::uint8_t { f_f, f_ff, f_fff, f_fi, f_if, i_f, ff_f, fi_f, fi_ff };
enum class MathSource : std::uint8_t { code, clc, libm, own };

struct MathRow {
  std::string_view name;
  MathSignature signature;
  MathSource libclc, host;
};

namespace detail {

inline constexpr MathRow math_rows[] = {
#define OXIDE_IR_ROW(name, signature, libclc, host) {#name, MathSignature::signature, MathSource::libclc, MathSource::host},
    OXIDE_IR_MATH(OXIDE_IR_ROW)
#undef OXIDE_IR_ROW
};

inline constexpr std::string_view math_signatures[] = {"f_f", "f_ff", "f_fff", "f_fi", "f_if", "i_f", "ff_f", "fi_f", "fi_ff"};

constexpr Type math_type(char letter, Type floating) { return letter == 'f' ? floating : letter == 'i' ? Type::i32 : Type::none; }

}  // namespace detail

inline constexpr std::size_t math_count = std::size(detail::math_rows);

constexpr const MathRow& row_of(Math f) { return detail::math_rows[static_cast<std::size_t>(f)]; }
constexpr std::string_view name_of(Math f) { return row_of(f).name; }
constexpr std::string_view signature_of(Math f) { return detail::math_signatures[static_cast<std::size_t>(row_of(f).signature)]; }

constexpr std::size_t result_count(Math f) { return signature_of(f).find('_'); }
constexpr std::size_t operand_count(Math f) { return signature_of(f).size() - result_count(f) - 1; }
constexpr Type result_type(Math f, std::size_t i, Type floating) { return detail::math_type(signature_of(f)[i], floating); }
constexpr Type operand_type(Math f, std::size_t i, Type floating) {
  return detail::math_type(signature_of(f)[result_count(f) + 1 + i], floating);
}
// Which operand has the function's floating type.
constexpr std::size_t floating_operand(Math f) { return row_of(f).signature == MathSignature::f_if ? 1 : 0; }
constexpr bool is_approximate(Math f) { return f >= Math::approx_sin; }

// How an operation carries a function and which of its results it gives: the function in bits 0 to 15, the result above.
constexpr std::uint64_t math_immediate(Math f, unsigned result = 0) { return static_cast<std::uint64_t>(f) | std::uint64_t{result} << 16; }
constexpr Math math_function(std::uint64_t immediate) { return static_cast<Math>(immediate & 0xffff); }
constexpr unsigned math_result(std::uint64_t immediate) { return static_cast<unsigned>(immediate >> 16); }
// Whether an immediate names a function that is there, and a result that it has.
constexpr bool is_math_immediate(std::uint64_t immediate) {
  return (immediate & 0xffff) < math_count && immediate >> 16 < result_count(math_function(immediate));
}

}  // namespace oxide::ir
