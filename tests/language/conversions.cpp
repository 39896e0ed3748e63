// Which types meet in an operator, what converts silently, what casts do, and what is checked while tracing.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"

namespace {

template <class A, class B>
using Sum = decltype(std::declval<A>() + std::declval<B>());
template <class A, class B>
using Product = decltype(std::declval<A>() * std::declval<B>());

// Narrow integers do not promote; mixed widths meet in the wider; unsigned fits a wider signed type.
static_assert(std::is_same_v<Sum<ox::u8, ox::u8>, ox::u8>);
static_assert(std::is_same_v<Sum<ox::i8, ox::i8>, ox::i8>);
static_assert(std::is_same_v<Sum<ox::u8, ox::u16>, ox::u16>);
static_assert(std::is_same_v<Sum<ox::u64, ox::u8>, ox::u64>);
static_assert(std::is_same_v<Sum<ox::u8, ox::i16>, ox::i16>);
static_assert(std::is_same_v<Sum<ox::i64, ox::u32>, ox::i64>);
static_assert(std::is_same_v<Sum<ox::f32, ox::f64>, ox::f64>);
// Host numbers take the device's type.
static_assert(std::is_same_v<Sum<ox::u8, int>, ox::u8>);
static_assert(std::is_same_v<Product<double, ox::f32>, ox::f32>);
static_assert(std::is_same_v<Product<int, ox::f64>, ox::f64>);
static_assert(std::is_same_v<Sum<ox::u64, int>, ox::u64>);
static_assert(std::is_same_v<decltype(std::declval<ox::i8>() < 3), ox::boolean>);
static_assert(std::is_same_v<decltype(std::declval<ox::u8>() << 3u), ox::u8>);
static_assert(std::is_same_v<decltype(ox::min(std::declval<ox::f32>(), 1.0)), ox::f32>);
static_assert(std::is_same_v<decltype(ox::fma(std::declval<ox::f32>(), std::declval<ox::f64>(), 1)), ox::f64>);
static_assert(std::is_same_v<decltype(ox::select(std::declval<ox::boolean>(), std::declval<ox::u8>(), std::declval<ox::u32>())), ox::u32>);
static_assert(std::is_same_v<decltype(ox::cast<float>(std::declval<ox::i32>())), ox::f32>);
static_assert(std::is_same_v<decltype(ox::cast<ox::f32>(std::declval<ox::i32>())), ox::f32>);
static_assert(std::is_same_v<decltype(std::declval<ox::ThreadIndex<ox::Linear>>() + 1), ox::u64>);
static_assert(std::is_same_v<decltype(true ? std::declval<ox::f32>() : 2.0), ox::f32>);
// Elements: of a span that is only read a value, else something that cannot be copied.
static_assert(std::is_same_v<decltype(std::declval<ox::Span<const float>>()[0]), ox::f32>);
static_assert(std::is_same_v<decltype(std::declval<ox::Span<const long long>>()[0]), ox::i64>);
static_assert(std::is_same_v<decltype(std::declval<ox::Span<float>>()[0]), ox::Ref<const float>>);
static_assert(!std::is_copy_constructible_v<ox::Ref<float>> && !std::is_move_constructible_v<ox::Ref<float>>);
static_assert(std::is_convertible_v<ox::Ref<float>, ox::f32> && std::is_convertible_v<ox::Ref<float>, ox::f64>);
static_assert(!std::is_default_constructible_v<ox::ThreadIndex<ox::Linear>> && !std::is_copy_assignable_v<ox::ThreadIndex<ox::Linear>>);
static_assert(!std::is_constructible_v<ox::ThreadIndex<ox::Linear>, ox::u64> && !std::is_constructible_v<ox::ThreadIndex<ox::Linear>, int>);

// Runs a lambda once as a kernel's body, for what it throws.
template <class F>
void trace_only(F) {
  (void)ox::kernel("probe", [](ox::DisjointSpan<int>) { F{}(); }).graph();
}
template <class F>
std::string refusal_of(F f) {
  try {
    trace_only(f);
  } catch (const ox::TraceError& e) {
    CHECK(e.kernel == "probe");
    CHECK(e.line.line != 0);
    CHECK(e.line.file.find("conversions.cpp") != std::string::npos);
    return e.what();
  }
  return "accepted";
}
bool refuses(const std::string& message, const char* part) {
  INFO(message);
  const bool found = message.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("host integers are checked against the type they meet") {
  refuses(refusal_of([] { [[maybe_unused]] ox::u8 x = 300; }), "300 does not fit u8");
  refuses(refusal_of([] { [[maybe_unused]] ox::i8 x = 128; }), "128 does not fit i8");
  refuses(refusal_of([] { [[maybe_unused]] ox::i8 x = -129; }), "-129 does not fit i8");
  refuses(refusal_of([] { [[maybe_unused]] ox::u32 x = -1; }), "-1 does not fit u32");
  refuses(refusal_of([] { [[maybe_unused]] ox::i32 x = 3000000000u; }), "3000000000 does not fit i32");
  refuses(refusal_of([] {
            [[maybe_unused]] ox::u16 x;
            x += 65536;
          }),
          "65536 does not fit u16");
  refuses(refusal_of([] { [[maybe_unused]] ox::f32 x = 16777217; }), "16777217 is not exact in f32");
  refuses(refusal_of([] { [[maybe_unused]] ox::f32 x = 1e300; }), "too large for f32");
  refuses(refusal_of([] { [[maybe_unused]] ox::f64 x = 9007199254740993; }), "9007199254740993 is not exact in f64");
  CHECK(refusal_of([] {
          [[maybe_unused]] ox::u8 x = 255;
          [[maybe_unused]] ox::i8 y = -128;
          [[maybe_unused]] ox::u64 z = 5;
          [[maybe_unused]] ox::i64 w = std::numeric_limits<std::int64_t>::min();
        }) == "accepted");
  CHECK(refusal_of([] {
          [[maybe_unused]] ox::f32 x = 16777216;
          [[maybe_unused]] ox::f32 y = -16777218;
          [[maybe_unused]] ox::f64 z = std::uint64_t{1} << 63;
          [[maybe_unused]] ox::f32 w = 0.1;
        }) == "accepted");
  CHECK(refusal_of([] {
          [[maybe_unused]] ox::u8 x = 'a';
          [[maybe_unused]] ox::boolean b = true;
          [[maybe_unused]] ox::i32 i = false;
          x += std::uint64_t{7};
        }) == "accepted");
  CHECK(refusal_of([] { [[maybe_unused]] ox::u32 x = ox::cast<ox::u32>(-1); }) == "accepted");
}

TEST_CASE("device values live only in a kernel, and one run of it") {
  CHECK_THROWS_AS(ox::f32(1), ox::TraceError);
  CHECK_THROWS_WITH(ox::u32(), Catch::Contains("outside of a kernel") && Catch::Contains("conversions.cpp"));
  CHECK_THROWS_WITH(trace_only([] {
                      static ox::f32 kept = 1;
                      kept += 1;
                    }),
                    Catch::Contains("earlier run"));
}

namespace {

template <class From, class To>
inline constexpr auto casts = ox::kernel("casts", [](ox::Span<const From> in, ox::DisjointSpan<To> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = ox::cast<To>(in[i]);
});

template <class T>
std::vector<T> numbers_of() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {0,
            T(-0.0),
            T(0.5),
            T(-0.5),
            T(1.5),
            T(-1.9),
            3,
            127,
            128,
            -129,
            255,
            256,
            32768,
            65536,
            T(2147483520),
            T(4294967040),
            T(-2147483648.0),
            T(3e9),
            T(1e19),
            T(-1e19),
            T(1.8e19),
            L::max(),
            L::lowest(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            L::min(),
            T(16777217)};
  else
    return {0,
            1,
            2,
            100,
            127,
            static_cast<T>(128),
            static_cast<T>(200),
            static_cast<T>(-1),
            L::min(),
            L::max(),
            static_cast<T>(L::max() / 3),
            static_cast<T>(16777217)};
}

template <class To, class From>
To cast_on_host(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const long double t = std::trunc(static_cast<long double>(x));
    if (t < static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (t > static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(t);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void check_cast() {
  INFO(oxide::ir::name_of(oxide::ir::type_for<From>()) << " to " << oxide::ir::name_of(oxide::ir::type_for<To>()));
  const std::vector<From> in = numbers_of<From>();
  on_every_device([&](const ox::Stream& stream) {
    const auto d = ox::DeviceBuffer<From>::from_host(stream, in);
    auto out = ox::DeviceBuffer<To>::zeroed(stream, in.size());
    casts<From, To>(stream, ox::LaunchConfig::for_num_elems(in.size()), d, out);
    const std::vector<To> got = out.to_host(stream);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const To expected = cast_on_host<To>(in[i]);
      INFO(+in[i] << " gave " << +got[i] << ", expected " << +expected);
      REQUIRE((got[i] == expected || (got[i] != got[i] && expected != expected)));
    }
  });
}

template <class From>
void check_casts_from() {
  check_cast<From, std::int8_t>();
  check_cast<From, std::uint16_t>();
  check_cast<From, std::int32_t>();
  check_cast<From, std::uint32_t>();
  check_cast<From, std::int64_t>();
  check_cast<From, std::uint64_t>();
  check_cast<From, float>();
  check_cast<From, double>();
}

}  // namespace

TEMPLATE_TEST_CASE("casts", "", std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                   double) {
  check_casts_from<TestType>();
}

TEST_CASE("casts of booleans, bit casts, and casts of host numbers") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<double> out) {
    const auto put = [&](unsigned at, ox::f64 x) { out.unchecked_mut(at) = x; };
    const ox::f32 half = 0.5, zero = 0, nan = std::numeric_limits<float>::quiet_NaN();
    put(0, ox::cast<double>(half < 1));
    put(1, ox::cast<double>(half > 1));
    put(2, ox::cast<double>(ox::cast<bool>(half)));
    put(3, ox::cast<double>(ox::cast<bool>(zero)));
    put(4, ox::cast<double>(ox::cast<bool>(nan)));
    put(5, ox::cast<double>(ox::bit_cast<ox::u32>(half)));
    put(6, ox::cast<double>(ox::bit_cast<float>(ox::i32(0x40490fdb))));
    put(7, ox::cast<double>(ox::cast<ox::u8>(300)));
    put(8, ox::cast<double>(ox::cast<ox::i32>(2.9)));
    put(9, ox::cast<double>(ox::cast<ox::u16>(ox::i32(-1))));
    ox::i64 wide = ox::i8(-3);
    put(10, ox::cast<double>(wide));
    put(11, ox::cast<double>(ox::boolean() ^ true));
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto out = run_alone<double>(stream, k, 12);
    const std::vector<double> expected{1, 0, 1, 0, 1, 0x3f000000, std::bit_cast<float>(0x40490fdb), 44, 2, 65535, -3, 1};
    CHECK(out == expected);
  });
}

// An assembler of PTX converts a number where the low bits of its register were to be stored.
TEST_CASE("parts of a floating-point number's bits are stored as they are") {
  constexpr auto k = ox::kernel("parts", [](ox::Span<const float> x, ox::Span<const double> y, ox::Span<std::uint8_t> bytes,
                                            ox::Span<std::uint16_t> halves, ox::Span<std::uint32_t> words) {
    const auto i = ox::thread::index_1d();
    if (i >= x.size()) return;
    ox::u32 single = ox::bit_cast<ox::u32>(x[i] * 3);
    const ox::u64 twice = ox::bit_cast<ox::u64>(y[i] + 1);
    const ox::u16 half = ox::bit_cast<ox::u16>(ox::cast<ox::half>(x[i]));
    bytes.unchecked_mut(8 * i) = ox::cast<ox::u8>(single);
    bytes.unchecked_mut(8 * i + 1) = ox::cast<ox::u8>(twice);
    bytes.unchecked_mut(8 * i + 2) = ox::cast<ox::u8>(half);
    bytes.unchecked_mut(8 * i + 3) = ox::cast<ox::u8>(single & 0x7fffffff);
    if (x[i] > 0.5f) single = ox::bit_cast<ox::u32>(x[i] - 7);
    bytes.unchecked_mut(8 * i + 4) = ox::cast<ox::u8>(single);
    bytes.unchecked_mut(8 * i + 5) = ox::cast<ox::u8>(ox::bit_cast<ox::u64>(ox::abs(y[i])));
    bytes.unchecked_mut(8 * i + 6) = ox::cast<ox::u8>(ox::bit_cast<ox::u32>(-x[i]) ^ 1u);
    halves.unchecked_mut(2 * i) = ox::cast<ox::u16>(ox::bit_cast<ox::u32>(ox::sqrt(x[i])));
    halves.unchecked_mut(2 * i + 1) = ox::cast<ox::u16>(twice);
    words.unchecked_mut(i) = ox::cast<ox::u32>(ox::bit_cast<ox::u64>(y[i] * y[i]));
  });
  constexpr std::size_t n = 70;
  std::mt19937 random(11);
  std::uniform_real_distribution<float> number(0, 1);
  std::vector<float> x(n);
  std::vector<double> y(n);
  for (std::size_t i = 0; i != n; ++i) x[i] = number(random), y[i] = -static_cast<double>(number(random)) / 3;
  on_every_device([&](const ox::Stream& stream) {
    auto bytes = ox::DeviceBuffer<std::uint8_t>::zeroed(stream, 8 * n);
    auto halves = ox::DeviceBuffer<std::uint16_t>::zeroed(stream, 2 * n);
    auto words = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
    k(stream, ox::LaunchConfig::for_num_elems(n), ox::DeviceBuffer<float>::from_host(stream, x),
      ox::DeviceBuffer<double>::from_host(stream, y), bytes, halves, words);
    const auto got_bytes = bytes.to_host(stream);
    const auto got_halves = halves.to_host(stream);
    const auto got_words = words.to_host(stream);
    const auto low = [](auto v) {
      return static_cast<std::uint8_t>(std::bit_cast<std::conditional_t<sizeof v == 4, std::uint32_t, std::uint64_t>>(v));
    };
    for (std::size_t i = 0; i != n; ++i) {
      INFO(i);
      const float triple = x[i] * 3;
      CHECK(got_bytes[8 * i] == low(triple));
      CHECK(got_bytes[8 * i + 1] == low(y[i] + 1));
      CHECK(got_bytes[8 * i + 2] == static_cast<std::uint8_t>(std::bit_cast<std::uint16_t>(ox::half(x[i]))));
      CHECK(got_bytes[8 * i + 3] == low(triple));
      CHECK(got_bytes[8 * i + 4] == low(x[i] > 0.5f ? x[i] - 7 : triple));
      CHECK(got_bytes[8 * i + 5] == low(y[i]));
      CHECK(got_bytes[8 * i + 6] == (low(x[i]) ^ 1));
      CHECK(got_halves[2 * i] == static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(std::sqrt(x[i]))));
      CHECK(got_halves[2 * i + 1] == static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(y[i] + 1)));
      CHECK(got_words[i] == static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(y[i] * y[i])));
    }
  });
}
