// Floating-point operators and functions against the host's, on edge cases and random numbers.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/devices.hpp"

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
struct Inputs {
  std::vector<T> a, b;
  Inputs() {
    using L = std::numeric_limits<T>;
    const T edges[] = {0,        T(-0.0),         1,        -1,        T(0.5),        T(-1.5),        T(2.5),         3,
                       L::min(), L::denorm_min(), L::max(), -L::max(), L::infinity(), -L::infinity(), L::quiet_NaN(), T(1e-3),
                       T(1e6)};
    for (const T x : edges)
      for (const T y : edges) a.push_back(x), b.push_back(y);
    std::mt19937 random(11);
    std::uniform_real_distribution<T> near(-10, 10), far(-1000, 1000);
    for (int i = 0; i < 300; ++i) a.push_back(near(random)), b.push_back(far(random));
  }
};

// Equal bits, but any NaN for a NaN.
template <class T>
bool same(T x, T y) {
  return std::bit_cast<Bits<T>>(x) == std::bit_cast<Bits<T>>(y) || (std::isnan(x) && std::isnan(y));
}

// How many representable numbers lie between.
template <class T>
double distance(T x, T y) {
  if (same(x, y) || x == y) return 0;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::infinity();
  if (std::isinf(x) || std::isinf(y)) return std::numeric_limits<double>::infinity();
  const auto key = [](T v) {
    const auto bits = std::bit_cast<Bits<T>>(v);
    const Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
    const auto magnitude = static_cast<std::int64_t>(bits & ~sign);
    return (bits & sign) != 0 ? -magnitude : magnitude;
  };
  const std::int64_t a = key(x), b = key(y);  // their difference may be larger than an integer is
  return (a < 0) == (b < 0) ? static_cast<double>(std::abs(a - b)) : std::abs(static_cast<double>(a) - static_cast<double>(b));
}

template <class T, class F, class M>
void check(const char* name, double tolerance, F f, M model, const Inputs<T>& in = {}) {
  INFO(name << " of " << oxide::ir::name_of(oxide::ir::type_for<T>()));
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<T> out = run2<T, T>(stream, f, in.a, in.b);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const T expected = model(in.a[i], in.b[i]);
      INFO(in.a[i] << " and " << in.b[i] << ": " << out[i] << ", expected " << expected << std::hexfloat << " (" << in.a[i] << ", "
                   << in.b[i] << ", " << out[i] << ", " << expected << ')');
      if (tolerance == 0) REQUIRE(same(out[i], expected));
      else REQUIRE(distance(out[i], expected) <= tolerance);
    }
  });
}

// Numbers beat NaNs; -0 is less than 0.
template <class T>
T smaller(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <class T>
Inputs<T> moderate() {
  Inputs<T> in;
  in.a.clear(), in.b.clear();
  std::mt19937 random(5);
  std::uniform_real_distribution<T> x(T(0.01), 20), y(-5, 5);
  for (int i = 0; i < 500; ++i) in.a.push_back(x(random)), in.b.push_back(y(random));
  return in;
}

}  // namespace

TEMPLATE_TEST_CASE("floating arithmetic is correctly rounded", "", float, double) {
  using T = TestType;
  using V = ox::Value<T>;
  check<T>("+", 0, [](V a, V b) { return a + b; }, [](T a, T b) { return a + b; });
  check<T>("-", 0, [](V a, V b) { return a - b; }, [](T a, T b) { return a - b; });
  check<T>("*", 0, [](V a, V b) { return a * b; }, [](T a, T b) { return a * b; });
  check<T>("/", 0, [](V a, V b) { return a / b; }, [](T a, T b) { return a / b; });
  check<T>("negation", 0, [](V a, V) { return -a; }, [](T a, T) { return -a; });
  check<T>("sqrt", 0, [](V a, V) { return ox::sqrt(a); }, [](T a, T) { return std::sqrt(a); });
  check<T>("fma", 0, [](V a, V b) { return ox::fma(a, b, 0.75); }, [](T a, T b) { return std::fma(a, b, T(0.75)); });
  check<T>("abs", 0, [](V a, V) { return ox::abs(a); }, [](T a, T) { return std::abs(a); });
  check<T>("2.0 * x", 0, [](V a, V) { return 2.0 * a; }, [](T a, T) { return 2 * a; });
  check<T>(
      "++", 0,
      [](V a, V) {
        ++a;
        a++;
        --a;
        return a;
      },
      [](T a, T) { return T(T(T(a + 1) + 1) - 1); });
}

TEMPLATE_TEST_CASE("rounding to integers", "", float, double) {
  using T = TestType;
  using V = ox::Value<T>;
  check<T>("floor", 0, [](V a, V) { return ox::floor(a); }, [](T a, T) { return std::floor(a); });
  check<T>("ceil", 0, [](V a, V) { return ox::ceil(a); }, [](T a, T) { return std::ceil(a); });
  check<T>("trunc", 0, [](V a, V) { return ox::trunc(a); }, [](T a, T) { return std::trunc(a); });
  check<T>("rint", 0, [](V a, V) { return ox::rint(a); }, [](T a, T) { return std::nearbyint(a); });
}

TEMPLATE_TEST_CASE("min and max prefer numbers to NaN", "", float, double) {
  using T = TestType;
  using V = ox::Value<T>;
  check<T>("min", 0, [](V a, V b) { return ox::min(a, b); }, smaller<T>);
  check<T>("max", 0, [](V a, V b) { return ox::max(a, b); }, larger<T>);
  check<T>("clamp", 0, [](V a, V) { return ox::clamp(a, -1, 2); }, [](T a, T) { return smaller<T>(larger<T>(a, -1), 2); });
}

TEMPLATE_TEST_CASE("floating comparisons are false for NaN", "", float, double) {
  using T = TestType;
  using V = ox::Value<T>;
  const auto bit = [](bool b, int n) { return b ? 1 << n : 0; };
  check<T>(
      "comparisons", 0,
      [](V a, V b) {
        V r = 0;
        if (a < b) r += 1;
        if (a <= b) r += 2;
        if (a > b) r += 4;
        if (a >= b) r += 8;
        if (a == b) r += 16;
        if (a != b) r += 32;
        if (!(a < b)) r += 64;
        return r;
      },
      [&](T a, T b) {
        return static_cast<T>(bit(a < b, 0) + bit(a <= b, 1) + bit(a > b, 2) + bit(a >= b, 3) + bit(a == b, 4) + bit(a != b, 5) +
                              bit(!(a < b), 6));
      });
}

TEMPLATE_TEST_CASE("mathematical functions", "", float, double) {
  using T = TestType;
  using V = ox::Value<T>;
  // In units of the last place: what libdevice and libclc promise, and more for where the host itself is not exact.
  const Inputs<T> in = moderate<T>();
  check<T>(
      "rsqrt", 3, [](V a, V) { return ox::rsqrt(a); }, [](T a, T) { return static_cast<T>(1 / std::sqrt(static_cast<long double>(a))); },
      in);
  check<T>("exp", 4, [](V, V b) { return ox::exp(b); }, [](T, T b) { return std::exp(b); }, in);
  check<T>("exp2", 4, [](V, V b) { return ox::exp2(b); }, [](T, T b) { return std::exp2(b); }, in);
  check<T>("log", 4, [](V a, V) { return ox::log(a); }, [](T a, T) { return std::log(a); }, in);
  check<T>("log2", 4, [](V a, V) { return ox::log2(a); }, [](T a, T) { return std::log2(a); }, in);
  check<T>("sin", 4, [](V, V b) { return ox::sin(b); }, [](T, T b) { return std::sin(b); }, in);
  check<T>("cos", 4, [](V, V b) { return ox::cos(b); }, [](T, T b) { return std::cos(b); }, in);
  check<T>("tan", 6, [](V, V b) { return ox::tan(b); }, [](T, T b) { return std::tan(b); }, in);
  check<T>("tanh", 6, [](V, V b) { return ox::tanh(b); }, [](T, T b) { return std::tanh(b); }, in);
  check<T>("atan2", 6, [](V a, V b) { return ox::atan2(a, b); }, [](T a, T b) { return std::atan2(a, b); }, in);
  check<T>("pow", 16, [](V a, V b) { return ox::pow(a, b); }, [](T a, T b) { return std::pow(a, b); }, in);
  check<T>("fmod", 0, [](V a, V b) { return ox::fmod(a, b); }, [](T a, T b) { return std::fmod(a, b); }, in);
}

TEST_CASE("fmod is exact where a quotient is not") {
  check<float>("fmod", 0, [](ox::f32 a, ox::f32 b) { return ox::fmod(a, b); }, [](float a, float b) { return std::fmod(a, b); });
}

TEST_CASE("a strict kernel does not contract a*b + c, a default one may") {
  const auto muladd = [](ox::Span<const float> x, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = x[i] * x[i] - 1.0f;
  };
  const auto contracted = ox::kernel("contracted", muladd);
  const auto strict = ox::kernel("strict", muladd).strict_fp();
  CHECK(contracted.graph()->fp_mode == ox::FpMode::contract);
  CHECK(strict.graph()->fp_mode == ox::FpMode::strict);
  on_every_device([&](const ox::Stream& stream) {
    const float x = 1.0f + 0x1p-12f;  // its square needs 25 bits
    const std::vector<float> in(4, x);
    const auto d = ox::DeviceBuffer<float>::from_host(stream, in);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, in.size());
    const volatile float square = x * x;  // rounded
    for (int i = 0; i < 2; ++i) {  // in both orders: neither may use the other's program
      strict(stream, ox::LaunchConfig::for_num_elems(4), d, out);
      CHECK(out.to_host(stream)[3] == square - 1.0f);
      contracted(stream, ox::LaunchConfig::for_num_elems(4), d, out);
      const float fused = std::fma(x, x, -1.0f);
      const float got = out.to_host(stream)[3];
      CHECK((got == fused || got == square - 1.0f));
    }
  });
}
