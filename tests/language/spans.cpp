// Spans, references to elements, and the checks on them.
#include <cstdint>
#include <string>

#include "support/devices.hpp"
#include "support/faults.hpp"

TEST_CASE("elements are read, written and updated through references") {
  constexpr auto k = ox::kernel("k", [](ox::Span<int> s) {
    s.unchecked_mut(0) = s[1];                     // an element to an element
    s.unchecked_mut(1) = s[2] + s[3] * 2;
    ox::i32 x = s[2];
    s.unchecked_mut(2) += x;
    s.unchecked_mut(3) -= 1;
    s.unchecked_mut(3) *= 3;
    s.unchecked_mut(4) /= 2;
    s.unchecked_mut(5) %= 4;
    s.unchecked_mut(6) &= 6;
    s.unchecked_mut(6) |= 8;
    s.unchecked_mut(6) ^= 1;
    s.unchecked_mut(7) <<= 2;
    s.unchecked_mut(7) >>= 1;
    ++s.unchecked_mut(8);
    s.unchecked_mut(8)++;
    --s.unchecked_mut(9);
    if (s[9] < s[8]) s.unchecked_mut(9) = -s[9];
    s.unchecked_mut(s[10]) = 77;                   // indexed by an element
    s.unchecked_mut(12) = s.size() > 12 ? 1 : 0;
  });
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<int> in{0, 1, 2, 3, 9, 7, 7, 7, 7, 7, 11, 0, 0};
    auto d = ox::DeviceBuffer<int>::from_host(stream, in);
    k(stream, ox::LaunchConfig{1, 1}, d);
    CHECK(d.to_host(stream) == std::vector<int>{1, 8, 4, 6, 4, 3, 15, 14, 9, -6, 11, 77, 1});
  });
}

TEST_CASE("spans of booleans") {
  constexpr auto k = ox::kernel("k", [](ox::Span<const bool> in, ox::DisjointSpan<bool> out, ox::DisjointSpan<int> count) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) {
      *e = !in[i];
      if (auto n = count.get_mut(i)) *n = *e ? 1 : 2;
    }
  });
  on_every_device([&](const ox::Stream& stream) {
    const bool values[] = {true, false, false, true};
    const auto in = ox::DeviceBuffer<bool>::from_host(stream, values);
    auto out = ox::DeviceBuffer<bool>::zeroed(stream, 4);
    auto count = ox::DeviceBuffer<int>::zeroed(stream, 4);
    k(stream, ox::LaunchConfig::for_num_elems(4), in, out, count);
    CHECK(out.to_host(stream) == std::vector<bool>{false, true, true, false});
    CHECK(count.to_host(stream) == std::vector<int>{2, 1, 1, 2});
  });
}

TEST_CASE("an index out of range is a fault with line, index and length") {
  const ox::Stream stream = ox::Device::cpu().default_stream();
  const std::vector<int> in{1, 2, 3};
  const auto d = ox::DeviceBuffer<int>::from_host(stream, in);
  auto out = ox::DeviceBuffer<int>::zeroed(stream, 3);
  constexpr auto at = ox::kernel("at", [](ox::Span<const int> s, ox::i64 i, ox::DisjointSpan<int> o) {
    if (auto e = o.get_mut(ox::thread::index_1d())) *e = s[i];
  });
  const unsigned line = __LINE__ - 2;
  at(stream, ox::LaunchConfig{1, 1}, d, 2, out);
  CHECK(out.to_host(stream)[0] == 3);
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    const ox::KernelFault fault = fault_of(stream, [&] { at(stream, ox::LaunchConfig{1, 1}, d, bad, out); });
    INFO(fault.what());
    CHECK(fault.kernel == "at");
    CHECK(fault.line.line == line);
    CHECK(std::string(fault.what()).find("3 elements") != std::string::npos);
  }
  constexpr auto narrow = ox::kernel("narrow", [](ox::Span<const int> s, ox::i8 i, ox::DisjointSpan<int> o) {
    if (auto e = o.get_mut(ox::thread::index_1d())) *e = s[i];
  });
  CHECK_THROWS_AS((narrow(stream, ox::LaunchConfig{1, 1}, d, -1, out), stream.synchronize()), ox::KernelFault);
  constexpr auto through_ref = ox::kernel("through_ref", [](ox::Span<int> s, ox::u32 i) {
    ox::i32 x = s[i];
    s.unchecked_mut(0) = x;
  });
  auto rw = ox::DeviceBuffer<int>::from_host(stream, in);
  CHECK_THROWS_AS((through_ref(stream, ox::LaunchConfig{1, 1}, rw, 3u), stream.synchronize()), ox::KernelFault);
}

TEST_CASE("threads without an element write nothing") {
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<int> out) {
    const auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) {
      *e = 1;
      *e += 1;
      ox::i32 now = *e;
      *e = now * 10;
    }
  });
  on_every_device([&](const ox::Stream& stream) {
    for (const std::size_t n : {1u, 31u, 257u, 1000u}) {
      auto out = ox::DeviceBuffer<int>::zeroed(stream, n);
      k(stream, ox::LaunchConfig{8, 256}, out);
      CHECK(out.to_host(stream) == std::vector<int>(n, 20));
    }
  });
}

TEST_CASE("an element that was not tested is not reached") {
  const auto untested = ox::kernel("untested", [](ox::DisjointSpan<int> out) { *out.get_mut(ox::thread::index_1d()) = 1; });
  CHECK_THROWS_WITH(untested.graph(),
                    Catch::Contains("kernel 'untested'") && Catch::Contains("not tested") && Catch::Contains("spans.cpp"));
  const auto other_way = ox::kernel("other_way", [](ox::DisjointSpan<int> out) {
    auto e = out.get_mut(ox::thread::index_1d());
    if (!e) *e = 1;
  });
  CHECK_THROWS_WITH(other_way.graph(), Catch::Contains("not tested"));
  const auto early = ox::kernel("early", [](ox::DisjointSpan<int> out) {
    auto e = out.get_mut(ox::thread::index_1d());
    if (!e) return;
    for (auto i : ox::range(3)) *e += i;
  });
  on_every_device([&](const ox::Stream& stream) { CHECK(run_alone<int>(stream, early, 1)[0] == 3); });
}

TEST_CASE("an unchecked write to a disjoint span is known to the compiler and the launch") {
  using oxide::ir::Access;
  const auto access_of = [](const auto& kernel) { return kernel.graph()->memories.at(0).access; };
  CHECK(access_of(ox::kernel("k", [](ox::DisjointSpan<int> s) {
          if (auto e = s.get_mut(ox::thread::index_1d())) *e = 1;
        })) == Access::disjoint);
  CHECK(access_of(ox::kernel("k", [](ox::DisjointSpan<int> s) { s.unchecked_mut(0) = 1; })) == Access::write);
  CHECK(access_of(ox::kernel("k", [](ox::Span<int> s) { s.unchecked_mut(0) = 1; })) == Access::write);
  CHECK(access_of(ox::kernel("k", [](ox::Span<const int> s) { (void)s.size(); })) == Access::read);
}
