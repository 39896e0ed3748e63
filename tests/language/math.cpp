// Every mathematical function by its name in the language: unoptimized, optimized, interpreted, and on every device. How exact they are
// is measured in mathematics/; here they have to be the right ones, within the same bounds.
#include <array>
#include <cfloat>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include <oxide/runtime/launch.hpp>

#include "mathematics/bounds.hpp"
#include "support/devices.hpp"
#include "support/interpreter.hpp"

namespace {

// One output for each function, in this order.
template <class T>
constexpr auto record_all = [](ox::Span<const T> x, ox::Span<const T> y, ox::Span<const std::int32_t> n, ox::Span<T> out) {
  using V = ox::Value<T>;
  const auto i = ox::thread::index_1d();
  if (i >= x.size()) return;
  const V a = x[i], b = y[i];
  const ox::i32 k = n[i];
  std::uint64_t next = 0;
  const auto put = [&](const V& v) { out.unchecked_mut(i + x.size() * next++) = v; };
  const auto put_int = [&](const ox::i32& v) { put(ox::cast<T>(v)); };
  const auto put_bool = [&](const ox::boolean& v) { put(ox::cast<T>(v)); };

  put(ox::sqrt(a)), put(ox::rsqrt(a)), put(ox::cbrt(a)), put(ox::rcbrt(a)), put(ox::hypot(a, b)), put(ox::rhypot(a, b));
  put(ox::norm3d(a, b, 0.5f)), put(ox::rnorm3d(a, b, a)), put(ox::norm4d(a, b, a, 2)), put(ox::rnorm4d(a, b, b, a));
  put(ox::norm(std::array<V, 5>{a, b, a, b, a})), put(ox::rnorm(std::array<V, 2>{a, b})), put(ox::norm(std::array<V, 1>{a}));
  put(ox::exp(b)), put(ox::exp2(b)), put(ox::exp10(b)), put(ox::expm1(b)), put(ox::log(a)), put(ox::log2(a)), put(ox::log10(a));
  put(ox::log1p(a)), put(ox::pow(a, b)), put(ox::powi(b, k)), put(ox::powi(a, 3));
  put(ox::sin(b)), put(ox::cos(b)), put(ox::tan(b)), put(ox::sinpi(b)), put(ox::cospi(b));
  put(ox::asin(b)), put(ox::acos(b)), put(ox::atan(b)), put(ox::atan2(b, a));
  put(ox::sinh(b)), put(ox::cosh(b)), put(ox::tanh(b)), put(ox::asinh(b)), put(ox::acosh(a)), put(ox::atanh(b));
  const auto [s, c] = ox::sincos(b);
  put(s), put(c);
  const ox::SinCos<T> pi = ox::sincospi(b);
  put(pi.sin), put(pi.cos);
  put(ox::erf(b)), put(ox::erfc(b)), put(ox::erfinv(b)), put(ox::erfcinv(a)), put(ox::erfcx(b)), put(ox::normcdf(b)),
      put(ox::normcdfinv(a));
  put(ox::tgamma(a)), put(ox::lgamma(a));
  put(ox::j0(a)), put(ox::j1(a)), put(ox::jn(2, a)), put(ox::jn(k, a)), put(ox::y0(a)), put(ox::y1(a)), put(ox::yn(2, a)),
      put(ox::yn(k, a));
  put(ox::cyl_bessel_i0(b)), put(ox::cyl_bessel_i1(b));
  put(ox::fmod(b, a)), put(ox::remainder(b, a));
  const auto [r, q] = ox::remquo(b, a);
  put(r), put_int(ox::select(ox::isnan(r), 0, q & 7));
  const auto [f, w] = ox::modf(b);
  put(f), put(w);
  put(ox::round(b)), put(ox::rint(b)), put(ox::nearbyint(b)), put(ox::floor(b)), put(ox::ceil(b)), put(ox::trunc(b));
  put(ox::fdim(a, b)), put(ox::copysign(a, b)), put(ox::nextafter(a, b)), put(ox::logb(b)), put_int(ox::ilogb(b));
  const ox::Frexp<T> parts = ox::frexp(b);
  put(parts.fraction), put_int(parts.exponent);
  put(ox::ldexp(b, k)), put(ox::scalbn(b, -3)), put(ox::scalbln(b, ox::cast<ox::i64>(k) * 3)), put(ox::scalbln(b, ox::i64(-5'000'000'000)));
  put_int(ox::cast<ox::i32>(ox::lrint(b))), put_int(ox::cast<ox::i32>(ox::llrint(b)));
  put_int(ox::cast<ox::i32>(ox::lround(b))), put_int(ox::cast<ox::i32>(ox::llround(b)));
  put(ox::fabs(b)), put(ox::fmin(a, b)), put(ox::fmax(a, b)), put(ox::fma(a, b, 1));
  put_bool(ox::isnan(b)), put_bool(ox::isinf(b)), put_bool(ox::isfinite(b)), put_bool(ox::isnormal(b)), put_bool(ox::signbit(b));
  put_int(ox::fpclassify(b));
  put_bool(ox::isgreater(a, b)), put_bool(ox::isgreaterequal(a, b)), put_bool(ox::isless(a, b)), put_bool(ox::islessequal(a, b));
  put_bool(ox::islessgreater(a, b)), put_bool(ox::isunordered(a, b)), put_bool(ox::isunordered(b, 1));
};

// The same of the host, where it is exact or there is no doubt what it should be.
template <class T>
std::vector<T> host_results(T b, T a) {
  const auto number = [](auto v) { return static_cast<T>(v); };
  return {number(std::isnan(b)),     number(std::isinf(b)),          number(std::isfinite(b)),         number(std::isnormal(b)),
          number(std::signbit(b)),   number(std::fpclassify(b)),     number(std::isgreater(a, b)),     number(std::isgreaterequal(a, b)),
          number(std::isless(a, b)), number(std::islessequal(a, b)), number(std::islessgreater(a, b)), number(std::isunordered(a, b)),
          number(std::isnan(b))};
}

// The function of the table that an output is a result of, for each output in turn.
std::vector<std::optional<ox::ir::Math>> functions_of(const ox::ir::Graph& graph) {
  std::vector<std::optional<ox::ir::Math>> functions;
  std::map<std::uint32_t, ox::ir::Math> made;
  for (const auto& block : graph.blocks)
    for (const auto& op : block.operations) {
      if (ox::ir::row_of(op.opcode).immediate == ox::ir::Immediate::math) made[op.result] = ox::ir::math_function(op.immediate);
      if (op.opcode != ox::ir::Opcode::store) continue;
      const auto function = made.find(op.operands[1]);
      functions.push_back(function == made.end() ? std::nullopt : std::optional(function->second));
    }
  return functions;
}

// Within what is documented; the model itself is off by some units in the last place, and by a little where a function is near zero.
template <class T>
bool close(T got, T expected, std::optional<ox::ir::Math> function, oxide::testing::Library library) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (got == expected) return true;
  double ulps = 20, absolute = sizeof(T) == 4 ? 1e-6 : 1e-13;
  for (const oxide::testing::Bounds& bounds : oxide::testing::math_bounds)
    if (function == bounds.function) {
      ulps += bounds.ulps[static_cast<int>(library)][sizeof(T) == 4 ? 0 : 1];
      absolute += bounds.absolute(library, sizeof(T) == 4);
    }
  const double scale = std::max(std::abs(expected), std::numeric_limits<T>::min());
  return std::abs(static_cast<double>(got) - static_cast<double>(expected)) <= ulps * std::numeric_limits<T>::epsilon() * scale + absolute;
}

}  // namespace

TEMPLATE_TEST_CASE("mathematical functions are what their names say, at every optimization level and interpreted", "", float, double) {
  using T = TestType;
  using L = std::numeric_limits<T>;
  const auto kernel = ox::kernel("all_functions", record_all<T>);
  const auto graph = kernel.graph();
  const auto functions = functions_of(*graph);
  const std::size_t outputs = functions.size();
  CHECK(outputs > 100);
  CHECK(functions[0] == std::nullopt);
  CHECK(functions[54] == ox::ir::Math::jn);

  std::vector<T> a{1, 2, T(0.5), T(1.5), 3, 1, 2, T(0.25), 1, 1},
      b{0, T(-0.0), T(0.5), T(-2.5), L::infinity(), -L::infinity(), L::quiet_NaN(), L::denorm_min(), T(0.7), -L::min()};
  std::vector<std::int32_t> n{0, 1, 2, 3, 4, 5, 6, 7, -2, 40};
  std::mt19937 random(8);
  std::uniform_real_distribution<T> x(T(0.1), 6), y(-3, 3);
  while (a.size() != 60) a.push_back(x(random)), b.push_back(y(random)), n.push_back(static_cast<std::int32_t>(a.size() % 9));

  std::vector<T> model(outputs * a.size());
  oxide::testing::Interpreter(*graph).run({{1, 1, 1}, {static_cast<std::uint32_t>(a.size()), 1, 1}},
                                          {oxide::testing::span_argument(a), oxide::testing::span_argument(b),
                                           oxide::testing::span_argument(n), oxide::testing::span_argument(model)});
  const std::size_t classified = host_results<T>(0, 0).size();
  for (std::size_t i = 0; i != a.size(); ++i) {
    const std::vector<T> expected = host_results(b[i], a[i]);
    for (std::size_t k = 0; k != classified; ++k) CHECK(model[(outputs - classified + k) * a.size() + i] == expected[k]);
  }
  for (const ox::Device& device : ox::Device::all())
    for (const unsigned level : {0u, 3u}) {
      const ox::Stream stream = device.default_stream();
      const auto program = oxide::runtime::load_program(device, graph, {.opt_level = level});
      const auto da = ox::DeviceBuffer<T>::from_host(stream, a), db = ox::DeviceBuffer<T>::from_host(stream, b);
      const auto dn = ox::DeviceBuffer<std::int32_t>::from_host(stream, n);
      const auto out = ox::DeviceBuffer<T>::zeroed(stream, model.size());
      const oxide::runtime::Argument arguments[] = {da.argument(), db.argument(), dn.argument(), out.argument()};
      oxide::runtime::launch(*program, stream, ox::LaunchConfig::for_num_elems(a.size()), arguments);
      const std::vector<T> got = out.to_host(stream);
      for (std::size_t i = 0; i != got.size(); ++i) {
        const std::size_t at = i % a.size();
        INFO("output " << i / a.size() << " of " << a[at] << ", " << b[at] << ", " << n[at] << " at level " << level << " on "
                       << device.name() << ": " << got[i] << ", expected " << model[i]);
        CHECK(close(got[i], model[i], functions[i / a.size()], oxide::testing::library_of(device)));
      }
    }
}

TEST_CASE("FpClass has the C library's numbers") {
  CHECK(ox::fp_nan == FP_NAN);
  CHECK(ox::fp_infinite == FP_INFINITE);
  CHECK(ox::fp_zero == FP_ZERO);
  CHECK(ox::fp_subnormal == FP_SUBNORMAL);
  CHECK(ox::fp_normal == FP_NORMAL);
}

TEST_CASE("rounding to integers saturates, and NaN gives 0") {
  const std::vector<double> in{2.5, -2.5, 1e300, -1e300, std::numeric_limits<double>::quiet_NaN(), 0.49999999999999994};
  const auto kernel = ox::kernel("to_integers", [](ox::Span<const double> x, ox::Span<std::int64_t> out) {
    const auto i = ox::thread::index_1d();
    if (i < x.size()) {
      out.unchecked_mut(2 * i) = ox::lrint(x[i]);
      out.unchecked_mut(2 * i + 1) = ox::lround(x[i]);
    }
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto d = ox::DeviceBuffer<double>::from_host(stream, in);
    auto out = ox::DeviceBuffer<std::int64_t>::zeroed(stream, 2 * in.size());
    kernel(stream, ox::LaunchConfig::for_num_elems(in.size()), d, out);
    CHECK(out.to_host(stream) == std::vector<std::int64_t>{2, 3, -2, -3, INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 0, 0, 0, 0});
  });
}

TEST_CASE("functions of halves are those of f32, rounded") {
  const auto kernel = ox::kernel("halves", [](ox::Span<const ox::half> x, ox::Span<float> out) {
    const auto i = ox::thread::index_1d();
    if (i >= x.size()) return;
    const ox::f16 h = x[i];
    const ox::f16 results[] = {ox::sin(h), ox::exp(h), ox::frexp(h).fraction, ox::norm4d(h, h, h, h), ox::pow(h, 0.5f)};
    std::uint64_t next = 0;
    for (const ox::f16& r : results) out.unchecked_mut(i + x.size() * next++) = r;
    out.unchecked_mut(i + x.size() * next++) = ox::cast<ox::f32>(ox::isnormal(h));
    out.unchecked_mut(i + x.size() * next++) = ox::cast<ox::f32>(ox::signbit(h));
  });
  on_every_device([&](const ox::Stream& stream) {
    std::vector<ox::half> in;
    for (const float x : {0.25f, 1.5f, 3.0f, 0x1p-20f, 7.75f}) in.push_back(ox::half(x));
    const auto d = ox::DeviceBuffer<ox::half>::from_host(stream, in);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 7 * in.size());
    kernel(stream, ox::LaunchConfig::for_num_elems(in.size()), d, out);
    const std::vector<float> got = out.to_host(stream);
    for (std::size_t i = 0; i != in.size(); ++i) {
      const float x = static_cast<float>(in[i]);
      int e = 0;
      const float expected[] = {std::sin(x), std::exp(x), std::frexp(x, &e), 2 * x, std::sqrt(x), x >= 0x1p-14f ? 1.0f : 0.0f, 0.0f};
      for (std::size_t k = 0; k != std::size(expected); ++k) {
        INFO("output " << k << " of " << x);
        CHECK(std::abs(got[i + k * in.size()] - static_cast<float>(ox::half(expected[k]))) <= 0x1p-10f * expected[k]);
      }
    }
  });
}

TEST_CASE("approximate functions are near the precise ones") {
  const auto kernel = ox::kernel("approximate", [](ox::Span<const float> x, ox::Span<float> out) {
    const auto i = ox::thread::index_1d();
    if (i >= x.size()) return;
    const ox::f32 a = x[i];
    const ox::f32 pairs[][2] = {{ox::approx::sin(a), ox::sin(a)},     {ox::approx::cos(a), ox::cos(a)},
                                {ox::approx::tan(a), ox::tan(a)},     {ox::approx::exp(a), ox::exp(a)},
                                {ox::approx::exp2(a), ox::exp2(a)},   {ox::approx::exp10(a), ox::exp10(a)},
                                {ox::approx::log(a), ox::log(a)},     {ox::approx::log2(a), ox::log2(a)},
                                {ox::approx::log10(a), ox::log10(a)}, {ox::approx::pow(a, 1.5f), ox::pow(a, 1.5f)},
                                {ox::approx::tanh(a), ox::tanh(a)},   {ox::approx::sqrt(a), ox::sqrt(a)},
                                {ox::approx::rsqrt(a), ox::rsqrt(a)}, {ox::approx::rcp(a), 1 / a},
                                {ox::approx::div(a, 3), a / 3}};
    ox::f32 worst = 0;
    for (const auto& pair : pairs) worst = ox::max(worst, ox::abs(pair[0] - pair[1]) / ox::max(ox::abs(pair[1]), 0.1f));
    out.unchecked_mut(i) = worst;
  });
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<float> in{0.3f, 0.5f, 0.9f, 1.1f, 1.4f, 2.0f};
    const auto d = ox::DeviceBuffer<float>::from_host(stream, in);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, in.size());
    kernel(stream, ox::LaunchConfig::for_num_elems(in.size()), d, out);
    for (const float worst : out.to_host(stream)) CHECK(worst < 1e-3f);
  });
}
