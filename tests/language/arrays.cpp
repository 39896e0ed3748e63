// ox::LocalArray and vectors.
#include <array>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <oxide/dsl/choice.hpp>
#include <oxide/dsl/vector.hpp>

#include <oxide/ir/print.hpp>

#include "support/devices.hpp"

namespace {

struct Entry {
  std::uint32_t key;
  float weight;
};
OXIDE_STRUCT(Entry, key, weight)

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

using Float4 = ox::Vector<float, 4>;

}  // namespace

TEST_CASE("local arrays: zero when made, indexed at run time, copied whole; of numbers and of structs") {
  constexpr auto k = ox::kernel("histogram", [](ox::Span<const std::uint32_t> in, ox::DisjointSpan<float> out) {
    auto i = ox::thread::index_1d();
    ox::LocalArray<std::uint32_t, 10> bins;
    ox::LocalArray<Entry, 4> entries;
    for (auto n : ox::range(20u)) {
      const ox::u32 x = in[(i + n) % in.size()];
      bins[x % 10] += 1;
      entries[x % 4].key = x;
      entries[x % 4].weight += 0.5f;
    }
    ox::LocalArray<std::uint32_t, 10> copy = bins;
    bins[3] = 100;
    ox::f32 sum = 0;
    for (auto n : ox::range(10u)) sum += ox::cast<float>(copy[n] * (n + 1)) + ox::cast<float>(bins[n]);
    copy = bins;
    sum += ox::cast<float>(copy[3]);
    ox::Value<Entry> e = entries[i % 4];
    entries[0] = e;
    entries[1] = entries[0];
    const auto& same = entries;
    sum += same[1].weight + ox::cast<float>(same[i % 4].key);
    const auto filled = ox::LocalArray<float, 6>::filled(2.5f);
    sum += filled[i % 6];
    if (auto w = out.get_mut(i)) *w = sum;
  });
  constexpr std::size_t n = 60;
  std::mt19937 random(5);
  std::vector<std::uint32_t> host(n);
  for (std::uint32_t& x : host) x = static_cast<std::uint32_t>(random() % 1000);
  std::vector<float> expected(n);
  for (std::size_t i = 0; i != n; ++i) {
    std::uint32_t bins[10] = {};
    Entry entries[4] = {};
    for (std::size_t k2 = 0; k2 != 20; ++k2) {
      const std::uint32_t x = host[(i + k2) % n];
      ++bins[x % 10];
      entries[x % 4].key = x;
      entries[x % 4].weight += 0.5f;
    }
    float sum = 0;
    std::uint32_t copy[10];
    std::copy(bins, bins + 10, copy);
    bins[3] = 100;
    for (std::uint32_t k2 = 0; k2 != 10; ++k2) sum += static_cast<float>(copy[k2] * (k2 + 1)) + static_cast<float>(bins[k2]);
    sum += 100;
    entries[0] = entries[i % 4];
    entries[1] = entries[0];
    sum += entries[1].weight + static_cast<float>(entries[i % 4].key);
    sum += 2.5f;
    expected[i] = sum;
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<std::uint32_t>::from_host(stream, host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, n);
    k(stream, ox::LaunchConfig::for_num_elems(n), in, out);
    CHECK(out.to_host(stream) == expected);
  });
}

TEST_CASE("arrays of values are made of their elements; two of their indices are known at run time only", "[fault]") {
  struct Cell {
    Entry entries[3];
    std::array<std::array<std::int16_t, 2>, 4> table;
  };
  constexpr auto k =
      ox::kernel("nested", [](ox::Span<const Cell> in, ox::Span<const std::uint32_t> at, ox::Span<Cell> out, ox::Span<float> sums) {
        const auto i = ox::thread::index_1d();
        const ox::u32 r = at[i], c = at[i + 1];
        ox::Value<Cell> cell = in[0];
        cell[&Cell::table][r][c % 2u] += 100;
        cell[&Cell::entries][c % 3u].weight = ox::cast<float>(ox::i16(cell[&Cell::table][r][(c + 1u) % 2u]));
        cell[&Cell::entries][r % 3u] = cell[&Cell::entries][c % 3u];
        ox::Value<Cell[2]> pair{cell, in[0]};
        pair[c % 2u][&Cell::entries][r % 3u].key += 5;
        const ox::Value<std::array<float, 3>> made{ox::cast<float>(r), 0.5f, cell[&Cell::entries][0].weight};
        using Row = std::array<float, 2>;
        const ox::Value<std::array<Row, 2>> square{Row{1, 2}, ox::Value<Row>{made[0], made[1]}};
        sums.unchecked_mut(i) = made[c % 3u] + square[r % 2u][c % 2u];
        out.unchecked_mut(2 * i) = pair[0];
        out.unchecked_mut(2 * i + 1) = pair[1];
      });
  std::vector<Cell> host(1);
  for (std::uint32_t n = 0; n != 3; ++n) host[0].entries[n] = {n, static_cast<float>(n) / 4};
  for (std::size_t n = 0; n != 8; ++n) host[0].table[n / 2][n % 2] = static_cast<std::int16_t>(10 * n);
  const std::vector<std::uint32_t> at{0, 3, 2, 1, 3};
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<Cell>::from_host(stream, host);
    const auto da = ox::DeviceBuffer<std::uint32_t>::from_host(stream, at);
    auto out = ox::DeviceBuffer<Cell>::zeroed(stream, 8);
    auto sums = ox::DeviceBuffer<float>::zeroed(stream, 4);
    k(stream, ox::LaunchConfig{1, 4}, in, da, out, sums);
    const std::vector<Cell> got = out.to_host(stream);
    const std::vector<float> got_sums = sums.to_host(stream);
    for (std::size_t i = 0; i != 4; ++i) {
      INFO(i);
      const std::uint32_t r = at[i], c = at[i + 1];
      Cell cell = host[0];
      cell.table[r][c % 2] = static_cast<std::int16_t>(cell.table[r][c % 2] + 100);
      cell.entries[c % 3].weight = cell.table[r][(c + 1) % 2];
      cell.entries[r % 3] = cell.entries[c % 3];
      Cell pair[2] = {cell, host[0]};
      pair[c % 2].entries[r % 3].key += 5;
      const float made[] = {static_cast<float>(r), 0.5f, cell.entries[0].weight}, square[2][2] = {{1, 2}, {made[0], made[1]}};
      CHECK(got_sums[i] == made[c % 3] + square[r % 2][c % 2]);
      for (std::size_t n = 0; n != 2; ++n) {
        CHECK(got[2 * i + n].table == pair[n].table);
        for (std::size_t e = 0; e != 3; ++e) {
          CHECK(got[2 * i + n].entries[e].key == pair[n].entries[e].key);
          CHECK(got[2 * i + n].entries[e].weight == pair[n].entries[e].weight);
        }
      }
    }
  });
  const auto deep = ox::kernel("deep", [](ox::u32 i, ox::Span<float> out) {
    ox::Value<float[2][2][2]> cube;
    out.unchecked_mut(0) = cube[i][i][i];
  });
  CHECK_THROWS_WITH(deep.graph(), Catch::Contains("three indices that are known at run time only; use an ox::LocalArray"));
}

TEST_CASE("what structs, arrays and vectors do is at the user's lines") {
  struct Both {
    Entry entry;
    float numbers[2];
  };
  const auto k = ox::kernel("lines", [](ox::Span<const Both> in, ox::Span<const ox::Option<int>> options, ox::Span<Both> out) {
    ox::Value<Both> a = in[0], b;
    b = a;
    if (a == in[1]) b[&Both::numbers][0] = 2;
    if (b != a) b[&Both::numbers] = a[&Both::numbers];
    if (a[&Both::numbers] == b[&Both::numbers]) b[&Both::entry] = a[&Both::entry];
    if (ox::Value<ox::Option<int>>(options[0]) != options[1]) b = in[1];
    ox::f32x4 v;
    v[2] = b[&Both::numbers][1];
    b[&Both::numbers][0] = v[3] + v[2];
    out.unchecked_mut(0) = b;
    out.unchecked_mut(0) = out[1];
    out.unchecked_mut(0)[&Both::entry].key = 7;
    out.unchecked_mut(0)[&Both::numbers][1] += out[1][&Both::entry].weight;
    ox::LocalArray<Both, 2> own;
    own[a[&Both::entry].key % 2u] = b;
    own[0][&Both::entry].weight = v[0];
    out.unchecked_mut(1) = own[1];
  });
  const std::string text = k.graph_text();
  CHECK(count(text, "; arrays.cpp:") > 60);
  CHECK(count(text, "; ") == count(text, "; arrays.cpp:"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 2, "  ") != 0 || line == "  exit" || line.compare(0, 7, "  jump ") == 0) continue;
    INFO(line);
    CHECK(line.find("; arrays.cpp:") != std::string::npos);
  }

  const int line = __LINE__ + 2;
  // clang-format off
  const auto array = [](ox::Span<Both> out) { ox::Value<Both> a; a[&Both::numbers][2] = 1, out.unchecked_mut(0) = a; };
  const auto vector = [](ox::Span<Float4> out) { ox::f32x4 a; a[4] = 1, out.unchecked_mut(0) = a; };
  // clang-format on
  CHECK_THROWS_WITH(ox::kernel("k", array).graph(), Catch::Contains("index 2 is outside of an array of 2 elements (") &&
                                                        Catch::Contains("arrays.cpp:" + std::to_string(line)));
  CHECK_THROWS_WITH(ox::kernel("k", vector).graph(), Catch::Contains("arrays.cpp:" + std::to_string(line + 1)));
}

TEST_CASE("an index outside of an array is a fault with the line; a host index is refused while tracing", "[fault]") {
  constexpr unsigned line = __LINE__ + 4;
  constexpr auto k = ox::kernel("outside", [](ox::Span<const std::int32_t> in, ox::DisjointSpan<std::uint32_t> out) {
    auto i = ox::thread::index_1d();
    ox::LocalArray<std::uint32_t, 4> a;
    a[in[i]] = 7;
    if (auto e = out.get_mut(i)) *e = a[in[i]];
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const std::int32_t wrong : {4, -1}) {
      const auto in = ox::DeviceBuffer<std::int32_t>::from_host(stream, std::vector<std::int32_t>{0, 3, wrong, 2});
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 4);
      std::string text;
      try {
        k(stream, ox::LaunchConfig{1, 4}, in, out);
        stream.synchronize();
      } catch (const ox::KernelFault& fault) {
        text = fault.what();
        CHECK(fault.line.line == line);
      }
      CHECK_THAT(text, Catch::Contains("index " + std::to_string(wrong) + " is outside of an array of 4 elements"));
      CHECK(out.to_host(stream) == std::vector<std::uint32_t>{7, 7, 0, 7});
    }
  });
  const auto refused = ox::kernel("refused", [](ox::DisjointSpan<float> out) {
    ox::LocalArray<float, 4> a;
    out.unchecked_mut(0) = a[4];
  });
  CHECK_THROWS_WITH(refused.graph(), Catch::Contains("index 4 is outside of an array of 4 elements") && Catch::Contains("arrays.cpp"));
}

TEST_CASE("an array whose indices an unrolled loop knows lies in registers; another one in local memory") {
  const auto registers = ox::kernel("registers", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
    auto i = ox::thread::index_1d();
    ox::LocalArray<float, 4> a;
    for (int n = 0; n < 4; ++n) a[n] = in[i * 4 + n];
    for (auto n : ox::range(4u)) a[n] = a[n] * a[3];
    if (auto e = out.get_mut(i)) *e = a[0] + a[1] + a[2];
  });
  CHECK(count(registers.ptx(80), ".local") == 0);
  CHECK(registers.resources(oxide::jit::Target::nvptx(80)).local_arrays.empty());
  static const auto chosen = ox::function("chosen", [](ox::u32 k) {
    ox::LocalArray<std::uint64_t, 8> squares;
    for (auto n : ox::range(8u)) squares[(n + k) % 8] = n * n;
    return ox::cast<std::uint32_t>(ox::u64(squares[k % 8]));
  });
  constexpr std::uint32_t line = __LINE__ + 3;
  const auto memory = ox::kernel("memory", [](ox::Span<const std::uint32_t> in, ox::DisjointSpan<std::uint32_t> out) {
    auto i = ox::thread::index_1d();
    ox::LocalArray<std::uint32_t, 32> a;
    ox::LocalArray<std::uint32_t, 4> known;
    for (int n = 0; n != 4; ++n) known[n] = in[n];
    for (auto n : ox::range(32u)) a[in[n] % 32] += in[i];
    if (auto e = out.get_mut(i)) *e = a[in[i] % 32] + known[3] + chosen(in[i]);
  });
  CHECK(count(memory.ptx(80), ".local") > 0);
  const ox::KernelResources r = memory.resources(oxide::jit::Target::nvptx(80));
  CHECK(r.local_bytes == 4 * 32 + 8 * 8);
  REQUIRE(r.local_arrays.size() == 2);
  const bool kernel_first = r.local_arrays[0].bytes == 4 * 32;
  const ox::ArrayInLocalMemory own = r.local_arrays[kernel_first ? 0 : 1], of_function = r.local_arrays[kernel_first ? 1 : 0];
  CHECK(own.bytes == 4 * 32);
  CHECK(own.line.line == line);
  CHECK_THAT(own.line.file, Catch::Contains("arrays.cpp"));
  CHECK(of_function.bytes == 8 * 8);
  CHECK(of_function.line.line == line - 7);
  for (const ox::Device& device : ox::Device::all()) {
    const ox::KernelResources there = memory.resources(device);
    CHECK(there.local_arrays.size() == (device.is_gpu() ? 2 : 0));
    if (device.is_gpu()) CHECK(there.local_bytes >= 4 * 32 + 8 * 8);
    if (device.is_gpu()) CHECK(registers.resources(device).local_arrays.empty());
  }
}

// Values that are all alive at once, in a loop that the compiler cannot shorten, and an array of `bytes` beside them.
template <int bytes, int values>
auto busy(const char* name) {
  return ox::kernel(name, [](ox::Span<const float> in, ox::u32 rounds, ox::DisjointSpan<float> out) {
    auto i = ox::thread::index_1d();
    std::array<ox::f32, values> v;
    ox::LocalArray<std::uint8_t, bytes> a;
    for (int n = 0; n != values; ++n) v[n] = in[i * values + n];
    for (auto r : ox::range(rounds)) {
      a[r % bytes] = ox::cast<std::uint8_t>(r + 1);
      for (int n = 0; n != values; ++n) v[n] = v[n] * v[(n + 1) % values] + 1.0f;
    }
    ox::f32 sum = ox::cast<float>(ox::u8(a[rounds % bytes]));
    for (int n = 0; n != values; ++n) sum = sum * 0.5f + v[n];
    if (auto e = out.get_mut(i)) *e = sum;
  });
}

TEST_CASE("registers that do not fit are spilled, and that is said beside the bytes of arrays") {
  static constexpr std::uint32_t rounds = 3;
  const auto roomy = busy<13, 48>("roomy"), tight = busy<13, 48>("tight").max_registers(24);
  const auto other = busy<32, 4>("other");
  std::vector<float> in(48), sum(1);
  for (std::size_t n = 0; n != in.size(); ++n) in[n] = 0.01f * static_cast<float>(n);
  on_every_device([&](const ox::Stream& stream) {
    auto numbers = ox::DeviceBuffer<float>::from_host(stream, in), one = ox::DeviceBuffer<float>::zeroed(stream, 1);
    const auto run = [&](const auto& kernel) {
      kernel(stream, ox::LaunchConfig{1, 1}, numbers, rounds, one);
      return one.to_host(stream)[0];
    };
    CHECK(run(roomy) == run(tight));
    const ox::Device device = device_of(stream);
    const ox::KernelResources spilled = tight.resources(device);
    if (!device.is_gpu()) {
      CHECK(spilled.spilled_bytes == 0);
      return;
    }
    CHECK(roomy.resources(device).spilled_bytes == 0);
    CHECK(roomy.resources(device).local_bytes == 16);
    CHECK(other.resources(device).spilled_bytes == 0);
    CHECK(other.resources(device).local_bytes == 32);
    CHECK(spilled.registers <= 24);
    CHECK(spilled.spilled_bytes >= 4 * (48 - 24));
    CHECK(spilled.local_bytes == spilled.spilled_bytes + 16);
  });
}

constexpr float sum_of_places(ox::Vector<float, 4> v) {
  v[3] *= 10;
  const ox::Vector<float, 4> same = v;
  float sum = 0;
  for (std::size_t k = 0; k != 4; ++k) sum = 10 * sum + same[k];
  return sum;
}
static_assert(sum_of_places({1, 2, 3, 4}) == 1270);
static_assert(ox::Vector<int, 2>{5, 6}[1] == 6 && ox::Vector<int, 3>{5, 6, 7}[2] == 7 && ox::Vector<int, 8>{{1, 2, 3, 4}}[3] == 4);

TEST_CASE("vectors work place by place, and are one access", "[fault]") {
  constexpr auto k = ox::kernel(
      "vectors", [](ox::Span<const Float4> a, ox::Span<const float> numbers, ox::DisjointSpan<Float4> out, ox::DisjointSpan<float> rows) {
        auto i = ox::thread::index_1d();
        auto e = out.get_mut(i);
        if (!e) return;
        ox::f32x4 v = a[i];
        const ox::f32x4 w = numbers.as_vectors<4>()[i];
        v = v * 2 + w - 1;
        v += a[i];
        v.x = v[1] + v[i % 4];
        v[i % 4] = 3;
        const ox::booleanx4 less = v < w;
        v = ox::select(less, v, w * 0.5f);
        if (ox::any(less) && !ox::all(less)) v.y += 10;
        const ox::i32x4 n = ox::cast<std::int32_t>(v);
        v = ox::max(v, ox::cast<float>((n << 1) & 7)) / 2;
        v = ox::fma(v, w, -v);
        v.w = ox::dot(v, w);
        *e = v;
        if (auto r = rows.as_vectors<4>().get_mut(i)) *r = v + w;
      });
  constexpr std::size_t n = 50;
  std::mt19937 random(6);
  std::vector<Float4> a(n), expected(n), rows_expected(n);
  std::vector<float> numbers(4 * n), flat;
  const auto number = [&] { return static_cast<float>(random() % 64) / 4 - 8; };
  for (Float4& v : a) v = {number(), number(), number(), number()};
  for (float& x : numbers) x = number();
  for (std::size_t i = 0; i != n; ++i) {
    float v[4], w[4] = {numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]};
    const float start[4] = {a[i].x, a[i].y, a[i].z, a[i].w};
    for (int c = 0; c != 4; ++c) v[c] = start[c] * 2 + w[c] - 1 + start[c];
    v[0] = v[1] + v[i % 4];
    v[i % 4] = 3;
    bool any = false, all = true;
    for (int c = 0; c != 4; ++c) {
      const bool less = v[c] < w[c];
      any |= less, all &= less;
      if (!less) v[c] = w[c] * 0.5f;
    }
    if (any && !all) v[1] += 10;
    float sum = 0;
    for (int c = 0; c != 4; ++c) {
      const float m = static_cast<float>((static_cast<std::int32_t>(v[c]) << 1) & 7);
      v[c] = std::max(v[c], m) / 2;
      v[c] = std::fma(v[c], w[c], -v[c]);
      sum += v[c] * w[c];
    }
    v[3] = sum;
    expected[i] = {v[0], v[1], v[2], v[3]};
    rows_expected[i] = {v[0] + w[0], v[1] + w[1], v[2] + w[2], v[3] + w[3]};
  }
  for (const Float4& v : rows_expected) flat.insert(flat.end(), {v.x, v.y, v.z, v.w});
  on_every_device([&](const ox::Stream& stream) {
    const auto da = ox::DeviceBuffer<Float4>::from_host(stream, a);
    const auto dn = ox::DeviceBuffer<float>::from_host(stream, numbers);
    auto out = ox::DeviceBuffer<Float4>::zeroed(stream, n);
    auto rows = ox::DeviceBuffer<float>::zeroed(stream, 4 * n);
    k(stream, ox::LaunchConfig::for_num_elems(n), da, dn, out, rows);
    CHECK(out.to_host(stream) == expected);  // all of it exact in binary32
    CHECK(rows.to_host(stream) == flat);

    auto odd = ox::DeviceBuffer<float>::zeroed(stream, 4 * n + 1);
    std::string text;
    try {
      k(stream, ox::LaunchConfig::for_num_elems(n), da, odd, out, rows);
      stream.synchronize();
    } catch (const ox::KernelFault& fault) {
      text = fault.what();
    }
    CHECK_THAT(text, Catch::Contains("as_vectors<4> of parameter 2 needs a multiple of 4 elements"));
  });
  const auto copy = ox::kernel(
      "copy", [](ox::Span<const Float4> from, ox::Span<const float> flat_in, ox::DisjointSpan<Float4> to, ox::DisjointSpan<float> rows,
                 ox::Span<const ox::Vector<std::uint16_t, 8>> bits, ox::DisjointSpan<ox::Vector<std::uint16_t, 8>> more) {
        auto i = ox::thread::index_1d();
        if (auto e = to.get_mut(i)) *e = from[i];
        if (auto e = rows.as_vectors<4>().get_mut(i)) *e = flat_in.as_vectors<4>()[i];
        if (auto e = more.get_mut(i)) *e = bits[i] + 1;
      });
  const std::string ptx = copy.ptx(80);
  CHECK(count(ptx, "ld.global.nc.v4") + count(ptx, "ld.global.nc.v2.b64") == 3);
  CHECK(count(ptx, "st.global.v4") + count(ptx, "st.global.v2.b64") == 3);
}

static_assert(sizeof(ox::Vector<float, 3>) == 12 && alignof(ox::Vector<float, 3>) == 4 && alignof(ox::Vector<float, 2>) == 8 &&
              alignof(Float4) == 16 && alignof(ox::Vector<double, 4>) == 16 && alignof(ox::Vector<std::uint16_t, 8>) == 16 &&
              alignof(ox::Vector<std::int8_t, 4>) == 4 && sizeof(ox::Vector<std::uint8_t, 16>) == 16);
