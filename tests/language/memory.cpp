// Memory that is not passed: constant tables, constants set by the host, globals.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <oxide/dsl/vector.hpp>
#include <oxide/ir/hash.hpp>
#include <oxide/ir/print.hpp>

#include "support/devices.hpp"
#include "support/faults.hpp"

namespace {

constexpr std::array<float, 5> weights{0.5f, -1.25f, 3.0f, 1e-30f, 7.0f};
constexpr ox::Table primes{std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, ~std::uint64_t{0}};
constexpr std::int8_t small[] = {-1, 2, -128};
constexpr bool flags[] = {true, false, false, true};

enum class Grade : std::uint8_t { low = 1, high = 9 };

struct Material {
  float color[3];
  Grade grade;
  double density;
  std::pair<std::int16_t, bool> extra;
};
OXIDE_STRUCT(Material, color, grade, density, extra)
bool operator==(const Material& a, const Material& b) {
  return std::equal(a.color, a.color + 3, b.color) && a.grade == b.grade && a.density == b.density && a.extra == b.extra;
}
constexpr Material material(int n) {
  const auto x = static_cast<float>(n);
  return {{x, x + 0.25f, -x}, n % 2 == 0 ? Grade::low : Grade::high, 1e10 + n, {static_cast<std::int16_t>(n - 3), n % 3 == 0}};
}
constexpr ox::Table materials{material(0), material(1), material(2)};

ox::Constant<Material> painted{material(7)};
ox::Constant<std::pair<int, float>[2]> limits{std::vector<std::pair<int, float>>{{4, 0.5f}}};
ox::Global<Material[3]> stock{std::vector<Material>{material(10), material(11)}};
ox::Global<ox::Vector<float, 4>> corner;
ox::Global<oxide::int128> total{oxide::int128{1} << 90};
ox::Global<bool[3]> seen;

ox::Constant<float> gain{1.5f};
ox::Constant<std::int32_t[4]> offsets;
ox::Global<std::uint32_t> launches;
ox::Global<double[8]> sums{std::vector<double>{1, 2, 3}};

}  // namespace

TEST_CASE("host arrays are constant tables with an index of the device", "[fault]") {
  constexpr auto k = ox::kernel("tables", [](ox::Span<const std::uint32_t> at, ox::DisjointSpan<double> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    const auto table = ox::constant_table(weights);
    const std::vector<std::int16_t> made_here{100, 200, 300, 400};
    ox::f64 sum = table[at[i]];
    sum += ox::cast<double>(primes[at[i] % 4] % 1000);
    sum += ox::cast<double>(ox::constant_table(small)[at[i] % 3]);
    sum += ox::cast<double>(ox::constant_table(made_here)[at[i] % 4]);
    if (ox::constant_table(flags)[at[i] % 4]) sum += 0.25;
    sum += ox::cast<double>(primes[1]);  // of the host: no memory
    *e = sum + ox::cast<double>(table.size());
  });
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<std::uint32_t> at{0, 1, 2, 3, 4, 2, 0};
    const auto d = ox::DeviceBuffer<std::uint32_t>::from_host(stream, at);
    auto out = ox::DeviceBuffer<double>::zeroed(stream, at.size());
    k(stream, ox::LaunchConfig{1, 32}, d, out);
    const std::vector<double> results = out.to_host(stream);
    for (std::size_t i = 0; i != at.size(); ++i) {
      const std::uint32_t a = at[i];
      const double expected = double{weights[a]} + static_cast<double>(primes[a % 4] % 1000) + small[a % 3] + 100.0 * (a % 4 + 1) +
                              (flags[a % 4] ? 0.25 : 0) + 3 + 5;
      CHECK(results[i] == expected);
    }
    const auto bad = ox::DeviceBuffer<std::uint32_t>::from_host(stream, std::vector<std::uint32_t>{1, 5});
    auto two = ox::DeviceBuffer<double>::zeroed(stream, 2);
    const ox::KernelFault fault = fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 2}, bad, two); });
    CHECK_THAT(fault.what(), Catch::Contains("index 5 is outside of a constant table, which has 5 elements"));
  });
}

TEST_CASE("a host index outside of a table is an error") {
  static_assert(primes[3] == ~std::uint64_t{0});
  CHECK_THROWS_WITH(primes[4], Catch::Contains("index 4 is outside of an ox::Table of 4 elements") && Catch::Contains("memory.cpp:"));
  CHECK_THROWS_WITH(primes[-1], Catch::Contains("index -1 is outside of an ox::Table of 4 elements"));
  const auto k = ox::kernel("too_far", [](ox::Span<std::uint64_t> out) { out.unchecked_mut(0) = primes[5]; });
  CHECK_THROWS_WITH(
      k.graph(), Catch::Contains("kernel 'too_far': index 5 is outside of an ox::Table of 4 elements") && Catch::Contains("memory.cpp:"));
}

TEST_CASE("equal tables are one, and a table's numbers are part of the graph") {
  const auto make = [](int number) {
    return *ox::kernel("k", [number](ox::u32 i, ox::Span<int> out) {
              const int table[] = {1, number}, same[] = {1, number}, other[] = {number, 1};
              out.unchecked_mut(0) = ox::constant_table(table)[i] + ox::constant_table(same)[i] + ox::constant_table(other)[i];
            }).graph();
  };
  CHECK(make(3).memories.size() == 3);
  CHECK(make(3).strings.size() == 2);
  CHECK(oxide::ir::hash(make(3)) == oxide::ir::hash(make(3)));
  CHECK(oxide::ir::hash(make(3)) != oxide::ir::hash(make(4)));
  CHECK_THAT(oxide::ir::print(make(3)), Catch::Contains("load table0[v") && Catch::Contains("check_bounds table1, v"));
}

TEST_CASE("the host sets constants, in the order of the stream") {
  constexpr auto k = ox::kernel("scaled", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = *gain * in[i] + ox::cast<float>(offsets[i % 4]);
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{1, 2, 3, 4, 5});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 5);
    k(stream, ox::LaunchConfig{1, 32}, in, out);
    CHECK(out.to_host(stream) == std::vector<float>{1.5f, 3, 4.5f, 6, 7.5f});
    gain.set(stream, 2);
    offsets.set(stream, std::array{10, 20, 30, 40});
    k(stream, ox::LaunchConfig{1, 32}, in, out);
    CHECK(out.to_host(stream) == std::vector<float>{12, 24, 36, 48, 20});
    CHECK(gain.get(stream) == 2);
    CHECK(offsets.get(stream) == std::vector{10, 20, 30, 40});
  });
  CHECK(k.ptx(80).find("ld.global.nc") != std::string::npos);
}

TEST_CASE("a constant starts with no more elements than it has, and is set whole") {
  CHECK_THROWS_WITH(ox::Global<float[4]>(std::vector<float>(5)), Catch::Contains("of 4 elements is to start with 5"));
  CHECK_NOTHROW(ox::Constant<float[4]>(std::vector<float>(4)));
}

TEST_CASE("globals keep their values from launch to launch, and from kernel to kernel", "[fault]") {
  constexpr auto add = ox::kernel("add_to_globals", [](ox::u32 n) {
    ++launches.unchecked_mut();
    for (auto i : ox::range(n)) sums.unchecked_mut(i) += ox::cast<double>(*launches);
  });
  constexpr auto read = ox::kernel("read_globals", [](ox::Span<double> out) {
    for (int i = 0; i != 8; ++i) out.unchecked_mut(i) = sums[i];
    out.unchecked_mut(8) = ox::cast<double>(launches.value());
    out.unchecked_mut(9) = ox::cast<double>(sums.span().size());
  });
  constexpr auto beyond = ox::kernel("beyond", [](ox::u32 i, ox::Span<double> out) { out.unchecked_mut(0) = sums[i]; });
  on_every_device([&](const ox::Stream& stream) {
    for (int i = 0; i != 3; ++i) add(stream, ox::LaunchConfig{1, 1}, i + 1);
    auto out = ox::DeviceBuffer<double>::zeroed(stream, 10);
    read(stream, ox::LaunchConfig{1, 1}, out);
    CHECK(out.to_host(stream) == std::vector<double>{7, 7, 6, 0, 0, 0, 0, 0, 3, 8});
    CHECK(launches.get(stream) == 3);
    CHECK(sums.get(stream) == std::vector<double>{7, 7, 6, 0, 0, 0, 0, 0});
    launches.set(stream, 100);
    add(stream, ox::LaunchConfig{1, 1}, 1);
    CHECK(sums.get(stream)[0] == 108);
    const ox::KernelFault fault = fault_of(stream, [&] { beyond(stream, ox::LaunchConfig{1, 1}, 8, out); });
    CHECK_THAT(fault.what(), Catch::Contains("index 8 is outside of an ox::Global, which has 8 elements"));
  });
}

TEST_CASE("tables, constants and globals hold what memory holds: structs, enumerations, vectors, pairs, wide and packed numbers") {
  constexpr auto k = ox::kernel("stores", [](ox::u32 at, ox::Span<Material> out, ox::Span<double> sums) {
    out.unchecked_mut(0) = materials[at];                 // the whole, with an index of the device
    out.unchecked_mut(1) = *painted;
    ox::Value<Material> m = stock[at];
    m.color[at] = materials[at].color[1] + painted.value().color[0];
    m.extra.get<0>() += 1;
    stock.unchecked_mut(2) = m;
    stock.unchecked_mut(0).density = 5;
    out.unchecked_mut(2) = stock[0];
    const std::array<oxide::int128, 2> wide{oxide::int128{7} << 70, -5};
    const std::vector<ox::half2> halves{{ox::half(1), ox::half(2)}, {ox::half(3), ox::half(-4)}};
    const std::vector<Grade> grades{Grade::low, Grade::high};
    ox::i128 w = ox::constant_table(wide)[at];
    ox::f16x2 h = ox::constant_table(halves)[at];
    auto [limit, factor] = ox::Value<std::pair<int, float>>(limits[at - 1]);
    ox::f64 sum = ox::cast<double>(w) + ox::cast<double>(ox::high(h)) + ox::cast<double>(limit) + factor;
    if (ox::constant_table(grades)[at] == Grade::high) sum += 100;
    sums.unchecked_mut(0) = sum;
    ox::f32x4 c = *corner;
    c.y += 2;
    corner.unchecked_mut() = c;
    total.unchecked_mut() += w;
    seen.unchecked_mut(at) = !seen[at];
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<Material>::zeroed(stream, 3);
    auto sums = ox::DeviceBuffer<double>::zeroed(stream, 1);
    for (int round = 0; round != 2; ++round) {
      k(stream, ox::LaunchConfig{1, 1}, 1, out, sums);
      Material first = material(10);
      first.density = 5;
      CHECK(out.to_host(stream) == std::vector<Material>{material(1), material(round == 0 ? 7 : 8), first});
      Material last = material(11);
      last.color[1] = materials[1].color[1] + static_cast<float>(round == 0 ? 7 : 8);
      ++last.extra.first;
      CHECK(stock.get(stream) == std::vector<Material>{first, material(11), last});
      CHECK(sums.to_host(stream)[0] == -5 - 4 + 4 + 0.5 + 100);
      CHECK(corner.get(stream).y == 2.0f * static_cast<float>(round + 1));
      CHECK(static_cast<bool>(total.get(stream) == (oxide::int128{1} << 90) - 5 * (round + 1)));
      CHECK(seen.get(stream) == std::vector<bool>{false, round == 0, false});
      painted.set(stream, material(8));
    }
  });
  CHECK(oxide::ir::hash(*k.graph()) == oxide::ir::hash(*k.graph()));  // what lies between members is no part of it
}

TEST_CASE("constants and globals start anew on a GPU that was reset; a reset of the CPU does nothing") {
  static ox::Constant<int> factor{3};
  static ox::Global<Material> kept{material(4)};
  constexpr auto k = ox::kernel("count_up", [](ox::Span<double> out) {
    kept.unchecked_mut().density += ox::cast<double>(*factor);
    out.unchecked_mut(0) = kept.value().density;
  });
  for (const ox::Device& device : ox::Device::all()) {
    double expected = material(4).density;
    for (int round = 0; round != 2; ++round) {
      const bool anew = round == 0 || device.is_gpu();
      const ox::Stream stream = device.default_stream();
      auto out = ox::DeviceBuffer<double>::zeroed(stream, 1);
      CHECK(factor.get(stream) == (anew ? 3 : 10));
      expected = (anew ? material(4).density + 3 : expected + 10) + 10;
      k(stream, ox::LaunchConfig{1, 1}, out);
      factor.set(stream, 10);
      k(stream, ox::LaunchConfig{1, 1}, out);
      CHECK(out.to_host(stream)[0] == expected);
      CHECK(kept.get(stream).density == expected);
      device.reset();
    }
  }
}

TEST_CASE("kernels that differ in their globals alone share code, and each has its own") {
  ox::Global<int> a{5}, b{7};
  const auto reader = [](const ox::Global<int>& g) {
    return ox::kernel("reader", [&g](ox::Span<int> out) { out.unchecked_mut(0) = g.value(); });
  };
  CHECK(oxide::ir::hash(*reader(a).graph(), oxide::ir::HashLines::include) ==
        oxide::ir::hash(*reader(b).graph(), oxide::ir::HashLines::include));
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 1);
    reader(a)(stream, ox::LaunchConfig{1, 1}, out);
    CHECK(out.to_host(stream)[0] == 5);
    reader(b)(stream, ox::LaunchConfig{1, 1}, out);
    CHECK(out.to_host(stream)[0] == 7);
    reader(a)(stream, ox::LaunchConfig{1, 1}, out);
    CHECK(out.to_host(stream)[0] == 5);
  });
}

TEST_CASE("tables lie in constant memory, large ones in global memory") {
  static constexpr auto large = [] {
    std::array<float, 10000> a{};
    for (std::size_t i = 0; i != a.size(); ++i) a[i] = static_cast<float>(i);
    return a;
  }();
  const auto k = [](const auto& table) {
    return ox::kernel("k", [&table](ox::u32 i, ox::Span<float> out) { out.unchecked_mut(0) = ox::constant_table(table)[i]; });
  };
  const std::string ptx = k(weights).ptx(80);
  CHECK(ptx.find(".const .align 16 .b") != std::string::npos);
  CHECK(ptx.find("ld.const.") != std::string::npos);
  CHECK(k(large).ptx(80).find("ld.global.nc.") != std::string::npos);
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 1);
    k(large)(stream, ox::LaunchConfig{1, 1}, 9999, out);
    CHECK(out.to_host(stream)[0] == 9999);
  });
}
