// What kernels of threads together are in PTX: barriers where they were written and nowhere else, 32-bit addresses, every atomic access
// with its order and scope; and that all of it assembles.
#include <cstdint>
#include <string>

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

template <class T, ox::Scope scope>
void check_atomics(const char* name, const char* type) {
  INFO("." << name << " of " << sizeof(T) << " bytes");
  const bool assembles = has_assembler();
  for (const unsigned sm : {75u, 90u}) {
    const std::string ptx = atomics<T, scope>.ptx(ox::jit::Target::nvptx(sm));
    const std::string of_scope = "." + std::string(name);
    CHECK(count(ptx, "fence.sc" + of_scope + ";") >= 2 * 8);  // one before each sequentially consistent access
    const std::string add = std::is_integral_v<T> ? "u" + std::to_string(8 * sizeof(T)) : "f" + std::to_string(8 * sizeof(T));
    if (sizeof(T) >= 4)
      for (const char* space : {".global", ".shared"}) {
        for (const char* order : {".relaxed", ".acquire", ".release"})  // fetch_add and fetch_sub
          CHECK(count(ptx, "atom" + std::string(order) + of_scope + space + ".add." + add + " ") == 2);
        CHECK(count(ptx, "atom.acq_rel" + of_scope + space + ".add." + add + " ") == 4);  // and seq_cst
        CHECK(count(ptx, "ld.acquire" + of_scope + space + ".b" + std::to_string(8 * sizeof(T))) == 2);
        CHECK(count(ptx, "st.release" + of_scope + space + ".b" + std::to_string(8 * sizeof(T))) == 1);
        CHECK(count(ptx, "atom.release" + of_scope + space + ".exch.b") == 1);
      }
    CHECK(count(ptx, "atom.global.") + count(ptx, "atom.shared.") == 0);  // none without an order
    (void)type;
    if (assembles) CHECK(assemble(ptx, sm) == "");
  }
}

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

TEST_CASE("PTX has the order and the scope of every atomic access") {
  check_atomics<std::uint32_t, ox::Scope::device>("gpu", "u32");
  check_atomics<std::int64_t, ox::Scope::system>("sys", "s64");
  check_atomics<float, ox::Scope::block>("cta", "f32");
  check_atomics<double, ox::Scope::device>("gpu", "f64");
  check_atomics<std::int8_t, ox::Scope::device>("gpu", "s8");
  check_atomics<std::uint16_t, ox::Scope::system>("sys", "u16");
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}
