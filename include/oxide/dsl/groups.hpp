// Groups of threads as objects: the block, tiles of a warp, the lanes that are here, the grid.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/dsl/block.hpp>
#include <oxide/dsl/warp_algorithms.hpp>

namespace oxide {

// The threads of a block.
class ThreadBlock {
 public:
  void sync(detail::Where where = detail::Where::current()) const { sync_threads(where); }
  u32 thread_rank(detail::Where where = detail::Where::current()) const { return block::thread_rank(where); }
  u32 size(detail::Where where = detail::Where::current()) const { return block::size(where); }

  // Over the values of all threads, with any associative operation; see ox::block.
  template <detail::LaneNumber A, class Op>
  detail::Lane<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return block::reduce(std::forward<A>(x), op, where);
  }
  template <detail::LaneNumber A, class Op>
  detail::Lane<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return block::inclusive_scan(std::forward<A>(x), op, where);
  }
  template <detail::LaneNumber A, class Op>
  detail::Lane<A> exclusive_scan(A&& x, detail::LaneStart<A> initial, Op op, detail::Where where = detail::Where::current()) const {
    return block::exclusive_scan(std::forward<A>(x), initial, op, where);
  }
  template <detail::LaneNumber A, class Op>
  detail::Lane<A> segmented_scan(A&& x, detail::Operand<bool> head, Op op, detail::Where where = detail::Where::current()) const {
    return block::segmented_scan(std::forward<A>(x), head, op, where);
  }
};
inline ThreadBlock this_thread_block() { return {}; }

namespace detail {

// Reductions and scans over lanes of a warp in the order of their ranks, with any associative operation. Group::now(where) is the segment
// of the lanes that have not ended.
template <class Group>
class SegmentAlgorithms {
 public:
  template <LaneNumber A, class Op>
  Lane<A> reduce(A&& x, Op op, Where where = Where::current()) const {
    return reduce_segment(Lane<A>(LaneArgument<A>::of(std::forward<A>(x), where)), op, now(where));
  }
  template <LaneNumber A, class Op>
  Lane<A> inclusive_scan(A&& x, Op op, Where where = Where::current()) const {
    return scan_segment(Lane<A>(LaneArgument<A>::of(std::forward<A>(x), where)), op, now(where));
  }
  template <LaneNumber A, class Op>
  Lane<A> exclusive_scan(A&& x, LaneStart<A> initial, Op op, Where where = Where::current()) const {
    return exclusive_scan_segment<A>(Lane<A>(LaneArgument<A>::of(std::forward<A>(x), where)), initial, op, now(where));
  }

 private:
  friend Group;
  SegmentAlgorithms() = default;
  Segment now(Where where) const { return static_cast<const Group&>(*this).now(where); }
};

}  // namespace detail

// N threads of a warp with consecutive numbers. All of a tile that have not ended come to its operations together; tiles are independent.
template <std::uint32_t N>
class Tile : public detail::SegmentAlgorithms<Tile<N>> {
  static_assert(N != 0 && N <= 32 && (N & (N - 1)) == 0, "oxide: a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  explicit Tile(detail::Where where = detail::Where::current())
      : rank_(warp::lane_id(where) & u32(N - 1, where)), mask_(u32(full, where) << (warp::lane_id(where) - rank_)) {}

  static constexpr std::uint32_t size() { return N; }
  u32 thread_rank() const { return rank_; }
  // The number of the tile in its block, and how many there are.
  u32 meta_group_rank(detail::Where where = detail::Where::current()) const { return block::thread_rank(where) / N; }
  u32 meta_group_size(detail::Where where = detail::Where::current()) const { return (block::size(where) + (N - 1)) / N; }
  // Its threads as lanes of the warp.
  u32 mask() const { return mask_; }
  void sync(detail::Where where = detail::Where::current()) const { warp::sync(detail::Mask(mask_, where)); }

  template <detail::LaneNumber A>
  auto shfl(A&& x, detail::Operand<std::uint32_t> rank) const {
    return warp::shfl(std::forward<A>(x), rank, N, mask_);
  }
  template <detail::LaneNumber A>
  auto shfl_up(A&& x, detail::Operand<std::uint32_t> distance) const {
    return warp::shfl_up(std::forward<A>(x), distance, N, mask_);
  }
  template <detail::LaneNumber A>
  auto shfl_down(A&& x, detail::Operand<std::uint32_t> distance) const {
    return warp::shfl_down(std::forward<A>(x), distance, N, mask_);
  }
  template <detail::LaneNumber A>
  auto shfl_xor(A&& x, detail::Operand<std::uint32_t> ranks) const {
    return warp::shfl_xor(std::forward<A>(x), ranks, N, mask_);
  }
  boolean any(detail::Operand<bool> predicate) const { return warp::any(predicate, mask_); }
  boolean all(detail::Operand<bool> predicate) const { return warp::all(predicate, mask_); }
  // Which threads of the tile, by rank.
  u32 ballot(detail::Operand<bool> predicate) const { return in_tile(warp::ballot(predicate, mask_)); }
  template <detail::DeviceNumber A>
  u32 match_any(A&& x, detail::Where where = detail::Where::current()) const {
    return in_tile(warp::match_any(std::forward<A>(x), detail::Mask(mask_, where)));
  }

 private:
  friend detail::SegmentAlgorithms<Tile>;
  static constexpr std::uint32_t full = N == 32 ? 0xffffffffu : (1u << N) - 1;
  detail::Segment now(detail::Where where) const { return detail::Segment(N, where); }
  u32 in_tile(const u32& lanes) const { return lanes >> (warp::lane_id() & (32u - N)) & full; }
  u32 rank_, mask_;
};

// The block's threads in tiles of N. Example: auto tile = ox::tiled_partition<8>(ox::this_thread_block());
template <std::uint32_t N>
Tile<N> tiled_partition(const ThreadBlock&, detail::Where where = detail::Where::current()) {
  return Tile<N>(where);
}

// Lanes of a warp, ranked in the order of their numbers: those that are here together, or some of them.
class CoalescedThreads : public detail::SegmentAlgorithms<CoalescedThreads> {
 public:
  explicit CoalescedThreads(const u32& lanes, detail::Where where = detail::Where::current())
      : mask_(lanes, where), rank_(count(lanes & warp::lanemask_lt(where))) {}

  u32 mask() const { return mask_; }
  u32 size() const { return count(mask_); }
  u32 thread_rank() const { return rank_; }
  void sync(detail::Where where = detail::Where::current()) const { warp::sync(detail::Mask(mask_, where)); }
  // Whether this is the first of them.
  boolean is_first() const { return rank_ == 0u; }

  // The value of the thread of a rank, of a rank that there is not one of theirs; of the thread so many ranks below or above, where there
  // is none this thread's own.
  template <detail::LaneNumber A>
  auto shfl(A&& x, detail::Operand<std::uint32_t> rank) const {
    const u32 lane = lane_of(u32::from_handle(rank.handle, rank.where));
    return warp::shfl(std::forward<A>(x), detail::Operand<std::uint32_t>(lane, rank.where), 32, mask_);
  }
  template <detail::LaneNumber A>
  auto shfl_up(A&& x, detail::Operand<std::uint32_t> distance) const {
    const u32 d = u32::from_handle(distance.handle, distance.where);
    return shfl(std::forward<A>(x), detail::Operand<std::uint32_t>(select(d > rank_, rank_, rank_ - d), distance.where));
  }
  template <detail::LaneNumber A>
  auto shfl_down(A&& x, detail::Operand<std::uint32_t> distance) const {
    const u32 d = u32::from_handle(distance.handle, distance.where);
    return shfl(std::forward<A>(x), detail::Operand<std::uint32_t>(select(d >= size() - rank_, rank_, rank_ + d), distance.where));
  }
  boolean any(detail::Operand<bool> predicate) const { return warp::any(predicate, mask_); }
  boolean all(detail::Operand<bool> predicate) const { return warp::all(predicate, mask_); }
  // Which of them, by rank.
  u32 ballot(detail::Operand<bool> predicate) const { return by_rank(warp::ballot(predicate, mask_)); }
  template <detail::DeviceNumber A>
  u32 match_any(A&& x, detail::Where where = detail::Where::current()) const {
    return by_rank(warp::match_any(std::forward<A>(x), detail::Mask(mask_, where)));
  }

 private:
  friend detail::SegmentAlgorithms<CoalescedThreads>;
  detail::Segment now(detail::Where where) const { return detail::Segment(mask_, where); }
  static u32 count(const u32& bits) { return cast<std::uint32_t>(popcount(bits)); }
  // The lane of that rank, of the last one at most: the place of a mask's bit, by halves.
  u32 lane_of(const u32& rank) const {
    u32 left = min(rank, size() - 1u), lane = 0;
    for (std::uint32_t half = 16; half != 0; half /= 2) {
      const u32 below = count(mask_ >> lane & ((1u << half) - 1));
      const boolean above = left >= below;
      left -= select(above, below, 0u);
      lane += select(above, half, 0u);
    }
    return lane;
  }
  u32 by_rank(const u32& lanes) const {
    u32 ranks = 0, seen = 0;
    for (auto l : range(u32(32))) {
      ranks |= (lanes >> l & 1u) << seen;
      seen += mask_ >> l & 1u;
    }
    return ranks;
  }
  u32 mask_, rank_;
};

// The lanes of a warp that are here together. Which lanes meet is the machine's choice.
inline CoalescedThreads coalesced_threads(detail::Where where = detail::Where::current()) {
  return CoalescedThreads(warp::active_mask(where), where);
}
// Those of a tile or of coalesced threads whose `label` has the same bits as this thread's. All of the group come here together.
template <class Group, detail::DeviceNumber A>
CoalescedThreads labeled_partition(const Group& group, A&& label, detail::Where where = detail::Where::current()) {
  return CoalescedThreads(warp::match_any(std::forward<A>(label), detail::Mask(group.mask(), where)), where);
}
// Those whose predicate is the same as this thread's.
template <class Group>
CoalescedThreads binary_partition(const Group& group, detail::Operand<bool> predicate, detail::Where where = detail::Where::current()) {
  const detail::Mask mask(group.mask(), where);
  const boolean p = boolean::from_handle(predicate.handle, predicate.where);
  const u32 with = warp::ballot(p, mask), without = warp::ballot(!p, mask);
  return CoalescedThreads(select(p, with, without), where);
}

// All threads of a launch.
class Grid {
 public:
  // Waits until all threads of the grid are here; what they wrote before, all see behind. Every thread has to come to the same sync: one
  // that has ended, or waits elsewhere, is an error that names the line. For kernels that are .cooperative(): all blocks live at once, and
  // a launch of more than can is refused.
  void sync(detail::Where where = detail::Where::current()) const {
    detail::emit(ir::Opcode::grid_barrier, ir::Type::none, std::uint64_t{0}, where);
  }
  u64 thread_rank(detail::Where where = detail::Where::current()) const {
    return block_rank(where) * block::size(where) + block::thread_rank(where);
  }
  u64 size(detail::Where where = detail::Where::current()) const { return num_blocks(where) * block::size(where); }
  // This thread's block among those of the grid, x fastest, and how many there are.
  u64 block_rank(detail::Where where = detail::Where::current()) const {
    const u64 row = u64(block_idx.y(where)) + u64(block_idx.z(where)) * grid_dim.y(where);
    return u64(block_idx.x(where)) + row * grid_dim.x(where);
  }
  u64 num_blocks(detail::Where where = detail::Where::current()) const {
    return u64(grid_dim.x(where)) * grid_dim.y(where) * grid_dim.z(where);
  }
};
inline Grid this_grid() { return {}; }

}  // namespace oxide
