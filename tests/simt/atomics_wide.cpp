// Atomic accesses to halves and pairs of them, to 16 bytes, and to structs; minima and maxima of every kind of float.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/numbers.hpp"
#include "simt/support/ptx.hpp"

#include <oxide/dsl/atomic_struct.hpp>

struct alignas(4) Halves {
  std::uint16_t low, high;
};
struct alignas(8) KeyValue {
  std::uint32_t key;
  float value;
};
struct alignas(16) Versioned {
  std::uint64_t address;
  std::uint32_t version;
  std::int16_t small[2];
};
OXIDE_STRUCT(Halves, low, high)
OXIDE_STRUCT(KeyValue, key, value)
OXIDE_STRUCT(Versioned, address, version, small)

namespace {

// One element for each operation, of global and of shared memory.
template <class T>
inline constexpr auto halves = ox::kernel("halves", [](ox::Span<const T> in, ox::Span<T> cells, ox::Span<T> block_cells) {
  using V = ox::detail::ValueFor<T>;
  ox::Shared<T, 8> shared;
  const ox::u64 t = ox::thread::index_1d();
  V x = in[t];
  if (ox::thread_idx.x() < 8) shared[ox::thread_idx.x()] = cells[8u + ox::thread_idx.x()];
  ox::sync_threads();
  const auto all = [&](const auto& array) {
    ox::atomic(array, 1).fetch_add(x);
    ox::atomic(array, 2).fetch_sub(x, ox::MemoryOrder::seq_cst);
    ox::atomic(array, 3).fetch_min(x, ox::MemoryOrder::acq_rel);
    ox::atomic(array, 4).fetch_max(x);
    V old = ox::atomic(array, 5).load();
    while (!ox::atomic(array, 5).compare_exchange_strong(old, old + x, ox::MemoryOrder::acq_rel)) {}
    V before = ox::atomic(array, 6).exchange(x);
    if (ox::thread_idx.x() == 5) ox::atomic(array, 7).store(before);  // of all, racecheck takes them for plain stores
  };
  all(shared);
  ox::sync_threads();
  if (ox::thread_idx.x() < 8) block_cells.unchecked_mut(ox::u64(ox::block_idx.x()) * 8u + ox::thread_idx.x()) = shared[ox::thread_idx.x()];
  ox::sync_threads();
  all(cells);
});

template <class T>
constexpr bool is_pair = sizeof(T) == 4;
template <class T>
T half_of(float x) {
  if constexpr (std::is_same_v<T, ox::half2>) return T{ox::half(x), ox::half(-x)};
  else if constexpr (std::is_same_v<T, ox::bfloat162>) return T{ox::bfloat16(x), ox::bfloat16(-x)};
  else return T(x);
}
template <class T>
std::vector<float> elements(const T& x) {
  if constexpr (is_pair<T>) return {static_cast<float>(x.x), static_cast<float>(x.y)};
  else return {static_cast<float>(x)};
}

// Sums are exact in any order: small multiples of a quarter.
template <class T>
void check_halves(const ox::Stream& stream) {
  constexpr std::size_t blocks = 3, threads = 33, n = blocks * threads;
  std::vector<float> numbers;
  for (const int x : random_numbers<int>(n, -2, 2, sizeof(T))) numbers.push_back(static_cast<float>(x) / 4);
  numbers[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> summed = numbers;
  summed[7] = 0;
  // The first launch has a NaN, which sums would keep: they are looked at in the second.
  for (const bool with_nan : {true, false}) {
    std::vector<T> in;
    for (const float x : with_nan ? numbers : summed) in.push_back(half_of<T>(x));
    std::vector<T> start(16, half_of<T>(0.5f));
    if (with_nan) start[3] = start[4] = start[11] = start[12] = half_of<T>(std::numeric_limits<float>::quiet_NaN());
    const auto a = ox::DeviceBuffer<T>::from_host(stream, in);
    auto cells = ox::DeviceBuffer<T>::from_host(stream, start), block_cells = ox::DeviceBuffer<T>::zeroed(stream, 8 * blocks);
    halves<T>(stream, ox::LaunchConfig{.grid = blocks, .block = threads}, a, cells, block_cells);
    const std::vector<T> out = cells.to_host(stream), block_out = block_cells.to_host(stream);
    const auto check = [&](const T* cell, std::size_t first, std::size_t end) {
      for (std::size_t e = 0; e != (is_pair<T> ? 2 : 1); ++e) {
        float sum = elements(start[1])[e], difference = sum, least = elements(start[3])[e], most = least;
        for (std::size_t i = first; i != end; ++i) {
          const float x = elements(in[i])[e];
          sum += x, difference -= x;
          least = std::fmin(least, x), most = std::fmax(most, x);
        }
        CHECK(elements(cell[0])[e] == elements(start[0])[e]);
        if (!with_nan) {
          CHECK(elements(cell[1])[e] == sum);
          CHECK(elements(cell[2])[e] == difference);
          CHECK(elements(cell[5])[e] == sum);
        }
        CHECK(elements(cell[3])[e] == least);
        CHECK(elements(cell[4])[e] == most);
      }
    };
    check(out.data(), 0, n);
    for (std::size_t b = 0; b != blocks; ++b) check(&block_out[8 * b], b * threads, (b + 1) * threads);
  }
}

// fetch_min and fetch_max of pairs of numbers, one pair a thread, against the rule: a number beats a NaN, -0 is less than +0.
template <class T>
inline constexpr auto extremes = ox::kernel("extremes", [](ox::Span<const T> with, ox::Span<T> least, ox::Span<T> most) {
  const ox::u64 t = ox::thread::index_1d();
  ox::detail::ValueFor<T> x = with[t];
  ox::atomic(least, t).fetch_min(x);
  ox::atomic(most, t).fetch_max(x);
});
template <class T, class Bits>
void check_extremes(const ox::Stream& stream, const std::vector<Bits>& special) {
  std::vector<T> a, b;
  for (const Bits x : special)
    for (const Bits y : special) a.push_back(std::bit_cast<T>(x)), b.push_back(std::bit_cast<T>(y));
  const auto with = ox::DeviceBuffer<T>::from_host(stream, b);
  auto least = ox::DeviceBuffer<T>::from_host(stream, a), most = ox::DeviceBuffer<T>::from_host(stream, a);
  extremes<T>(stream, ox::LaunchConfig{.grid = 1, .block = static_cast<std::uint32_t>(a.size())}, with, least, most);
  const std::vector<T> low = least.to_host(stream), high = most.to_host(stream);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const auto check = [&](T got, bool wants_less) {
      const auto g = static_cast<double>(got);
      if (std::isnan(x) && std::isnan(y)) return std::isnan(g);
      if (std::isnan(x) || std::isnan(y)) return g == (std::isnan(x) ? y : x);
      const bool x_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
      const double wanted = x_less == wants_less ? x : y;
      return g == wanted && std::signbit(g) == std::signbit(wanted);
    };
    wrong += !check(low[i], true) + !check(high[i], false);
  }
  CHECK(wrong == 0);
}

// Every thread appends itself to the list of its cell; the struct says how many there were, and a sum that must fit.
template <class T>
inline constexpr auto structs = ox::kernel("structs", [](ox::Span<T> cells, ox::Span<std::uint32_t> log) {
  ox::Shared<T, 2> shared;
  const ox::u64 t = ox::thread::index_1d();
  const ox::u32 number = ox::cast<std::uint32_t>(t);
  if (ox::thread_idx.x() < 2) shared[ox::thread_idx.x()] = cells[2];
  ox::sync_threads();
  const auto add = [&](const auto& array) {
    auto cell = ox::atomic(array, number % 2u);
    ox::Value<T> old = cell.load();
    ox::Value<T> next = old;
    ox::boolean done = false;
    while (!done) {
      next = old;
      if constexpr (std::is_same_v<T, KeyValue>) {
        next.key = old.key + 1u;
        next.value = old.value + ox::cast<float>(number);
      } else if constexpr (std::is_same_v<T, Halves>) {
        next.low = old.low + ox::cast<std::uint16_t>(1u);
        next.high = old.high + ox::cast<std::uint16_t>(number);
      } else {
        next.address = old.address + ox::u64(number) * 0x100000001ull;
        next.version = old.version + 1u;
        next.small[1] = old.small[1] - ox::cast<std::int16_t>(number);
      }
      done = cell.compare_exchange_strong(old, next, ox::MemoryOrder::acq_rel);
    }
  };
  add(cells);
  add(shared);
  ox::sync_threads();
  if (ox::thread_idx.x() < 2) cells.unchecked_mut(ox::u64(ox::block_idx.x()) * 2u + 4u + ox::thread_idx.x()) = shared[ox::thread_idx.x()];
  // A chain of exchanges hands each value on once.
  ox::Value<T> mine = cells[2];
  if constexpr (std::is_same_v<T, KeyValue>) mine.key = number + 1u;
  else if constexpr (std::is_same_v<T, Halves>) mine.low = ox::cast<std::uint16_t>(number + 1u);
  else mine.version = number + 1u;
  ox::Value<T> before = ox::atomic(cells, 3).exchange(mine, ox::MemoryOrder::seq_cst);
  if constexpr (std::is_same_v<T, KeyValue>) log.unchecked_mut(t) = before.key;
  else if constexpr (std::is_same_v<T, Halves>) log.unchecked_mut(t) = ox::u32(before.low);
  else log.unchecked_mut(t) = before.version;
});

template <class T, class Same>
void check_structs(const ox::Stream& stream, Same same) {
  constexpr std::uint32_t blocks = 3, threads = 40, n = blocks * threads;
  auto cells = ox::DeviceBuffer<T>::zeroed(stream, 4 + 2 * blocks);
  auto log = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
  structs<T>(stream, ox::LaunchConfig{.grid = blocks, .block = threads}, cells, log);
  const std::vector<T> out = cells.to_host(stream);
  const auto sum = [](std::uint32_t first, std::uint32_t end, std::uint32_t odd) {
    std::uint32_t s = 0;
    for (std::uint32_t i = first; i != end; ++i) s += i % 2 == odd ? i : 0;
    return s;
  };
  for (std::uint32_t k = 0; k != 2; ++k) {
    CHECK(same(out[k], n / 2, sum(0, n, k)));
    for (std::uint32_t b = 0; b != blocks; ++b) CHECK(same(out[4 + 2 * b + k], threads / 2, sum(b * threads, (b + 1) * threads, k)));
  }
  std::vector<std::uint32_t> seen = log.to_host(stream);
  std::sort(seen.begin(), seen.end());
  std::size_t wrong = seen[0] != 0;
  for (std::size_t i = 1; i != n; ++i) wrong += seen[i] == seen[i - 1] || seen[i] > n;
  CHECK(wrong == 0);
}

bool swaps_16_bytes(const ox::Stream& stream) {
  const ox::DeviceProperties& p = device_of(stream).properties();
  return p.kind == ox::DeviceKind::cpu || p.sm >= 90;
}

constexpr auto wide = ox::kernel("wide", [](ox::Span<ox::uint128> cells, ox::Span<std::uint64_t> out) {
  ox::u128 big = ox::u128(ox::thread_idx.x() + 1u) << ox::u128(70);
  ox::u128 old = ox::atomic(cells, 0).load(ox::MemoryOrder::acquire);
  while (!ox::atomic(cells, 0).compare_exchange_strong(old, old + big + 1u, ox::MemoryOrder::acq_rel)) {}
  ox::atomic(cells, 1).store(big, ox::MemoryOrder::release);
  ox::u128 before = ox::atomic<ox::Scope::system>(cells, 2).exchange(big, ox::MemoryOrder::seq_cst);
  if (before == 0u) out.unchecked_mut(0) = 1;
});

}  // namespace

TEST_CASE("atomic operations on f16, bf16 and pairs of them") {
  on_every_device([](const ox::Stream& stream) {
    check_halves<ox::half>(stream);
    check_halves<ox::bfloat16>(stream);
    check_halves<ox::half2>(stream);
    check_halves<ox::bfloat162>(stream);
  });
}

TEST_CASE("atomic minima and maxima follow the number rules: negatives, zeros, NaNs, infinities") {
  on_every_device([](const ox::Stream& stream) {
    check_extremes<float, std::uint32_t>(stream, {0, 0x80000000, 0x3f800000, 0xbf800000, 0xc0000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                                  0xffc00000, 0x7fa00000, 1, 0x80000001});
    check_extremes<double, std::uint64_t>(stream, {0, std::uint64_t{1} << 63, std::bit_cast<std::uint64_t>(-1.0), 0x7ff8000000000000,
                                                   0xfff8000000000000, 0x7ff4000000000000, 1, std::bit_cast<std::uint64_t>(2.0)});
    check_extremes<ox::half, std::uint16_t>(stream, {0, 0x8000, 0x3c00, 0xbc00, 0xc000, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7d00, 1, 0x8001});
    check_extremes<ox::bfloat16, std::uint16_t>(stream,
                                                {0, 0x8000, 0x3f80, 0xbf80, 0xc000, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7fa0, 1, 0x8001});
  });
}

TEST_CASE("structs of 4, 8 and 16 bytes and 128-bit integers are exchanged as a whole") {
  on_every_device([](const ox::Stream& stream) {
    check_structs<Halves>(stream, [](const Halves& c, std::uint32_t count, std::uint32_t sum) {
      return c.low == count && c.high == static_cast<std::uint16_t>(sum);
    });
    check_structs<KeyValue>(stream, [](const KeyValue& c, std::uint32_t count, std::uint32_t sum) {
      return c.key == count && c.value == static_cast<float>(sum);
    });
    if (!swaps_16_bytes(stream)) return;
    check_structs<Versioned>(stream, [](const Versioned& c, std::uint32_t count, std::uint32_t sum) {
      return c.address == sum * 0x100000001ull && c.version == count && c.small[0] == 0 && c.small[1] == static_cast<std::int16_t>(0 - sum);
    });
    auto cells = ox::DeviceBuffer<ox::uint128>::zeroed(stream, 3);
    auto out = ox::DeviceBuffer<std::uint64_t>::zeroed(stream, 1);
    wide(stream, ox::LaunchConfig{.grid = 1, .block = 100}, cells, out);
    CHECK(cells.to_host(stream)[0] == (ox::uint128(5050) << 70) + 100);
    CHECK(out.to_host(stream)[0] == 1);
  });
}

TEST_CASE("PTX has the instructions of halves and of 16 bytes, and says where there are none") {
  const auto with = [](const std::string& ptx, const char* what) { return count(ptx, what); };
  for (const unsigned sm : {75u, 90u}) {
    const ox::jit::Target target = ox::jit::Target::nvptx(sm);
    const std::string f16 = halves<ox::half>.ptx(target), bf16 = halves<ox::bfloat16>.ptx(target), f16x2 = halves<ox::half2>.ptx(target),
                      bf16x2 = halves<ox::bfloat162>.ptx(target), pairs = structs<KeyValue>.ptx(target);
    INFO("sm_" << sm);
    for (const char* space : {".global", ".shared"}) {
      const std::string relaxed = "atom.relaxed" + std::string(space == std::string(".global") ? ".gpu" : ".cta") + space,
                        strongest = "atom.acq_rel" + std::string(space == std::string(".global") ? ".gpu" : ".cta") + space;
      CHECK(with(f16, (relaxed + ".add.noftz.f16 ").c_str()) == 1);
      CHECK(with(f16, (strongest + ".add.noftz.f16 ").c_str()) == 1);
      CHECK(with(f16x2, (relaxed + ".add.noftz.f16x2 ").c_str()) == 1);
      CHECK(with(bf16, (relaxed + ".add.noftz.bf16 ").c_str()) == (sm >= 90 ? 1 : 0));
      CHECK(with(bf16x2, (strongest + ".add.noftz.bf16x2 ").c_str()) == (sm >= 90 ? 1 : 0));
      CHECK(with(pairs, (strongest + ".cas.b64 ").c_str()) == 1);
    }
    CHECK(with(pairs, "atom.acq_rel.gpu.global.exch.b64 ") == 1);
    CHECK(with(pairs, "fence.sc.gpu") == 1);
    if (has_assembler())
      for (const std::string& ptx : {f16, bf16, f16x2, bf16x2, pairs}) CHECK(assemble(ptx, sm) == "");
  }
  for (const unsigned sm : {90u, 100u}) {
    const std::string versioned = structs<Versioned>.ptx(ox::jit::Target::nvptx(sm)), numbers = wide.ptx(ox::jit::Target::nvptx(sm));
    CHECK(with(versioned, "atom.acq_rel.gpu.global.cas.b128 ") == 1);
    CHECK(with(versioned, "atom.acq_rel.cta.shared.cas.b128 ") == 1);
    CHECK(with(versioned, "atom.acq_rel.gpu.global.exch.b128 ") == 1);
    CHECK(with(versioned, "ld.relaxed.gpu.global.b128 ") == 1);
    CHECK(with(numbers, "ld.acquire.gpu.global.b128 ") == 1);
    CHECK(with(numbers, "st.release.gpu.global.b128 ") == 1);
    CHECK(with(numbers, "atom.acq_rel.sys.global.exch.b128 ") == 1);
    if (has_assembler()) CHECK(assemble(versioned, sm) == "");
    if (has_assembler()) CHECK(assemble(numbers, sm) == "");
  }
  CHECK_THROWS_WITH(wide.ptx(80), Catch::Contains("atomic accesses of 16 bytes need sm_90 or newer, and this is sm_80"));
  if (!has_assembler()) OXIDE_SKIP("ptxas is not installed; the PTX was not assembled");
}
