// Kernel objects: parameters, generic kernels, bound values, captures, caches, inspection.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/devices.hpp"

namespace {

template <class F>
inline constexpr auto map = ox::kernel("map", [](F f, ox::Span<const float> in, ox::DisjointSpan<float> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = f(in[i]);
});
inline constexpr auto generic_map = ox::kernel("generic_map", [](auto f, ox::Span<const float> in, ox::DisjointSpan<float> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = f(in[i]);
});

int traces = 0;  // a captureless lambda can tell how often it ran

void fill(ox::f32 x, ox::DisjointSpan<float> out) {
  if (auto e = out.get_mut(ox::thread::index_1d())) *e = x;
}
struct Fill {
  float x;
  void operator()(ox::DisjointSpan<float> out) const {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = x;
  }
};

const ox::LaunchConfig one_block = {1, 32};

template <class Use>
void with_buffers(Use use) {
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{1, 2, 3, 4});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 4);
    use(stream, in, out);
  });
}

}  // namespace

TEST_CASE("parameters of every type arrive") {
  constexpr auto k = ox::kernel("k", [](ox::boolean b, ox::i8 i8, ox::u8 u8, ox::i16 i16, ox::u16 u16, ox::i32 i32, ox::u32 u32,
                                        const ox::i64& i64, ox::u64 u64, ox::f32 f32, ox::f64 f64, ox::DisjointSpan<double> out) {
    const auto put = [&](unsigned at, ox::f64 x) { out.unchecked_mut(at) = x; };
    put(0, ox::cast<double>(b));
    put(1, ox::cast<double>(i8));
    put(2, ox::cast<double>(u8));
    put(3, ox::cast<double>(i16));
    put(4, ox::cast<double>(u16));
    put(5, ox::cast<double>(i32));
    put(6, ox::cast<double>(u32));
    put(7, ox::cast<double>(i64));
    put(8, ox::cast<double>(u64));
    put(9, ox::cast<double>(f32));
    put(10, f64);
    u64 = 5;  // a parameter is a variable of the kernel
    put(11, ox::cast<double>(u64));
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<double>::zeroed(stream, 12);
    k(stream, ox::LaunchConfig{1, 1}, true, -5, 200, std::int64_t{-3000}, 60000, -100000, 4000000000u, std::int64_t{-1} << 40,
      std::uint64_t{1} << 60, 0.5, 0.1f, out);
    CHECK(out.to_host(stream) == std::vector<double>{1, -5, 200, -3000, 60000, -100000, 4000000000.0, -0x1p40, 0x1p60, 0.5, 0.1f, 5});
    const auto launch = [&](auto i8, auto u8, auto f32) { k(stream, ox::LaunchConfig{1, 1}, true, i8, u8, 1, 1, 1, 1, 1, 1, f32, 1, out); };
    CHECK_THROWS_WITH(launch(128, 0, 1), Catch::Contains("kernel 'k', parameter 2: needed a number that fits i8, got 128"));
    CHECK_THROWS_WITH(launch(0, -1, 1), Catch::Contains("parameter 3: needed a number that fits u8, got -1"));
    CHECK_THROWS_WITH(launch(0, 0, 16777217), Catch::Contains("parameter 10: needed a number that fits f32, got 16777217"));
  });
}

TEST_CASE("a lambda is passed to a kernel, with bound values or without") {
  with_buffers([](const ox::Stream& stream, const auto& in, auto& out) {
    const auto square = [](ox::f32 x) { return x * x; };
    map<decltype(square)>(stream, one_block, square, in, out);
    CHECK(out.to_host(stream) == std::vector<float>{1, 4, 9, 16});
    generic_map(stream, one_block, square, in, out);
    CHECK(out.to_host(stream) == std::vector<float>{1, 4, 9, 16});
    for (const float factor : {2.0f, 0.5f}) {
      const auto scale = ox::bind(factor, 3, [](ox::f32 k, ox::i32 n, ox::f32 x) { return k * x + ox::cast<float>(n); });
      generic_map(stream, one_block, scale, in, out);
      CHECK(out.to_host(stream) == std::vector<float>{factor + 3, 2 * factor + 3, 3 * factor + 3, 4 * factor + 3});
      map<std::remove_const_t<decltype(scale)>>(stream, one_block, scale, in, out);
      CHECK(out.to_host(stream)[3] == 4 * factor + 3);
    }
  });
  const auto graph = generic_map.graph<decltype(ox::bind(1.0f, true, [](ox::f32 x, ox::boolean, ox::f32) { return x; })),
                                       ox::DeviceBuffer<float>, ox::DeviceBuffer<float>>();
  REQUIRE(graph->parameters.size() == 4);
  CHECK(graph->parameters[0].type == oxide::ir::Type::f32);
  CHECK(graph->parameters[1].type == oxide::ir::Type::boolean);
  CHECK(graph->memories.at(0).access == oxide::ir::Access::read);
  CHECK(graph->memories.at(1).access == oxide::ir::Access::disjoint);
}

TEST_CASE("a bound lambda is a kernel, and other values cost no other trace") {
  static int runs = 0;
  const auto make = [](float x) {
    return ox::kernel("filled", ox::bind(x, [](ox::f32 value, ox::DisjointSpan<float> out) {
                        ++runs;
                        if (auto e = out.get_mut(ox::thread::index_1d())) *e = value;
                      }));
  };
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    make(2)(stream, one_block, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 2));
    const int before = runs;
    make(5)(stream, one_block, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 5));
    CHECK(runs == before);
  });
}

TEST_CASE("a captureless lambda is traced once for a device") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> out) {
    ++traces;
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = 1;
  });
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    k(stream, one_block, out);
    const int after_first = traces;
    CHECK(after_first > 0);
    for (int i = 0; i < 10; ++i) k(stream, one_block, out);
    CHECK(traces == after_first);
    k.line_info()(stream, one_block, out);  // another program
    CHECK(traces > after_first);
  });
}

TEST_CASE("captured values are never stale") {
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    for (const float x : {1.0f, 2.0f, 3.0f}) {
      const auto k = ox::kernel("captured", [x](ox::DisjointSpan<float> o) {
        if (auto e = o.get_mut(ox::thread::index_1d())) *e = x;
      });
      k(stream, one_block, out);
      CHECK(out.to_host(stream) == std::vector<float>(4, x));
    }
    int step = 0;
    const auto by_reference = ox::kernel("by_reference", [&step](ox::DisjointSpan<float> o) {
      if (auto e = o.get_mut(ox::thread::index_1d())) *e = step;
    });
    for (step = 5; step < 8; ++step) {
      by_reference(stream, one_block, out);
      CHECK(out.to_host(stream) == std::vector<float>(4, static_cast<float>(step)));
    }
  });
}

TEST_CASE("functions and function objects are kernels") {
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    ox::kernel("fill", &fill)(stream, one_block, 3, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 3));
    ox::kernel("object", Fill{6})(stream, one_block, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 6));
    ox::kernel("object", Fill{7})(stream, one_block, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 7));
  });
}

TEST_CASE("threads may make the first call together") {
  constexpr auto k = ox::kernel("k", [](ox::i32 x, ox::DisjointSpan<int> out) {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = x * 2;
  });
  on_every_device([&](const ox::Stream&) {
    std::vector<int> results(8);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        const ox::Stream stream = ox::Device::cpu().new_stream();
        auto out = ox::DeviceBuffer<int>::zeroed(stream, 4);
        k(stream, one_block, t, out);
        results[static_cast<std::size_t>(t)] = out.to_host(stream)[3];
      });
    for (std::thread& t : threads) t.join();
    CHECK(results == std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14});
  });
}

TEST_CASE("a launch inside a kernel is refused with its line") {
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    constexpr auto inner = ox::kernel("inner", [](ox::DisjointSpan<float> o) {
      if (auto e = o.get_mut(ox::thread::index_1d())) *e = 1;
    });
    const auto outer = ox::kernel("outer", [&](ox::DisjointSpan<float>) { inner(stream, one_block, out); });
    CHECK_THROWS_WITH(outer(stream, one_block, out), Catch::Contains("kernel 'outer'") && Catch::Contains("'inner' was launched inside") &&
                                                         Catch::Contains("kernels.cpp"));
    inner(stream, one_block, out);  // and nothing is left behind
    CHECK_THROWS_AS(outer(stream, one_block, out), ox::TraceError);
  });
}

TEST_CASE("an exception leaves the lambda, and the next call works") {
  static bool fail = true;
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> out) {
    if (fail) throw std::string("mine");
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = 4;
  });
  with_buffers([&](const ox::Stream& stream, const auto&, auto& out) {
    fail = true;
    if (stream.device_id() == 0) CHECK_THROWS_AS(k(stream, one_block, out), std::string);
    fail = false;
    k(stream, one_block, out);
    CHECK(out.to_host(stream) == std::vector<float>(4, 4));
  });
}

TEST_CASE("a kernel's name is an identifier") {
  const std::string bad[] = {"", "9lives", "a b", "a-b", "map<int>"};
  for (const std::string& name : bad) CHECK_THROWS_AS(ox::kernel(name, [](ox::f32) {}), ox::Error);
  CHECK(ox::kernel("_good_9", [](ox::f32) {}).name() == "_good_9");
}

TEST_CASE("kernels can be inspected without a device") {
  constexpr auto saxpy = ox::kernel("saxpy", [](ox::f32 a, ox::Span<const float> x, ox::DisjointSpan<float> y) {
    const auto i = ox::thread::index_1d();
    if (auto e = y.get_mut(i)) *e = a * x[i] + *e;
  });
  CHECK(saxpy.graph_text().find("kernel saxpy(f32, span f32 read, span f32 disjoint)") != std::string::npos);
  const std::string ptx = saxpy.ptx(90);
  CHECK(ptx.find(".target sm_90") != std::string::npos);
  CHECK(ptx.find("fma.rn") != std::string::npos);
  CHECK(saxpy.strict_fp().ptx(90).find("fma.rn") == std::string::npos);
  CHECK(saxpy.ptx().find(".target sm_80") != std::string::npos);
  CHECK(saxpy.line_info().ptx(80).find(".loc") != std::string::npos);
  CHECK(saxpy.llvm_ir().find("define") != std::string::npos);
  CHECK(saxpy.llvm_ir(oxide::jit::Target::nvptx(80)).find("nvptx64") != std::string::npos);
  CHECK(!saxpy.assembly().empty());
  const auto build = saxpy.build(ox::Device::cpu());
  CHECK(build->trace_runs >= 2);
  CHECK(build->trace_ms > 0);
  CHECK(build->graph->name == "saxpy");
  CHECK(saxpy.build(ox::Device::cpu())->program == build->program);
}

// 36000 operations, of which each needs the one before it: what takes the square of that takes minutes.
template <class Int>
Int long_chain(Int x) {
  Int y = x;
  for (std::int32_t n = 0; n != 3000; ++n) {
    const Int up = y ^ n, down = y + x;
    y = ox::select(y > x, up, down) * 3;
    y = ox::min(y, x + n) + y;
  }
  return y;
}
std::int32_t long_chain_on_host(std::int32_t x) {
  std::uint32_t y = static_cast<std::uint32_t>(x);
  const auto number = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); };
  for (std::int32_t n = 0; n != 3000; ++n) {
    y = (number(y) > x ? y ^ static_cast<std::uint32_t>(n) : y + static_cast<std::uint32_t>(x)) * 3;
    y += static_cast<std::uint32_t>(std::min(number(y), number(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(n))));
  }
  return number(y);
}

TEST_CASE("a kernel of tens of thousands of operations compiles in seconds") {
  constexpr auto k = ox::kernel("long_chain", [](ox::Span<const std::int32_t> in, ox::DisjointSpan<std::int32_t> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = long_chain<ox::i32>(in[i]);
  });
  std::vector<std::int32_t> in, expected;
  for (std::int32_t n = 0; n != 100; ++n)
    in.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(n) * 71234567u - 7u)),
        expected.push_back(long_chain_on_host(in.back()));
  const std::clock_t start = std::clock();
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<std::int32_t>::from_host(stream, in);
    auto out = ox::DeviceBuffer<std::int32_t>::zeroed(stream, in.size());
    k(stream, ox::LaunchConfig::for_num_elems(in.size()), a, out);
    CHECK(out.to_host(stream) == expected);
  });
  CHECK(k.ptx(90).size() > 500'000);
  CHECK(static_cast<double>(std::clock() - start) < 20.0 * CLOCKS_PER_SEC);
}

TEST_CASE("functions of the device library are called where there are too many to be inlined") {
  constexpr auto k = ox::kernel("sines", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::f32 sum = 0, same = 0;
    for (int n = 0; n != 300; ++n) sum += ox::sin(in[i] + static_cast<float>(n));
    for (auto n : ox::range(300)) same += ox::sin(in[i] + ox::cast<float>(n));
    *e = ox::select(sum == same, sum, 1e9f);
  });
  std::vector<float> in;
  for (int n = 0; n != 100; ++n) in.push_back(0.37f * static_cast<float>(n));
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<float>::from_host(stream, in);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, in.size());
    k(stream, ox::LaunchConfig::for_num_elems(in.size()), a, out);
    const std::vector<float> sums = out.to_host(stream);
    for (std::size_t i = 0; i != in.size(); ++i) {
      double sum = 0;
      for (int n = 0; n != 300; ++n) sum += std::sin(static_cast<double>(in[i]) + n);
      CHECK(sums[i] == Approx(sum).margin(1e-3));
    }
  });
  CHECK(k.ptx(90).size() < 600'000);
}
