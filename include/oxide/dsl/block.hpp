// Algorithms over the threads of a block: ox::block::reduce, scans, sorting, exchange, histogram. Every thread of the block comes to them
// together. Threads are numbered x first, then y, then z. Each uses shared memory of its own, which calls one after another share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/atomic.hpp>
#include <oxide/dsl/barrier.hpp>
#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/integer.hpp>
#include <oxide/dsl/range.hpp>
#include <oxide/dsl/shared.hpp>
#include <oxide/dsl/thread.hpp>
#include <oxide/dsl/warp_algorithms.hpp>

namespace oxide {
namespace block {

// This thread's number in its block, and the number of threads in a block.
inline u32 thread_rank(detail::Where where = detail::Where::current()) {
  const u32 row = thread_idx.y(where) + thread_idx.z(where) * block_dim.y(where);
  return thread_idx.x(where) + row * block_dim.x(where);
}
inline u32 size(detail::Where where = detail::Where::current()) { return block_dim.x(where) * block_dim.y(where) * block_dim.z(where); }

}  // namespace block

namespace detail {

// The largest number of warps in a block.
inline constexpr std::uint64_t most_warps = 32;

// What the warps before this thread's give, after `before`; behind a barrier, each warp's last thread having said its warp's total.
template <class V, class Op>
struct WarpTotals {
  Shared<Image<V>, most_warps> totals;

  void put(const V& inclusive, Where where) {
    sync_threads(where);  // an earlier call may still be read
    const u32 thread = block::thread_rank(where);
    if ((warp::lane_id(where) == 31u) | (thread + 1u == block::size(where))) totals[warp::warp_id(where)] = to_image(inclusive, where);
    sync_threads(where);
  }
  // op over the totals of warps [0, end), left to right; of the first one if there is none.
  V up_to(const u32& end, Op& op) {
    V sum = of_warp(0);
    for (auto w : range(u32(1), end)) sum = op(V(sum), of_warp(w));
    return sum;
  }

 private:
  V of_warp(const Index& w) const {
    if constexpr (Composite<V>) return from_image<V>(Value<Image<V>>(totals[w]), w.where);
    else return totals[w];
  }
};

inline u32 warps_of_block(Where where) { return (block::size(where) + 31u) / 32u; }

template <class V, class Op>
V scan_block(const V& x, Op& op, Where where) {
  const V inclusive = scan_segment(x, op, Segment(32, where));
  WarpTotals<V, Op> warps;
  warps.put(inclusive, where);
  const u32 before = warp::warp_id(where);
  return select(before > 0u, V(op(warps.up_to(before, op), V(inclusive))), inclusive);
}

}  // namespace detail

namespace block {

// op over the values of all threads of the block, in their order; every thread gets it. op is associative. Of numbers, structs, tuples and
// arrays. Example: ox::f32 sum = ox::block::reduce(x, [](ox::f32 a, ox::f32 b) { return a + b; });
template <detail::LaneNumber A, class Op>
detail::Lane<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) {
  using V = detail::Lane<A>;
  const V value = detail::LaneArgument<A>::of(std::forward<A>(x), where);
  const V total = detail::reduce_segment(value, op, detail::Segment(32, where));
  detail::WarpTotals<V, Op> warps;
  warps.put(total, where);
  return warps.up_to(detail::warps_of_block(where), op);
}

// op over the values of the threads up to this one; of those before it, after `initial`.
template <detail::LaneNumber A, class Op>
detail::Lane<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) {
  return detail::scan_block(detail::LaneArgument<A>::of(std::forward<A>(x), where), op, where);
}
template <detail::LaneNumber A, class Op>
detail::Lane<A> exclusive_scan(A&& x, detail::LaneStart<A> initial, Op op, detail::Where where = detail::Where::current()) {
  using V = detail::Lane<A>;
  const V value = detail::LaneArgument<A>::of(std::forward<A>(x), where), first = detail::LaneArgument<A>::start(initial);
  const detail::Segment segment(32, where);
  const V inclusive = detail::scan_segment(value, op, segment);
  detail::WarpTotals<V, Op> warps;
  warps.put(inclusive, where);
  const u32 before = warp::warp_id(where);
  const V start = select(before > 0u, V(op(V(first), warps.up_to(before, op))), first);
  return detail::exclusive_of(inclusive, start, op, segment);
}

// An inclusive scan that starts anew at each thread whose `head` is true.
template <detail::LaneNumber A, class Op>
detail::Lane<A> segmented_scan(A&& x, detail::Operand<bool> head, Op op, detail::Where where = detail::Where::current()) {
  using V = detail::Lane<A>;
  auto both = detail::between_heads<V>(op, where);
  const auto mine = detail::with_head(detail::LaneArgument<A>::of(std::forward<A>(x), where), head);
  return detail::without_head<V>(detail::scan_block(mine, both, where), where);
}

}  // namespace block

namespace detail {

// Numbers as unsigned ones in the same order, in the lowest bits that a T has.
template <class T>
using SortBits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class V>
Value<SortBits<typename V::scalar_type>> to_sort_bits(const V& x) {
  using T = typename V::scalar_type;
  static_assert(sizeof(T) <= 8, "oxide: keys of a radix sort have at most 64 bits");
  using U = SortBits<T>;
  constexpr U sign = U{1} << (8 * sizeof(T) - 1), all = sign | (sign - 1);
  if constexpr (ir::is_floating(ir::type_for<T>())) {
    Value<U> bits;
    if constexpr (sizeof(T) == 2) bits = cast<U>(bit_cast<std::uint16_t>(x));
    else if constexpr (sizeof(T) == 1) bits = cast<U>(bit_cast<std::uint8_t>(x));
    else bits = bit_cast<U>(x);
    return select((bits & sign) != 0u, ~bits & all, bits ^ sign);  // of negative numbers, larger bits are smaller numbers
  } else if constexpr (std::is_signed_v<T>) {
    return (cast<U>(x) ^ sign) & all;
  } else {
    return cast<U>(x);
  }
}

// Sorts the block's keys by their bits, lowest first, and takes the other value along: stable, four bits a step. A key goes behind all of
// lower digits, those of its digit in warps before, and those in lanes before.
template <class V, class W>
void sort_block(V& key, W& other, bool pairs, Where where) {
  using T = typename V::scalar_type;
  constexpr std::uint32_t bits = 4, digits = 1u << bits;
  DynamicShared<T> keys(per_thread(1));
  DynamicShared<HostType<W>> others(per_thread(1));
  Shared<std::uint32_t, digits * most_warps> counts;  // of each digit in each warp, then in the warps before it
  Shared<std::uint32_t, digits> totals;
  const u32 thread = block::thread_rank(where), threads = block::size(where), warps = warps_of_block(where);
  const u32 lane = warp::lane_id(where), w = warp::warp_id(where), here = warp::ballot(Operand<bool>(true, where));
  const u32 lanes = cast<std::uint32_t>(popcount(here));
  for (auto shift : range(u32(0), u32(8 * sizeof(T)), u32(bits))) {
    const u32 digit = cast<std::uint32_t>(to_sort_bits(key) >> cast<SortBits<T>>(shift)) & (digits - 1);
    std::array<u32, bits> votes;
    for (std::uint32_t b = 0; b != bits; ++b) votes[b] = warp::ballot((digit >> b & 1u) != 0u);
    const auto lanes_with = [&](const u32& d) {
      u32 found = here;
      for (std::uint32_t b = 0; b != bits; ++b) found &= votes[b] ^ select((d >> b & 1u) != 0u, u32(0), u32(0xffffffff));
      return found;
    };
    for (auto d : range(lane, u32(digits), lanes)) counts.unchecked(d * most_warps + w) = cast<std::uint32_t>(popcount(lanes_with(d)));
    sync_threads(where);
    for (auto d : range(thread, u32(digits), threads)) {
      u32 before = 0;
      for (const auto& i : range(warps)) {
        const u32 count = counts.unchecked(d * most_warps + i);
        counts.unchecked(d * most_warps + i) = before;
        before += count;
      }
      totals.unchecked(d) = before;
    }
    sync_threads(where);
    u32 place = counts.unchecked(digit * most_warps + w);
    place += cast<std::uint32_t>(popcount(lanes_with(digit) & warp::lanemask_lt()));
    for (std::uint32_t d = 0; d != digits - 1; ++d) place += select(digit > d, u32(totals.unchecked(d)), u32(0));
    keys[place] = key;
    if (pairs) others[place] = other;
    sync_threads(where);
    key = keys[thread];
    if (pairs) other = others[thread];
  }
}

}  // namespace detail

namespace block {

// Sorts the keys of the block's threads, one each, upwards: thread 0 gets the least. Stable; -0 comes before +0, and NaNs at the ends.
template <class T>
void radix_sort(Value<T>& key, detail::Where where = detail::Where::current()) {
  u32 none = 0;
  detail::sort_block(key, none, false, where);
}
// The same with a value that goes with each key.
template <class T, class U>
void radix_sort(Value<T>& key, Value<U>& value, detail::Where where = detail::Where::current()) {
  detail::sort_block(key, value, true, where);
}

// Adds 1 to the element of `bins` that this thread's bin names, for all threads. The bins are zero before, and are complete behind it.
template <std::uint64_t Bins>
void histogram(const Shared<std::uint32_t, Bins>& bins, detail::Operand<std::uint32_t> bin,
               detail::Where where = detail::Where::current()) {
  for (auto i : range(thread_rank(where), u32(Bins), size(where))) bins[i] = 0u;
  sync_threads(where);
  atomic(bins, u32::from_handle(bin.handle, bin.where)).fetch_add(1u);
  sync_threads(where);
}

// K items of each thread change places: from items that follow one another in each thread (blocked) to such that follow one another from
// thread to thread (striped), and back. Item k of thread t is number t * K + k when blocked, k * size() + t when striped.
template <class T, std::size_t K>
void blocked_to_striped(std::array<Value<T>, K>& items, detail::Where where = detail::Where::current()) {
  DynamicShared<T> all(per_thread(K));
  const u32 thread = thread_rank(where), threads = size(where);
  sync_threads(where);
  for (std::size_t k = 0; k != K; ++k) all[thread * static_cast<std::uint32_t>(K) + static_cast<std::uint32_t>(k)] = items[k];
  sync_threads(where);
  for (std::size_t k = 0; k != K; ++k) items[k] = all[threads * static_cast<std::uint32_t>(k) + thread];
}
template <class T, std::size_t K>
void striped_to_blocked(std::array<Value<T>, K>& items, detail::Where where = detail::Where::current()) {
  DynamicShared<T> all(per_thread(K));
  const u32 thread = thread_rank(where), threads = size(where);
  sync_threads(where);
  for (std::size_t k = 0; k != K; ++k) all[threads * static_cast<std::uint32_t>(k) + thread] = items[k];
  sync_threads(where);
  for (std::size_t k = 0; k != K; ++k) items[k] = all[thread * static_cast<std::uint32_t>(K) + static_cast<std::uint32_t>(k)];
}

}  // namespace block
}  // namespace oxide
