// Atomic accesses: every operation on every type against a model, neighbours of narrow elements, orders and scopes, litmus tests.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "language/support/devices.hpp"
#include "language/support/faults.hpp"
#include "simt/support/numbers.hpp"

namespace {

// Elements of `cells`, one for each operation, which all threads of the launch change; in global memory and, by each block, in shared.
template <class T>
inline constexpr auto accumulate = ox::kernel("accumulate", [](ox::Span<const T> in, ox::Span<T> cells, ox::Span<T> block_cells) {
  using Cell = ox::Shared<T, 9>;
  constexpr bool integer = std::is_integral_v<T>;
  Cell shared;
  const ox::u64 t = ox::thread::index_1d();
  const ox::detail::ValueFor<T> x = in[t];
  if (ox::thread_idx.x() < 9) shared[ox::thread_idx.x()] = cells[9u + ox::thread_idx.x()];
  ox::sync_threads();
  ox::atomic(cells, 0).fetch_add(x);
  ox::atomic(cells, 1).fetch_sub(x, ox::MemoryOrder::acq_rel);
  ox::atomic<ox::Scope::system>(cells, 2).fetch_min(x, ox::MemoryOrder::seq_cst);
  ox::atomic(cells, 3).fetch_max(x, ox::MemoryOrder::release);
  ox::atomic(shared, 0).fetch_add(x);
  ox::atomic(shared, 1).fetch_sub(x, ox::MemoryOrder::seq_cst);
  ox::atomic(shared, 2).fetch_min(x, ox::MemoryOrder::acquire);
  ox::atomic(shared, 3).fetch_max(x);
  if constexpr (integer) {
    ox::atomic(cells, 4).fetch_and(x);
    ox::atomic(cells, 5).fetch_or(x, ox::MemoryOrder::acquire);
    ox::atomic(cells, 6).fetch_xor(x, ox::MemoryOrder::seq_cst);
    ox::atomic(shared, 4).fetch_and(x);
    ox::atomic(shared, 5).fetch_or(x);
    ox::atomic(shared, 6).fetch_xor(x);
  }
  // A lock-free product of all threads' signs: compare and swap until nobody was faster.
  ox::detail::ValueFor<T> old = ox::atomic(cells, 7).load();
  ox::boolean done = false;
  while (!done) {
    const ox::detail::ValueFor<T> next = old + x, found = ox::atomic(cells, 7).compare_exchange(old, next, ox::MemoryOrder::acq_rel);
    if constexpr (integer) done = found == old;
    else if constexpr (sizeof(T) == 4) done = ox::bit_cast<std::uint32_t>(found) == ox::bit_cast<std::uint32_t>(old);
    else done = ox::bit_cast<std::uint64_t>(found) == ox::bit_cast<std::uint64_t>(old);
    old = found;
  }
  ox::sync_threads();
  if (ox::thread_idx.x() < 8) block_cells.unchecked_mut(ox::u64(ox::block_idx.x()) * 8u + ox::thread_idx.x()) = shared[ox::thread_idx.x()];
  if (t == 0) ox::atomic(cells, 8).store(x, ox::MemoryOrder::release);
});

template <class T>
T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return std::min(a, b);
}
template <class T>
T most(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return std::max(a, b);
}

// Numbers whose sums are exact, in any order.
template <class T>
std::vector<T> inputs(std::size_t n) {
  std::vector<T> in;
  if constexpr (std::is_floating_point_v<T>) {
    for (const int x : random_numbers<int>(n, -1000, 1000, sizeof(T))) in.push_back(static_cast<T>(x) / 4);
  } else {
    in = random_numbers<T>(n, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), sizeof(T));
  }
  return in;
}

template <class T>
void check_type(const ox::Stream& stream) {
  INFO(sizeof(T) << " bytes, " << (std::is_signed_v<T> ? "signed" : "unsigned") << (std::is_floating_point_v<T> ? " floating" : ""));
  constexpr std::size_t blocks = 6, threads = 70, n = blocks * threads;
  const std::vector<T> in = inputs<T>(n);
  std::vector<T> start(18, T{3});
  if constexpr (std::is_floating_point_v<T>) start[2] = start[12] = std::numeric_limits<T>::quiet_NaN(), start[3] = -T{2000};
  start[7] = 0;
  const auto a = ox::DeviceBuffer<T>::from_host(stream, in);
  auto cells = ox::DeviceBuffer<T>::from_host(stream, start), block_cells = ox::DeviceBuffer<T>::zeroed(stream, 8 * blocks);
  accumulate<T>(stream, ox::LaunchConfig{.grid = blocks, .block = threads}, a, cells, block_cells);
  const std::vector<T> out = cells.to_host(stream), block_out = block_cells.to_host(stream);
  const auto model = [&](T* cell, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i != end; ++i) {
      cell[0] = static_cast<T>(cell[0] + in[i]), cell[1] = static_cast<T>(cell[1] - in[i]);
      cell[2] = least(cell[2], in[i]), cell[3] = most(cell[3], in[i]);
      if constexpr (std::is_integral_v<T>) {
        cell[4] = static_cast<T>(cell[4] & in[i]), cell[5] = static_cast<T>(cell[5] | in[i]), cell[6] = static_cast<T>(cell[6] ^ in[i]);
      }
    }
  };
  std::vector<T> expected = start;
  model(expected.data(), 0, n);
  T sum = 0;
  for (const T x : in) sum = static_cast<T>(sum + x);
  for (std::size_t k = 0; k != 7; ++k) CHECK(out[k] == expected[k]);
  CHECK(out[7] == sum);
  CHECK(out[8] == in[0]);
  for (std::size_t b = 0; b != blocks; ++b) {
    std::vector<T> cell(start.begin() + 9, start.end());
    model(cell.data(), b * threads, (b + 1) * threads);
    for (std::size_t k = 0; k != 7; ++k) CHECK(block_out[8 * b + k] == cell[k]);
  }
}

}  // namespace

TEST_CASE("atomic operations on all types, in global and in shared memory") {
  on_every_device([](const ox::Stream& stream) {
    check_type<std::int8_t>(stream);
    check_type<std::uint16_t>(stream);
    check_type<std::int32_t>(stream);
    check_type<std::uint32_t>(stream);
    check_type<std::int64_t>(stream);
    check_type<std::uint64_t>(stream);
    check_type<float>(stream);
    check_type<double>(stream);
  });
}

TEST_CASE("inc and dec wrap at their limits; tickets are each given once; flags and neighbours") {
  constexpr auto k = ox::kernel(
      "k", [](ox::Span<std::uint32_t> counters, ox::Span<std::uint32_t> tickets, ox::Span<std::uint8_t> bytes, ox::Span<bool> flags) {
        const ox::u64 t = ox::thread::index_1d();
        ox::atomic(counters, 0).fetch_inc(9);
        ox::atomic(counters, 1).fetch_dec(9, ox::MemoryOrder::acq_rel);
        ox::u32 ticket = ox::atomic(counters, 2).fetch_add(1);
        ox::atomic(tickets, ticket).exchange(ox::u32(1));
        ox::atomic(bytes, t).fetch_add(ox::cast<std::uint8_t>(t));   // each its own, all in words with others
        ox::atomic(flags, t % 3u).fetch_or(t == 100u);
      });
  on_every_device([&](const ox::Stream& stream) {
    auto counters = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 3), tickets = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 515);
    auto bytes = ox::DeviceBuffer<std::uint8_t>::from_host(stream, std::vector<std::uint8_t>(515, 200));
    auto flags = ox::DeviceBuffer<bool>::zeroed(stream, 3);
    k(stream, ox::LaunchConfig{.grid = 5, .block = 103}, counters, tickets, bytes, flags);
    CHECK(counters.to_host(stream) == std::vector<std::uint32_t>{515 % 10, (10 - 515 % 10) % 10, 515});
    CHECK(tickets.to_host(stream) == std::vector<std::uint32_t>(515, 1));
    const std::vector<std::uint8_t> b = bytes.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != b.size(); ++i) wrong += b[i] != static_cast<std::uint8_t>(200 + i);
    CHECK(wrong == 0);
    const auto f = flags.to_host(stream);
    CHECK((!f[0] && f[1] && !f[2]));
  });
}

TEST_CASE("a span of ox::Atomic is accessed atomically, by its scope, in kernels, functions and lambdas with auto", "[fault]") {
  static constexpr auto add = ox::function("add", [](ox::Span<ox::Atomic<std::uint32_t>> bins, ox::u32 n) { bins[n].fetch_add(n); });
  constexpr auto k = ox::kernel("counts", [](auto first, ox::Span<const std::uint32_t> in, ox::Span<ox::Atomic<std::uint32_t>> bins,
                                             ox::Span<ox::Atomic<float, ox::Scope::system>> most) {
    const auto i = ox::thread::index_1d();
    bins[first + in[i] % 4u].fetch_add(1);
    most[0].fetch_max(ox::cast<float>(in[i]), ox::MemoryOrder::release);
    add(bins, 4);
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto in = random_numbers<std::uint32_t>(128, 0, 1000, 3);
    const auto a = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
    auto bins = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 6);
    auto most = ox::DeviceBuffer<float>::zeroed(stream, 1);
    k(stream, ox::LaunchConfig{.grid = 2, .block = 64}, 0u, a, bins, most);
    std::vector<std::uint32_t> expected(6);
    for (const std::uint32_t x : in) ++expected[x % 4];
    expected[4] = 4 * 128;
    CHECK(bins.to_host(stream) == expected);
    CHECK(most.to_host(stream)[0] == static_cast<float>(*std::max_element(in.begin(), in.end())));
    const ox::KernelFault fault = fault_of(stream, [&] { k(stream, ox::LaunchConfig{.grid = 2, .block = 64}, 3u, a, bins, most); });
    CHECK_THAT(fault.what(), Catch::Contains("index 6 is outside of parameter 3, which has 6 elements"));
  });
  const std::string ptx =
      k.ptx<std::uint32_t, ox::DeviceBuffer<std::uint32_t>, ox::DeviceBuffer<std::uint32_t>, ox::DeviceBuffer<float>>(90);
  CHECK_THAT(ptx, Catch::Contains("red.relaxed.gpu.global.add.u32") || Catch::Contains("atom.relaxed.gpu.global.add.u32"));
  CHECK_THAT(ptx, Catch::Contains("release.sys.global"));
}

TEST_CASE("a swap that fails says what was there") {
  constexpr auto k = ox::kernel("swaps", [](ox::Span<std::uint32_t> cells, ox::Span<float> floats, ox::Span<std::uint32_t> out) {
    ox::u32 expected = 5;
    ox::boolean first = ox::atomic(cells, 0).compare_exchange_strong(expected, 9);
    out.unchecked_mut(0) = expected;
    ox::boolean second = ox::atomic(cells, 0).compare_exchange_strong(expected, 11);
    out.unchecked_mut(1) = expected + 100u * ox::cast<std::uint32_t>(first) + 1000u * ox::cast<std::uint32_t>(second);
    ox::f32 zero = 0;  // bits are compared: -0 is another number
    ox::boolean third = ox::atomic(floats, 0).compare_exchange_strong(zero, 1);
    out.unchecked_mut(2) = ox::bit_cast<std::uint32_t>(zero) + ox::cast<std::uint32_t>(third);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto cells = ox::DeviceBuffer<std::uint32_t>::from_host(stream, std::vector<std::uint32_t>{7});
    auto floats = ox::DeviceBuffer<float>::from_host(stream, std::vector<float>{-0.0f});
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 3);
    k(stream, ox::LaunchConfig{.grid = 1, .block = 1}, cells, floats, out);
    CHECK(cells.to_host(stream)[0] == 11);
    CHECK(out.to_host(stream) == std::vector<std::uint32_t>{7, 1007, 0x80000000u});
  });
}

TEST_CASE("the CPU's accesses and fences have the orders that were asked for") {
  const auto ir = [](auto lambda) { return ox::kernel("one", lambda).llvm_ir(); };
  using U = ox::Span<std::uint32_t>;
  using enum ox::MemoryOrder;
  const auto matches = [](const char* what) { return Catch::Matches("[^]*" + std::string(what) + "[^]*"); };
  CHECK_THAT(ir([](U s) { ox::atomic(s, 0).store(1, seq_cst); }), matches("store atomic [^\n]* seq_cst"));
  CHECK_THAT(ir([](U s) { ox::atomic(s, 0).store(1, release); }), matches("store atomic [^\n]* release"));
  CHECK_THAT(ir([](U s) { ox::atomic(s, 0).store(1); }), matches("store atomic [^\n]* monotonic"));
  CHECK_THAT(ir([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).load(seq_cst); }), matches("load atomic [^\n]* seq_cst"));
  CHECK_THAT(ir([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).load(acquire); }), matches("load atomic [^\n]* acquire"));
  CHECK_THAT(ir([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_add(1, acq_rel); }), matches("atomicrmw add [^\n]* acq_rel"));
  CHECK_THAT(ir([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).fetch_max(1, seq_cst); }), matches("atomicrmw umax [^\n]* seq_cst"));
  CHECK_THAT(ir([](U s) { s.unchecked_mut(1) = ox::atomic(s, 0).compare_exchange(1, 2, acq_rel); }),
             matches("cmpxchg [^\n]* acq_rel acquire"));
  CHECK_THAT(ir([](U s) {
               s.unchecked_mut(0) = 1;
               ox::thread_fence();
               s.unchecked_mut(1) = 1;
             }),
             matches("\n *fence seq_cst"));
  CHECK_THAT(ir([](U s) {
               s.unchecked_mut(0) = 1;
               ox::thread_fence_block();  // blocks run on one processor
               s.unchecked_mut(1) = 1;
             }),
             matches("fence syncscope\\(\"singlethread\"\\) seq_cst"));
}

namespace {

// Litmus tests: block pairs play many rounds; `out` counts outcomes. Which outcomes are forbidden is C++'s memory model.
constexpr auto message_passing =
    ox::kernel("message_passing", [](ox::Span<std::uint32_t> data, ox::Span<std::uint32_t> flags, ox::Span<std::uint32_t> out) {
      const ox::u64 round = ox::u64(ox::block_idx.x()) / 2u * ox::block_dim.x() + ox::thread_idx.x();
      if (ox::block_idx.x() % 2u == 0u) {
        data.unchecked_mut(round) = 42;
        ox::atomic(flags, round).store(1, ox::MemoryOrder::release);
      } else {
        ox::u32 seen = ox::atomic(flags, round).load(ox::MemoryOrder::acquire);
        if (seen == 1u) {
          ox::u32 value = data[round];
          if (value != 42u) ox::atomic(out, 0).fetch_add(1);
          else ox::atomic(out, 1).fetch_add(1);
        }
      }
    });
constexpr auto store_buffering =
    ox::kernel("store_buffering", [](ox::Span<std::uint32_t> x, ox::Span<std::uint32_t> y, ox::Span<std::uint32_t> seen) {
      const ox::u64 round = ox::u64(ox::block_idx.x()) / 2u * ox::block_dim.x() + ox::thread_idx.x();
      if (ox::block_idx.x() % 2u == 0u) {
        ox::atomic(x, round).store(1, ox::MemoryOrder::seq_cst);
        seen.unchecked_mut(2u * round) = ox::atomic(y, round).load(ox::MemoryOrder::seq_cst);
      } else {
        ox::atomic(y, round).store(1, ox::MemoryOrder::seq_cst);
        seen.unchecked_mut(2u * round + 1u) = ox::atomic(x, round).load(ox::MemoryOrder::seq_cst);
      }
    });

// The same by relaxed accesses and fences between them.
template <ox::Scope scope>
inline constexpr auto store_buffering_by_fences =
    ox::kernel("store_buffering_by_fences", [](ox::Span<std::uint32_t> x, ox::Span<std::uint32_t> y, ox::Span<std::uint32_t> seen) {
      const ox::u64 round = ox::u64(ox::block_idx.x()) / 2u * ox::block_dim.x() + ox::thread_idx.x();
      const auto play = [&](const ox::Span<std::uint32_t>& mine, const ox::Span<std::uint32_t>& other, unsigned place) {
        ox::atomic(mine, round).store(1);
        ox::fence<scope>();
        seen.unchecked_mut(2u * round + place) = ox::atomic(other, round).load();
      };
      if (ox::block_idx.x() % 2u == 0u) play(x, y, 0);
      else play(y, x, 1);
    });

// Both loads see what is stored behind the other one: forbidden where loads acquire and stores release.
constexpr auto load_buffering =
    ox::kernel("load_buffering", [](ox::Span<std::uint32_t> x, ox::Span<std::uint32_t> y, ox::Span<std::uint32_t> seen) {
      const ox::u64 round = ox::u64(ox::block_idx.x()) / 2u * ox::block_dim.x() + ox::thread_idx.x();
      if (ox::block_idx.x() % 2u == 0u) {
        ox::u32 value = ox::atomic(x, round).load(ox::MemoryOrder::acquire);
        ox::atomic(y, round).store(1, ox::MemoryOrder::release);
        seen.unchecked_mut(2u * round) = value;
      } else {
        ox::u32 value = ox::atomic(y, round).load(ox::MemoryOrder::acquire);
        ox::atomic(x, round).store(1, ox::MemoryOrder::release);
        seen.unchecked_mut(2u * round + 1u) = value;
      }
    });
// Independent reads of independent writes: two readers see two writes in two orders. Forbidden where all is sequentially consistent; by
// fences and relaxed accesses too.
template <bool fences>
inline constexpr auto independent_reads =
    ox::kernel("independent_reads", [](ox::Span<std::uint32_t> x, ox::Span<std::uint32_t> y, ox::Span<std::uint32_t> seen) {
      constexpr ox::MemoryOrder order = fences ? ox::MemoryOrder::relaxed : ox::MemoryOrder::seq_cst;
      const ox::u64 round = ox::u64(ox::block_idx.x()) / 4u * ox::block_dim.x() + ox::thread_idx.x();
      const ox::u32 role = ox::block_idx.x() % 4u;
      const auto read = [&](const ox::Span<std::uint32_t>& first, const ox::Span<std::uint32_t>& second, unsigned place) {
        ox::u32 a = ox::atomic(first, round).load(order);
        if constexpr (fences) ox::thread_fence();
        ox::u32 b = ox::atomic(second, round).load(order);
        seen.unchecked_mut(2u * round + place) = a + 2u * b;
      };
      if (role == 0u) read(x, y, 0);
      else if (role == 1u) ox::atomic(x, round).store(1, order);
      else if (role == 2u) read(y, x, 1);
      else ox::atomic(y, round).store(1, order);
    });

}  // namespace

TEST_CASE("litmus: loads see nothing of the future, and independent writes are seen in one order") {
  on_every_device([](const ox::Stream& stream) {
    constexpr std::uint32_t groups = 400, threads = 64, rounds = groups * threads;
    const auto zeros = [&](std::size_t n) { return ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n); };
    const auto play = [&](const auto& kernel, std::uint32_t roles, std::uint32_t forbidden) {
      auto x = zeros(rounds), y = zeros(rounds), seen = zeros(2 * rounds);
      kernel(stream, ox::LaunchConfig{.grid = roles * groups, .block = threads}, x, y, seen);
      const std::vector<std::uint32_t> s = seen.to_host(stream);
      std::size_t count = 0;
      for (std::size_t r = 0; r != rounds; ++r) count += s[2 * r] == forbidden && s[2 * r + 1] == forbidden;
      return count;
    };
    for (int again = 0; again != 3; ++again) {
      CHECK(play(load_buffering, 2, 1) == 0);
      CHECK(play(independent_reads<false>, 4, 1) == 0);  // the first one seen and the second one not
      CHECK(play(independent_reads<true>, 4, 1) == 0);
      CHECK(play(store_buffering_by_fences<ox::Scope::device>, 2, 0) == 0);  // neither sees the other's
      CHECK(play(store_buffering_by_fences<ox::Scope::system>, 2, 0) == 0);
    }
  });
}

TEST_CASE("litmus: what is published is seen, and sequentially consistent stores are not both missed") {
  on_every_device([](const ox::Stream& stream) {
    constexpr std::uint32_t pairs = 400, threads = 64, rounds = pairs * threads;
    const ox::LaunchConfig config{.grid = 2 * pairs, .block = threads};
    const auto zeros = [&](std::size_t n) { return ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n); };
    auto a = zeros(rounds), b = zeros(rounds), out = zeros(2);
    message_passing(stream, config, a, b, out);
    CHECK(out.to_host(stream)[0] == 0);
    auto x = zeros(rounds), y = zeros(rounds), seen = zeros(2 * rounds);
    store_buffering(stream, config, x, y, seen);
    const std::vector<std::uint32_t> s = seen.to_host(stream);
    std::size_t both_missed = 0;
    for (std::size_t r = 0; r != rounds; ++r) both_missed += s[2 * r] == 0 && s[2 * r + 1] == 0;
    CHECK(both_missed == 0);
  });
}
