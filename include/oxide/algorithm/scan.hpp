// ox::device::Scan: inclusive and exclusive scans of a buffer, which read and write each element once ("decoupled look-back": Merrill and
// Garland, 2016). Not in the umbrella.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/algorithm/access.hpp>
#include <oxide/dsl/block.hpp>
#include <oxide/dsl/kernel.hpp>
#include <oxide/error.hpp>
#include <oxide/runtime/buffer.hpp>

namespace oxide {
namespace device {

struct ScanTuning {
  // The fastest of those that were measured on an H200: large tiles wait for fewer others.
  std::uint32_t threads = 1024, vectors = 4;  // of a block; of four elements, of a thread
  std::uint32_t blocks = 2;                   // that shall fit on a multiprocessor at once; 0 for what comes out
  // Whether blocks take the next tile by an atomic counter. Without, they take that of their number, which relies on blocks starting in
  // order: devices are known to do so, and none promises it.
  bool tickets = true;
  friend constexpr bool operator==(const ScanTuning&, const ScanTuning&) = default;
};

}  // namespace device

namespace detail::scan {

// What a tile says in the upper half of its word: that the lower half has the bits of what its elements give, or all up to its last one.
inline constexpr std::uint64_t partial = std::uint64_t{1} << 32, inclusive = std::uint64_t{2} << 32;
// Words before those of the tiles, so that a warp may look at 32 of them at once.
inline constexpr std::uint32_t before_tiles = warp_size;

template <class T>
Value<T> value_of(const u64& state) {
  return bit_cast<T>(cast<std::uint32_t>(state));
}
template <class T>
u64 state_of(std::uint64_t kind, const Value<T>& value) {
  return u64(bit_cast<std::uint32_t>(value)) | kind;
}

// What the tiles before this one give: by one warp, from the nearest to one that says all.
template <class T, class Op>
Value<T> look_back(const Span<std::uint64_t>& states, const u32& tile, const Value<T>& identity, Op op) {
  const u32 lane = warp::lane_id();
  Value<T> prefix = identity;
  u32 at = tile + (before_tiles - 1) - lane;
  boolean found = false;
  while (!found) {
    u64 state = 0;
    boolean waiting = true;
    while (waiting) {
      state = unchecked_atomic(states, at).load();
      state = select(at < before_tiles, state_of(inclusive, identity), state);
      waiting = warp::any(state < partial);
    }
    const u32 complete = warp::ballot(state >= inclusive);
    // Lanes behind the nearest complete one see elements that it counts already.
    const u32 nearest = complete & (0u - complete);
    Value<T> sum = select(nearest == 0u | warp::lanemask_eq() <= nearest, value_of<T>(state), Value<T>(identity));
    for (std::uint32_t d = 1; d != warp_size; d *= 2) {
      const Value<T> earlier = warp::shfl_down(sum, d);
      sum = select(lane + d < warp_size, Value<T>(op(Value<T>(earlier), Value<T>(sum))), sum);
    }
    prefix = op(Value<T>(warp::shfl(sum, 0u)), Value<T>(prefix));
    found = complete != 0u;
    at -= warp_size;
  }
  return prefix;
}

template <class T, class Op, bool exclusive, device::ScanTuning tuning>
inline constexpr auto kernel_of =
    kernel(exclusive ? "exclusive_scan" : "inclusive_scan",
           [](Value<T> identity, Span<const T> in, Span<T> out, Span<std::uint64_t> states, Span<std::uint32_t> tickets) {
             constexpr std::uint32_t threads = tuning.threads, vectors = tuning.vectors, warps = threads / warp_size,
                                     tile_size = threads * vectors * 4;
             Shared<T, warps> totals;
             Shared<T, 1> others;  // what the tiles before this one give
             Shared<std::uint32_t, 1> ticket;
             Op op;
             const auto both = [&](const Value<T>& a, const Value<T>& b) { return Value<T>(op(Value<T>(a), Value<T>(b))); };
             const u32 t = thread_idx.x(), lane = warp::lane_id(), w = warp::warp_id();
             u32 tile = block_idx.x();
             if constexpr (tuning.tickets) {
               if (t == 0u) ticket[0] = unchecked_atomic(tickets, 0).fetch_add(1u);
               sync_threads();
               tile = ticket.unchecked(0);
             }
             const u64 n = in.size(), tile_start = u64(tile) * tile_size;
             // Each warp has consecutive elements, and reads a row of 32 vectors of them at once.
             const u64 first = tile_start + (w * (warp_size * vectors * 4) + lane * 4u);
             const boolean full = n - tile_start >= tile_size;

             std::array<std::array<Value<T>, 4>, vectors> x;
             if (full) {
               for (std::uint32_t k = 0; k != vectors; ++k) {
                 const Value<Vector<T, 4>> v = unchecked_vector<4>(in, first + k * (warp_size * 4));
                 x[k][0] = v.x, x[k][1] = v.y, x[k][2] = v.z, x[k][3] = v.w;
               }
             } else {
               for (std::uint32_t k = 0; k != vectors; ++k)
                 for (std::uint32_t i = 0; i != 4; ++i) {
                   const u64 place = first + (k * (warp_size * 4) + i);
                   x[k][i] = select(place < n, unchecked(in, min(place, n - 1u)), Value<T>(identity));
                 }
             }

             // Within each vector, over the lanes of each row, over the rows; before[k]: what the warp's elements before this vector give.
             std::array<Value<T>, vectors> before;
             Value<T> of_warp = identity;
             for (std::uint32_t k = 0; k != vectors; ++k) {
               for (std::uint32_t i = 1; i != 4; ++i) x[k][i] = both(x[k][i - 1], x[k][i]);
               Value<T> sum = x[k][3];
               for (std::uint32_t d = 1; d != warp_size; d *= 2) {
                 const Value<T> left = warp::shfl_up(sum, d);
                 sum = select(lane >= d, both(left, sum), sum);
               }
               const Value<T> left = warp::shfl_up(sum, 1u);
               before[k] = both(of_warp, select(lane == 0u, Value<T>(identity), left));
               of_warp = both(of_warp, Value<T>(warp::shfl(sum, 31u)));
             }
             if (lane == 0u) totals.unchecked(w) = of_warp;
             sync_threads();

             Value<T> prefix = identity, total = identity;
             for (std::uint32_t i = 0; i != warps; ++i) {
               prefix = select(w == i, total, prefix);
               total = both(total, Value<T>(totals.unchecked(i)));
             }
             if (w == 0u) {
               if (lane == 0u) unchecked_atomic(states, tile + before_tiles).store(state_of(tile == 0u ? inclusive : partial, total));
               Value<T> sum = identity;
               if (tile != 0u) {
                 sum = look_back<T>(states, tile, identity, op);
                 if (lane == 0u) unchecked_atomic(states, tile + before_tiles).store(state_of(inclusive, both(sum, total)));
               }
               if (lane == 0u) others.unchecked(0) = sum;
             }
             sync_threads();
             prefix = both(Value<T>(others.unchecked(0)), prefix);

             for (std::uint32_t k = 0; k != vectors; ++k) {
               const Value<T> start = both(prefix, before[k]);
               if constexpr (exclusive) {
                 for (std::uint32_t i = 3; i != 0; --i) x[k][i] = both(start, x[k][i - 1]);
                 x[k][0] = start;
               } else {
                 for (std::uint32_t i = 0; i != 4; ++i) x[k][i] = both(start, x[k][i]);
               }
             }
             if (full) {
               for (std::uint32_t k = 0; k != vectors; ++k) {
                 Value<Vector<T, 4>> v;
                 v.x = x[k][0], v.y = x[k][1], v.z = x[k][2], v.w = x[k][3];
                 unchecked_vector_at<4, T>(out.memory(), first + k * (warp_size * 4)) = v;
               }
             } else {
               for (std::uint32_t k = 0; k != vectors; ++k)
                 for (std::uint32_t i = 0; i != 4; ++i) {
                   const u64 place = first + (k * (warp_size * 4) + i);
                   if (place < n) out.unchecked_mut(place) = x[k][i];
                 }
             }
           })
        .block(tuning.threads)
        .launch_bounds(tuning.threads, tuning.blocks);

}  // namespace detail::scan

namespace device {

// Scans buffers of up to `most` elements of 4 bytes with an associative operation, which need not commute: out[i] is what in[0] to in[i]
// give, or (exclusive) in[0] to in[i - 1], from left to right. `Op` is a lambda's type; op(identity, x) is x. Sums of floats may be rounded
// another way in each launch. Uses of one object follow one another in one stream.
// Example: ox::device::Scan scan(stream, n, 0u, [](ox::u32 a, ox::u32 b) { return a + b; });  scan.inclusive(stream, in, out);
template <class T, class Op, ScanTuning tuning = ScanTuning{}>
class Scan {
  static_assert(sizeof(T) == 4, "oxide: ox::device::Scan scans numbers of 4 bytes");
  static_assert(tuning.threads % 32 == 0 && tuning.threads >= 32 && tuning.threads <= 1024 && tuning.vectors >= 1);
  static constexpr std::size_t tile = std::size_t{tuning.threads} * tuning.vectors * 4;

 public:
  // Throws DeviceError.
  Scan(const Stream& stream, std::size_t most, T identity, Op)
      : most_(most), identity_(identity),
        states_(DeviceBuffer<std::uint64_t>::uninitialized(stream, detail::scan::before_tiles + (most + tile - 1) / tile)),
        tickets_(DeviceBuffer<std::uint32_t>::uninitialized(stream, 1)) {}

  // Throw Error when there are more elements than memory was made for or `out` has another size, DeviceError.
  void inclusive(const Stream& stream, const DeviceBuffer<T>& in, DeviceBuffer<T>& out) { run<false>(stream, in, out); }
  void exclusive(const Stream& stream, const DeviceBuffer<T>& in, DeviceBuffer<T>& out) { run<true>(stream, in, out); }

 private:
  template <bool exclusive>
  void run(const Stream& stream, const DeviceBuffer<T>& in, DeviceBuffer<T>& out) {
    const std::size_t n = in.size(), tiles = (n + tile - 1) / tile;
    if (n > most_ || out.size() != n)
      throw Error("ox::device::Scan was made for " + std::to_string(most_) + " elements; it is to scan " + std::to_string(n) + " to " +
                  std::to_string(out.size()));
    if (n == 0) return;
    stream.state().zero(states_.data(), (detail::scan::before_tiles + tiles) * sizeof(std::uint64_t));
    stream.state().zero(tickets_.data(), tickets_.bytes());
    detail::scan::kernel_of<T, Op, exclusive, tuning>(stream, {.grid = static_cast<std::uint32_t>(tiles), .block = tuning.threads},
                                                      identity_, in, out, states_, tickets_);
  }

  std::size_t most_;
  T identity_;
  DeviceBuffer<std::uint64_t> states_;
  DeviceBuffer<std::uint32_t> tickets_;
};

}  // namespace device
}  // namespace oxide
