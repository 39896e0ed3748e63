// Clocks, waiting, inline PTX, unrolled loops, cache hints, volatile accesses and copies.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/runtime/ptx_lines.hpp>

#include "support/devices.hpp"
#include "support/faults.hpp"
#include "support/ptxas.hpp"
#include "support/skip.hpp"

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

constexpr auto clocks = ox::kernel("clocks", [](ox::Span<std::uint64_t> out) {
  const auto i = ox::thread::index_1d();
  ox::u64 start = ox::thread::clock64(), nanoseconds = ox::thread::globaltimer();
  ox::u32 low = ox::thread::clock();
  ox::thread::nanosleep(200000);
  ox::u64 slept = ox::thread::globaltimer() - nanoseconds;
  ox::breakpoint();
  ox::thread::smid();  // not used, and read all the same
  out.unchecked_mut(i * 8) = ox::thread::clock64() - start;
  out.unchecked_mut(i * 8 + 1) = slept;
  out.unchecked_mut(i * 8 + 2) = low - ox::cast<std::uint32_t>(start);
  out.unchecked_mut(i * 8 + 3) = ox::cast<std::uint64_t>(ox::thread::smid() < ox::thread::nsmid());
  out.unchecked_mut(i * 8 + 4) = ox::thread::warpid();
  out.unchecked_mut(i * 8 + 5) = ox::cast<std::uint64_t>(ox::thread::warpid() < ox::thread::nwarpid());
  out.unchecked_mut(i * 8 + 6) = ox::cast<std::uint64_t>(ox::on_gpu());
});
constexpr auto without_breakpoint = ox::kernel("clocks_only", [](ox::Span<std::uint64_t> out) {
  const auto i = ox::thread::index_1d();
  ox::u64 start = ox::thread::clock64(), nanoseconds = ox::thread::globaltimer();
  ox::thread::nanosleep(200000);
  out.unchecked_mut(i * 4) = ox::thread::clock64() - start;
  out.unchecked_mut(i * 4 + 1) = ox::thread::globaltimer() - nanoseconds;
  out.unchecked_mut(i * 4 + 2) = ox::cast<std::uint64_t>(ox::thread::smid() < ox::thread::nsmid());
  out.unchecked_mut(i * 4 + 3) = ox::cast<std::uint64_t>(ox::on_gpu());
});

constexpr auto adders = ox::kernel("adders", [](ox::Span<const std::uint32_t> in, ox::Span<double> out) {
  const auto i = ox::thread::index_1d();
  ox::u32 x = in[i], sum = 0, carry = 5;
  ox::ptx("{ .reg .pred p; add.u32 %0, %1, %2; setp.gt.u32 p, %0, 100; @p add.u32 %3, %3, 1; }", ox::out(sum), ox::in(x), ox::in(7u),
          ox::inout(carry), ox::otherwise([&] {
            sum = x + 7;
            if (sum > 100) ++carry;
          }));
  ox::f32 f = 0;
  ox::f64 d = 1.5;
  ox::u16 narrow = 3;
  ox::i64 wide = -9;
  ox::ptx("fma.rn.f32 %0, %1, %1, %1;", ox::out(f), ox::in(ox::cast<float>(x)), ox::pure, ox::otherwise([&] {
            ox::f32 y = ox::cast<float>(x);
            f = y * y + y;
          }));
  ox::ptx("mul.f64 %0, %0, %1;", ox::inout(d), ox::in(4.0), ox::otherwise([&] { d *= 4.0; }));
  ox::ptx("shl.b16 %0, %0, 2; neg.s64 %1, %1;", ox::inout(narrow), ox::inout(wide), ox::otherwise([&] {
            narrow <<= 2;
            wide = -wide;
          }));
  out.unchecked_mut(i) =
      ox::cast<double>(sum) + ox::cast<double>(carry) * 1000.0 + f + d + ox::cast<double>(narrow) + ox::cast<double>(wide);
});

constexpr auto unrolled = ox::kernel("unrolled", [](ox::u32 n, ox::Span<const float> in, ox::Span<float> out) {
  ox::f32 by_four = 0, all = 0, plain = 0;
  for (auto i : ox::unroll<4>(ox::range(n))) by_four += in[i] * ox::cast<float>(i);
  for (auto i : ox::unroll(ox::range(6))) all += in[i] * 3;
  for (auto i : ox::unroll<1>(ox::range(6))) plain += in[i] * 5;
  for (auto i : ox::unroll<2>(ox::grid_stride(out.size()))) out.unchecked_mut(i) = by_four + all * 100 + plain * 10000;
});

constexpr auto hinted = ox::kernel("hinted", [](ox::Span<const float> in, ox::Span<const std::uint8_t> bytes, ox::Span<double> both,
                                                ox::DisjointSpan<float> out, ox::DisjointSpan<std::uint16_t> small) {
  const auto i = ox::thread::index_1d();
  ox::prefetch(in, i + 64);
  ox::prefetch<ox::cache::l1>(both, i);
  auto e = out.get_mut(i);
  auto s = small.get_mut(i);
  if (!e || !s) return;
  ox::f32 sum = ox::load<ox::cache::streaming>(in, i) + ox::load<ox::cache::global>(in, i) + ox::load<ox::cache::all>(in, i);
  sum += ox::load<ox::cache::last_use>(in, i) + ox::load<ox::cache::fetch_again>(in, i) + ox::load<ox::cache::no_allocate>(in, i);
  sum += ox::load<ox::cache::evict_first>(in, i) + ox::load<ox::cache::evict_last>(in, i) + ox::volatile_load(in, i);
  sum += ox::cast<float>(ox::load<ox::cache::streaming>(bytes, i)) + ox::cast<float>(ox::load<ox::cache::evict_last>(both, i));
  ox::store<ox::cache::streaming>(both.unchecked_mut(i), 1.25);
  sum += ox::cast<float>(ox::load<ox::cache::streaming>(both.unchecked_mut(i)));  // what was stored
  ox::store<ox::cache::evict_first>(*e, sum);
  ox::store<ox::cache::write_back>(*s, 7);
  ox::store<ox::cache::no_allocate>(*s, 8);
  ox::store<ox::cache::global>(*s, ox::load<ox::cache::global>(*s) + 1);
  ox::store<ox::cache::write_through>(both.unchecked_mut(i), 2.5);
  ox::volatile_store(both.unchecked_mut(i), 3.5);
  ox::volatile_store(both.unchecked_mut(i), 4.5);
  ox::volatile_load(in, i);  // not used, and read all the same
});

constexpr auto copies = ox::kernel("copies", [](ox::u64 from, ox::u64 to, ox::u64 n, ox::Span<const std::uint16_t> in,
                                                ox::Span<std::uint16_t> out) { ox::copy(out.unchecked_mut(to), in, from, n); });

std::vector<std::string> every_ptx(unsigned sm) {
  return {clocks.ptx(sm), adders.ptx(sm), unrolled.ptx(sm), hinted.ptx(sm), copies.ptx(sm)};
}

}  // namespace

TEST_CASE("clocks go on, sleeping takes time, and a thread knows where it runs") {
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 64 * 4);
    without_breakpoint(stream, ox::LaunchConfig{1, 64}, out);
    const std::vector<std::uint64_t> results = out.to_host(stream);
    for (const std::size_t i : {std::size_t{0}, std::size_t{63}}) {
      CHECK(results[4 * i] > 1000);
      CHECK(results[4 * i] < std::uint64_t{1} << 40);
      CHECK(results[4 * i + 1] > (stream.device_id() == 0 ? 200000u : 0u));
      CHECK(results[4 * i + 1] < 1000000000u);
      CHECK(results[4 * i + 2] == 1);
      CHECK(results[4 * i + 3] == (stream.device_id() == 0 ? 0 : 1));
    }
  });
  const ox::Stream cpu = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(cpu, 64 * 8);
  clocks(cpu, ox::LaunchConfig{1, 64}, out);  // goes on at a breakpoint without a debugger
  CHECK(out.to_host(cpu)[8 * 40 + 4] == 1);
  CHECK(out.to_host(cpu)[8 * 40 + 5] == 1);
  const std::string ptx = clocks.ptx(80);
  CHECK(count(ptx, "%clock64;") == 2);
  CHECK(count(ptx, "%clock;") == 1);
  CHECK(count(ptx, "%globaltimer;") == 2);
  CHECK(count(ptx, "%smid;") == 2);
  CHECK(count(ptx, "nanosleep.u32") == 1);
  CHECK(count(ptx, "brkpt;") == 1);
  // As of CUDA's clock: what is written before one is written before it.
  const auto timed = ox::kernel("timed", [](ox::Span<std::uint64_t> to) {
    to.unchecked_mut(0) = 1;
    ox::u64 now = ox::thread::clock64();
    to.unchecked_mut(0) = now;
  });
  CHECK(count(timed.ptx(80), "st.global") == 2);
  CHECK_THAT(timed.llvm_ir(ox::jit::Target::nvptx(80)), Catch::Contains("%clock64;\", \"=l,~{memory}\""));
  CHECK(ptx.find("%globaltimer;") < ptx.find("nanosleep.u32"));
  CHECK(ptx.find("nanosleep.u32") < ptx.rfind("%globaltimer;"));
}

TEST_CASE("inline PTX reads and writes variables of every register class, and the CPU runs what stands in its place") {
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<std::uint32_t>::from_host(stream, std::vector<std::uint32_t>{1, 93, 94, 1000});
    auto out = ox::DeviceBuffer<double>::zeroed(stream, 4);
    adders(stream, ox::LaunchConfig{1, 4}, in, out);
    const std::vector<double> rest{8 + 5000 + 2, 100 + 5000 + 93 * 93 + 93, 101 + 6000 + 94 * 94 + 94, 1007 + 6000 + 1001000};
    for (std::size_t i = 0; i != 4; ++i) CHECK(out.to_host(stream)[i] == rest[i] + 6 + 12 + 9);
  });
  const std::string ptx = adders.ptx(90);
  CHECK(ptx.find("begin inline asm") != std::string::npos);
  CHECK(adders.llvm_ir().find("fma.rn") == std::string::npos);
}

TEST_CASE("inline PTX is done as often as it is written, pure PTX as often as it must be; memory and meeting threads are said") {
  const auto ptx = [](auto lambda) { return ox::kernel("options", lambda).ptx(80); };
  const std::string each = ptx([](ox::u32 x, ox::Span<std::uint32_t> out) {
    ox::u32 a = 0, b = 0, c = 0;
    ox::ptx("brev.b32 %0, %1;", ox::out(a), ox::in(x));
    ox::ptx("brev.b32 %0, %1;", ox::out(b), ox::in(x));
    ox::ptx("brev.b32 %0, %1;", ox::out(c), ox::in(x));  // not used
    out.unchecked_mut(0) = a + b;
  });
  CHECK(count(each, "brev.b32") == 3);
  const std::string pure = ptx([](ox::u32 x, ox::Span<std::uint32_t> out) {
    ox::u32 a = 0, b = 0, c = 0, d = 0;
    ox::ptx("brev.b32 %0, %1;", ox::out(a), ox::in(x), ox::pure);
    ox::ptx("brev.b32 %0, %1;", ox::out(d), ox::in(x), ox::pure);  // the same again
    ox::ptx("bfind.u32 %0, %1;", ox::out(b), ox::in(x), ox::pure);
    ox::ptx("popc.b32 %0, %1;", ox::out(c), ox::in(x), ox::pure);  // not used
    for (auto i : ox::range(100u)) {
      ox::ptx("brev.b32 %0, %1;", ox::out(c), ox::in(i), ox::pure);  // not used
      out.unchecked_mut(i) = a + b + d;
    }
  });
  CHECK(count(pure, "brev.b32") == 1);
  CHECK(count(pure, "bfind.u32") == 1);
  CHECK(count(pure, "popc.b32") == 0);
  // No access is moved over PTX that reads or writes memory.
  const auto stores = [](auto... option) {
    const auto k = ox::kernel("stores", [option...](ox::Span<std::uint32_t> out) {
      out.unchecked_mut(0) = 1;
      ox::ptx("membar.gl;", option...);
      out.unchecked_mut(0) = 2;
    });
    CHECK(count(k.ptx(80), "st.global") == 2);
    return k.llvm_ir(ox::jit::Target::nvptx(80));
  };
  CHECK_THAT(stores(), Catch::Contains("membar.gl;") && !Catch::Contains("~{memory}"));
  CHECK_THAT(stores(ox::clobber_memory), Catch::Contains("membar.gl;") && Catch::Contains("~{memory}"));
  // What threads do together is put under no other condition: the call says so.
  const auto meet = [](auto... option) {
    const auto k = ox::kernel("meets", [option...](ox::u32 x, ox::Span<std::uint32_t> out) {
      ox::u32 y = 0;
      ox::ptx("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;", ox::out(y), ox::in(x), option...);
      if (x > 3) out.unchecked_mut(0) = y;
    });
    const std::string ir = k.llvm_ir(ox::jit::Target::nvptx(80));
    const std::size_t call = ir.find("shfl.sync.bfly"), number = ir.find('#', ir.find(')', call));
    const std::string attributes = "attributes " + ir.substr(number, ir.find_first_of(" ,\n", number) - number) + " = {";
    const std::size_t begin = ir.find(attributes);
    REQUIRE(begin != std::string::npos);
    return ir.substr(begin, ir.find('}', begin) - begin);
  };
  CHECK_THAT(meet(ox::convergent), Catch::Contains("convergent"));
  CHECK_THAT(meet(), !Catch::Contains("convergent"));
}

TEST_CASE("inline PTX without anything in its place is refused on the CPU, with its line") {
  constexpr std::uint32_t line = __LINE__ + 3;
  constexpr auto k = ox::kernel("gpu_only", [](ox::Span<std::uint32_t> out) {
    ox::u32 lane = 0;
    ox::ptx("mov.u32 %0, %%laneid; // $5", ox::out(lane));
    ox::ptx("membar.gl;", ox::clobber_memory, ox::convergent);
    out.unchecked_mut(0) = lane;
  });
  CHECK_THROWS_WITH(k.assembly(), Catch::Contains("kernel 'gpu_only'") && Catch::Contains("machine.cpp:" + std::to_string(line)) &&
                                      Catch::Contains("ox::otherwise"));
  const std::string ptx = k.ptx(80);
  CHECK_THAT(ptx, Catch::Contains(", %laneid; // $5") && Catch::Contains("membar.gl;"));
}

TEST_CASE("an assembler's complaint about inline PTX finds its line") {
  constexpr std::uint32_t line = __LINE__ + 4;
  constexpr auto k = ox::kernel("wrong", [](ox::Span<std::uint32_t> out) {
    ox::u32 x = 0;
    ox::ptx("mov.u32 %0, 5;", ox::out(x));
    ox::ptx("mov.u32 %0, 7;\n\tno.such.instruction %0;", ox::inout(x));
    out.unchecked_mut(0) = x;
  });
  const std::string ptx = k.ptx(80);
  const auto line_of = [&](const std::string& what) {
    const auto lines = std::count(ptx.begin(), ptx.begin() + static_cast<std::ptrdiff_t>(ptx.find(what)), '\n') + 1;
    return oxide::runtime::inline_ptx_line(*k.graph(), ptx, "ptxas application ptx input, line " + std::to_string(lines) + "; error : x")
        .line;
  };
  CHECK(line_of("no.such.instruction") == line);
  CHECK(line_of(", 7;") == line);
  CHECK(line_of(", 5;") == line - 1);
  CHECK(line_of(".entry") == 0);
  CHECK(line_of("ret;") == 0);
  if (!oxide::testing::ptxas_path().empty())
    CHECK(oxide::runtime::inline_ptx_line(*k.graph(), ptx, oxide::testing::ptxas_complaint(ptx, 80)).line == line);
  for (const ox::Device& device : ox::Device::all()) {
    if (!device.is_gpu()) continue;
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(device.default_stream(), 1);
    CHECK_THROWS_WITH(k(device.default_stream(), ox::LaunchConfig{1, 1}, out), Catch::Contains("machine.cpp:" + std::to_string(line)));
  }
}

TEST_CASE("loops are unrolled as asked, and give the same") {
  on_every_device([&](const ox::Stream& stream) {
    const std::vector<float> host{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    for (const std::uint32_t n : {0u, 1u, 3u, 4u, 7u, 11u}) {
      auto out = ox::DeviceBuffer<float>::zeroed(stream, 5);
      unrolled(stream, ox::LaunchConfig{1, 2}, n, in, out);
      float sum = 0;
      for (std::uint32_t i = 0; i != n; ++i) sum += host[i] * static_cast<float>(i);
      CHECK(out.to_host(stream) == std::vector<float>(5, sum + 63 * 100 + 105 * 10000));
    }
  });
  const auto sum = [](auto loop) {
    return ox::kernel("sum", [loop](ox::u32 n, ox::Span<const float> in, ox::Span<float> out) {
      ox::f32 total = 0;
      for (auto i : loop(n)) total += in[i] * total;
      out.unchecked_mut(0) = total;
    });
  };
  const auto loads = [](const auto& kernel) { return count(kernel.ptx(80), "ld.global.nc.b32"); };
  CHECK(loads(sum([](ox::u32& n) { return ox::unroll<1>(ox::range(n)); })) == 1);
  CHECK(loads(sum([](ox::u32& n) { return ox::unroll<4>(ox::range(n)); })) >= 4);
  CHECK(loads(sum([](ox::u32& n) { return ox::unroll<8>(ox::range(n)); })) >= 8);
  CHECK(loads(sum([](ox::u32&) { return ox::unroll(ox::range(12)); })) == 12);
  CHECK(loads(sum([](ox::u32&) { return ox::unroll<1>(ox::range(12)); })) == 1);
  CHECK(sum([](ox::u32&) { return ox::unroll(ox::range(12)); }).ptx(80).find("bra \t$L__BB0_1;") == std::string::npos);
}

TEST_CASE("accesses with cache hints do what plain ones do") {
  on_every_device([&](const ox::Stream& stream) {
    const std::size_t n = 100;
    std::vector<float> host(n);
    std::vector<std::uint8_t> host_bytes(n);
    std::vector<double> host_both(n);
    for (std::size_t i = 0; i != n; ++i) {
      host[i] = static_cast<float>(i) / 2;
      host_bytes[i] = static_cast<std::uint8_t>(3 * i);
      host_both[i] = 100.0 * static_cast<double>(i);
    }
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    const auto bytes = ox::DeviceBuffer<std::uint8_t>::from_host(stream, host_bytes);
    auto both = ox::DeviceBuffer<double>::from_host(stream, host_both);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, n);
    auto small = ox::DeviceBuffer<std::uint16_t>::zeroed(stream, n);
    hinted(stream, ox::LaunchConfig::for_num_elems(n), in, bytes, both, out, small);
    const std::vector<float> results = out.to_host(stream);
    for (std::size_t i = 0; i != n; ++i)
      CHECK(results[i] == host[i] * 9 + static_cast<float>(host_bytes[i]) + static_cast<float>(host_both[i]) + 1.25f);
    CHECK(small.to_host(stream) == std::vector<std::uint16_t>(n, 9));
    CHECK(both.to_host(stream) == std::vector<double>(n, 4.5));
  });
  const auto target = [](std::uint32_t sm, std::uint32_t ptx) { return oxide::jit::Target::nvptx(sm, ptx); };
  const std::string ptx = hinted.ptx(target(90, 80));
  for (const char* what :
       {"ld.global.cs.nc.b32", "ld.global.cg.nc.b32", "ld.global.ca.nc.b32", "ld.global.lu.b32", "ld.global.cv.b32",
        "ld.global.nc.L1::no_allocate.b32", "ld.global.nc.L2::cache_hint.b32", "ld.global.cs.nc.b8", "ld.global.cs.b64", "st.global.cs.b64",
        "st.global.L2::cache_hint.b32", "st.global.wb.b16", "st.global.L1::no_allocate.b16", "st.global.cg.b16", "st.global.wt.b64",
        "createpolicy.fractional.L2::evict_last.b64", "prefetch.global.L2", "prefetch.global.L1"}) {
    INFO(what);
    CHECK(ptx.find(what) != std::string::npos);
  }
  // Each asks for its own level and policy.
  const auto policies = [](auto lambda) {
    const std::string text = ox::kernel("policies", lambda).ptx(ox::jit::Target::nvptx(90, 80));
    return std::array{count(text, "L2::evict_first"), count(text, "L2::evict_last"), count(text, "prefetch.global.L1"),
                      count(text, "prefetch.global.L2")};
  };
  using Counts = std::array<std::size_t, 4>;
  CHECK(policies([](ox::Span<float> x) { x.unchecked_mut(0) = ox::load<ox::cache::evict_first>(x, 1); }) == Counts{1, 0, 0, 0});
  CHECK(policies([](ox::Span<float> x) { x.unchecked_mut(0) = ox::load<ox::cache::evict_last>(x, 1); }) == Counts{0, 1, 0, 0});
  CHECK(policies([](ox::Span<float> x) { ox::store<ox::cache::evict_last>(x.unchecked_mut(0), 1); }) == Counts{0, 1, 0, 0});
  CHECK(policies([](ox::Span<float> x) { ox::prefetch<ox::cache::l1>(x, 1); }) == Counts{0, 0, 1, 0});
  CHECK(policies([](ox::Span<float> x) { ox::prefetch(x, 1); }) == Counts{0, 0, 0, 1});
  CHECK(count(ptx, "ld.volatile.global") == 2);
  CHECK(count(ptx, "st.volatile.global") == 2);
  CHECK(hinted.ptx(target(75, 63)).find("cache_hint") == std::string::npos);
}

TEST_CASE("accesses with hints and volatile ones are checked", "[fault]") {
  constexpr auto k = ox::kernel("hinted_beyond", [](ox::u32 which, ox::u32 i, ox::Span<const float> in, ox::Span<float> out) {
    ox::f32 x = 0;
    if (which == 0) x = ox::load<ox::cache::streaming>(in, i);
    if (which == 1) x = ox::volatile_load(out, i);
    if (which == 2) ox::prefetch(in, i);
    out.unchecked_mut(0) = x;
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::zeroed(stream, 8);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 4);
    CHECK_THAT(fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 1}, 0, 8, in, out); }).what(),
               Catch::Contains("index 8 is outside of parameter 3, which has 8 elements"));
    CHECK_THAT(fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 1}, 1, 4, in, out); }).what(),
               Catch::Contains("index 4 is outside of parameter 4, which has 4 elements"));
    k(stream, ox::LaunchConfig{1, 1}, 2, 1u << 31, in, out);  // nothing to bring near
    stream.synchronize();
  });
}

TEST_CASE("copies move what they say and are checked", "[fault]") {
  on_every_device([&](const ox::Stream& stream) {
    std::vector<std::uint16_t> host(64);
    for (std::size_t i = 0; i != host.size(); ++i) host[i] = static_cast<std::uint16_t>(1000 + i);
    const auto in = ox::DeviceBuffer<std::uint16_t>::from_host(stream, host);
    const auto run = [&](std::size_t from, std::size_t to, std::size_t n) {
      auto out = ox::DeviceBuffer<std::uint16_t>::zeroed(stream, 50);
      copies(stream, ox::LaunchConfig{1, 1}, from, to, n, in, out);
      return out.to_host(stream);
    };
    for (const auto& [from, to, n] :
         std::vector<std::array<std::size_t, 3>>{{0, 0, 48}, {8, 16, 24}, {1, 0, 50}, {3, 5, 7}, {64, 50, 0}, {0, 49, 1}}) {
      std::vector<std::uint16_t> expected(50);
      for (std::size_t i = 0; i != n; ++i) expected[to + i] = host[from + i];
      CHECK(run(from, to, n) == expected);
    }
    CHECK_THROWS_WITH(run(60, 0, 5), Catch::Contains("ox::copy reads past the end"));
    CHECK_THROWS_WITH(run(65, 0, 0), Catch::Contains("ox::copy reads past the end"));
    CHECK_THROWS_WITH(run(0, 48, 3), Catch::Contains("ox::copy writes past the end"));
    CHECK_THROWS_WITH(run(2, 0, ~std::size_t{0}), Catch::Contains("past the end"));
    CHECK_THROWS_WITH(run(2, 2, ~std::size_t{0}), Catch::Contains("ox::copy reads past the end"));  // ends before they start
  });
  CHECK_THAT(copies.ptx(80),
             Catch::Contains("ld.global.nc.v4.b32") && Catch::Contains("st.global.v4.b32") && Catch::Contains("ld.global.nc.b16"));
}

TEST_CASE("everything here assembles") {
  if (oxide::testing::ptxas_path().empty()) OXIDE_SKIP("ptxas is not installed");
  for (const unsigned sm : {75u, 90u, 100u})
    for (const std::string& ptx : every_ptx(sm)) CHECK(oxide::testing::ptxas_complaint(ptx, sm) == "");
  for (const unsigned sm : {75u, 80u, 90u}) CHECK(oxide::testing::ptxas_complaint(hinted.ptx(oxide::jit::Target::nvptx(sm, 84)), sm) == "");
}
