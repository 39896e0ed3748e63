// ox::print: the same text from every device, whole calls, and nothing lost in silence.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/dsl/choice.hpp>
#include <oxide/dsl/vector.hpp>
#include <oxide/ir/print.hpp>

#include "support/devices.hpp"
#include "support/interpreter.hpp"

namespace {

// Takes what kernels print while it lives.
class Captured {
 public:
  Captured() : before_(ox::set_print_sink([this](std::string_view s) { text_ += s; })) {}
  ~Captured() { ox::set_print_sink(before_); }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
  ox::PrintSink before_;
};

enum class Color : std::uint8_t { red = 3, blue = 200 };

std::string c_text(const char* format, double x) {
  char out[400];
  std::snprintf(out, sizeof out, format, x);
  return out;
}

}  // namespace

TEST_CASE("numbers of every type print as {fmt} prints them") {
  constexpr auto k = ox::kernel("numbers", [](ox::i8 a, ox::u8 b, ox::i16 c, ox::u16 d, ox::i32 e, ox::u32 f, ox::i64 g, ox::u64 h,
                                              ox::f32 x, ox::f64 y, ox::boolean t) {
    ox::print("{} {} {} {} {} {} {} {}\n", a, b, c, d, e, f, g, h);
    ox::print("{} {} {} {}\n", x, y, t, !t);
    ox::println("{:x} {:#x} {:#X} {:o} {:#o} {:b} {:#b}", b, h, f, d, d, b, a);
    ox::println("[{:5}] [{:<5}] [{:^5}] [{:>5}] [{:*^7}] [{:05}] [{:+}] [{: }] [{:+06d}]", e, c, b, a, d, a, f, b, c);
    ox::println("{:.3f} {:08.3f} {:e} {:.2E} {:g} {:>12.4g}| {:+} {:a}", x, x, y, y, y, y, x, y);
    ox::println("{1} {0} {1:>4} {{}} {{{0}}}", a, b);
    ox::println("{:>6} {:d} {:c}{:c}", t, t, b, f);
  });
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    k(stream, ox::LaunchConfig{1, 1}, -128, 65, -3000, 60000, -2147483647 - 1, 4294967295u, std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::uint64_t>::max(), 0.1f, -1234.5678, true);
    stream.synchronize();
    CHECK(captured.take() ==
          "-128 65 -3000 60000 -2147483648 4294967295 -9223372036854775808 18446744073709551615\n"
          "0.1 -1234.5678 true false\n"
          "41 0xffffffffffffffff 0XFFFFFFFF 165140 0165140 1000001 -0b10000000\n"
          "[-2147483648] [-3000] [ 65  ] [ -128] [*60000*] [-0128] [+4294967295] [ 65] [-03000]\n"
          "0.100 0000.100 -1.234568e+03 -1.23E+03 -1234.57        -1235| +0.1 -0x1.34a456d5cfaadp+10\n"
          "65 -128   65 {} {-128}\n"
          "  true 1 A\xff\n");
  });
}

TEST_CASE("wide integers, 8-bit floats and pairs print as the numbers that they are, and pairs as two") {
  constexpr auto k = ox::kernel("all_types", [](ox::i64 a, ox::u64 b, ox::f32 x, ox::f32 y, ox::Span<const ox::e4m3> bytes) {
    ox::i128 wide = ox::cast<ox::i128>(a) * ox::cast<ox::i128>(b);
    ox::u128 bits = (ox::cast<ox::u128>(b) << 64) | 5u;
    ox::println("{} {:x} {:#b} [{:>42}] [{:+}]", wide, bits, ox::cast<ox::u128>(b) >> 60, wide, bits);
    ox::f16x2 h = ox::make_f16x2(ox::cast<ox::f16>(x), ox::cast<ox::f16>(y));
    ox::bf16x2 w = ox::make_bf16x2(ox::cast<ox::bf16>(y), ox::cast<ox::bf16>(x));
    ox::println("{0} {1:.2f} {1:5} {2} {0:+} {3}", h, w, bytes[0], ox::cast<ox::e5m2>(y));
    ox::println("{} {:.1f} {} {:>6} {} {}", ox::half2{ox::half(0.5), ox::half(-2)}, ox::bfloat162{ox::bfloat16(3), ox::bfloat16(0.25)},
                ox::e4m3(0.3), ox::e5m2(-1e9), static_cast<oxide::int128>(-1) << 100, ~static_cast<oxide::uint128>(0));
  });
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    const auto bytes = ox::DeviceBuffer<ox::e4m3>::from_host(stream, std::vector<ox::e4m3>{ox::e4m3(-0.4375)});
    k(stream, ox::LaunchConfig{1, 1}, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max(), 1.5f, -0.125f,
      bytes);
    stream.synchronize();
    CHECK(captured.take() ==
          "-170141183460469231722463931679029329920 ffffffffffffffff0000000000000005 0b1111 "
          "[  -170141183460469231722463931679029329920] [+340282366920938463444927863358058659845]\n"
          "(1.5, -0.125) (-0.12, 1.50) (-0.125,   1.5) -0.4375 (+1.5, -0.125) -0.125\n"
          "(0.5, -2) (3.0, 0.2) 0.3125 -57344 -1267650600228229401496703205376 340282366920938463463374607431768211455\n");
  });
}

TEST_CASE("floating-point numbers print shortest, and as C does with a precision") {
  constexpr auto k = ox::kernel("floats", [](ox::Span<const double> in) {
    for (auto i : ox::range(in.size())) {
      ox::f64 x = in[i];
      ox::println("{} {:.17g} {:.3e} {:.1f}", x, x, x, x);
    }
  });
  std::vector<double> in{0.0,
                         -0.0,
                         1.0,
                         100000.0,
                         1e15,
                         1e16,
                         1e-4,
                         9.99e-5,
                         5e-324,
                         1.7976931348623157e308,
                         0.1,
                         1 / 3.0,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()};
  std::mt19937_64 random(5);
  for (int i = 0; i != 100; ++i)
    in.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 200) - 150));
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    const auto d = ox::DeviceBuffer<double>::from_host(stream, in);
    k(stream, ox::LaunchConfig{1, 1}, d);
    stream.synchronize();
    std::istringstream lines(captured.take());
    for (const double x : in) {
      std::string shortest, rest;
      lines >> shortest;
      std::getline(lines, rest);
      INFO(x << " " << shortest);
      CHECK(std::strtod(shortest.c_str(), nullptr) == x);
      CHECK(std::signbit(std::strtod(shortest.c_str(), nullptr)) == std::signbit(x));
      CHECK(rest == ' ' + c_text("%.17g", x) + ' ' + c_text("%.3e", x) + ' ' + c_text("%.1f", x));
      const double magnitude = std::fabs(x);
      CHECK((shortest.find('e') != std::string::npos) == (std::isfinite(x) && x != 0 && (magnitude < 1e-4 || magnitude >= 1e16)));
    }
    const std::vector<double> nan{-std::numeric_limits<double>::quiet_NaN()};
    const auto n = ox::DeviceBuffer<double>::from_host(stream, nan);
    k(stream, ox::LaunchConfig{1, 1}, n);
    stream.synchronize();
    CHECK(captured.take() == "nan nan nan nan\n");
  });
}

TEST_CASE("what the host knows becomes text, and prints of one line in a host loop are apart") {
  constexpr auto k = ox::kernel("host_values", [](ox::Span<const int> in) {
    const std::string name = "{braces}";
    for (int step = 0; step != 3; ++step)
      ox::println("{}: step {} of {:.1f} {:<6}| in[{}] = {}", name, step, 2.5, Color::blue, step, in[step]);
    ox::println("{} {} {:>3}|{:.2}|{:*<5}", true, 'x', 'y', "text", std::string_view("ab"));
    ox::println("no fields");
    ox::print("{}", "");
    ox::print("last");
  });
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    const auto d = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>{10, -20, 30});
    k(stream, ox::LaunchConfig{1, 1}, d);
    stream.synchronize();
    CHECK(captured.take() ==
          "{braces}: step 0 of 2.5 200   | in[0] = 10\n{braces}: step 1 of 2.5 200   | in[1] = -20\n"
          "{braces}: step 2 of 2.5 200   | in[2] = 30\ntrue x   y|te|ab***\nno fields\nlast");
  });
}

TEST_CASE("enumerations print as their numbers, of values, elements and the host") {
  constexpr auto k = ox::kernel("colors", [](ox::Span<const Color> in, ox::Value<Color> color) {
    ox::println("{} {:>5} {:#x} {}", in[0], color, Color::blue, in[1]);
  });
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    const auto d = ox::DeviceBuffer<Color>::from_host(stream, std::vector<Color>{Color::red, static_cast<Color>(77)});
    k(stream, ox::LaunchConfig{1, 1}, d, Color::blue);
    stream.synchronize();
    CHECK(captured.take() == "3   200 0xc8 77\n");
  });
}

TEST_CASE("prints in branches, loops and helpers come when the thread gets there") {
  static const auto helper = [](const ox::i32& x, const ox::i32& y) { ox::print("({}, {}) ", x, y); };
  constexpr auto k = ox::kernel("branches", [](ox::i32 n) {
    ox::i32 a = 1, b = 2, c = 3;
    for (auto i : ox::range(n)) {
      if (i % 2 == 0) helper(a, c);
      else helper(b, c);
      if (i == 3) ox::print("three ");
      ++c;
    }
    while (c > n) {
      ox::print("{} ", c);
      c -= 2;
    }
  });
  const std::string expected = "(1, 3) (2, 4) (1, 5) (2, 6) three (1, 7) 8 6 ";
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    k(stream, ox::LaunchConfig{1, 1}, 5);
    stream.synchronize();
    CHECK(captured.take() == expected);
  });
  oxide::testing::Interpreter interpreter(*k.graph());
  interpreter.run({}, {oxide::testing::value_argument(5), {}});
  CHECK(interpreter.output == expected);
}

TEST_CASE("calls of many threads come whole, each once, from several streams and launches") {
  constexpr auto k = ox::kernel("many", [](ox::i32 launch, ox::Span<const float> in) {
    const auto i = ox::thread::index_1d();
    if (i < in.size()) ox::println("launch {} thread {} of block {} reads {}", launch, i, ox::block_idx.x(), in[i]);
  });
  on_every_device([&](const ox::Stream& stream) {
    constexpr std::size_t n = 1000;
    std::vector<float> host(n);
    for (std::size_t i = 0; i != n; ++i) host[i] = static_cast<float>(i) / 4;
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    stream.synchronize();
    Captured captured;
    const ox::Device device = device_of(stream);
    const ox::Stream other = device.new_stream();
    for (int launch = 0; launch != 4; ++launch) k(launch % 2 == 0 ? stream : other, ox::LaunchConfig::for_num_elems(n), launch, in);
    if (stream.device_id() != 0) CHECK(captured.take() == "");
    device.synchronize();
    std::istringstream text(captured.take());
    std::multiset<std::string> lines, expected;
    for (std::string line; std::getline(text, line);) lines.insert(line);
    for (int launch = 0; launch != 4; ++launch)
      for (std::size_t i = 0; i != n; ++i) {
        std::ostringstream line;
        line << "launch " << launch << " thread " << i << " of block " << i / ox::LaunchConfig::default_block << " reads " << host[i];
        expected.insert(line.str());
      }
    CHECK(lines == expected);
  });
}

TEST_CASE("output that does not fit is counted, and later output fits again") {
  constexpr auto k = ox::kernel("much", [](ox::u32 n) {
    for (auto i : ox::range(n)) ox::println("{}", i);
  });
  ox::set_print_buffer_size(1000);
  on_every_device([&](const ox::Stream& shared) {
    const ox::Device device = device_of(shared);
    const ox::Stream stream = device.new_stream();
    Captured captured;
    for (int round = 0; round != 2; ++round) {
      k(stream, ox::LaunchConfig{1, 1}, 100);
      stream.synchronize();
      const std::string text = captured.take();
      const auto lines = std::count(text.begin(), text.end(), '\n');
      if (device.is_gpu()) {
        CHECK(lines == 41 + 1);  // 24 bytes a call
        CHECK_THAT(text, Catch::Contains("40\noxide: 59 calls of ox::print were lost"));
      } else {
        CHECK(lines == 100);
      }
    }
  });
  ox::set_print_buffer_size(std::size_t{1} << 20);
}

TEST_CASE("output comes before the fault of the same kernel, and what a sink throws reaches the host", "[fault]") {
  constexpr auto k = ox::kernel("faulty", [](ox::i32 x) {
    ox::println("before {}", x);
    ox::assert_(x == 0, "x is 0");
    ox::println("after {}", x);
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto run = [&](int x) {
      k(stream, ox::LaunchConfig{1, 1}, x);
      stream.synchronize();
    };
    {
      Captured captured;
      CHECK_THROWS_AS(run(1), ox::KernelFault);
      CHECK(captured.take() == "before 1\n");
    }
    const ox::PrintSink before = ox::set_print_sink([](std::string_view) { throw std::runtime_error("full"); });
    CHECK_THROWS_WITH(run(0), "full");
    ox::set_print_sink(before);
    Captured captured;
    run(0);
    CHECK(captured.take() == "before 0\nafter 0\n");
  });
}

namespace {

struct Vec3 {
  float x, y, z;
};
OXIDE_STRUCT(Vec3, x, y, z)
struct Body {
  Vec3 at;
  Color color;
  bool fixed;
  std::array<std::uint16_t, 2> links;
};
OXIDE_STRUCT(Body, at, color, fixed, links)
struct Unnamed {
  int n;
  ox::half h[2];
};
struct OfValues {
  ox::f32 a;
  ox::i32 b[2];
  std::pair<ox::u8, ox::boolean> c;
};
using Choice = ox::Variant<float, std::int32_t, Vec3>;

}  // namespace

TEST_CASE("structs, tuples, arrays, vectors and choices print whole, each number as the field says") {
  constexpr auto k = ox::kernel("whole", [](ox::Span<const Body> in, ox::Span<Body> io, ox::Span<const Unnamed> unnamed,
                                            ox::Span<const ox::Option<float>> options, ox::Span<const Choice> choices, ox::i32 n) {
    const ox::Value<Body> b = in[0];
    ox::println("{} {} {}", b, in[1].at, io[1]);
    ox::println("{:.2f} {:>5.1f}|", b.at, io[0].at);
    ox::println("{0} {1} {0:g}", unnamed[0].get<1>(), Vec3{1, 2, -3});
    ox::println("{} {} {}", ox::Value<Unnamed>(unnamed[0]), std::array<int, 3>{1, 2, 3}, std::pair<float, int>(0.5f, 7));
    ox::println("<{}> {}", OfValues{2.5f, {n, n + 1}, {ox::u8(std::uint8_t{7}), n > 0}}, std::tuple<ox::f32, ox::i32>(1.5f, n));
    const ox::f32x4 v(1.5f, 2, 3, 4);
    ox::println("{} {:>5}", v, v > 2);
    ox::LocalArray<std::int32_t, 3> local;
    local[1] = n;
    ox::println("{:+} {{}} {:#x}", local, std::array<ox::u32, 2>{10, 11});
    ox::println("{} {} {}", options[0], options[1], std::array<ox::Option<ox::f32>, 2>{options[1], options[0]});
    ox::Value<ox::Result<float, Vec3>> r = in[0].at.x;
    ox::print("{} ", r);
    r = ox::err(b.at);
    ox::println("{:.1f} {}", r, ox::Value<std::pair<float, ox::Option<ox::Option<int>>>>(1, ox::some(ox::some(n))));
    for (auto i : ox::range(choices.size())) ox::print("{} ", choices[i]);
  });
  on_every_device([&](const ox::Stream& stream) {
    Captured captured;
    const std::vector<Body> bodies{{{1, 2, 3}, Color::red, true, {1, 2}}, {{4, 5, 6}, Color::blue, false, {3, 4}}};
    const auto in = ox::DeviceBuffer<Body>::from_host(stream, bodies);
    auto io = ox::DeviceBuffer<Body>::from_host(stream, bodies);
    const auto unnamed = ox::DeviceBuffer<Unnamed>::from_host(stream, std::vector<Unnamed>{{9, {ox::half(1.5f), ox::half(2.0f)}}});
    const auto options =
        ox::DeviceBuffer<ox::Option<float>>::from_host(stream, std::vector<ox::Option<float>>{ox::Option<float>(2.5f), ox::none});
    const auto choices = ox::DeviceBuffer<Choice>::from_host(stream, std::vector<Choice>{1.5f, std::int32_t{-4}, Vec3{1, 2, 3}});
    k(stream, ox::LaunchConfig{1, 1}, in, io, unnamed, options, choices, 42);
    stream.synchronize();
    CHECK(captured.take() ==
          "{{1, 2, 3}, 3, true, [1, 2]} {4, 5, 6} {{4, 5, 6}, 200, false, [3, 4]}\n"
          "{1.00, 2.00, 3.00} {  1.0,   2.0,   3.0}|\n"
          "[1.5, 2] {1, 2, -3} [1.5, 2]\n"
          "{9, [1.5, 2]} [1, 2, 3] (0.5, 7)\n"
          "<{2.5, [42, 43], (7, true)}> (1.5, 42)\n"
          "(1.5, 2, 3, 4) (false, false,  true,  true)\n"
          "[+0, +42, +0] {} [0xa, 0xb]\n"
          "some(2.5) none [none, some(2.5)]\n"
          "ok(1) err({1.0, 2.0, 3.0}) (1, some(some(42)))\n"
          "1.5 -4 {1, 2, 3} ");
  });
}

TEST_CASE("whole structs of many threads come in whole lines") {
  constexpr auto k = ox::kernel("lines", [](ox::Span<const Vec3> in) {
    auto i = ox::thread::index_1d();
    if (i < in.size()) ox::println("{} {}", in[i], ox::Value<ox::Option<std::uint64_t>>(ox::u64(i)));
  });
  on_every_device([&](const ox::Stream& stream) {
    std::vector<Vec3> points;
    std::multiset<std::string> expected, lines;
    for (int i = 0; i != 500; ++i) {
      const auto x = static_cast<float>(i);
      points.push_back({x, x + 0.5f, -x});
      std::ostringstream line;
      line << '{' << x << ", " << x + 0.5f << ", " << -x << "} some(" << i << ')';
      expected.insert(line.str());
    }
    Captured captured;
    k(stream, ox::LaunchConfig{4, 128}, ox::DeviceBuffer<Vec3>::from_host(stream, points));
    stream.synchronize();
    std::istringstream text(captured.take());
    for (std::string line; std::getline(text, line);) lines.insert(line);
    CHECK(lines == expected);
  });
}

TEST_CASE("a print is in the graph with its arguments before it") {
  const auto k = ox::kernel("k", [](ox::i32 x, ox::f32 y) { ox::println("{:>4} and {}: {}", x, "text", y); });
  CHECK_THAT(k.graph_text(), Catch::Contains("argument #0, v0") && Catch::Contains("argument #1, v1") &&
                                 Catch::Contains("print \"{0:>4} and text: {1}\\n\"") && Catch::Contains("(i32, f32, printer)"));
  CHECK_THAT(k.ptx(75), Catch::Contains("fence.acq_rel.sys") && Catch::Contains("atom.global.add.u64"));
}
