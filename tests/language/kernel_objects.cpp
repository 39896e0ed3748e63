// Kernel objects: of plain functions and templates, shared by translation units, with nested binds, and with attributes.
#include "support/shared_kernels.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace {

template <class T, int factor>
  requires std::is_arithmetic_v<T>
constexpr auto scale_by = ox::kernel("scale_by", [](ox::Span<const T> in, ox::DisjointSpan<T> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = in[i] * factor;
});

constexpr auto map = ox::kernel("map", [](auto f, ox::Span<const float> in, ox::DisjointSpan<float> out) {
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = f(in[i]);
});

int function_runs = 0;
void raised(ox::i32 by, ox::Span<const int> in, ox::DisjointSpan<int> out) {
  ++function_runs;
  const auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = in[i] + by;
}
template <class T>
void doubled(ox::DisjointSpan<T> out) noexcept {
  if (auto e = out.get_mut(ox::thread::index_1d())) *e *= 2;
}
constexpr auto of_function = ox::kernel<raised>("of_function");

struct Twice {  // a function object without members
  ox::f32 operator()(ox::f32 x) const { return x + x; }
};
template <class F>
ox::f32 twice_applied(const F& f, ox::f32 x) {  // a helper that is given a closure
  return f(f(x));
}

}  // namespace

TEST_CASE("a kernel in a header is one kernel in every translation unit") {
  CHECK(address_of_shared_kernel() == &shared::add_one);
  on_every_device([](const ox::Stream& stream) {
    auto data = ox::DeviceBuffer<int>::zeroed(stream, 8);
    shared::add_one(stream, ox::LaunchConfig{1, 8}, data);
    const auto program = shared::add_one.build(device_of(stream))->program;
    launch_shared_kernel(stream, data);
    CHECK(data.to_host(stream) == std::vector<int>(8, 2));
    CHECK(program_of_shared_kernel(stream) == program.get());
  });
}

TEST_CASE("a plain function is a kernel that is traced once for a device, also an instance of a template") {
  on_every_device([](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>{1, 2, 3});
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 3);
    of_function(stream, ox::LaunchConfig{1, 3}, 10, in, out);
    const int before = function_runs;
    of_function(stream, ox::LaunchConfig{1, 3}, 100, in, out);
    CHECK(function_runs == before);
    ox::kernel<doubled<int>>("doubled")(stream, ox::LaunchConfig{1, 3}, out);
    CHECK(out.to_host(stream) == std::vector<int>{202, 204, 206});
  });
}

TEST_CASE("each instance of a kernel template is a kernel of its own") {
  on_every_device([](const ox::Stream& stream) {
    const auto floats = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{1.5f, 2});
    auto scaled = ox::DeviceBuffer<float>::zeroed(stream, 2);
    scale_by<float, 2>(stream, ox::LaunchConfig{1, 2}, floats, scaled);
    CHECK(scaled.to_host(stream) == std::vector<float>{3, 4});
    scale_by<float, 5>(stream, ox::LaunchConfig{1, 2}, floats, scaled);
    CHECK(scaled.to_host(stream) == std::vector<float>{7.5f, 10});
    const auto numbers = ox::DeviceBuffer<std::int64_t>::from_host(stream, std::vector<std::int64_t>{-7, 9});
    auto products = ox::DeviceBuffer<std::int64_t>::zeroed(stream, 2);
    scale_by<std::int64_t, 3>(stream, ox::LaunchConfig{1, 2}, numbers, products);
    CHECK(products.to_host(stream) == std::vector<std::int64_t>{-21, 27});
    CHECK(scale_by<float, 2>.build(device_of(stream))->program != scale_by<float, 5>.build(device_of(stream))->program);
  });
}

TEST_CASE("binds nest, take function objects, and go to helpers") {
  static int traces = 0;
  const auto line = [](ox::f32 scale, ox::i32 offset, ox::f32 x) {
    ++traces;
    return scale * x + ox::cast<float>(offset);
  };
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{1, 2, 3});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 3);
    const auto run = [&](const auto& f) {
      map(stream, ox::LaunchConfig{1, 3}, f, in, out);
      return out.to_host(stream);
    };
    CHECK(run(ox::bind(2.0f, 10, line)) == std::vector<float>{12, 14, 16});
    CHECK(run(ox::bind(10, ox::bind(2.0f, line))) == std::vector<float>{12, 14, 16});
    const int before = traces;
    CHECK(run(ox::bind(20, ox::bind(3.0f, line))) == std::vector<float>{23, 26, 29});
    CHECK(traces == before);  // other values, and no other trace
    CHECK(run(Twice{}) == std::vector<float>{2, 4, 6});
    CHECK(run(ox::bind(0.5f, [](ox::f32 k, ox::f32 x) { return twice_applied([&](ox::f32 v) { return k * v; }, x); })) ==
          std::vector<float>{0.25f, 0.5f, 0.75f});
  });
}

TEST_CASE("functions are chosen from arrays by host and by device numbers") {
  constexpr auto k = ox::kernel("choose", [](ox::Span<const int> which, ox::DisjointSpan<float> out) {
    using F = ox::f32 (*)(ox::f32);
    const std::array<F, 3> table = {[](ox::f32 x) { return x + 1; }, [](ox::f32 x) { return x * x; }, [](ox::f32 x) { return -x; }};
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::f32 y = table[2](100);  // by a host number
    for (int f = 0; f != 3; ++f)
      if (which[i] == f) y = table[static_cast<std::size_t>(f)](ox::cast<float>(i));
    *e = y;
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto which = ox::DeviceBuffer<int>::from_host(stream, std::vector<int>{0, 1, 2, 1, 7});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 5);
    k(stream, ox::LaunchConfig{1, 5}, which, out);
    CHECK(out.to_host(stream) == std::vector<float>{1, 1, -2, 9, -100});
  });
}

TEST_CASE("attributes chain, are part of the kernel, and are held by its launches") {
  constexpr auto plain = ox::kernel("attributed", [](ox::DisjointSpan<int> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = 7;
  });
  constexpr auto bounded = plain.launch_bounds(64, 2).max_registers(40).stack_size(8192);
  constexpr auto fixed = plain.block(32).cooperative();
  CHECK(bounded.graph_text().find("kernel attributed(span i32 disjoint) launch_bounds(64, 2) max_registers(40) stack_size(8192)") == 0);
  CHECK(fixed.graph_text().find("kernel attributed(span i32 disjoint) block(32, 1, 1) cooperative") == 0);
  const std::string ptx = bounded.ptx(90);
  CHECK_THAT(ptx, Catch::Contains(".maxntid 64") && Catch::Contains(".minnctapersm 2") && Catch::Contains(".maxnreg 40"));
  CHECK_THAT(fixed.launch_bounds(64, 4).ptx(90),
             Catch::Contains(".reqntid 32") && Catch::Contains(".minnctapersm 4") && !Catch::Contains(".maxntid"));
  CHECK_THAT(plain.cluster(2).ptx(90), Catch::Contains(".reqnctapercluster 2") && Catch::Contains(".explicitcluster"));
  CHECK_THROWS_WITH(plain.cluster(2).ptx(80),
                    Catch::Contains("kernel 'attributed'") && Catch::Contains("clusters need sm_90 or newer, and this is sm_80"));
  CHECK(ox::kernel("k", [](ox::f32) {}).ptx(90).find(".maxntid") == std::string::npos);
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 64);
    bounded(stream, ox::LaunchConfig{1, 64}, out);
    CHECK(out.to_host(stream) == std::vector<int>(64, 7));
    CHECK_THROWS_WITH(bounded(stream, ox::LaunchConfig{1, 96}, out), Catch::Contains("needed at most 64 threads a block, got 96"));
    plain(stream, ox::LaunchConfig{1, 96}, out);  // is as it was
    fixed(stream, ox::LaunchConfig{2, 32}, out);
    CHECK_THROWS_WITH(fixed(stream, ox::LaunchConfig{1, 64}, out), Catch::Contains("needed a block of 32 x 1 x 1 threads"));
    CHECK(bounded.build(device_of(stream))->program != plain.build(device_of(stream))->program);
    CHECK(bounded.build(device_of(stream))->program ==
          plain.stack_size(8192).max_registers(40).launch_bounds(64, 2).build(device_of(stream))->program);
    const ox::KernelResources r = bounded.resources(device_of(stream));
    CHECK(r.max_threads_per_block >= 64);
    if (stream.device_id() == 0) return;
    CHECK(r.registers > 0);
    CHECK(r.registers <= 40);
    CHECK(r.binary_version >= 75);
    CHECK(r.ptx_bytes > 500);
    CHECK(r.code_bytes > 500);
    CHECK(r.local_bytes == 0);
  });
  const ox::KernelResources unseen = bounded.resources(oxide::jit::Target::nvptx(90));
  CHECK(unseen.binary_version == 90);
  CHECK(unseen.max_threads_per_block == 64);
  CHECK(unseen.ptx_bytes == ptx.size());
  CHECK_THROWS_WITH(plain.launch_bounds(0), Catch::Contains("kernel 'attributed': launch_bounds takes 1 to 1024 threads a block"));
  CHECK_THROWS_WITH(plain.block(64, 64), Catch::Contains("a block has 1 to 1024 threads"));
  CHECK_THROWS_WITH(plain.cluster(32), Catch::Contains("a cluster has 1 to 16 blocks"));
  CHECK_THROWS_WITH(plain.max_registers(300), Catch::Contains("max_registers takes 16 to 255"));
  CHECK_THROWS_WITH(plain.launch_bounds(64).block(128), Catch::Contains("the block is larger than the launch_bounds"));
}
