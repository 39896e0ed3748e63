// Shared arrays: layouts, sizes that the launch decides, more than 48 KiB, lifetimes, and what a launch refuses.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

namespace {

template <class Layout>
inline constexpr auto transpose = ox::kernel("transpose", [](ox::Span<const float> in, ox::Span<float> out, ox::u32 n) {
  ox::Shared2D<float, 32, 32, Layout> tile;
  const ox::u32 x = ox::thread_idx.x();
  const ox::u64 column = ox::block_idx.x() * 32u + x, row = ox::block_idx.y() * 32u;
  for (auto y : ox::range(ox::thread_idx.y(), 32u, ox::block_dim.y())) tile(y, x) = in[(row + y) * n + column];
  ox::sync_threads();
  for (auto y : ox::range(ox::thread_idx.y(), 32u, ox::block_dim.y()))
    out.unchecked_mut((ox::u64(ox::block_idx.x() * 32u) + y) * n + row + x) = tile[x][y];
});

template <class Layout>
void check_transpose(const ox::Stream& stream) {
  constexpr std::uint32_t n = 96;
  const std::vector<float> in = random_numbers<float>(n * n, -1, 1, 3);
  const auto a = ox::DeviceBuffer<float>::from_host(stream, in);
  auto b = ox::DeviceBuffer<float>::zeroed(stream, n * n);
  transpose<Layout>(stream, ox::LaunchConfig{.grid = {3, 3}, .block = {32, 8}}, a, b, n);
  const std::vector<float> out = b.to_host(stream);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != n; ++i)
    for (std::size_t j = 0; j != n; ++j) wrong += out[i * n + j] != in[j * n + i];
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("layouts put the elements of a column into different banks, take the space that they say, and keep vectors together") {
  const auto words = [](const auto& kernel) { return kernel.graph()->memories.back().elements; };
  CHECK(words(transpose<ox::RowMajor>) == 32 * 32);
  CHECK(words(transpose<ox::Padded<>>) == 32 * 33);
  CHECK(words(transpose<ox::Padded<4>>) == 32 * 36);
  CHECK(words(transpose<ox::XorSwizzle<>>) == 32 * 32);
  // Where the elements lie, by the layouts themselves and by the addresses of stores.
  constexpr auto places = ox::kernel("places", [](ox::Span<std::uint32_t> out) {
    const ox::u64 r = ox::thread_idx.y(), c = ox::thread_idx.x();
    const ox::u32 t = ox::block::thread_rank();
    const auto where = [&](auto layout, unsigned slot) {
      using Layout = decltype(layout);
      out.unchecked_mut(slot * 1024u + t) = ox::cast<std::uint32_t>(r * Layout::pitch(32) + Layout::column(r, c, 32));
    };
    where(ox::Padded<>(), 0);
    where(ox::XorSwizzle<>(), 1);
    where(ox::XorSwizzle<4>(), 2);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 3 * 1024);
    places(stream, ox::LaunchConfig{.grid = 1, .block = {32, 32}}, out);
    const std::vector<std::uint32_t> at = out.to_host(stream);
    const auto element = [&](std::size_t slot, std::size_t r, std::size_t c) { return at[slot * 1024 + r * 32 + c]; };
    for (const std::size_t slot : {0u, 1u}) {
      std::set<std::uint32_t> all;
      for (std::size_t c = 0; c != 32; ++c) {
        std::set<std::uint32_t> banks;
        for (std::size_t r = 0; r != 32; ++r) banks.insert(element(slot, r, c) % 32), all.insert(element(slot, r, c));
        CHECK(banks.size() == 32);
      }
      CHECK(all.size() == 1024);
    }
    for (std::size_t r = 0; r != 32; ++r)
      for (std::size_t c = 0; c != 32; ++c) {
        CHECK(element(2, r, c) / 32 == r);
        if (c % 4 != 0) CHECK(element(2, r, c) == element(2, r, c - 1) + 1);
        if (r % 8 != 0 && r != 0) CHECK(element(2, r, c) % 32 != element(2, r - 1, c) % 32);
      }
  });
  const auto operations = [](const auto& kernel, const char* what) {
    const std::string text = kernel.graph_text();
    std::size_t n = 0;
    for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++n;
    return n;
  };
  CHECK(operations(transpose<ox::XorSwizzle<>>, " bit_xor ") == 2);  // of what is written and of what is read
  CHECK(operations(transpose<ox::RowMajor>, " bit_xor ") == 0);
}

TEST_CASE("a transpose through shared memory in rows, padded and swizzled") {
  on_every_device([](const ox::Stream& stream) {
    check_transpose<ox::RowMajor>(stream);
    check_transpose<ox::Padded<>>(stream);
    check_transpose<ox::XorSwizzle<>>(stream);
    check_transpose<ox::XorSwizzle<4>>(stream);
  });
}

namespace {

// Two arrays of sizes that the launch says, and one by the thread; each wider than the one before it.
constexpr auto dynamic = ox::kernel("dynamic", [](ox::Span<std::uint64_t> out) {
  ox::DynamicShared<std::uint8_t> bytes;
  ox::DynamicShared<double> doubles;
  ox::DynamicShared<std::uint32_t> own(ox::per_thread(2));
  ox::Shared<std::uint16_t, 3> fixed;
  const ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  for (auto i : ox::range(t, ox::cast<std::uint32_t>(bytes.size()), n)) bytes[i] = ox::cast<std::uint8_t>(i * 3);
  for (auto i : ox::range(t, ox::cast<std::uint32_t>(doubles.size()), n)) doubles[i] = ox::cast<double>(i) + 0.5;
  own[2u * t] = t;
  own[2u * t + 1u] = t * t;
  if (t < 3) fixed[t] = 7;
  ox::sync_threads();
  ox::u64 sum = 0;
  for (auto i : ox::range(bytes.size())) sum += ox::u64(bytes[i]);
  for (auto i : ox::range(doubles.size())) sum += ox::cast<std::uint64_t>(doubles[i] * 1000.0);
  for (auto i : ox::range(own.size())) sum += ox::u64(own[i]) * 1000000u;
  for (auto i : ox::range(3)) sum += ox::u64(fixed[i]) << 60;
  out.unchecked_mut(t) = sum;
});

// 64 KiB in arrays of a fixed size, which PTX would not take as such.
constexpr auto large = ox::kernel("large", [](ox::Span<std::uint32_t> out) {
  ox::Shared<std::uint32_t, 8192> a, b;
  ox::DynamicShared<std::uint32_t> c(ox::per_thread(1));
  const ox::u32 t = ox::thread_idx.x(), n = ox::block_dim.x();
  for (auto i : ox::range(t, 8192u, n)) {
    a[i] = i;
    b[i] = i * 2u;
  }
  c[t] = 5;
  ox::sync_threads();
  out.unchecked_mut(t) = a[8191u - t] + b[t] + c[n - 1u - t];
});

}  // namespace

TEST_CASE("the launch decides sizes of shared arrays; more than 48 KiB are given") {
  on_every_device([](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 64);
    for (const std::uint64_t n : {1u, 37u, 1000u}) {
      dynamic(stream, ox::LaunchConfig{.grid = 2, .block = 64, .shared = {n, n / 2}}, out);
      std::uint64_t sum = std::uint64_t{21} << 60;
      for (std::uint64_t i = 0; i != n; ++i) sum += i * 3 % 256;
      for (std::uint64_t i = 0; i != n / 2; ++i) sum += i * 1000 + 500;
      for (std::uint64_t t = 0; t != 64; ++t) sum += (t + t * t) * 1000000;
      CHECK(out.to_host(stream) == std::vector<std::uint64_t>(64, sum));
    }
    auto words = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 128);
    large(stream, ox::LaunchConfig{.grid = 1, .block = 128}, words);
    const std::vector<std::uint32_t> result = words.to_host(stream);
    for (std::uint32_t t = 0; t != 128; ++t) CHECK(result[t] == 8191 - t + 2 * t + 5);
  });
}

TEST_CASE("a launch with other sizes than the kernel needs, or more than the device has, is refused") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 64);
  const auto refusal = [&](const auto& kernel, const ox::LaunchConfig& config, auto& buffer) {
    try {
      kernel(stream, config, buffer);
    } catch (const ox::LaunchError& e) {
      return std::string(e.what());
    }
    return std::string("launched");
  };
  CHECK_THAT(refusal(dynamic, {.grid = 1, .block = 64}, out),
             Catch::Contains("kernel 'dynamic'") && Catch::Contains("2 sizes of shared arrays") && Catch::Contains("0"));
  CHECK_THAT(refusal(dynamic, {.grid = 1, .block = 64, .shared = {1, 2, 3}}, out), Catch::Contains("2 sizes of shared arrays"));
  CHECK_THAT(refusal(dynamic, {.grid = 1, .block = 64, .shared = {1, 1000000}}, out),
             Catch::Contains("bytes of shared memory a block") && Catch::Contains("of arrays of a fixed size"));
  auto words = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 64);
  CHECK_THAT(refusal(large, {.grid = 1, .block = 64, .shared = {4}}, words), Catch::Contains("0 sizes of shared arrays"));
  CHECK_THROWS_AS(ox::SharedSizes({std::uint64_t{1} << 32}), ox::LaunchError);
}

namespace {

ox::u32 through_shared(const ox::u32& x) {  // a helper with shared memory of its own
  ox::Shared<std::uint32_t, 64> mine;
  ox::sync_threads();
  mine[ox::thread_idx.x()] = x;
  ox::sync_threads();
  return mine[63u - ox::thread_idx.x()];
}

}  // namespace

TEST_CASE("a declaration is one array however often it is passed; arrays that live together are several") {
  constexpr auto k = ox::kernel("k", [](ox::Span<std::uint32_t> out) {
    const ox::u32 t = ox::thread_idx.x();
    ox::u32 x = t;
    for (auto i : ox::range(3u)) x = through_shared(x) + i;
    x += through_shared(x);
    std::array<ox::Shared<std::uint32_t, 64>, 2> pair;
    pair[0][t] = x;
    pair[1][t] = t;
    ox::sync_threads();
    out.unchecked_mut(t) = pair[0][63u - t] * 100u + pair[1][63u - t];
  });
  CHECK(k.graph()->memories.size() == 4);
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 64);
    k(stream, ox::LaunchConfig{.grid = 1, .block = 64}, out);
    const std::vector<std::uint32_t> result = out.to_host(stream);
    for (std::uint32_t t = 0; t != 64; ++t) {
      // 63 - t after the first pass, t + 1, 63 - t + 3 after the third; then its own and its partner's.
      const auto third = [](std::uint32_t u) { return 63 - u + 3; };
      const std::uint32_t partner = 63 - t;
      CHECK(result[t] == (third(partner) + third(t)) * 100 + partner);
    }
  });
}

namespace {

using Line = ox::Shared<float, 64>;
using Square = ox::Shared2D<float, 8, 8, ox::Padded<>>;

constexpr auto put = ox::function("put", [](Line& line, ox::u32 i, ox::f32 x) { line[i] = x; });
const ox::Function<ox::f32(const Line&, ox::u32, ox::u32)> sum_of("sum_of", [](const Line& line, ox::u32 a, ox::u32 b) -> ox::f32 {
  if (b - a == 1) return line[a];
  const ox::u32 middle = (a + b) / 2;
  return sum_of(line, a, middle) + sum_of(line, middle, b);
});
constexpr auto element_of = ox::function("element_of", [](const auto& array, ox::u32 i) { return ox::f32(array[i]); });
constexpr auto mirrored = ox::function("mirrored", [](const Line& line, ox::u32 i) -> ox::f32 {
  ox::sync_threads();
  const ox::f32 x = line[63u - i];
  ox::sync_threads();
  return x;
});

}  // namespace

TEST_CASE("functions take shared arrays by reference: another function for each, with 32-bit addresses", "[fault]") {
  constexpr auto k = ox::kernel("shares", [](ox::u32 offset, ox::Span<float> out) {
    Line a, b;
    Square c;
    ox::DynamicShared<float> d;
    const ox::u32 t = ox::thread_idx.x();
    put(a, t, ox::cast<float>(t));
    put(b, t, 2);
    c(t / 8u, t % 8u) = ox::cast<float>(t) * 3;
    d[t] = 7;
    ox::sync_threads();
    static constexpr auto turned = ox::function("turned", [](const Square& s, ox::u32 i) -> ox::f32 { return s(i % 8u, i / 8u); });
    out.unchecked_mut(t) =
        sum_of(a, 0u, 64u) + sum_of(b, 0u, 32u) + element_of(a, t + offset) + element_of(d, t) + mirrored(a, t) + turned(c, t);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 64);
    k(stream, ox::LaunchConfig{.grid = 1, .block = 64, .shared = {64}}, 0u, out);
    const std::vector<float> got = out.to_host(stream);
    for (std::size_t t = 0; t != 64; ++t) CHECK(got[t] == static_cast<float>(2016 + 64 + t + 7 + (63 - t) + 3 * (t % 8 * 8 + t / 8)));
    const ox::KernelFault fault = fault_of(stream, [&] { k(stream, ox::LaunchConfig{.grid = 1, .block = 64, .shared = {64}}, 1u, out); });
    CHECK_THAT(fault.what(), Catch::Contains("index 64 is outside of the shared array") && Catch::Contains("in function 'element_of'"));
  });
  const std::string ptx = k.ptx(90);
  CHECK(count(ptx, "ld.shared.b32") > 0);
  CHECK(count(ptx, "\tld.b32") == 0);  // none of an address whose space is not known
}

TEST_CASE("a host index outside of a shared array is refused while tracing, with its line") {
  constexpr std::uint32_t line = __LINE__ + 3;
  const auto one = ox::kernel("one", [](ox::Span<float> out) {
    ox::Shared<float, 4> a;
    a[4] = 1;
    out.unchecked_mut(0) = a[0];
  });
  CHECK_THROWS_WITH(one.graph(), Catch::Contains("index 4 is outside of an array of 4 elements") &&
                                     Catch::Contains("shared_memory.cpp:" + std::to_string(line)));
  const auto two = ox::kernel("two", [](ox::u32 i, ox::Span<float> out) {
    ox::Shared2D<float, 4, 8> a;
    a(i, 8) = 1;
    out.unchecked_mut(0) = a[3][7];
  });
  CHECK_THROWS_WITH(two.graph(), Catch::Contains("index 8 is outside of an array of 8 elements"));
}
