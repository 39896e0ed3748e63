// What operations on numbers give, by GNU MPFR and by wide integers: a model that shares no code with oxide, the compiler or the processor.
#pragma once

#include <mpfr.h>

#include <cstdint>

#include <oxide/ir/type.hpp>

namespace exact {

using oxide::int128;
using oxide::uint128;
using oxide::ir::Type;

struct Format {
  unsigned bits;
  int precision, largest_exponent;  // as MPFR counts: numbers are below 2^largest_exponent
  bool infinite;
};
inline Format binary_format(Type type) {
  switch (type) {
    case Type::f64:
      return {64, 53, 1024, true};
    case Type::f32:
      return {32, 24, 128, true};
    case Type::f16:
      return {16, 11, 16, true};
    case Type::bf16:
      return {16, 8, 128, true};
    case Type::e5m2:
      return {8, 3, 16, true};
    default:
      return {8, 4, 9, false};  // e4m3
  }
}

// A number of any size, or NaN or an infinity.
class Real {
 public:
  explicit Real(mpfr_prec_t precision = 320) { mpfr_init2(x, precision); }
  Real(const Real& other) : Real(mpfr_get_prec(other.x)) { mpfr_set(x, other.x, MPFR_RNDN); }
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(x); }

  static Real of_bits(Type type, uint128 bits) {
    const Format f = binary_format(type);
    const int stored = f.precision - 1, bias = f.infinite ? f.largest_exponent - 1 : 7;
    const bool negative = (bits >> (f.bits - 1) & 1) != 0;
    const auto magnitude = static_cast<std::uint64_t>(bits) & ((std::uint64_t{1} << (f.bits - 1)) - 1);
    const std::uint64_t field = magnitude >> stored, rest = magnitude & ((std::uint64_t{1} << stored) - 1);
    const std::uint64_t top = (std::uint64_t{1} << (static_cast<int>(f.bits) - 1 - stored)) - 1;
    Real r;
    if (f.infinite && field == top) {
      if (rest != 0) mpfr_set_nan(r.x);
      else mpfr_set_inf(r.x, negative ? -1 : 1);
      return r;
    }
    if (!f.infinite && magnitude == 0x7f) return r;  // a NaN, as made
    const std::uint64_t significand = field == 0 ? rest : rest | std::uint64_t{1} << stored;
    mpfr_set_ui_2exp(r.x, significand, static_cast<long>(field == 0 ? 1 : field) - bias - stored, MPFR_RNDN);
    mpfr_setsign(r.x, r.x, negative ? 1 : 0, MPFR_RNDN);
    return r;
  }
  static Real of_integer(bool is_signed, uint128 bits, unsigned width) {
    const bool negative = is_signed && (bits >> (width - 1) & 1) != 0;
    uint128 magnitude = bits;
    if (negative) magnitude = (0 - bits) & (width == 128 ? ~uint128{0} : (uint128{1} << width) - 1);
    Real r, low;
    mpfr_set_ui_2exp(r.x, static_cast<unsigned long>(magnitude >> 64), 64, MPFR_RNDN);
    mpfr_set_ui(low.x, static_cast<unsigned long>(magnitude), MPFR_RNDN);
    mpfr_add(r.x, r.x, low.x, MPFR_RNDN);
    if (negative) mpfr_neg(r.x, r.x, MPFR_RNDN);
    return r;
  }

  mpfr_t x;
};

// The bits of what `compute(result, mode)` gives, rounded once to a format: `compute` is an MPFR function of a result and a rounding mode
// that returns MPFR's ternary value.
template <class F>
uint128 rounded(Type type, F compute, mpfr_rnd_t mode = MPFR_RNDN, bool saturates = false) {
  const Format f = binary_format(type);
  const int bias = f.infinite ? f.largest_exponent - 1 : 7, stored = f.precision - 1;
  const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
  Real r(f.precision);
  mpfr_set_emin(2 - bias - stored);  // of the smallest subnormal, as MPFR counts: 0.1b times 2^emin
  mpfr_set_emax(f.infinite ? f.largest_exponent : 9);
  int inexact = compute(r.x, mode);
  inexact = mpfr_check_range(r.x, inexact, mode);
  mpfr_subnormalize(r.x, inexact, mode);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  const std::uint64_t sign = mpfr_signbit(r.x) != 0 ? std::uint64_t{1} << (f.bits - 1) : 0;
  const std::uint64_t all = (std::uint64_t{1} << (f.bits - 1)) - 1;
  const std::uint64_t infinity = f.infinite ? all >> stored << stored : all, largest = infinity - 1;
  if (mpfr_nan_p(r.x)) return f.infinite && f.bits > 8 ? infinity | 1 : all;
  if (mpfr_inf_p(r.x)) return sign | (saturates ? largest : infinity);
  if (mpfr_zero_p(r.x)) return sign;
  const mpfr_exp_t exponent = mpfr_get_exp(r.x) - 1;  // of the leading bit
  const mpfr_exp_t unit = (exponent < 1 - bias ? 1 - bias : exponent) - stored;
  Real significand;
  mpfr_abs(significand.x, r.x, MPFR_RNDN);
  mpfr_mul_2si(significand.x, significand.x, -unit, MPFR_RNDN);
  const std::uint64_t field = exponent < 1 - bias ? 0 : static_cast<std::uint64_t>(exponent + bias - 1);
  const std::uint64_t bits = (field << stored) + mpfr_get_uj(significand.x, MPFR_RNDN);
  return sign | (bits > largest ? (saturates ? largest : infinity) : bits);
}

// A number as an integer: rounded to a whole one, saturated, 0 of a NaN.
inline uint128 to_integer(const Real& x, bool is_signed, unsigned width, mpfr_rnd_t mode = MPFR_RNDZ) {
  const uint128 mask = width == 128 ? ~uint128{0} : (uint128{1} << width) - 1;
  if (mpfr_nan_p(x.x)) return 0;
  Real whole, limit;
  mpfr_rint(whole.x, x.x, mode);
  mpfr_set_ui_2exp(limit.x, 1, is_signed ? width - 1 : width, MPFR_RNDN);
  if (mpfr_cmp(whole.x, limit.x) >= 0) return is_signed ? mask >> 1 : mask;
  if (!is_signed && mpfr_sgn(whole.x) < 0) return 0;
  mpfr_neg(limit.x, limit.x, MPFR_RNDN);
  if (is_signed && mpfr_cmp(whole.x, limit.x) <= 0) return uint128{1} << (width - 1);
  const bool negative = mpfr_sgn(whole.x) < 0;
  mpfr_abs(whole.x, whole.x, MPFR_RNDN);
  Real high, low;
  mpfr_div_2ui(high.x, whole.x, 64, MPFR_RNDN);
  mpfr_floor(high.x, high.x);
  mpfr_mul_2ui(low.x, high.x, 64, MPFR_RNDN);
  mpfr_sub(low.x, whole.x, low.x, MPFR_RNDN);
  const uint128 magnitude = uint128{mpfr_get_uj(high.x, MPFR_RNDN)} << 64 | mpfr_get_uj(low.x, MPFR_RNDN);
  return (negative ? 0 - magnitude : magnitude) & mask;
}

}  // namespace exact
