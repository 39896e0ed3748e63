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
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return block::reduce(std::forward<A>(x), op, where);
  }
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return block::inclusive_scan(std::forward<A>(x), op, where);
  }
};
inline ThreadBlock this_thread_block() { return {}; }

// N threads of a warp with consecutive numbers. All of a tile that have not ended come to its operations together; tiles are independent.
template <std::uint32_t N>
class Tile {
  static_assert(N != 0 && N <= 32 && (N & (N - 1)) == 0, "oxide: a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  explicit Tile(detail::Where where = detail::Where::current()) : segment_(N, where) {}

  static constexpr std::uint32_t size() { return N; }
  u32 thread_rank() const { return segment_.rank; }
  // The number of the tile in its block.
  u32 meta_group_rank(detail::Where where = detail::Where::current()) const { return block::thread_rank(where) / N; }
  void sync() const { warp::sync(segment_.mask); }

  template <detail::DeviceNumber A>
  auto shfl(A&& x, detail::Operand<std::uint32_t> rank) const {
    return warp::shfl(std::forward<A>(x), rank, N, segment_.mask);
  }
  template <detail::DeviceNumber A>
  auto shfl_up(A&& x, detail::Operand<std::uint32_t> distance) const {
    return warp::shfl_up(std::forward<A>(x), distance, N, segment_.mask);
  }
  template <detail::DeviceNumber A>
  auto shfl_down(A&& x, detail::Operand<std::uint32_t> distance) const {
    return warp::shfl_down(std::forward<A>(x), distance, N, segment_.mask);
  }
  template <detail::DeviceNumber A>
  auto shfl_xor(A&& x, detail::Operand<std::uint32_t> ranks) const {
    return warp::shfl_xor(std::forward<A>(x), ranks, N, segment_.mask);
  }
  boolean any(detail::Operand<bool> predicate) const { return warp::any(predicate, segment_.mask); }
  boolean all(detail::Operand<bool> predicate) const { return warp::all(predicate, segment_.mask); }
  // Which threads of the tile, by rank.
  u32 ballot(detail::Operand<bool> predicate) const { return in_tile(warp::ballot(predicate, segment_.mask)); }
  template <detail::DeviceNumber A>
  u32 match_any(A&& x) const {
    return in_tile(warp::match_any(std::forward<A>(x), segment_.mask));
  }

  // Over the values of the tile's threads in the order of their ranks, with any associative operation.
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return detail::reduce_segment(detail::LaneValue<A>(std::forward<A>(x), where), op, segment_);
  }
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    return detail::scan_segment(detail::LaneValue<A>(std::forward<A>(x), where), op, segment_);
  }
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> exclusive_scan(A&& x, detail::Operand<typename detail::LaneValue<A>::scalar_type> initial, Op op,
                                      detail::Where where = detail::Where::current()) const {
    using V = detail::LaneValue<A>;
    const V inclusive = detail::scan_segment(V(std::forward<A>(x), where), op, segment_);
    return detail::exclusive_of(inclusive, V::from_handle(initial.handle, initial.where), op, segment_);
  }

 private:
  u32 in_tile(const u32& lanes) const { return lanes >> (warp::lane_id() & (32u - N)) & segment_.full; }
  detail::Segment segment_;
};

// The block's threads in tiles of N. Example: auto tile = ox::tiled_partition<8>(ox::this_thread_block());
template <std::uint32_t N>
Tile<N> tiled_partition(const ThreadBlock&, detail::Where where = detail::Where::current()) {
  return Tile<N>(where);
}

// The lanes of a warp that are here together, in the order of their numbers. Which lanes meet is the machine's choice.
class CoalescedThreads {
 public:
  explicit CoalescedThreads(detail::Where where = detail::Where::current()) : mask_(warp::active_mask(where)) {}

  u32 mask() const { return mask_; }
  u32 size() const { return count(mask_); }
  u32 thread_rank(detail::Where where = detail::Where::current()) const { return count(mask_ & warp::lanemask_lt(where)); }
  void sync() const { warp::sync(mask_); }
  boolean any(detail::Operand<bool> predicate) const { return warp::any(predicate, mask_); }
  boolean all(detail::Operand<bool> predicate) const { return warp::all(predicate, mask_); }
  // Whether this is the first of them.
  boolean is_first(detail::Where where = detail::Where::current()) const { return (mask_ & warp::lanemask_lt(where)) == 0u; }

  // Over their values, in the order of lanes, with any associative operation.
  template <detail::DeviceNumber A, class Op>
  detail::LaneValue<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) const {
    using V = detail::LaneValue<A>;
    const V value(std::forward<A>(x), where);
    V total = value;
    boolean any = false;
    for (auto lane : range(u32(32))) {
      V other = warp::shfl(value, lane, 32, mask_);
      if ((mask_ >> lane & 1u) != 0u) {
        if (any) total = op(V(total), V(other));
        else total = other;
        any = true;
      }
    }
    return total;
  }

 private:
  static u32 count(u32 bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0fu;
    return bits * 0x01010101u >> 24;
  }
  u32 mask_;
};
inline CoalescedThreads coalesced_threads(detail::Where where = detail::Where::current()) { return CoalescedThreads(where); }

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
    const u64 row = u64(block_idx.y(where)) + u64(block_idx.z(where)) * grid_dim.y(where);
    return (u64(block_idx.x(where)) + row * grid_dim.x(where)) * block::size(where) + block::thread_rank(where);
  }
  u64 size(detail::Where where = detail::Where::current()) const {
    return u64(grid_dim.x(where)) * grid_dim.y(where) * grid_dim.z(where) * block::size(where);
  }
};
inline Grid this_grid() { return {}; }

}  // namespace oxide
