// ox::function: recursion, results of several numbers, references, spans, checks in functions, and calls that go too deep.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/devices.hpp"

namespace {

const ox::Function<ox::u64(ox::u64)> factorial("factorial", [](ox::u64 n) -> ox::u64 {
  if (n <= 1) return 1;
  return n * factorial(n - 1);
});
const ox::Function<ox::u32(ox::u32, ox::u32)> ackermann("ackermann", [](ox::u32 m, ox::u32 n) -> ox::u32 {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
});
const ox::Function<ox::u32(ox::u32)> fibonacci("fibonacci", [](ox::u32 n) -> ox::u32 {
  ox::u32 sum = n;
  if (n >= 2) sum = fibonacci(n - 1) + fibonacci(n - 2);
  return sum;
});

// Each calls the other; plain functions, declared before they are defined.
ox::boolean is_even_of(ox::u32 n);
ox::boolean is_odd_of(ox::u32 n);
constexpr auto is_even = ox::function("is_even", is_even_of);
constexpr auto is_odd = ox::function("is_odd", is_odd_of);
ox::boolean is_even_of(ox::u32 n) {
  if (n == 0) return true;
  return is_odd(n - 1);
}
ox::boolean is_odd_of(ox::u32 n) {
  if (n == 0) return false;
  return is_even(n - 1);
}

struct Split {
  ox::i32 whole;
  ox::f32 rest;
};
constexpr auto split = ox::function("split", [](ox::f32 x) {
  ox::f32 whole = ox::floor(x);
  return Split{ox::cast<int>(whole), x - whole};
});
constexpr auto divide =
    ox::function("divide", [](ox::i32 a, ox::i32 b) { return std::tuple<ox::i32, ox::i32, ox::boolean>(a / b, a % b, a % b == 0); });

// Partial sums of a span, by halves: a tree of calls that reads memory.
const ox::Function<ox::f32(ox::Span<const float>, ox::u64, ox::u64)> sum_of("sum_of",
                                                                            [](ox::Span<const float> s, ox::u64 low,
                                                                               ox::u64 high) -> ox::f32 {
                                                                              if (high - low == 1) return s[low];
                                                                              const ox::u64 middle = low + (high - low) / 2;
                                                                              return sum_of(s, low, middle) + sum_of(s, middle, high);
                                                                            });

// Changes what it is given.
constexpr auto order = ox::function("order", [](ox::i32& a, ox::i32& b) {
  if (b < a) std::swap(a, b);
});

// Writes: the elements of a range, backwards.
const ox::Function<void(ox::Span<int>, ox::u32, ox::u32)> count_down("count_down", [](ox::Span<int> out, ox::u32 at, ox::u32 n) {
  if (n == 0) return;
  out.unchecked_mut(at) = ox::cast<int>(n);
  count_down(out, at + 1, n - 1);
});

using Numbers = ox::LocalArray<int, 16>;
const ox::Function<void(Numbers&, ox::i32, ox::i32)> quicksort("quicksort", [](Numbers& a, ox::i32 low, ox::i32 high) {
  if (low >= high) return;
  const ox::i32 pivot = a[(low + high) / 2];
  ox::i32 i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      const ox::i32 x = a[i], y = a[j];
      a[i] = y;
      a[j] = x;
      ++i;
      --j;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
});
constexpr auto half = ox::function("half", [](ox::Value<std::pair<float, int>> p) {
  p.get<0>() /= 2;
  p.get<1>() /= 2;
  return p;
});

const ox::Function<ox::u64(ox::u64)> deep("deep", [](ox::u64 n) -> ox::u64 {
  if (n == 0) return 1;
  return (deep(n - 1) ^ n) * 3;
});
const ox::Function<ox::u64(ox::u64)> endless("endless", [](ox::u64 n) -> ox::u64 {
  if (n == 0) return endless(n + 1);
  return (endless(n + 1) ^ n) * 3;
});

std::uint32_t host_ackermann(std::uint32_t m, std::uint32_t n) {
  if (m == 0) return n + 1;
  return n == 0 ? host_ackermann(m - 1, 1) : host_ackermann(m - 1, host_ackermann(m, n - 1));
}

}  // namespace

TEST_CASE("functions call themselves and each other") {
  constexpr auto k = ox::kernel("recursion", [](ox::DisjointSpan<std::uint64_t> out) {
    const auto i = ox::thread::index_1d();
    const ox::u32 n = ox::cast<std::uint32_t>(i);
    auto e = out.get_mut(i);
    if (!e) return;
    ox::u64 sum = factorial(n % 20);
    for (auto round : ox::range(2u)) sum += ackermann(2, n % 4 + round);  // called from a loop,
    if (n % 3 == 0) sum ^= ox::u64(fibonacci(n % 12)) << 40;              // from a branch,
    else if (is_even(n)) sum += is_odd(n + 1) ? 5 : 7;                     // and as a condition
    *e = sum;
  });
  on_every_device([&](const ox::Stream& stream) {
    constexpr std::uint32_t n = 100;
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, n);
    k(stream, ox::LaunchConfig::for_num_elems(n), out);
    const std::vector<std::uint64_t> got = out.to_host(stream);
    for (std::uint32_t i = 0; i != n; ++i) {
      std::uint64_t sum = 1;
      for (std::uint64_t f = 2; f <= i % 20; ++f) sum *= f;
      for (std::uint32_t round = 0; round != 2; ++round) sum += host_ackermann(2, i % 4 + round);
      std::uint64_t a = 0, b = 1;
      for (std::uint32_t f = 0; f != i % 12; ++f) a = std::exchange(b, a + b);
      if (i % 3 == 0) sum ^= a << 40;
      else if (i % 2 == 0) sum += 5;
      INFO("element " << i);
      CHECK(got[i] == sum);
    }
  });
  const auto graph = k.graph();
  CHECK(graph->functions.size() == 5);  // each once, however often it is called
}

TEST_CASE("functions return structs and tuples, change references, and take spans and lambdas") {
  static constexpr auto apply = ox::function("apply", [](auto f, ox::f32 x) { return f(x) + f(x + 1); });
  constexpr auto k = ox::kernel("results", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    const ox::f32 x = in[i];
    const Split parts = split(x);
    const auto [quotient, rest, exact] = divide(parts.whole, 3);
    ox::i32 low = parts.whole, high = 4;
    order(low, high);
    const ox::f32 squares = apply([](ox::f32 v) { return v * v; }, parts.rest);
    *e = sum_of(in, 0, in.size()) + ox::cast<float>(quotient * 10000 + rest * 1000 + low * 100 + high) + squares +
         ox::select(exact, ox::f32(0.5f), 0.25f);
  });
  on_every_device([&](const ox::Stream& stream) {
    std::vector<float> host(37);
    float total = 0;
    for (std::size_t i = 0; i != host.size(); ++i) host[i] = 0.25f * static_cast<float>(i), total += host[i];
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, host.size());
    k(stream, ox::LaunchConfig::for_num_elems(host.size()), in, out);
    const std::vector<float> got = out.to_host(stream);
    for (std::size_t i = 0; i != host.size(); ++i) {
      const int whole = static_cast<int>(host[i]), low = whole < 4 ? whole : 4, high = whole < 4 ? 4 : whole;
      const float part = host[i] - static_cast<float>(whole);
      const float expected = total + static_cast<float>(whole / 3 * 10000 + whole % 3 * 1000 + low * 100 + high) + part * part +
                             (part + 1) * (part + 1) + (whole % 3 == 0 ? 0.5f : 0.25f);
      CHECK(got[i] == Approx(expected).epsilon(1e-6));
    }
  });
}

TEST_CASE("a function may be a lambda of its own, generic, and another one for each span") {
  constexpr auto k = ox::kernel("local", [](ox::Span<int> a, ox::Span<int> b) {
    static constexpr auto power = ox::function("power", [](auto self, auto x, ox::u32 n) -> decltype(x) {
      if (n == 0) return 1;
      return x * self(x, n - 1);
    });
    const ox::u32 at = ox::thread_idx.x() * 4;
    count_down(a, at, 4);
    count_down(b, at, 3);
    ox::i32 two = 2;
    b.unchecked_mut(at + 3) = power(two, ox::u32(5)) + ox::cast<int>(power(ox::f32(1.5f), ox::u32(3)) * 8);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto a = ox::DeviceBuffer<int>::zeroed(stream, 8), b = ox::DeviceBuffer<int>::zeroed(stream, 8);
    k(stream, ox::LaunchConfig{1, 2}, a, b);
    CHECK(a.to_host(stream) == std::vector<int>{4, 3, 2, 1, 4, 3, 2, 1});
    CHECK(b.to_host(stream) == std::vector<int>{3, 2, 1, 59, 3, 2, 1, 59});
  });
  const auto graph = k.graph();
  CHECK(graph->functions.size() == 4);  // count_down of a and of b, power of integers and of floats
}

TEST_CASE("quicksort sorts an array of the caller's, and a struct of the host goes in and out") {
  constexpr auto k = ox::kernel("sorts", [](ox::Span<const int> in, ox::DisjointSpan<int> out) {
    ox::LocalArray<int, 16> a;
    const ox::u32 first = ox::thread_idx.x() * 16;
    for (auto i : ox::range(16u)) a[i] = in[first + i];
    quicksort(a, 0, 15);
    const ox::Value<std::pair<float, int>> scaled = half(ox::Value<std::pair<float, int>>(std::pair<float, int>(3.0f, 8)));
    for (auto i : ox::range(16u)) out.unchecked_mut(first + i) = a[i] + scaled.get<1>() + ox::cast<int>(scaled.get<0>() * 2);
  });
  on_every_device([&](const ox::Stream& stream) {
    std::vector<int> host(64), expected;
    for (std::size_t i = 0; i != host.size(); ++i) host[i] = static_cast<int>(i * 2654435761u % 1000u);
    expected = host;
    for (std::size_t t = 0; t != 4; ++t)
      std::sort(expected.begin() + static_cast<std::ptrdiff_t>(16 * t), expected.begin() + static_cast<std::ptrdiff_t>(16 * t + 16));
    for (int& x : expected) x += 4 + 3;
    const auto in = ox::DeviceBuffer<int>::from_host(stream, host);
    auto out = ox::DeviceBuffer<int>::zeroed(stream, host.size());
    k(stream, ox::LaunchConfig{1, 4}, in, out);
    CHECK(out.to_host(stream) == expected);
  });
}

TEST_CASE("a check in a function is reported with its line and the function's name", "[fault]") {
  static constexpr auto at = ox::function("at", [](ox::Span<const float> s, ox::u64 i) { return s[i]; });
  const auto k = ox::kernel("checked", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = at(in, i * 2);
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{0, 1, 2, 3, 4, 5, 6});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 5);
    const auto run = [&] {
      k(stream, ox::LaunchConfig{1, 8}, in, out);
      stream.synchronize();
    };
    CHECK_THROWS_WITH(run(),
                      Catch::Contains("kernel 'checked': index 8 is outside of parameter 1, which has 7 elements, in function 'at'") &&
                          Catch::Contains("thread (4, 0, 0)") && Catch::Contains("functions.cpp:" + std::to_string(__LINE__ - 14)));
    CHECK(out.to_host(stream) == std::vector<float>{0, 2, 4, 6, 0});
  });
}

TEST_CASE("calls that go too deep are reported, and leave the device usable", "[fault]") {
  const auto k = ox::kernel("too_deep", [](ox::u64 n, ox::DisjointSpan<std::uint64_t> out) {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = n > 100 ? deep(n) : factorial(n);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 64);
    const auto run = [&](std::uint64_t n) {
      k(stream, ox::LaunchConfig{2, 32}, n, out);
      stream.synchronize();
    };
    for (int round = 0; round != 2; ++round) {
      CHECK_THROWS_WITH(run(1'000'000'000),
                        Catch::Contains("kernel 'too_deep': calls of function 'deep' go deeper than the stack of a thread") &&
                            Catch::Contains(".stack_size(bytes)") && Catch::Contains("functions.cpp:"));
      run(5);
      CHECK(out.to_host(stream) == std::vector<std::uint64_t>(64, 120));
    }
  });
}

TEST_CASE("a kernel's stack_size lets its calls go as deep as it says") {
  constexpr auto k = ox::kernel("deeper", [](ox::u64 n, ox::DisjointSpan<std::uint64_t> out) {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = deep(n);
  });
  constexpr auto larger = k.stack_size(200000);
  std::uint64_t expected = 1;
  for (std::uint64_t n = 1; n <= 1000; ++n) expected = (expected ^ n) * 3;
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 64);
    larger(stream, ox::LaunchConfig{2, 32}, 1000, out);
    CHECK(out.to_host(stream) == std::vector<std::uint64_t>(64, expected));
  });
  const std::string ptx = larger.ptx(90), usual = k.ptx(90);
  CHECK(ptx.find("200000") != std::string::npos);
  CHECK(usual.find("200000") == std::string::npos);
  CHECK(usual.find("4096") != std::string::npos);
}

TEST_CASE("errors in a function name it, and what it throws reaches the caller") {
  static constexpr auto counts = ox::function("counts", [](ox::u32 n) {
    int k = 0;
    ox::u32 sum = 0;
    for (auto i : ox::range(n)) sum += i * k++;
    return sum;
  });
  CHECK_THROWS_WITH(ox::kernel("k", [](ox::u32 n, ox::Span<std::uint32_t> out) { out.unchecked_mut(0) = counts(n); }).graph(),
                    Catch::Contains("kernel 'k': host state changed inside the counted loop") && Catch::Contains(", in function 'counts'"));
  static constexpr auto throws = ox::function("throws", [](ox::u32) -> ox::u32 { throw std::string("mine"); });
  CHECK_THROWS_AS(ox::kernel("k", [](ox::u32 n, ox::Span<std::uint32_t> out) { out.unchecked_mut(0) = throws(n); }).graph(), std::string);
  CHECK_THROWS_WITH(ox::kernel("k", [](ox::u64 n, ox::Span<std::uint64_t> out) { out.unchecked_mut(0) = endless(n); }).graph(),
                    Catch::Contains("kernel 'k': function 'endless' never returns") && Catch::Contains("functions.cpp:"));
  CHECK_THROWS_WITH(factorial(3), Catch::Contains("a device value was used outside of a kernel"));
  CHECK_THROWS_WITH(ox::function("a b", [](ox::f32 x) { return x; }), Catch::Contains("a function's name is made of letters"));
}

TEST_CASE("a plain helper that calls itself on a device condition is refused, and the message says what to write") {
  struct Helper {
    static ox::u32 down(ox::u32 n) {
      if (n == 0) return 0;
      return down(n - 1) + 1;
    }
  };
  CHECK_THROWS_WITH(ox::kernel("k", [](ox::u32 n, ox::Span<std::uint32_t> out) { out.unchecked_mut(0) = Helper::down(n); }).graph(),
                    Catch::Contains("kernel 'k'") && Catch::Contains("ox::function"));
}
