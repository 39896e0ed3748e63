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

// What a value is in shared memory.
template <class V>
struct SharedElement;
template <class T>
struct SharedElement<Value<T>> {
  using type = T;
};

// What the warps before this thread's give, after `before`; behind a barrier, each warp's last thread having said its warp's total.
template <class V, class Op>
struct WarpTotals {
  Shared<typename SharedElement<V>::type, most_warps> totals;

  void put(const V& inclusive, Where where) {
    sync_threads(where);  // an earlier call may still be read
    const u32 thread = block::thread_rank(where);
    if (warp::lane_id(where) == 31u || thread + 1u == block::size(where)) totals[warp::warp_id(where)] = inclusive;
    sync_threads(where);
  }
  // op over the totals of warps [0, end), left to right, where there is one.
  V up_to(const u32& end, const V& otherwise, Op& op) {
    V sum = otherwise;
    if (end > 0u) sum = totals[0];
    for (auto w : range(u32(1), end)) sum = op(V(sum), V(totals[w]));
    return sum;
  }
};

inline u32 warps_of_block(Where where) { return (block::size(where) + 31u) / 32u; }

template <class V, class Op>
V scan_block(const V& x, Op& op, Where where) {
  const V inclusive = scan_segment(x, op, Segment(32, where));
  WarpTotals<V, Op> warps;
  warps.put(inclusive, where);
  V result = inclusive;
  const u32 before = warp::warp_id(where);
  if (before > 0u) result = op(warps.up_to(before, inclusive, op), V(inclusive));
  return result;
}

}  // namespace detail

namespace block {

// op over the values of all threads of the block, in their order; every thread gets it. op is associative.
// Example: ox::f32 sum = ox::block::reduce(x, [](ox::f32 a, ox::f32 b) { return a + b; });
template <detail::DeviceNumber A, class Op>
detail::LaneValue<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) {
  using V = detail::LaneValue<A>;
  const V value(std::forward<A>(x), where);
  const V total = detail::reduce_segment(value, op, detail::Segment(32, where));
  detail::WarpTotals<V, Op> warps;
  warps.put(total, where);
  return warps.up_to(detail::warps_of_block(where), total, op);
}

// The same for structs, tuples and arrays.
template <detail::Compound T, class Op>
Value<T> reduce(const Value<T>& x, Op op, detail::Where where = detail::Where::current()) {
  const Value<T> total = detail::reduce_segment(x, op, detail::Segment(32, where));
  detail::WarpTotals<Value<T>, Op> warps;
  warps.put(total, where);
  return warps.up_to(detail::warps_of_block(where), total, op);
}
template <detail::Compound T, class Op>
Value<T> inclusive_scan(const Value<T>& x, Op op, detail::Where where = detail::Where::current()) {
  return detail::scan_block(x, op, where);
}

// op over the values of the threads up to this one; of those before it, after `initial`.
template <detail::DeviceNumber A, class Op>
detail::LaneValue<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) {
  return detail::scan_block(detail::LaneValue<A>(std::forward<A>(x), where), op, where);
}
template <detail::DeviceNumber A, class Op>
detail::LaneValue<A> exclusive_scan(A&& x, detail::Operand<typename detail::LaneValue<A>::scalar_type> initial, Op op,
                                    detail::Where where = detail::Where::current()) {
  using V = detail::LaneValue<A>;
  const V value(std::forward<A>(x), where), first = V::from_handle(initial.handle, initial.where);
  const detail::Segment segment(32, where);
  const V inclusive = detail::scan_segment(value, op, segment);
  detail::WarpTotals<V, Op> warps;
  warps.put(inclusive, where);
  V start = first;
  const u32 before = warp::warp_id(where);
  if (before > 0u) start = op(V(first), warps.up_to(before, inclusive, op));
  return detail::exclusive_of(inclusive, start, op, segment);
}

// An inclusive scan that starts anew at each thread whose `head` is true.
template <detail::DeviceNumber A, class Op>
detail::LaneValue<A> segmented_scan(A&& x, detail::Operand<bool> head, Op op, detail::Where where = detail::Where::current()) {
  using V = detail::LaneValue<A>;
  V value(std::forward<A>(x), where);
  boolean starts = boolean::from_handle(head.handle, head.where);
  // Steps over shared memory, as a scan by the book: the operation on pairs of a value and whether a segment starts in it.
  DynamicShared<typename V::scalar_type> values(per_thread(1));
  DynamicShared<bool> heads(per_thread(1));
  const u32 thread = thread_rank(where), threads = size(where);
  for (u32 distance = 1; distance < threads; distance *= 2u) {
    sync_threads(where);
    values[thread] = value;
    heads[thread] = starts;
    sync_threads(where);
    if (thread >= distance) {
      if (!starts) value = op(V(values[thread - distance]), V(value));
      starts = starts | boolean(heads[thread - distance]);
    }
  }
  return value;
}

}  // namespace block

namespace detail {

// Numbers as unsigned ones in the same order.
template <class T>
using SortBits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class V>
Value<SortBits<typename V::scalar_type>> to_sort_bits(const V& x) {
  using T = typename V::scalar_type;
  using U = SortBits<T>;
  constexpr U sign = U{1} << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    const Value<U> bits = bit_cast<U>(x);
    return select((bits & sign) != 0u, ~bits, bits ^ sign);  // of negative numbers, larger bits are smaller numbers
  } else if constexpr (std::is_signed_v<T>) {
    return cast<U>(x) ^ (sizeof(T) < 4 ? U{0x80000000u} : sign);
  } else {
    return cast<U>(x);
  }
}

// Sorts the block's keys by their bits, lowest first, and takes the other value along: stable, one bit a step.
template <class V, class W>
void sort_block(V& key, W& other, std::uint32_t bits, bool pairs, Where where) {
  DynamicShared<typename V::scalar_type> keys(per_thread(1));
  DynamicShared<typename W::scalar_type> others(per_thread(1));
  const u32 thread = block::thread_rank(where), threads = block::size(where);
  const auto sum = [](u32 a, u32 b) { return a + b; };
  for (auto bit : range(u32(bits))) {
    const u32 one = cast<std::uint32_t>(to_sort_bits(key) >> cast<SortBits<typename V::scalar_type>>(bit) & 1u);
    const u32 ones_to_here = block::inclusive_scan(one, sum, where);
    const u32 ones = block::reduce(one, sum, where);
    u32 place = thread - ones_to_here;  // of the zeros up to here; of a one, those are all before it
    if (one != 0u) place = threads - ones + ones_to_here - 1u;
    sync_threads(where);
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
  detail::sort_block(key, none, sizeof(T) < 4 ? 32 : 8 * sizeof(T), false, where);
}
// The same with a value that goes with each key.
template <class T, class U>
void radix_sort(Value<T>& key, Value<U>& value, detail::Where where = detail::Where::current()) {
  detail::sort_block(key, value, sizeof(T) < 4 ? 32 : 8 * sizeof(T), true, where);
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
