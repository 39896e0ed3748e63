// Clusters: blocks that run on one part of the GPU, wait for each other and read and write each other's shared memory. Not in the umbrella.
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/dsl/array_value.hpp>
#include <oxide/dsl/atomic.hpp>
#include <oxide/dsl/block.hpp>
#include <oxide/dsl/shared.hpp>
#include <oxide/dsl/thread.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {

// A shared array of another block of the cluster, or of this one; made by Cluster::map_shared_rank. It says where the array lies: loads,
// stores and atomic accesses go there.
// That block has to run: sync the cluster before the first access, and once more after the last one, before blocks may end.
template <class T>
class ClusterShared {
 public:
  using element_type = T;

  // Reads or writes, after a check of i against the array's length.
  Ref<T> operator[](detail::Index i) const {
    i.handle = checked(i);
    return unchecked(i);
  }
  // Reads or writes without a check: i must be below the length.
  Ref<T> unchecked(detail::Index i) const {
    return Ref<T>(detail::element_behind<T>(address(i.handle, i.where), detail::constant(ir::Type::u64, 0, i.where), i.where));
  }

  // For oxide's own headers.
  ClusterShared(std::uint32_t memory, trace::Handle rank) : rank_(rank), memory_(memory) {}
  trace::Handle checked(const detail::Index& i) const {
    const trace::Handle index = detail::emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
    detail::emit(ir::Opcode::check_bounds, ir::Type::none, index, memory_, i.where);
    return index;
  }
  trace::Handle address(trace::Handle index, detail::Where where) const {
    return detail::emit(ir::Opcode::shared_address, ir::Type::address, rank_, index, memory_, where);
  }

 private:
  trace::Handle rank_;  // u32, checked
  std::uint32_t memory_;
};

// The same of a Shared2D.
template <class T, std::uint64_t Rows, std::uint64_t Columns, class Layout>
class ClusterShared2D {
 public:
  using element_type = T;

  // Reads or writes, after checks of the row and of the column.
  Ref<T> operator()(detail::Index row, detail::Index column) const {
    const trace::Handle r = detail::checked_index(row, Rows), c = detail::checked_index(column, Columns);
    const detail::Where where = column.where;
    const trace::Handle place = Shared2D<T, Rows, Columns, Layout>::place(r, c, where);
    return Ref<T>(detail::element_behind<T>(array_.address(place, where), detail::constant(ir::Type::u64, 0, where), where));
  }

  // For oxide's own headers.
  explicit ClusterShared2D(const ClusterShared<T>& array) : array_(array) {}

 private:
  ClusterShared<T> array_;
};

namespace detail {

template <ir::Opcode opcode>
inline u32 cluster_number(std::uint64_t immediate, Where where) {
  return u32::from_handle(emit(opcode, ir::Type::u32, immediate, where), where);
}

// A block's place in its cluster, or the cluster's in the grid: the remainder or the quotient of the block's index. A cluster's blocks are
// neighbours on each axis.
template <bool quotient>
struct ClusterCoordinates {
  u32 x(Where where = Where::current()) const { return axis(0, where); }
  u32 y(Where where = Where::current()) const { return axis(1, where); }
  u32 z(Where where = Where::current()) const { return axis(2, where); }

 private:
  static u32 axis(std::uint64_t n, Where where) {
    const trace::Handle block = emit(ir::Opcode::block_index, ir::Type::u32, n, where);
    const trace::Handle size = emit(ir::Opcode::cluster_dim, ir::Type::u32, n, where);
    return u32::from_handle(emit(quotient ? ir::Opcode::div : ir::Opcode::rem, ir::Type::u32, block, size, 0, where), where);
  }
};
struct ClusterDimensions {
  u32 x(Where where = Where::current()) const { return cluster_number<ir::Opcode::cluster_dim>(0, where); }
  u32 y(Where where = Where::current()) const { return cluster_number<ir::Opcode::cluster_dim>(1, where); }
  u32 z(Where where = Where::current()) const { return cluster_number<ir::Opcode::cluster_dim>(2, where); }
};

}  // namespace detail

// The blocks of a cluster, of a kernel that says .cluster(n). Compute capability 9.0 and newer; the CPU runs them together.
class Cluster {
 public:
  // This block's number among those of the cluster, x fastest, and how many there are.
  u32 block_rank(detail::Where where = detail::Where::current()) const {
    return detail::cluster_number<ir::Opcode::cluster_rank>(0, where);
  }
  u32 num_blocks(detail::Where where = detail::Where::current()) const {
    const detail::ClusterDimensions size;
    return size.x(where) * size.y(where) * size.z(where);
  }
  // This block's place in the cluster, the cluster's size in blocks, and the cluster's place in the grid.
  detail::ClusterCoordinates<false> block_index() const { return {}; }
  detail::ClusterDimensions dim_blocks() const { return {}; }
  detail::ClusterCoordinates<true> cluster_index() const { return {}; }
  // This thread's number in the cluster, and how many there are.
  u32 thread_rank(detail::Where where = detail::Where::current()) const {
    return block_rank(where) * block::size(where) + block::thread_rank(where);
  }
  u32 size(detail::Where where = detail::Where::current()) const { return num_blocks(where) * block::size(where); }

  // Waits until all threads of the cluster that have not ended are here; what they wrote before, all see behind.
  void sync(detail::Where where = detail::Where::current()) const {
    arrive(where);
    wait(where);
  }
  // The two halves of sync. Between them a thread does what needs no other block. They take turns, and all threads of a block come to
  // each together. What is written before arrive, all see behind wait; arrive_relaxed orders nothing.
  void arrive(detail::Where where = detail::Where::current()) const {
    detail::emit(ir::Opcode::cluster_arrive, ir::Type::none, std::uint64_t{0}, where);
  }
  void arrive_relaxed(detail::Where where = detail::Where::current()) const {
    detail::emit(ir::Opcode::cluster_arrive, ir::Type::none, std::uint64_t{1}, where);
  }
  void wait(detail::Where where = detail::Where::current()) const {
    detail::emit(ir::Opcode::cluster_wait, ir::Type::none, std::uint64_t{0}, where);
  }

  // The array as the block of this rank has it; the rank is checked. Example: ox::f32 x = cluster.map_shared_rank(tile, rank ^ 1u)[t];
  template <class T, std::uint64_t N>
  ClusterShared<T> map_shared_rank(const Shared<T, N>& array, detail::Operand<std::uint32_t> rank) const {
    return map<T>(array, rank);
  }
  template <class T>
  ClusterShared<T> map_shared_rank(const DynamicShared<T>& array, detail::Operand<std::uint32_t> rank) const {
    return map<T>(array, rank);
  }
  template <class T, std::uint64_t Rows, std::uint64_t Columns, class Layout>
  ClusterShared2D<T, Rows, Columns, Layout> map_shared_rank(const Shared2D<T, Rows, Columns, Layout>& array,
                                                            detail::Operand<std::uint32_t> rank) const {
    return ClusterShared2D<T, Rows, Columns, Layout>(map<T>(array, rank));
  }

 private:
  template <class T>
  static ClusterShared<T> map(const detail::SharedArray<T>& array, const detail::Operand<std::uint32_t>& operand) {
    const trace::Handle rank = detail::emit(ir::Opcode::copy, ir::Type::u32, operand.handle, 0, operand.where);
    detail::emit(ir::Opcode::check_rank, ir::Type::none, rank, 0, operand.where);
    return {array.memory(), rank};
  }
};
inline Cluster this_cluster() { return {}; }

// An element of another block's array, accessed atomically among the threads of the cluster.
// Example: ox::atomic(cluster.map_shared_rank(bins, rank), bin).fetch_add(1);
template <Scope scope = Scope::cluster, class T>
Atomic<T, scope> atomic(const ClusterShared<T>& array, detail::Index i) {
  return Atomic<T, scope>::behind(array.address(array.checked(i), i.where), i.where);
}

}  // namespace oxide
