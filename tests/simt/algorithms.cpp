// Reductions, scans, sorting, exchange and histograms over the threads of a block and the lanes of a warp, against the host.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "language/support/devices.hpp"
#include "simt/support/composition.hpp"
#include "simt/support/numbers.hpp"

namespace {

constexpr auto sum = [](ox::i64 a, ox::i64 b) { return a + b; };

constexpr auto algorithms = ox::kernel("algorithms", [](ox::Span<const std::uint32_t> in, ox::Span<std::uint32_t> out,
                                                        ox::Span<std::int64_t> sums, ox::Span<std::uint32_t> bins) {
  const ox::u32 thread = ox::block::thread_rank(), threads = ox::block::size();
  const ox::u64 i = ox::u64(ox::block_idx.x()) * threads + thread, place = i * 8u;
  ox::u32 x = in[i];
  out.unchecked_mut(place) = ox::block::reduce(x, composed);
  out.unchecked_mut(place + 1) = ox::block::inclusive_scan(x, composed);
  out.unchecked_mut(place + 2) = ox::block::exclusive_scan(x, 0x30002, composed);
  out.unchecked_mut(place + 3) = ox::block::segmented_scan(x, x % 5 == 0, composed);
  out.unchecked_mut(place + 4) = ox::warp::reduce(x, composed);
  out.unchecked_mut(place + 5) = ox::warp::inclusive_scan(x, composed);
  out.unchecked_mut(place + 6) = ox::warp::exclusive_scan(x, 7, composed);
      // A loop around one: the shared memory is the same each time.
  ox::i64 total = 0;
  for (auto k : ox::range(3)) total += ox::block::reduce(ox::i64(ox::cast<std::int64_t>(x)) * k, sum);
  sums.unchecked_mut(i) = total;
  ox::Shared<std::uint32_t, 16> counts;
  ox::block::histogram(counts, x % 16);
  for (auto b : ox::range(thread, 16u, threads)) ox::atomic(bins, b).fetch_add(counts[b]);
  out.unchecked_mut(place + 7) = counts[x % 16];
});

}  // namespace

TEST_CASE("blocks and warps reduce and scan with any associative operation") {
  on_every_device([](const ox::Stream& stream) {
    for (const ox::Dim3 block : {ox::Dim3(1), ox::Dim3(32), ox::Dim3(33), ox::Dim3(7, 5, 3), ox::Dim3(256), ox::Dim3(1024)}) {
      INFO("block " << block.text());
      const std::size_t threads = block.count(), n = 3 * threads;
      const auto in = random_numbers<std::uint32_t>(n, 0, 0xffffffff, threads);
      const auto a = ox::DeviceBuffer<std::uint32_t>::from_host(stream, in);
      auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 8 * n), bins = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, 16);
      auto sums = ox::DeviceBuffer<std::int64_t>::zeroed(stream, n);
      algorithms(stream, ox::LaunchConfig{.grid = 3, .block = block}, a, out, sums, bins);
      const std::vector<std::uint32_t> result = out.to_host(stream), all_bins = bins.to_host(stream);
      const std::vector<std::int64_t> totals = sums.to_host(stream);
      std::size_t wrong = 0;
      std::array<std::uint32_t, 16> expected_bins{};
      const auto expect = [&](std::uint32_t got, std::uint32_t wanted) { wrong += got != wanted; };
      for (std::size_t first = 0; first != n; first += threads) {
        std::array<std::uint32_t, 16> counts{};
        std::int64_t total = 0;
        for (std::size_t t = 0; t != threads; ++t) ++counts[in[first + t] % 16], total += in[first + t];
        for (std::size_t b = 0; b != 16; ++b) expected_bins[b] += counts[b];
        std::uint32_t scan = 0, segment = 0, before = 0x30002, warp = 0, before_in_warp = 7;
        for (std::size_t t = 0; t != threads; ++t) {
          const std::uint32_t x = in[first + t], *r = &result[8 * (first + t)];
          if (t % 32 == 0) before_in_warp = 7;
          expect(r[2], before);
          expect(r[6], before_in_warp);
          before = compose(before, x), before_in_warp = compose(before_in_warp, x);
          scan = t == 0 ? x : compose(scan, x);
          segment = t == 0 || x % 5 == 0 ? x : compose(segment, x);
          warp = t % 32 == 0 ? x : compose(warp, x);
          expect(r[1], scan);
          expect(r[3], segment);
          expect(r[5], warp);
          expect(r[7], counts[x % 16]);
          wrong += totals[first + t] != 3 * total;
          const bool last_of_warp = t % 32 == 31 || t + 1 == threads;
          if (last_of_warp)
            for (std::size_t w = t / 32 * 32; w <= t; ++w) expect(result[8 * (first + w) + 4], warp);
        }
        for (std::size_t t = 0; t != threads; ++t) expect(result[8 * (first + t)], scan);
      }
      CHECK(wrong == 0);
      CHECK(std::equal(all_bins.begin(), all_bins.end(), expected_bins.begin()));
    }
  });
}

namespace {

constexpr auto sorting = ox::kernel("sorting", [](ox::Span<float> keys, ox::Span<std::int16_t> pairs, ox::Span<std::uint32_t> items) {
  const ox::u32 t = ox::thread_idx.x(), threads = ox::block_dim.x();
  ox::f32 key = keys[t];
  ox::block::radix_sort(key);
  keys.unchecked_mut(t) = key;
  ox::i16 narrow = pairs[2u * t];
  ox::u32 number = t;
  ox::block::radix_sort(narrow, number);
  // Halves, and numbers of 64 bits whose low halves are equal.
  ox::f16 half = ox::cast<ox::half>(keys[threads + t]);
  ox::i64 wide = ox::cast<std::int64_t>(half) * 0x100000001ll;
  ox::block::radix_sort(half);
  keys.unchecked_mut(threads + t) = half;
  ox::block::radix_sort(wide);
  keys.unchecked_mut(2u * threads + t) = ox::cast<float>(wide / 0x100000001ll);
  pairs.unchecked_mut(2u * t) = narrow;
  pairs.unchecked_mut(2u * t + 1u) = ox::cast<std::int16_t>(number);
  std::array<ox::u32, 3> three{items[3u * t], items[3u * t + 1u], items[3u * t + 2u]};
  ox::block::blocked_to_striped(three);
  for (std::uint32_t k = 0; k != 3; ++k) items.unchecked_mut(3u * threads + 3u * t + k) = three[k];
  ox::block::striped_to_blocked(three);
  for (std::uint32_t k = 0; k != 3; ++k) items.unchecked_mut(6u * threads + 3u * t + k) = three[k];
});

}  // namespace

TEST_CASE("blocks sort keys and pairs, stably, and exchange items") {
  on_every_device([](const ox::Stream& stream) {
    for (const std::uint32_t threads : {1u, 50u, 256u, 1024u}) {
      INFO("block " << threads);
      std::vector<float> keys = random_numbers<float>(threads, -100, 100, threads), halves(threads);
      for (std::uint32_t t = 0; t != threads; ++t) halves[t] = static_cast<float>(static_cast<int>(16 * keys[t])) / 16;  // exact
      keys[0] = -0.0f;
      if (threads > 2) keys[1] = 0.0f, keys[2] = -__builtin_inff();
      std::vector<std::int16_t> narrow = random_numbers<std::int16_t>(2 * threads, -20, 20, threads + 1);
      std::vector<std::uint32_t> items = random_numbers<std::uint32_t>(9 * threads, 0, 0xffffffff, threads + 2);
      std::vector<float> given = keys;
      given.insert(given.end(), halves.begin(), halves.end());
      given.resize(3 * threads);
      auto a = ox::DeviceBuffer<float>::from_host(stream, given);
      auto b = ox::DeviceBuffer<std::int16_t>::from_host(stream, narrow);
      auto c = ox::DeviceBuffer<std::uint32_t>::from_host(stream, items);
      sorting(stream, ox::LaunchConfig{.grid = 1, .block = threads}, a, b, c);
      std::sort(keys.begin(), keys.end());
      std::sort(halves.begin(), halves.end());
      keys.insert(keys.end(), halves.begin(), halves.end());
      for (const float x : halves) keys.push_back(std::trunc(x));
      CHECK(a.to_host(stream) == keys);
      std::vector<std::pair<std::int16_t, std::int16_t>> pairs;
      for (std::uint32_t t = 0; t != threads; ++t) pairs.push_back({narrow[2 * t], static_cast<std::int16_t>(t)});
      std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      const std::vector<std::int16_t> sorted_pairs = b.to_host(stream);
      const std::vector<std::uint32_t> exchanged = c.to_host(stream);
      std::size_t wrong = 0;
      for (std::uint32_t t = 0; t != threads; ++t) {
        wrong += sorted_pairs[2 * t] != pairs[t].first || sorted_pairs[2 * t + 1] != pairs[t].second;
        for (std::uint32_t k = 0; k != 3; ++k)
          wrong += exchanged[3 * threads + 3 * t + k] != items[k * threads + t] || exchanged[6 * threads + 3 * t + k] != items[3 * t + k];
      }
      CHECK(wrong == 0);
    }
  });
}
