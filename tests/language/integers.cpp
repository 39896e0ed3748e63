// Integer operators, on edge cases and random numbers of every width, against the rules of docs/numbers.md.
#include <cstdint>
#include <limits>
#include <random>

#include "support/devices.hpp"

namespace {

template <class T>
struct Inputs {
  std::vector<T> a, b;
  Inputs() {
    using L = std::numeric_limits<T>;
    const T edges[] = {0,  1,  2,  3, 7, 8, static_cast<T>(-1), static_cast<T>(-2), L::min(), L::max(), static_cast<T>(L::max() / 2),
                       31, 32, 63, 64};
    for (const T x : edges)
      for (const T y : edges) a.push_back(x), b.push_back(y);
    std::mt19937_64 random(7);
    for (int i = 0; i < 500; ++i) a.push_back(static_cast<T>(random())), b.push_back(static_cast<T>(random()));
  }
};

// The host's model computes in 64 bits, without a sign, and takes the low bits: so nothing in it is undefined.
using Wide = std::uint64_t;
template <class T>
T low(Wide x) {
  return static_cast<T>(x);
}
template <class T>
Wide wide(T x) {
  return static_cast<Wide>(x);
}

template <class T, class F, class M>
void check_binary(const char* name, F f, M model, const Inputs<T>& in = {}) {
  INFO(name << " of " << oxide::ir::name_of(oxide::ir::type_for<T>()));
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<T> out = run2<T, T>(stream, f, in.a, in.b);
    for (std::size_t i = 0; i < out.size(); ++i) {
      INFO(+in.a[i] << " and " << +in.b[i]);
      REQUIRE(+out[i] == +model(in.a[i], in.b[i]));
    }
  });
}

template <class T>
Inputs<T> without_zero_divisors() {
  Inputs<T> in;
  for (T& x : in.b)
    if (x == 0) x = 5;
  return in;
}

template <class T>
T divided(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return low<T>(0 - wide(a));  // MIN / -1 is MIN
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T, class F, class M>
void check_comparison(const char* name, F f, M model) {
  INFO(name << " of " << oxide::ir::name_of(oxide::ir::type_for<T>()));
  const Inputs<T> in;
  on_every_device([&](const ox::Stream& stream) {
    const auto out = run2<T, std::uint8_t>(stream, f, in.a, in.b);
    for (std::size_t i = 0; i < out.size(); ++i) {
      INFO(+in.a[i] << " and " << +in.b[i]);
      REQUIRE(out[i] == (model(in.a[i], in.b[i]) ? 1 : 0));
    }
  });
}

}  // namespace

#define INTEGERS std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

TEMPLATE_TEST_CASE("integer arithmetic wraps", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_binary<T>("+", [](V a, V b) { return a + b; }, [](T a, T b) { return low<T>(wide(a) + wide(b)); });
  check_binary<T>("-", [](V a, V b) { return a - b; }, [](T a, T b) { return low<T>(wide(a) - wide(b)); });
  check_binary<T>("*", [](V a, V b) { return a * b; }, [](T a, T b) { return low<T>(wide(a) * wide(b)); });
  check_binary<T>("negation", [](V a, V) { return -a; }, [](T a, T) { return low<T>(0 - wide(a)); });
  check_binary<T>("unary plus", [](V a, V) { return +a; }, [](T a, T) { return a; });
  check_binary<T>("abs", [](V a, V) { return ox::abs(a); }, [](T a, T) { return a < 0 ? low<T>(0 - wide(a)) : a; });
}

TEMPLATE_TEST_CASE("integer division truncates, and its overflow wraps", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_binary<T>("/", [](V a, V b) { return a / b; }, divided<T>, without_zero_divisors<T>());
  check_binary<T>("%", [](V a, V b) { return a % b; }, remainder<T>, without_zero_divisors<T>());
}

TEMPLATE_TEST_CASE("bitwise operators", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_binary<T>("&", [](V a, V b) { return a & b; }, [](T a, T b) { return low<T>(wide(a) & wide(b)); });
  check_binary<T>("|", [](V a, V b) { return a | b; }, [](T a, T b) { return low<T>(wide(a) | wide(b)); });
  check_binary<T>("^", [](V a, V b) { return a ^ b; }, [](T a, T b) { return low<T>(wide(a) ^ wide(b)); });
  check_binary<T>("~", [](V a, V) { return ~a; }, [](T a, T) { return low<T>(~wide(a)); });
}

TEMPLATE_TEST_CASE("shifts take their count modulo the width", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  constexpr Wide mask = 8 * sizeof(T) - 1;
  check_binary<T>("<<", [](V a, V b) { return a << b; }, [](T a, T b) { return low<T>(wide(a) << (wide(b) & mask)); });
  check_binary<T>(">>", [](V a, V b) { return a >> b; }, [](T a, T b) { return static_cast<T>(a >> (wide(b) & mask)); });
  check_binary<T>("<< 3", [](V a, V) { return a << 3; }, [](T a, T) { return low<T>(wide(a) << 3); });
  check_binary<T>(">> 67", [](V a, V) { return a >> 67; }, [](T a, T) { return static_cast<T>(a >> (67 & mask)); });
  check_binary<T>("1 << n", [](V, V b) { return 1 << b; }, [](T, T b) { return low<T>(Wide{1} << (wide(b) & mask)); });
}

TEMPLATE_TEST_CASE("integer comparisons", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_comparison<T>("==", [](V a, V b) { return ox::cast<ox::u8>(a == b); }, [](T a, T b) { return a == b; });
  check_comparison<T>("!=", [](V a, V b) { return ox::cast<ox::u8>(a != b); }, [](T a, T b) { return a != b; });
  check_comparison<T>("<", [](V a, V b) { return ox::cast<ox::u8>(a < b); }, [](T a, T b) { return a < b; });
  check_comparison<T>("<=", [](V a, V b) { return ox::cast<ox::u8>(a <= b); }, [](T a, T b) { return a <= b; });
  check_comparison<T>(">", [](V a, V b) { return ox::cast<ox::u8>(a > b); }, [](T a, T b) { return a > b; });
  check_comparison<T>(">=", [](V a, V b) { return ox::cast<ox::u8>(a >= b); }, [](T a, T b) { return a >= b; });
}

TEMPLATE_TEST_CASE("min, max, clamp and select of integers", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_binary<T>("min", [](V a, V b) { return ox::min(a, b); }, [](T a, T b) { return b < a ? b : a; });
  check_binary<T>("max", [](V a, V b) { return ox::max(a, b); }, [](T a, T b) { return a < b ? b : a; });
  check_binary<T>("clamp", [](V a, V) { return ox::clamp(a, 3, 100); }, [](T a, T) { return a < 3 ? T{3} : a > 100 ? T{100} : a; });
  check_binary<T>("select", [](V a, V b) { return ox::select(a < b, a, 7); }, [](T a, T b) { return a < b ? a : T{7}; });
  check_binary<T>(
      "select of host numbers", [](V a, V b) { return ox::select(a < b, T{3}, T{7}); }, [](T a, T b) { return a < b ? T{3} : T{7}; });
  check_binary<T>("std::min", [](V a, V b) { return std::min(a, b); }, [](T a, T b) { return b < a ? b : a; });
}

TEMPLATE_TEST_CASE("compound assignments change their variable", "", INTEGERS) {
  using T = TestType;
  using V = ox::Value<T>;
  check_binary<T>(
      "compound",
      [](V a, V b) {
        V x = a;
        x += b;
        x ^= a;
        x -= 3;
        x *= b;
        x &= 0x7f;
        x |= b;
        x <<= 1;
        x >>= 2;
        ++x;
        V y = x++;
        x -= y;  // 1
        y--;
        --y;
        x %= 5;
        x /= 1;
        return x + y;
      },
      [](T a, T b) {
        T x = a;
        x = low<T>(wide(x) + wide(b));
        x = low<T>(wide(x) ^ wide(a));
        x = low<T>(wide(x) - 3);
        x = low<T>(wide(x) * wide(b));
        x = low<T>(wide(x) & 0x7f);
        x = low<T>(wide(x) | wide(b));
        x = low<T>(wide(x) << 1);
        x = static_cast<T>(x >> 2);
        x = low<T>(wide(x) + 1);
        return low<T>(1 + wide(x) - 2);
      });
}

TEST_CASE("a zero divisor is a fault with its line", "[fault]") {
  on_every_device([](const ox::Stream& stream) {
    if (stream.device_id() != 0) return;  // on a GPU a fault ends the context: see the runtime's tests
    const std::vector<int> a{6, 7, 8}, b{2, 0, 4};
    int line = 0;
    const auto divide = ox::kernel("divide", [](ox::Span<const int> x, ox::Span<const int> y, ox::DisjointSpan<int> out) {
      const auto i = ox::thread::index_1d();
      if (auto e = out.get_mut(i)) *e = x[i] / y[i];
    });
    line = __LINE__ - 2;
    const auto da = ox::DeviceBuffer<int>::from_host(stream, a), db = ox::DeviceBuffer<int>::from_host(stream, b);
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 3);
    try {
      divide(stream, ox::LaunchConfig::for_num_elems(3), da, db, out);
      stream.synchronize();
      FAIL("no fault");
    } catch (const ox::KernelFault& fault) {
      CHECK(fault.kernel == "divide");
      CHECK(static_cast<int>(fault.line.line) == line);
      CHECK(fault.thread[0] == 1);
    }
  });
}
