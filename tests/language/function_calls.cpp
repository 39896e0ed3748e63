// Where functions are called from: by choice, in kernels with barriers; what their lines and their products become.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/dsl/match.hpp>

#include "support/devices.hpp"
#include "support/faults.hpp"

TEST_CASE("the device chooses among functions: ox::match, and a loop over an array of them") {
  struct Cell {
    std::uint8_t tag;
    float value;
  };
  using OfOne = ox::Function<ox::f32(ox::f32)>;
  static const OfOne triple("triple", [](ox::f32 x) -> ox::f32 { return 3 * x; });
  static const OfOne invert("invert", [](ox::f32 x) -> ox::f32 { return -x; });
  static constexpr auto value_of = ox::function("value_of", [](ox::Span<const Cell> cells, ox::u64 i) { return cells[i][&Cell::value]; });
  constexpr auto k = ox::kernel("chooses", [](ox::Span<const Cell> cells, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    const ox::u8 tag = cells[i][&Cell::tag];
    const ox::f32 x = value_of(cells, i);
    ox::f32 y =
        ox::match(tag).case_(0, [&] { return triple(x); }).case_(1, 2, [&] { return invert(x); }).default_([&] { return ox::f32(6); });
    const std::array<const OfOne*, 2> all{&triple, &invert};  // a loop of the host: one call each
    for (const OfOne* f : all) y += (*f)(x);
    *e = y;
  });
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<Cell> host{{0, 1.5f}, {1, 2}, {2, -3}, {3, 4}, {0, -1}};
    const auto cells = ox::DeviceBuffer<Cell>::from_host(stream, host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, host.size());
    k(stream, ox::LaunchConfig{1, 8}, cells, out);
    const std::vector<float> got = out.to_host(stream);
    for (std::size_t i = 0; i != host.size(); ++i) {
      const float x = host[i].value;
      CHECK(got[i] == (host[i].tag == 0 ? 3 * x : host[i].tag == 3 ? 6 : -x) + 3 * x - x);
    }
  });
  CHECK(k.graph()->functions.size() == 3);
}

TEST_CASE("functions have lines in PTX, and contract products as their kernel does") {
  static constexpr std::uint32_t line = __LINE__ + 3;
  static const ox::Function<ox::f32(ox::f32, ox::u32)> horner("horner", [](ox::f32 x, ox::u32 n) -> ox::f32 {
    if (n == 0) return 1;
    return horner(x, n - 1) * x + 0.1f;
  });
  const auto k = ox::kernel("evaluates", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = horner(in[i], 9);
  });
  const auto loc = [](std::uint32_t at) { return Catch::Matches("[^]*\\.func [^]*\\.loc\t[0-9]+ " + std::to_string(at) + " [^]*"); };
  const std::string lines = k.line_info().ptx(90), plain = k.ptx(90);
  CHECK_THAT(lines, loc(line) && !loc(line + 400));
  CHECK(plain.find(".loc\t") == std::string::npos);
  CHECK(plain.find("fma.rn.f32") != std::string::npos);
  CHECK(k.strict_fp().ptx(90).find("fma.rn.f32") == std::string::npos);
  std::vector<float> host(100);
  for (std::size_t i = 0; i != host.size(); ++i) host[i] = 0.7f + 0.01f * static_cast<float>(i);
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, host.size());
    for (const bool strict : {false, true}) {
      (strict ? k.strict_fp() : k)(stream, ox::LaunchConfig::for_num_elems(host.size()), in, out);
      const std::vector<float> got = out.to_host(stream);
      for (std::size_t i = 0; i != host.size(); ++i) {
        float fused = 1, rounded = 1;
        for (int n = 0; n != 9; ++n) {
          fused = std::fma(fused, host[i], 0.1f);
          const volatile float product = rounded * host[i];
          rounded = product + 0.1f;
        }
        CHECK(got[i] == (strict ? rounded : fused));
      }
    }
  });
}

TEST_CASE("kernels with barriers call functions: between them, with checks, shared memory and products, too deep") {
  static constexpr auto scaled = ox::function("scaled", [](ox::Span<const float> in, ox::u32 i, ox::f32 by) { return in[i] * by + 0.1f; });
  static const ox::Function<ox::f32(ox::f32, ox::u32)> repeated("repeated", [](ox::f32 x, ox::u32 n) -> ox::f32 {
    if (n == 0) return x;
    return repeated(x, n - 1) * 1.1f + 0.3f;
  });
  const auto k = ox::kernel("meets", [](ox::Span<const float> in, ox::u32 offset, ox::u32 depth, ox::Span<float> out) {
    ox::Shared<float, 64> all;
    const ox::u32 i = ox::thread_idx.x();
    ox::f32 x = scaled(in, i + offset, 0.7f);
    all[i] = x;
    ox::sync_threads();
    x = repeated(all[63 - i], i % 5 + depth) - x;
    all[63 - i] = x;  // its own place of the other half's
    ox::sync_threads();
    out.unchecked_mut(ox::block_idx.x() * 64 + i) = x + all[i];
  });
  std::vector<float> host(64), at(64), expected(64);
  for (std::size_t i = 0; i != host.size(); ++i) host[i] = 0.3f * static_cast<float>(i);
  for (std::size_t i = 0; i != host.size(); ++i) at[i] = std::fma(host[i], 0.7f, 0.1f);
  for (std::size_t i = 0; i != host.size(); ++i) {
    float x = at[63 - i];
    for (std::size_t n = 0; n != i % 5; ++n) x = std::fma(x, 1.1f, 0.3f);
    expected[i] = x - at[i];
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 3 * 64);
    k(stream, ox::LaunchConfig{3, 64}, in, 0, 0, out);
    const std::vector<float> got = out.to_host(stream);
    for (std::size_t i = 0; i != got.size(); ++i) CHECK(got[i] == expected[i % 64] + expected[63 - i % 64]);
    const ox::KernelFault outside = fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 64}, in, 4, 0, out); });
    CHECK_THAT(outside.what(), Catch::Contains("index 64 is outside of parameter 1, which has 64 elements, in function 'scaled'") &&
                                   Catch::Contains("thread (60, 0, 0)") && Catch::Contains("function_calls.cpp:"));
    const ox::KernelFault deeper = fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 64}, in, 0, 1'000'000'000, out); });
    CHECK_THAT(deeper.what(), Catch::Contains("calls of function 'repeated' go deeper than the stack of a thread"));
    k(stream, ox::LaunchConfig{1, 64}, in, 0, 0, out);
    CHECK(out.to_host(stream)[5] == got[5]);
  });
}
