// Checks of the kernel's own: what the host is told, that only the failing threads end, and that the device goes on.
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/ir/hash.hpp>
#include <oxide/ir/print.hpp>

#include "support/devices.hpp"
#include "support/faults.hpp"

TEST_CASE("a failed assertion says what, where and in which thread; the other threads and the device go on", "[fault]") {
  constexpr std::uint32_t line = __LINE__ + 5;
  constexpr auto k = ox::kernel("positive", [](ox::Span<const int> in, ox::DisjointSpan<int> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::assert_(in[i] > 0, "every element is positive");
    *e = in[i] * 2;
  });
  on_every_device([&](const ox::Stream& stream) {
    for (int round = 0; round != 2; ++round) {
      std::vector<int> host(300, 7);
      host[260] = -1;
      const auto in = ox::DeviceBuffer<int>::from_host(stream, host);
      auto out = ox::DeviceBuffer<int>::zeroed(stream, host.size());
      const ox::KernelFault fault = fault_of(stream, [&] { k(stream, ox::LaunchConfig{3, 128}, in, out); });
      CHECK(fault.kernel == "positive");
      CHECK_THAT(fault.what(), Catch::Contains("assertion failed: every element is positive") && Catch::Contains("checks.cpp"));
      CHECK(fault.line.line == line);
      CHECK(fault.block[0] == 2);
      CHECK(fault.thread[0] == 4);
      const std::vector<int> results = out.to_host(stream);
      for (std::size_t i = 0; i != results.size(); ++i) CHECK(results[i] == (i == 260 ? 0 : 14));
    }
  });
}

TEST_CASE("a trap ends the thread, in helpers and loops too, and what stands behind it is not run", "[fault]") {
  constexpr std::uint32_t line = __LINE__ + 2;
  static const auto helper = [](const ox::i32& x) {
    if (x == 5) ox::trap("five");
    if (x == 6) ox::trap();
  };
  constexpr auto k = ox::kernel("trapping", [](ox::i32 last, ox::Span<int> out) {
    for (auto i : ox::range(last)) {
      out.unchecked_mut(i) = 1;
      helper(i);
      ox::assert_(i < 100);
      out.unchecked_mut(i) = 2;
    }
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 200);
    const ox::KernelFault fault = fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 1}, 9, out); });
    CHECK_THAT(fault.what(), Catch::Contains("kernel 'trapping': five"));
    CHECK(fault.line.line == line);
    CHECK(out.to_host(stream)[4] == 2);
    CHECK(out.to_host(stream)[5] == 1);
    CHECK(out.to_host(stream)[6] == 0);
    k(stream, ox::LaunchConfig{1, 1}, 5, out);
    stream.synchronize();
  });
}

TEST_CASE("assertions on one line keep their own messages, and a constant condition is fine", "[fault]") {
  const auto k = [](bool host) {
    return ox::kernel("messages", [host](ox::i32 x, ox::DisjointSpan<int> out) {
      ox::assert_(host, "of the host");
      for (int bit = 0; bit != 3; ++bit) ox::assert_((x & (1 << bit)) == 0, "bit " + std::to_string(bit));
      if (auto e = out.get_mut(ox::thread::index_1d())) *e = 1;
    });
  };
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 1);
    const auto message = [&](bool host, int x) {
      return std::string(fault_of(stream, [&] { k(host)(stream, ox::LaunchConfig{1, 1}, x, out); }).what());
    };
    CHECK_THAT(message(true, 6), Catch::Contains("bit 1,"));
    CHECK_THAT(message(true, 4), Catch::Contains("bit 2,"));
    CHECK_THAT(message(false, 4), Catch::Contains("of the host"));
    CHECK_NOTHROW(k(true)(stream, ox::LaunchConfig{1, 1}, 0, out));
  });
}

TEST_CASE("messages are in the graph's text and in its hash") {
  const auto graph = [](const std::string& message) {
    return *ox::kernel("k", [message](ox::i32 x) { ox::assert_(x > 0, message); }).graph();
  };
  CHECK_THAT(oxide::ir::print(graph("a \"quote\"\n")), Catch::Contains("check \"assertion failed: a \\\"quote\\\"\\n\", v"));
  CHECK(oxide::ir::hash(graph("one")) == oxide::ir::hash(graph("one")));
  CHECK(oxide::ir::hash(graph("one")) != oxide::ir::hash(graph("two")));
}

TEST_CASE("a thread's stores before a check that ends it stay in the GPU's code") {
  constexpr auto k = ox::kernel("stores", [](ox::Span<const int> x, ox::DisjointSpan<int> out) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    *e = 1;
    ox::assert_(x[i] != 7);
    *e = 2;
  });
  const std::string ptx = k.ptx(ox::jit::Target::nvptx(80));
  std::size_t stores = 0;
  for (std::size_t at = ptx.find("st.global.b32 "); at < ptx.find(".func oxide_fault(\n", ptx.find(".entry"));
       at = ptx.find("st.global.b32 ", at + 1))
    ++stores;
  CHECK(stores == 2);
}
