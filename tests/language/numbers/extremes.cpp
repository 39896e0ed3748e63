// Literal operands, and the extremes: what a compiler knows in advance is what a run gives, and nothing stops the process.
#include <cmath>
#include <limits>

#include "cast_operations.hpp"
#include "float_operations.hpp"
#include "integer_operations.hpp"

namespace {

using namespace numbers;

template <class T>
T integer_extreme(std::size_t k) {
  const uint128 top = uint128{1} << (8 * sizeof(T) - 1);
  const uint128 all[] = {top, top - 1, ~uint128{0}, 1, 8 * sizeof(T), 2};
  return static_cast<T>(all[k]);
}
template <class T>
T float_extreme(std::size_t k) {
  using L = std::numeric_limits<T>;
  const T all[] = {L::infinity(), -L::max(), L::denorm_min(), static_cast<T>(-1.5f), static_cast<T>(-0.0f), L::quiet_NaN(), L::min()};
  return all[k];
}
constexpr float poles[] = {0, -1, -170};  // of the gamma function
constexpr std::size_t integer_extremes = 6, float_extremes = 7;

// In every place a literal, or what is known at run time only: two literals, one on either side.
template <class T>
inline constexpr auto integer_literals = ox::kernel("integer_literals", [](ox::Span<const T> in, ox::Span<uint128> out) {
  using V = ox::Value<T>;
  Results<> put(out, ox::u64(0), ox::u64(1));
  for (std::size_t i = 0; i != integer_extremes; ++i)
    for (std::size_t k = 0; k != integer_extremes; ++k) {
      const T a = integer_extreme<T>(i), b = integer_extreme<T>(k);
      if ((i + k) % 3 == 0) integer_operations_of_two<T>(put, V(a), V(b));
      else if ((i + k) % 3 == 1) integer_operations_of_two<T>(put, V(in[i]), b);
      else integer_operations_of_two<T>(put, a, V(in[k]));
      put(V(a) / V(b)), put(V(a) % V(b)), put(V(in[i]) / b), put(a % V(in[k]));
    }
  for (std::size_t i = 0; i != integer_extremes; ++i) {
    const V x = integer_extreme<T>(i);
    other_integer_operations<T>(put, x, V(integer_extreme<T>(1)), V(integer_extreme<T>(2)));
    cast_operations<T>(put, x);
  }
});

template <class T>
Outcome integer_outcome() {
  Outcome outcome;
  std::vector<Expected> all;
  const auto model = [](std::size_t i, std::size_t k, std::size_t l = 2) {
    return integer_model<T>(bits_of(integer_extreme<T>(i)), bits_of(integer_extreme<T>(k)), bits_of(integer_extreme<T>(l)));
  };
  const auto append = [&](const std::vector<Expected>& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (std::size_t i = 0; i != integer_extremes; ++i)
    for (std::size_t k = 0; k != integer_extremes; ++k) {
      std::vector<Expected> e = model(i, k);
      const Expected quotient = e[3], rest = e[4];
      append(up_to("negation", std::move(e)));
      append({quotient, rest, quotient, rest});
    }
  for (std::size_t i = 0; i != integer_extremes; ++i) {
    append(from("negation", model(i, 1, 2)));
    append(cast_model<T>(bits_of(integer_extreme<T>(i)), 0, 0));
  }
  outcome.expected.push_back(std::move(all));
  outcome.operands.push_back({});
  return outcome;
}

template <class T>
inline constexpr auto float_literals =
    ox::kernel("float_literals", [](ox::Span<const T> in, ox::Span<uint128> out) {
      using V = ox::Value<T>;
      Results<> put(out, ox::u64(0), ox::u64(1));
      for (std::size_t i = 0; i != float_extremes; ++i)
        for (std::size_t k = 0; k != float_extremes; ++k) {
          const T a = float_extreme<T>(i), b = float_extreme<T>(k);
          if ((i + k) % 3 == 0) float_operations_of_two<T>(put, V(a), V(b));
          else if ((i + k) % 3 == 1) float_operations_of_two<T>(put, V(in[i]), b);
          else float_operations_of_two<T>(put, a, V(in[k]));
        }
      for (std::size_t i = 0; i != float_extremes; ++i) {
        const V x = float_extreme<T>(i), y = float_extreme<T>((i + 3) % float_extremes), z = float_extreme<T>((i + 1) % float_extremes);
        other_float_operations<T>(put, x, y, z);
        cast_operations<T>(put, x);
        rounded_operations<T>(put, x, y, z);
      }
    }).strict_fp();

template <class T>
Outcome float_outcome() {
  Outcome outcome;
  std::vector<Expected> all;
  const auto bits = [](std::size_t k) { return bits_of(float_extreme<T>(k % float_extremes)); };
  const auto append = [&](const std::vector<Expected>& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (std::size_t i = 0; i != float_extremes; ++i)
    for (std::size_t k = 0; k != float_extremes; ++k) append(up_to("negation", float_model<T>(bits(i), bits(k), 0)));
  for (std::size_t i = 0; i != float_extremes; ++i) {
    append(from("negation", float_model<T>(bits(i), bits(i + 3), bits(i + 1))));
    append(cast_model<T>(bits(i), 0, 0));
    append(rounding_model<T>(bits(i), bits(i + 3), bits(i + 1)));
  }
  outcome.expected.push_back(std::move(all));
  outcome.operands.push_back({});
  return outcome;
}

template <class T, class K>
void check_literals(const K& kernel, const std::vector<T>& in, const Outcome& outcome) {
  const auto graph = kernel.graph();
  for (const unsigned level : {3u, 0u, 1u, 2u})
    if (level == 3 || !is_collecting())
      on_every_device([&](const ox::Stream& stream) {
        const auto a = ox::DeviceBuffer<T>::from_host(stream, in);
        check_outcome(stream, level, graph, oxide::ir::type_for<T>(), {a.argument()}, outcome);
      });
}

// Distances written by hand, of a number that is known to be large from one that is known to be small.
template <class T>
inline constexpr auto distances = ox::kernel("distances", [](ox::Span<const T> in, ox::DisjointSpan<T> out) {
  using V = ox::Value<T>;
  const auto i = ox::thread::index_1d();
  auto e = out.get_mut(i);
  if (!e) return;
  const V x = in[i] & static_cast<T>(3), y = in[i] | static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  V same = ox::abs_diff(x, y);
  const auto put = [&](const V& distance) { same = ox::select(distance == same, same, V(0)); };
  for (const auto& [a, b] : {std::pair(x, y), std::pair(y, x)}) {
    put(ox::max(a, b) - ox::min(b, a));
    put(ox::select(a > b, a - b, b - a)), put(ox::select(a >= b, a - b, b - a));
    put(ox::select(a < b, b - a, a - b)), put(ox::select(a <= b, b - a, a - b));
  }
  *e = same;
});

// Of functions, what literals give and what the same numbers give at run time, one behind the other.
template <class T>
inline constexpr auto function_literals = ox::kernel("function_literals", [](ox::Span<const T> in, ox::Span<uint128> out) {
  using V = ox::Value<T>;
  Results<> put(out, ox::u64(0), ox::u64(1));
  ox::i32 least = ox::cast<ox::i32>(in[1] * 0), most = least;  // 0, but of what is known at run time only
  least = ox::select(least == 0, std::numeric_limits<std::int32_t>::min(), 0);
  most = ox::select(most == 0, std::numeric_limits<std::int32_t>::max(), 0);
  const auto both = [&](auto f) {
    for (std::size_t i = 0; i != float_extremes; ++i) put(f(V(float_extreme<T>(i)))), put(f(V(in[i])));
    for (std::size_t i = 0; i != std::size(poles); ++i) put(f(V(static_cast<T>(poles[i])))), put(f(V(in[float_extremes + i])));
  };
  const auto two = [&](auto f) {
    for (std::size_t i = 0; i != float_extremes; ++i)
      for (std::size_t k = 0; k < float_extremes; k += 2)
        put(f(V(float_extreme<T>(i)), V(float_extreme<T>(k)))), put(f(V(in[i]), V(in[k])));
  };
  // clang-format off
#define OXIDE_ONE(name) both([](const V& x) { return ox::name(x); });
  OXIDE_ONE(rsqrt) OXIDE_ONE(cbrt) OXIDE_ONE(rcbrt) OXIDE_ONE(exp) OXIDE_ONE(exp2) OXIDE_ONE(exp10) OXIDE_ONE(expm1) OXIDE_ONE(log)
  OXIDE_ONE(log2) OXIDE_ONE(log10) OXIDE_ONE(log1p) OXIDE_ONE(sin) OXIDE_ONE(cos) OXIDE_ONE(tan) OXIDE_ONE(sinpi) OXIDE_ONE(cospi)
  OXIDE_ONE(asin) OXIDE_ONE(acos) OXIDE_ONE(atan) OXIDE_ONE(sinh) OXIDE_ONE(cosh) OXIDE_ONE(tanh) OXIDE_ONE(asinh) OXIDE_ONE(acosh)
  OXIDE_ONE(atanh) OXIDE_ONE(erf) OXIDE_ONE(erfc) OXIDE_ONE(erfinv) OXIDE_ONE(erfcinv) OXIDE_ONE(erfcx) OXIDE_ONE(normcdf)
  OXIDE_ONE(normcdfinv) OXIDE_ONE(tgamma) OXIDE_ONE(lgamma) OXIDE_ONE(j0) OXIDE_ONE(j1) OXIDE_ONE(y0) OXIDE_ONE(y1)
  OXIDE_ONE(cyl_bessel_i0) OXIDE_ONE(cyl_bessel_i1) OXIDE_ONE(logb) OXIDE_ONE(ilogb) OXIDE_ONE(lrint) OXIDE_ONE(llround)
  OXIDE_ONE(fpclassify)
#undef OXIDE_ONE
      // clang-format on
      both([](const V& x) { return ox::frexp(x).fraction; });
  both([](const V& x) { return ox::frexp(x).exponent; });
  both([](const V& x) { return ox::modf(x).fraction; });
  both([](const V& x) { return ox::sincos(x).cos; });
  two([](const V& x, const V& y) { return ox::fmod(x, y); });
  two([](const V& x, const V& y) { return ox::remainder(x, y); });
  two([](const V& x, const V& y) { return ox::remquo(x, y).quotient; });
  two([](const V& x, const V& y) { return ox::pow(x, y); });
  two([](const V& x, const V& y) { return ox::atan2(x, y); });
  two([](const V& x, const V& y) { return ox::hypot(x, y); });
  two([](const V& x, const V& y) { return ox::nextafter(x, y); });
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min(), highest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i != float_extremes; ++i) {
    const V literal = float_extreme<T>(i), x = in[i];
    put(ox::ldexp(literal, highest)), put(ox::ldexp(x, most));
    put(ox::ldexp(literal, lowest)), put(ox::ldexp(x, least));
    put(ox::powi(literal, highest)), put(ox::powi(x, most));
    put(ox::powi(literal, lowest)), put(ox::powi(x, least));
    put(ox::jn(highest, literal)), put(ox::jn(most, x));
    put(ox::yn(highest, literal)), put(ox::yn(most, x));
    put(ox::jn(lowest, literal)), put(ox::jn(least, x));
    put(ox::yn(-1, literal)), put(ox::yn(ox::i32(-1), x));
    put(ox::scalbln(literal, std::numeric_limits<std::int64_t>::max())),
        put(ox::scalbln(x, ox::i64(std::numeric_limits<std::int64_t>::max())));
  }
});

}  // namespace

TEMPLATE_TEST_CASE("integer operations on literals in every place give what the rules say, at the extremes", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, int128, uint128) {
  std::vector<TestType> in;
  for (std::size_t i = 0; i != integer_extremes; ++i) in.push_back(integer_extreme<TestType>(i));
  check_literals(integer_literals<TestType>, in, integer_outcome<TestType>());
}

TEMPLATE_TEST_CASE("distances of unsigned numbers reach over half the range", "", std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   uint128) {
  constexpr TestType half = TestType{1} << (8 * sizeof(TestType) - 1);
  std::vector<TestType> in, expected;
  for (TestType x = 0; x != 64; ++x) {
    in.push_back(x % 2 == 0 ? x : static_cast<TestType>(~x));
    expected.push_back(static_cast<TestType>((in.back() | half) - (in.back() & 3)));
  }
  for (const unsigned level : {0u, 1u, 2u, 3u})
    on_every_device([&](const ox::Stream& stream) {
      const auto a = ox::DeviceBuffer<TestType>::from_host(stream, in);
      auto out = ox::DeviceBuffer<TestType>::zeroed(stream, in.size());
      const auto program = oxide::runtime::load_program(device_of(stream), distances<TestType>.graph(), {.opt_level = level});
      oxide::runtime::launch(*program, stream, ox::LaunchConfig::for_num_elems(in.size()), std::array{a.argument(), out.argument()});
      INFO("level " << level);
      CHECK(out.to_host(stream) == expected);
    });
}

TEMPLATE_TEST_CASE("floating-point operations on literals in every place are rounded as at run time, at the extremes", "", ox::half,
                   ox::bfloat16, float, double) {
  std::vector<TestType> in;
  for (std::size_t i = 0; i != float_extremes; ++i) in.push_back(float_extreme<TestType>(i));
  check_literals(float_literals<TestType>, in, float_outcome<TestType>());
}

TEMPLATE_TEST_CASE("functions of literals are those of the same numbers at run time, and none stops the process", "", float, double) {
  std::vector<TestType> in;
  for (std::size_t i = 0; i != float_extremes; ++i) in.push_back(float_extreme<TestType>(i));
  for (const float pole : poles) in.push_back(static_cast<TestType>(pole));
  constexpr std::size_t results = 2 * (49 * 10 + 7 * 28 + 9 * 7);
  // On the CPU, whose process they may not stop. On a GPU what is known may be rounded better than its functions are, as math.md says.
  on_every_device([&](const ox::Stream& stream) {
    if (stream.device_id() != 0) return;
    const auto a = ox::DeviceBuffer<TestType>::from_host(stream, in);
    auto out = ox::DeviceBuffer<uint128>::zeroed(stream, results + 2);
    function_literals<TestType>(stream, ox::LaunchConfig{1, 1}, a, out);
    const std::vector<uint128> got = out.to_host(stream);
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = results / 2; i-- != 0;) {
      const uint128 literal = got[2 * i], run = got[2 * i + 1];
      constexpr Type type = oxide::ir::type_for<TestType>();
      const uint128 mask = (uint128{1} << (8 * sizeof(TestType))) - 1;
      if (literal != run && !(is_nan(type, literal & mask) && is_nan(type, run & mask))) ++wrong, first = i;
    }
    INFO(oxide::ir::name_of(oxide::ir::type_for<TestType>())
         << ", result " << first << ": of a literal " << hex(got[2 * first]) << ", at run time " << hex(got[2 * first + 1]));
    CHECK(wrong == 0);
  });
}

TEMPLATE_TEST_CASE("ldexp by every power, from and to subnormal numbers, is rounded once", "", float, double) {
  constexpr auto k = ox::kernel("powers", [](ox::Span<const TestType> x, ox::Span<const std::int32_t> n, ox::DisjointSpan<TestType> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = ox::ldexp(x[i], n[i]);
  });
  using L = std::numeric_limits<TestType>;
  std::vector<TestType> x, expected;
  std::vector<std::int32_t> n;
  for (const TestType number : {L::max(), L::denorm_min(), -L::min(), TestType{3}, TestType{-0.7f}, L::infinity()})
    for (int power = -2200; power <= 2200; ++power) x.push_back(number), n.push_back(power), expected.push_back(std::ldexp(number, power));
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<TestType>::from_host(stream, x);
    const auto b = ox::DeviceBuffer<std::int32_t>::from_host(stream, n);
    auto out = ox::DeviceBuffer<TestType>::zeroed(stream, x.size());
    k(stream, ox::LaunchConfig::for_num_elems(x.size()), a, b, out);
    CHECK(out.to_host(stream) == expected);
  });
}

TEST_CASE("16-bit numbers are cut off behind a negation, and shifts to both sides are a rotation only where they are one") {
  constexpr auto k =
      ox::kernel("cut_off", [](ox::Span<const std::int16_t> narrow, ox::Span<const std::int64_t> wide, ox::DisjointSpan<std::int64_t> out) {
        const auto i = ox::thread::index_1d();
        auto e = out.get_mut(i);
        if (!e) return;
        const ox::i16 n = narrow[i];
        ox::i64 sum = ox::cast<ox::i64>(-n) * 3 + ox::cast<ox::i64>(-n >> 3) * 5 + ox::cast<ox::i64>(ox::abs(n)) * 7;
        sum += ox::select(ox::abs(n) <= std::int16_t{-56}, ox::i64(1000), 0) + ox::cast<ox::i64>(-n / std::int16_t{3}) * 11;
        sum += ox::cast<ox::i64>(ox::sub_sat(ox::i16(0), n)) * 13;
        const ox::i128 below = ox::i128(67108864) - ox::abs(ox::cast<ox::i128>(ox::cast<ox::i8>(n)) - 4);
        sum = sum * 23 + ox::cast<ox::i64>(below >> 64);
        ox::i16 passed = 0;  // the loop's first pass decides: its condition becomes one of a maximum
        for (ox::u64 pass = 2; pass < (ox::cast<ox::u64>(n) & 7u); pass += 1) passed = n;
        sum = sum * 19 + ox::cast<ox::i64>(passed);
        const ox::i64 x = wide[i];
        const ox::u64 u = ox::cast<ox::u64>(x);
        for (const unsigned by : {1u, 9u, 29u, 32u, 40u, 63u}) {
          sum = sum * 17 + ((x << by) + (x >> (64 - by)));
          sum = sum * 17 + ((x << by) - (x >> (64 - by)));
          sum = sum * 17 + ((x << by) | (x >> (64 - by)));
          sum = sum * 17 + ((x << by) ^ (x >> (64 - by)));
          sum = sum * 17 + ox::cast<ox::i64>((u << by) - (u >> (64 - by)));
          sum = sum * 17 + ox::cast<ox::i64>((u << by) + (u >> (64 - by)));
        }
        *e = sum;
      });
  std::vector<std::int16_t> narrow{-32768, 32767, -32767, 0, 1, -1, 4, 260};
  std::vector<std::int64_t> wide{
      std::numeric_limits<std::int64_t>::min(), -1, 0x6bdcb150416caa30, -0x0123456789abcdef, 1, 0x5555555500000000, 3, 4};
  std::mt19937_64 random(3);
  for (int n = 0; n != 100; ++n) narrow.push_back(static_cast<std::int16_t>(random())), wide.push_back(static_cast<std::int64_t>(random()));
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i != narrow.size(); ++i) {
    const auto cut = [](int x) { return static_cast<std::int16_t>(x); };
    const std::int16_t n = narrow[i], minus = cut(-n), positive = cut(std::abs(n));
    std::uint64_t sum = static_cast<std::uint64_t>(std::int64_t{minus} * 3 + std::int64_t{cut(minus >> 3)} * 5 +
                                                   std::int64_t{positive} * 7 + (positive <= -56 ? 1000 : 0) +
                                                   std::int64_t{cut(minus / 3)} * 11 + std::int64_t{n == -32768 ? 32767 : -n} * 13);
    sum = sum * 23;  // nothing is below 0
    sum = sum * 19 + static_cast<std::uint64_t>(std::int64_t{(n & 7) > 2 ? n : std::int16_t{0}});
    const std::uint64_t u = static_cast<std::uint64_t>(wide[i]);
    for (const unsigned by : {1u, 9u, 29u, 32u, 40u, 63u}) {
      const std::uint64_t left = u << by, right = static_cast<std::uint64_t>(wide[i] >> (64 - by)), zeros = u >> (64 - by);
      for (const std::uint64_t term : {left + right, left - right, left | right, left ^ right, left - zeros, left + zeros})
        sum = sum * 17 + term;
    }
    expected.push_back(static_cast<std::int64_t>(sum));
  }
  for (const unsigned level : {0u, 1u, 2u, 3u})
    on_every_device([&](const ox::Stream& stream) {
      const auto a = ox::DeviceBuffer<std::int16_t>::from_host(stream, narrow);
      const auto b = ox::DeviceBuffer<std::int64_t>::from_host(stream, wide);
      auto out = ox::DeviceBuffer<std::int64_t>::zeroed(stream, narrow.size());
      const auto program = oxide::runtime::load_program(device_of(stream), k.graph(), {.opt_level = level});
      oxide::runtime::launch(*program, stream, ox::LaunchConfig::for_num_elems(narrow.size()),
                             std::array{a.argument(), b.argument(), out.argument()});
      INFO("level " << level);
      CHECK(out.to_host(stream) == expected);
    });
  // Whatever device there is: the assembler of PTX gets neither.
  const std::string ptx = k.ptx(90);
  for (const char* operation : {"neg.s16", "abs.s16", "sub.s16", "max.u16", "max.s16", "min.s16"})
    CHECK(ptx.find(operation) == std::string::npos);
  CHECK(ptx.find("mov.b64 {lo, hi}") != std::string::npos);
}
