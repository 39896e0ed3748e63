// What kernels of threads together are in PTX: barriers where they were written and nowhere else, 32-bit addresses, every atomic access
// with its order and scope; and that all of it assembles.
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "language/support/devices.hpp"
#include "simt/support/ptx.hpp"

namespace {

// Barriers in straight code, on both sides of a branch, in a loop with a branch, and behind early ends: seven in the source.
constexpr auto barriers = ox::kernel("barriers", [](ox::i32 n, ox::Span<const float> in, ox::Span<float> out) {
  ox::Shared<float, 256> tile;
  const ox::u32 t = ox::thread_idx.x();
  ox::f32 x = in[t];
  tile[t] = x;
  ox::sync_threads();  // 1
  if (n > 3) {
    x += tile[255u - t];
    ox::sync_threads();  // 2
    tile[t] = x;
  } else {
    x -= tile[255u - t];
    ox::sync_threads();  // 3
    tile[t] = x;
  }
  ox::sync_threads();  // 4
  for (auto k : ox::range(n)) {
    if (k % 2 == 0) x += tile[t ^ 1u];
    ox::sync_threads();  // 5
    tile[t] = x;
    ox::sync_threads();  // 6
  }
  if (x > 1.0f) out.unchecked_mut(t) = 1;
  ox::boolean all = ox::sync_threads_and(x > 0);  // 7
  if (all) out.unchecked_mut(256u + t) = tile[t];
});

template <class T, ox::Scope scope>
inline constexpr auto atomics = ox::kernel("atomics", [](ox::Span<T> cells, ox::Span<T> out) {
  ox::Shared<T, 64> shared;
  const ox::u32 t = ox::thread_idx.x();
  ox::detail::ValueFor<T> x = out[t];
  const auto all = [&](auto atomic) {
    using enum ox::MemoryOrder;
    for (const ox::MemoryOrder order : {relaxed, acquire, release, acq_rel, seq_cst}) {
      if (order != release && order != acq_rel) x = atomic.load(order);
      if (order != acquire && order != acq_rel) atomic.store(x, order);
      x = atomic.exchange(x, order);
      x = atomic.compare_exchange(x, x + 1, order);
      x = atomic.fetch_add(x, order);
      x = atomic.fetch_sub(x, order);
      x = atomic.fetch_min(x, order);
      x = atomic.fetch_max(x, order);
      if constexpr (std::is_integral_v<T>) {
        x = atomic.fetch_and(x, order);
        x = atomic.fetch_or(x, order);
        x = atomic.fetch_xor(x, order);
      }
      if constexpr (std::is_same_v<T, std::uint32_t>) {
        x = atomic.fetch_inc(x, order);
        x = atomic.fetch_dec(x, order);
      }
    }
  };
  all(ox::atomic<scope>(cells, t));
  all(ox::atomic<scope>(shared, t));
  out.unchecked_mut(t) = x;
});

// The kernel alone, without what reports failed checks.
std::string kernel_in(const std::string& ptx) {
  const std::size_t begin = ptx.find(".entry");
  return ptx.substr(begin, ptx.find(".func oxide_fault(", begin) - begin);
}

// How often each instruction is there: by order, of both spaces. What a loop around a swap does has the order in the swap.
template <class T, ox::Scope scope>
void check_atomics(const std::string& name, const std::string& minmax) {
  constexpr bool integer = std::is_integral_v<T>, counts = std::is_same_v<T, std::uint32_t>, narrow = sizeof(T) < 4;
  const std::string bits = std::to_string(8 * sizeof(T)), swapped = std::to_string(sizeof(T) == 1 ? 32 : 8 * sizeof(T));
  // Loads, stores, exchanges, swaps, two additions, minimum and maximum; bits; inc and dec.
  constexpr std::size_t operations = 8 + (integer ? 3 : 0) + (counts ? 2 : 0);
  for (const unsigned sm : {75u, 90u}) {
    INFO("." << name << " of " << sizeof(T) << " bytes, sm_" << sm);
    const std::string whole = atomics<T, scope>.ptx(ox::jit::Target::nvptx(sm));
    const std::string ptx = kernel_in(whole);
    CHECK(count(ptx, "fence.sc." + name + ";") == 2 * operations);  // one before each sequentially consistent access
    CHECK(count(ptx, "fence.") == 2 * operations);
    CHECK(count(ptx, "atom.global.") + count(ptx, "atom.shared.") == 0);  // none without an order
    for (const std::string space : {".global", ".shared"}) {
      for (const std::string order : {".relaxed", ".acquire", ".release", ".acq_rel"}) {
        INFO(order << space);
        const std::size_t times = order == ".acq_rel" ? 2 : 1;  // also where it is sequentially consistent
        const auto instructions = [&](const std::string& what) {
          return count(ptx, "atom" + order + "." + name + space + "." + what + " ");
        };
        CHECK(instructions("cas.b" + swapped) == times * (narrow ? operations - 2 : integer ? 1 : 3));
        if (narrow) {
          CHECK(count(ptx, "atom" + order + "." + name + space + ".") == instructions("cas.b" + swapped));
          continue;
        }
        CHECK(instructions("exch.b" + bits) == times);
        CHECK(instructions("add." + std::string(integer ? "u" : "f") + bits) == 2 * times);
        if (!integer) continue;
        for (const std::string& what : {"min." + minmax, "max." + minmax, "and.b" + bits, "or.b" + bits, "xor.b" + bits})
          CHECK(instructions(what) == times);
        if (counts)
          for (const std::string what : {"inc.u32", "dec.u32"}) CHECK(instructions(what) == times);
      }
      CHECK(count(ptx, "ld.acquire." + name + space + ".b" + bits) == 2);
      CHECK(count(ptx, "st.release." + name + space + ".b" + bits) == 1);
      CHECK(count(ptx, "st.relaxed." + name + space + ".b" + bits) == 2);
      if (integer && !narrow) CHECK(count(ptx, "ld.relaxed." + name + space + ".b" + bits) == 1);
    }
    if (has_assembler()) CHECK(assemble(whole, sm) == "");
  }
}

// One of each operation of a warp, and the fences and votes of a block.
constexpr auto collectives = ox::kernel("collectives", [](ox::Span<const std::uint32_t> in, ox::Span<std::uint32_t> out) {
  const ox::u32 t = ox::thread_idx.x();
  ox::u32 x = in[t];
  ox::i32 s = ox::cast<std::int32_t>(x);
  x += ox::warp::shfl(x, 3, 8);
  x += ox::warp::shfl_up(x, 1);
  x += ox::warp::shfl_up(x, 2, 16);
  x += ox::warp::shfl_down(x, 1, 2);
  x += ox::warp::shfl_xor(x, 5, 4);
  if (ox::warp::all(x > 3)) x += 1;
  if (ox::warp::any(x > 30)) x += 2;
  x += ox::warp::ballot(x > 5);
  x += ox::warp::match_any(x);
  x += ox::warp::match_all(x);
  x += ox::warp::reduce_add(x);
  x += ox::warp::reduce_min(x);
  x += ox::warp::reduce_max(x);
  x += ox::warp::reduce_and(x);
  x += ox::warp::reduce_or(x);
  x += ox::warp::reduce_xor(x);
  s += ox::warp::reduce_min(s);
  s += ox::warp::reduce_max(s);
  ox::sync_warp(0xffu);
  out.unchecked_mut(t) = x;
  ox::thread_fence_block();
  out.unchecked_mut(t) = x + 1;
  ox::thread_fence();
  out.unchecked_mut(t) = x + 2;
  ox::thread_fence_system();
  if (ox::sync_threads_or(x > 7)) x += 1;
  x += ox::sync_threads_count(x > 9);
  out.unchecked_mut(t + 32) = x + ox::cast<std::uint32_t>(s) + ox::warp::active_mask();
});

// Barriers of a block's algorithms: two of a reduction and of a scan, three a digit of a sort, two of an exchange and of a histogram.
template <int which>
inline constexpr auto block_algorithm = ox::kernel("block_algorithm", [](ox::Span<std::uint32_t> out) {
  const auto add = [](ox::u32 a, ox::u32 b) { return a + b; };
  ox::Shared<std::uint32_t, 16> bins;
  ox::u32 x = ox::block::thread_rank();
  if constexpr (which == 0) x = ox::block::reduce(x, add);
  if constexpr (which == 1) x = ox::block::inclusive_scan(x, add);
  if constexpr (which == 2) x = ox::block::exclusive_scan(x, 0, add);
  if constexpr (which == 3) {
    std::array<ox::u32, 2> items{x, x + 1};
    ox::block::blocked_to_striped(items);
    x = items[0];
  }
  if constexpr (which == 4) {
    ox::block::histogram(bins, x % 16);
    x = bins[x % 16];
  }
  out.unchecked_mut(ox::block::thread_rank()) = x;
});

}  // namespace

TEST_CASE("PTX has each barrier once, in its place, and 32-bit addresses of shared memory") {
  for (const unsigned sm : {75u, 80u, 90u, 120u}) {
    const std::string ptx = barriers.ptx(ox::jit::Target::nvptx(sm));
    INFO(ptx);
    CHECK(count(ptx, "bar.sync") == 6);
    CHECK(count(ptx, "bar.red.and.pred") == 1);
    CHECK(count(ptx, "shared.b32 \t[%rd") + count(ptx, "shared.b32 [%rd") == 0);
    CHECK(count(ptx, "cvta") == 0);
    if (has_assembler()) CHECK(assemble(ptx, sm) == "");
  }
}

TEST_CASE("PTX has each operation of a warp, each fence and each vote of a block once") {
  const std::string ptx = collectives.ptx(ox::jit::Target::nvptx(90));
  INFO(ptx);
  // The last but one operand of a shuffle: the segments' bits, and the last lane (of `up` the first).
  for (const char* what : {", 3, 6175, -1;", ", 1, 0, -1;", ", 2, 4096, -1;", ", 1, 7711, -1;", ", 5, 7199, -1;"})
    CHECK(count(ptx, what) == 1);
  CHECK(count(ptx, "shfl.sync.idx.b32") == 1);
  CHECK(count(ptx, "shfl.sync.up.b32") == 2);
  for (const char* what : {"shfl.sync.down.b32", "shfl.sync.bfly.b32", "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.ballot.b32",
                           "match.any.sync.b32", "match.all.sync.b32", "redux.sync.add.",    "redux.sync.min.u32", "redux.sync.max.u32",
                           "redux.sync.and.b32", "redux.sync.or.b32",  "redux.sync.xor.b32", "redux.sync.min.s32", "redux.sync.max.s32",
                           "activemask.b32",     "membar.cta;",        "membar.gl;",         "membar.sys;",        "bar.red.or.pred",
                           "bar.red.popc.u32"}) {
    INFO(what);
    CHECK(count(ptx, what) == 1);
  }
  CHECK(count(ptx, "bar.warp.sync \t255;") + count(ptx, "bar.warp.sync 255;") + count(ptx, "bar.warp.sync\t255;") == 1);
  // Before sm_80 each lane is asked in turn.
  const std::string older = collectives.ptx(ox::jit::Target::nvptx(75));
  CHECK(count(older, "redux.sync") == 0);
  CHECK(count(older, "shfl.sync.idx.b32") == 1 + 2 * 8);
  if (has_assembler()) CHECK(assemble(ptx, 90) == "");
  if (has_assembler()) CHECK(assemble(older, 75) == "");
}

TEST_CASE("each operation is its own instruction") {
  // The instruction of one operation, in a kernel that has no other one.
  const auto has = [](auto lambda, const char* what) {
    const std::string ptx = kernel_in(ox::kernel("one", lambda).ptx(ox::jit::Target::nvptx(90)));
    INFO(what << " in\n" << ptx);
    CHECK(count(ptx, what) == 1);
    CHECK(count(ptx, "atom.") + count(ptx, "red.") + count(ptx, "redux.") == 1);
    return ptx;
  };
  using U = ox::Span<std::uint32_t>;
  using I = ox::Span<std::int32_t>;
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_min(7); }, ".min.u32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_max(7); }, ".max.u32 ");
  has([](I s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_min(7); }, ".min.s32 ");
  has([](I s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_max(7); }, ".max.s32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_and(7); }, ".and.b32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_or(7); }, ".or.b32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_xor(7); }, ".xor.b32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_inc(7); }, ".inc.u32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_dec(7); }, ".dec.u32 ");
  has([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).exchange(7); }, ".exch.b32 ");
  CHECK(count(has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_add(x); }, ".add.u32 "), "neg.s32") == 0);
  CHECK(count(has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_sub(x); }, ".add.u32 "), "neg.s32") == 1);
  has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::warp::reduce_min(x); }, "redux.sync.min.u32");
  has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::warp::reduce_max(x); }, "redux.sync.max.u32");
  has([](I s, ox::i32 x) { s.unchecked_mut(1) = ox::warp::reduce_min(x); }, "redux.sync.min.s32");
  has([](I s, ox::i32 x) { s.unchecked_mut(1) = ox::warp::reduce_max(x); }, "redux.sync.max.s32");
  has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::warp::reduce_and(x); }, "redux.sync.and.b32");
  has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::warp::reduce_or(x); }, "redux.sync.or.b32");
  has([](U s, ox::u32 x) { s.unchecked_mut(1) = ox::warp::reduce_xor(x); }, "redux.sync.xor.b32");
  // All barriers of a block are barrier 0.
  const std::string votes = collectives.ptx(90);
  CHECK_THAT(votes, Catch::Matches("[^]*bar\\.red\\.or\\.pred[ \t]+%p[0-9]+, 0, [^]*"));
  CHECK_THAT(votes, Catch::Matches("[^]*bar\\.red\\.popc\\.u32[ \t]+%r[0-9]+, 0, [^]*"));
}

TEST_CASE("tiles shuffle with their own width and mask, and wait for their own lanes") {
  const auto ptx = [](auto lambda) { return kernel_in(ox::kernel("tile", lambda).ptx(80)); };
  using U = ox::Span<std::uint32_t>;
  const auto up = ptx([](U s, ox::u32 x) { s.unchecked_mut(0) = ox::tiled_partition<8>(ox::this_thread_block()).shfl_up(x, 3); });
  const auto down = ptx([](U s, ox::u32 x) { s.unchecked_mut(0) = ox::tiled_partition<8>(ox::this_thread_block()).shfl_down(x, 3); });
  const auto wait = ptx([](U s) {
    s.unchecked_mut(0) = 1;
    ox::tiled_partition<8>(ox::this_thread_block()).sync();
    s.unchecked_mut(0) = 2;
  });
  CHECK_THAT(up, Catch::Matches("[^]*shfl\\.sync\\.up\\.b32 [^;]*, 3, 6144, %r[0-9]+;[^]*"));
  CHECK_THAT(down, Catch::Matches("[^]*shfl\\.sync\\.down\\.b32 [^;]*, 3, 6175, %r[0-9]+;[^]*"));
  CHECK_THAT(wait, Catch::Matches("[^]*st\\.global[^]*bar\\.warp\\.sync[ \t]+%r[0-9]+;[^]*st\\.global[^]*"));
}

TEST_CASE("PTX has the barriers of a block's algorithms") {
  const std::string ptx[] = {block_algorithm<0>.ptx(80), block_algorithm<1>.ptx(80), block_algorithm<2>.ptx(80), block_algorithm<3>.ptx(80),
                             block_algorithm<4>.ptx(80)};
  for (const std::string& of : ptx) {
    INFO(of);
    CHECK(count(of, "bar.sync") == 2);
  }
}

TEST_CASE("PTX has the order and the scope of every atomic access") {
  check_atomics<std::uint32_t, ox::Scope::device>("gpu", "u32");
  check_atomics<std::int32_t, ox::Scope::block>("cta", "s32");
  check_atomics<std::int64_t, ox::Scope::system>("sys", "s64");
  check_atomics<std::uint64_t, ox::Scope::device>("gpu", "u64");
  check_atomics<float, ox::Scope::block>("cta", "");
  check_atomics<double, ox::Scope::device>("gpu", "");
  check_atomics<std::int8_t, ox::Scope::device>("gpu", "");
  check_atomics<std::uint16_t, ox::Scope::system>("sys", "");
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}
