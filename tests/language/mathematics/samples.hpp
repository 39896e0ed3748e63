// What the mathematical functions are tried with: special values, and random numbers of every magnitude and where each function is used.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "reference.hpp"

namespace oxide::testing {

template <class T>
class Samples {
 public:
  Samples(ir::Math f, std::size_t count, unsigned seed) : f_(f), random_(seed + static_cast<unsigned>(f) * 977u) {
    const std::vector<double> values = special();
    if (ir::operand_count(f) == 1) {
      for (const double x : values) all_.push_back({x, 0, 0, 0});
    } else if (ir::signature_of(f) == "f_fi" || ir::signature_of(f) == "f_if") {
      for (const double x : values)
        for (const std::int32_t n : {0, 1, 2, 3, -1, -2, 5, 30, 127, -149, 1023, -1074, INT32_MAX, INT32_MIN})
          if (takes_order(n)) all_.push_back({x, 0, 0, n});
    } else {
      for (const double x : values)
        for (const double y : values)
          if (uniform(0, 1) < 0.25 || !std::isfinite(x) || !std::isfinite(y)) all_.push_back({x, y, uniform(0, 1) < 0.5 ? y : x, 0});
    }
    while (all_.size() < values.size() + count) all_.push_back(random_sample());
    for (Sample& s : all_) {
      if (is_bessel() && std::fabs(s.x) > 1e5 && std::isfinite(s.x)) s.x = std::fmod(s.x, 1e5);  // MPFR is slow beyond
      s = {rounded(s.x), rounded(s.y), rounded(s.z), s.n};
    }
  }
  const std::vector<Sample>& all() const { return all_; }

 private:
  using L = std::numeric_limits<T>;

  bool is_bessel() const {
    using enum ir::Math;
    return f_ == j0 || f_ == j1 || f_ == jn || f_ == y0 || f_ == y1 || f_ == yn;
  }
  bool takes_order(std::int32_t n) const { return !(f_ == ir::Math::jn || f_ == ir::Math::yn) || (n >= -1 && n <= 127); }

  // Through memory: optimizers have been seen to leave the rounding out.
  static double rounded(double x) {
    const volatile T narrow = static_cast<T>(x);
    return static_cast<double>(narrow);
  }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double sign() { return (random_() >> 13 & 1) != 0 ? -1 : 1; }
  // Of any magnitude between powers of two.
  double magnitude(double low, double high) { return std::exp2(uniform(low, high)); }

  static std::vector<double> special() {
    std::vector<double> v;
    const double numbers[] = {0,
                              L::denorm_min(),
                              L::min() / 2,
                              L::min(),
                              L::epsilon(),
                              0.1,
                              0.25,
                              0.5,
                              0.75,
                              1,
                              1.5,
                              2,
                              2.5,
                              3,
                              4,
                              5,
                              7.75,
                              10,
                              26.5,
                              38,
                              88.75,
                              127,
                              128,
                              150,
                              171,
                              708.5,
                              709.5,
                              745,
                              1e4,
                              1e5,
                              1e10,
                              8388609.0,
                              4503599627370497.0,
                              1e22,
                              L::max() / 2,
                              L::max(),
                              1.5707963267948966,
                              3.141592653589793,
                              0.7853981633974483,
                              2.718281828459045,
                              0.6931471805599453};
    for (const double x : numbers)
      for (const double s : {1.0, -1.0}) {
        v.push_back(s * x);
        if (x == 0.5 || x == 1 || x == 2 || x == 3)
          for (const double towards : {0.0, 4.0})
            v.push_back(s * static_cast<double>(std::nextafter(static_cast<T>(x), static_cast<T>(towards))));
      }
    const double infinity = std::numeric_limits<double>::infinity();
    v.insert(v.end(), {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()});
    return v;
  }

  // Where the function is of interest: between these, uniformly.
  struct Range {
    double low, high;
  };
  Range usual() const {
    using enum ir::Math;
    const bool single = sizeof(T) == 4;
    switch (f_) {
      case exp:
      case expm1:
      case sinh:
      case cosh:
      case approx_exp:
        return single ? Range{-104, 89} : Range{-746, 710};
      case exp2:
      case approx_exp2:
        return single ? Range{-151, 128} : Range{-1076, 1024};
      case exp10:
      case approx_exp10:
        return single ? Range{-46, 38.6} : Range{-324.5, 308.3};
      case asin:
      case acos:
      case atanh:
      case erfinv:
        return {-1, 1};
      case erfcinv:
        return {0, 2};
      case normcdfinv:
        return {0, 1};
      case erf:
        return {-6, 6};
      case erfc:
        return single ? Range{-4, 10.1} : Range{-6, 27};
      case normcdf:
        return single ? Range{-14.5, 6} : Range{-38.5, 9};
      case erfcx:
        return single ? Range{-9.4, 20} : Range{-26.7, 50};
      case tgamma:
        return single ? Range{-45, 35.1} : Range{-184, 171.7};
      case lgamma:
        return {-20, 40};
      case j0:
      case j1:
      case y0:
      case y1:
      case jn:
      case yn:
        return {-5, 60};
      case cyl_bessel_i0:
      case cyl_bessel_i1:
        return single ? Range{-92, 92} : Range{-714, 714};
      case log:
      case log2:
      case log10:
      case rsqrt:
      case approx_log:
      case approx_log2:
      case approx_log10:
      case approx_sqrt:
      case approx_rsqrt:
        return {0.5, 2.5};
      case acosh:
        return {1, 4};
      case sin:
      case cos:
      case tan:
      case sincos:
      case approx_sin:
      case approx_cos:
      case approx_tan:
        return {-3.2, 3.2};
      default:
        return {-10, 10};
    }
  }

  double number() {
    const Range r = usual();
    switch (random_() % 5) {
      case 0:
      case 1:
        return uniform(r.low, r.high);
      case 2:
        return sign() * magnitude(-12, 12);
      case 3: {  // near a whole number
        const double x = std::nearbyint(uniform(r.low, r.high));
        return x + sign() * magnitude(-30, -3);
      }
      default:
        return sign() * magnitude(L::min_exponent - L::digits, L::max_exponent);
    }
  }

  Sample random_sample() {
    using enum ir::Math;
    Sample s{number(), number(), number(), 0};
    const bool single = sizeof(T) == 4;
    if (f_ == pow || f_ == approx_pow) {
      s.x = random_() % 4 == 0 ? uniform(0.9, 1.1)
                               : magnitude(random_() % 2 == 0 ? -4 : L::min_exponent, random_() % 2 == 0 ? 4 : L::max_exponent);
      const double limit = (single ? 150 : 1080) / std::max(std::fabs(std::log2(s.x)), 1e-6);
      s.y = uniform(-limit, limit);
      if (random_() % 4 == 0) s.y = std::nearbyint(s.y);
      if (random_() % 8 == 0) s.x = -s.x, s.y = std::nearbyint(s.y);
    } else if (f_ == powi) {
      s.x = sign() * magnitude(-2, 2);
      s.n = static_cast<std::int32_t>(uniform(-60, 60));
    } else if (f_ == ldexp) {
      s.n = static_cast<std::int32_t>(uniform(-2200, 2200)) / (random_() % 2 == 0 ? 1 : 10);
    } else if (f_ == jn || f_ == yn) {
      s.n = static_cast<std::int32_t>(std::exp2(uniform(0, 6)));
    } else if (ir::operand_count(f_) > 1 && random_() % 2 == 0) {  // of one magnitude, as vectors are
      const double scale = std::fabs(s.x);
      s.y = sign() * scale * magnitude(-3, 3), s.z = sign() * scale * magnitude(-3, 3);
    }
    return s;
  }

  ir::Math f_;
  std::mt19937 random_;
  std::vector<Sample> all_;
};

}  // namespace oxide::testing
