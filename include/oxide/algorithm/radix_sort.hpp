// ox::device::RadixSort: sorts the keys of a buffer. Not in the umbrella.
//
// One pass over the keys counts all of their digits of 8 bits; then one pass for each digit, the least significant first, reads and writes
// each key once ("onesweep": Adinets and Merrill, 2022). A block learns where the digits of its tile go by looking back at what the tiles
// before it say of theirs ("decoupled look-back": Merrill and Garland, 2016).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <oxide/algorithm/access.hpp>
#include <oxide/dsl/integer.hpp>
#include <oxide/dsl/block.hpp>
#include <oxide/dsl/kernel.hpp>
#include <oxide/error.hpp>
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>

namespace oxide {
namespace device {

// How the lanes of a warp that have one digit find each other.
enum class DigitMatch : std::uint8_t { match_any, ballots, atomic_or };

struct RadixSortTuning {
  std::uint32_t threads = 384, items = 23;  // of a block, at least 256; keys of a thread
  DigitMatch match = DigitMatch::atomic_or;
  std::uint32_t blocks = 3;  // that shall fit on a multiprocessor at once; 0 for what comes out
  friend constexpr bool operator==(const RadixSortTuning&, const RadixSortTuning&) = default;
};

}  // namespace device

namespace detail::radix {

inline constexpr std::uint32_t digit_bits = 8, digits = 1u << digit_bits, passes = 32 / digit_bits;
// What a tile says of a digit: how many of its keys have it; how many of its keys and of those of all tiles before it.
inline constexpr std::uint32_t partial = 0x40000000, inclusive = 0x80000000, count_mask = 0x3fffffff;

template <class T>
u32 digit_of(const Value<T>& key, const u32& shift) {
  return to_sort_bits(key) >> shift & (digits - 1);
}
// The key that all others come before.
template <class T>
constexpr T last_key() {
  if constexpr (std::is_same_v<T, std::uint32_t>) return 0xffffffff;
  else return std::bit_cast<T>(std::uint32_t{0x7fffffff});
}

// counts[pass][digit] += how many keys. Neighbours among the lanes count in copies of their own.
template <class T>
inline constexpr auto histogram =
    kernel("radix_sort_histogram", [](Span<const T> in, Span<std::uint32_t> counts) {
      constexpr std::uint32_t threads = 256, copies = 4, bins = passes * digits, at_once = 4, tile = 4 * at_once * threads;
      Shared<std::uint32_t, std::uint64_t{bins} * copies> own;
      const u32 t = thread_idx.x(), copy = t & (copies - 1);
      for (std::uint32_t i = 0; i != bins * copies; i += threads) own.unchecked(t + i) = 0u;
      sync_threads();
      const auto count = [&](const Value<T>& key) {
        const u32 bits = to_sort_bits(key);
        for (std::uint32_t p = 0; p != passes; ++p)
          unchecked_atomic(own, ((bits >> (p * digit_bits) & (digits - 1)) + p * digits) * copies + copy).fetch_add(1u);
      };
      const u64 n = in.size(), tiles = n / tile;
      for (const auto& i : range(u64(block_idx.x()), tiles, u64(grid_dim.x()))) {
        const u64 first = i * tile + t * 4u;
        std::array<Value<Vector<T, 4>>, at_once> keys;
        for (std::uint32_t k = 0; k != at_once; ++k) keys[k] = unchecked_vector<4>(in, first + 4 * k * threads);
        for (const Value<Vector<T, 4>>& v : keys) count(v.x), count(v.y), count(v.z), count(v.w);
      }
      for (auto i : range(tiles * tile + u64(block_idx.x()) * threads + t, n, u64(grid_dim.x()) * threads)) count(unchecked(in, i));
      sync_threads();
      for (std::uint32_t i = 0; i != bins; i += threads) {
        u32 sum = 0;
        for (std::uint32_t c = 0; c != copies; ++c) sum += own.unchecked((t + i) * copies + c);
        unchecked_atomic(counts, t + i).fetch_add(sum);
      }
    }).block(256);

// The exclusive sum of x over the first 256 threads of the block. All threads come here.
inline u32 sum_before(const u32& x, const Shared<std::uint32_t, 8>& totals) {
  const u32 lane = warp::lane_id(), w = warp::warp_id();
  u32 sum = x;
  for (std::uint32_t d = 1; d != warp_size; d *= 2) {
    const u32 left = warp::shfl_up(sum, d);
    sum += select(lane >= d, left, 0u);
  }
  if (lane == 31u && w < 8u) totals.unchecked(w) = sum;
  sync_threads();
  u32 before = sum - x;
  for (std::uint32_t i = 0; i != 7; ++i) before += select(w > i, u32(totals.unchecked(i)), 0u);
  return before;
}

// counts[pass][digit]: of each pass, how many keys have a lower digit.
inline constexpr auto starts = kernel("radix_sort_starts", [](Span<std::uint32_t> counts) {
                                 Shared<std::uint32_t, 8> totals;
                                 const u32 i = block_idx.x() * digits + thread_idx.x();
                                 u32 count = counts[i];
                                 counts.unchecked_mut(i) = sum_before(count, totals);
                               }).block(digits);

// One pass. A block takes the next tile; its keys go to their places in the tile and from there to the output, so that keys of one digit
// are written together. `states` has a word for each digit of each tile; `tickets` counts the tiles that were taken. `same_pass` is `pass`:
// the digits that were counted are taken anew when keys are placed, because to keep them would take as many registers as the keys.
template <class T, device::RadixSortTuning tuning>
inline constexpr auto sweep =
    kernel("radix_sort_sweep",
           [](u32 pass, u32 same_pass, u64 n, Span<const T> in, Span<T> out, Span<const std::uint32_t> first_places,
              Span<std::uint32_t> states, Span<std::uint32_t> tickets) {
             constexpr std::uint32_t threads = tuning.threads, items = tuning.items, warps = threads / warp_size,
                                     tile_size = threads * items;
             constexpr bool by_atomics = tuning.match == device::DigitMatch::atomic_or;
             DynamicShared<T> tile;  // sorted by the digit
             Shared<std::uint32_t, std::uint64_t{warps} * digits> places;  // where each warp's next key of each digit goes
             Shared<std::uint32_t, by_atomics ? std::uint64_t{warps} * digits : 1> lanes;  // which lanes have a digit
             Shared<std::uint32_t, digits> offsets;  // from a place in the tile to one in the output
             Shared<std::uint32_t, 8> totals;
             Shared<std::uint32_t, 1> ticket;
             const u32 t = thread_idx.x(), lane = warp::lane_id(), shift = pass * digit_bits, own = warp::warp_id() * digits;

             if (t == 0u) ticket[0] = unchecked_atomic(tickets, pass).fetch_add(1u);
             for (std::uint32_t i = 0; i != warps * digits; i += threads) {
               places.unchecked(t + i) = 0u;
               if constexpr (by_atomics) lanes.unchecked(t + i) = 0u;
             }
             sync_threads();
             const u32 tile_number = ticket.unchecked(0);
             const u64 tile_start = u64(tile_number) * tile_size, left = n - tile_start;
             const u64 first = tile_start + (warp::warp_id() * (warp_size * items) + lane);
             const boolean full = left >= tile_size;

             std::array<Value<T>, items> keys;
             if (full) {
               for (std::uint32_t k = 0; k != items; ++k) keys[k] = unchecked(in, first + k * warp_size);
             } else {  // what is missing comes last
               for (std::uint32_t k = 0; k != items; ++k) {
                 const u64 i = first + k * warp_size;
                 keys[k] = select(i < n, unchecked(in, min(i, n - 1u)), last_key<T>());
               }
             }
             for (const Value<T>& key : keys) unchecked_atomic(places, own + digit_of(key, shift)).fetch_add(1u);
             sync_threads();

             // Thread d looks after digit d.
             u32 count = 0;
             const u64 state = (u64(pass) * ((n + (tile_size - 1)) / tile_size) + tile_number) * digits + t;
             if (t < digits) {
               for (std::uint32_t w = 0; w != warps; ++w) count += places.unchecked(t + w * digits);
               unchecked_atomic(states, state).store(count | select(tile_number == 0u, u32(inclusive), u32(partial)));
             }
             const u32 start = sum_before(count, totals);
             if (t < digits) {
               u32 next = start;
               for (std::uint32_t w = 0; w != warps; ++w) {
                 const u32 of_warp = places.unchecked(t + w * digits);
                 places.unchecked(t + w * digits) = next;
                 next += of_warp;
               }
             }
             sync_threads();

             for (const Value<T>& key : keys) {
               const u32 digit = digit_of(key, same_pass * digit_bits);
               u32 same;
               if constexpr (tuning.match == device::DigitMatch::match_any) {
                 same = warp::match_any(digit);
               } else if constexpr (tuning.match == device::DigitMatch::ballots) {
                 same = 0xffffffffu;
                 for (std::uint32_t b = 0; b != digit_bits; ++b) {
                   const boolean set = (digit >> b & 1u) != 0u;
                   same &= warp::ballot(set) ^ select(set, u32(0), u32(0xffffffff));
                 }
               } else {
                 unchecked_atomic(lanes, own + digit).fetch_or(warp::lanemask_eq());
                 warp::sync();
                 same = lanes.unchecked(own + digit);
               }
               const u32 next = places.unchecked(own + digit);
               warp::sync();
               // All lanes of a digit write the same.
               places.unchecked(own + digit) = next + cast<std::uint32_t>(popcount(same));
               if constexpr (by_atomics) lanes.unchecked(own + digit) = 0u;
               warp::sync();
               tile.unchecked(next + cast<std::uint32_t>(popcount(same & warp::lanemask_lt()))) = key;
             }

             if (t < digits) {
               u32 others = 0;
               if (tile_number != 0u) {
                 u64 look = state;
                 boolean found = false;
                 while (!found) {
                   look -= digits;
                   u32 said = 0;
                   while (said == 0u) said = unchecked_atomic(states, look).load();
                   others += said & count_mask;
                   found = (said & inclusive) != 0u;
                 }
                 unchecked_atomic(states, state).store((others + count) | inclusive);
               }
               offsets.unchecked(t) = first_places[pass * digits + t] + others - start;
             }
             sync_threads();
             if (full) {
               for (std::uint32_t k = 0; k != items; ++k) {
                 const u32 place = t + k * threads;
                 const Value<T> key = tile.unchecked(place);
                 out.unchecked_mut(offsets.unchecked(digit_of(key, shift)) + place) = key;
               }
             } else {
               for (auto place : range(t, cast<std::uint32_t>(left), threads)) {
                 const Value<T> key = tile.unchecked(place);
                 out.unchecked_mut(offsets.unchecked(digit_of(key, shift)) + place) = key;
               }
             }
           })
        .block(tuning.threads)
        .launch_bounds(tuning.threads, tuning.blocks);

}  // namespace detail::radix

namespace device {

// Sorts buffers of up to `most` keys upwards, stable; -0 comes before +0, and NaNs at the ends. It has the memory that this takes: as much
// as the keys, and 4 KiB for each tile of keys. Uses of one object follow one another in one stream.
// Example: ox::device::RadixSort<std::uint32_t> sort(stream, n);  sort(stream, keys);
template <class T, RadixSortTuning tuning = RadixSortTuning{}>
class RadixSort {
  static_assert(std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, float>,
                "oxide: ox::device::RadixSort sorts std::uint32_t, std::int32_t and float");
  static_assert(tuning.threads >= 256 && tuning.threads % 32 == 0 && tuning.threads <= 1024,
                "oxide: a block of a RadixSort has 256 threads or more");
  static constexpr std::size_t tile = std::size_t{tuning.threads} * tuning.items;
  static constexpr std::size_t most_keys = (std::size_t{1} << 30) - 1;
  static constexpr std::size_t counts_size = std::size_t{detail::radix::passes} * detail::radix::digits;

 public:
  // Throws Error for 2^30 keys or more, DeviceError.
  RadixSort(const Stream& stream, std::size_t most) : most_(most) {
    if (most > most_keys) throw Error("ox::device::RadixSort sorts fewer than 2^30 keys; asked for " + std::to_string(most));
    other_ = DeviceBuffer<T>::uninitialized(stream, most);
    counts_ = DeviceBuffer<std::uint32_t>::uninitialized(stream, counts_size);
    states_ = DeviceBuffer<std::uint32_t>::uninitialized(stream, (most + tile - 1) / tile * counts_size);
    tickets_ = DeviceBuffer<std::uint32_t>::uninitialized(stream, detail::radix::passes);
  }

  // Throws Error when there are more keys than memory was made for, DeviceError.
  void operator()(const Stream& stream, DeviceBuffer<T>& keys) {
    namespace radix = detail::radix;
    const std::size_t n = keys.size(), tiles = (n + tile - 1) / tile;
    if (n > most_) throw Error("ox::device::RadixSort was made for " + std::to_string(most_) + " keys; it is to sort " + std::to_string(n));
    if (n == 0) return;
    runtime::StreamState& state = stream.state();
    state.zero(counts_.data(), counts_.bytes());
    state.zero(tickets_.data(), tickets_.bytes());
    state.zero(states_.data(), tiles * counts_size * sizeof(std::uint32_t));
    const auto blocks = static_cast<std::uint32_t>(std::min<std::size_t>((n + 4095) / 4096, 2048));
    radix::histogram<T>(stream, {.grid = blocks, .block = 256}, keys, counts_);
    radix::starts(stream, {.grid = radix::passes, .block = radix::digits}, counts_);
    const LaunchConfig config{.grid = static_cast<std::uint32_t>(tiles), .block = tuning.threads, .shared = {tile}};
    for (std::uint32_t pass = 0; pass != radix::passes; ++pass)
      radix::sweep<T, tuning>(stream, config, pass, pass, n, pass % 2 == 0 ? keys : other_, pass % 2 == 0 ? other_ : keys, counts_, states_,
                              tickets_);
  }

 private:
  std::size_t most_;
  DeviceBuffer<T> other_;
  DeviceBuffer<std::uint32_t> counts_, states_, tickets_;
};

}  // namespace device
}  // namespace oxide
