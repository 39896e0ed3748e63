// Where a thread is in its launch.
#pragma once

#include <cstdint>

#include <oxide/dsl/index_space.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {

namespace detail {
template <ir::Opcode opcode>
struct Coordinates {
  u32 x(Where where = Where::current()) const { return axis(0, where); }
  u32 y(Where where = Where::current()) const { return axis(1, where); }
  u32 z(Where where = Where::current()) const { return axis(2, where); }

 private:
  static u32 axis(std::uint64_t n, Where where) { return u32::from_handle(emit(opcode, ir::Type::u32, n, where), where); }
};

// block_idx * block_dim + thread_idx along an axis, as u64: the product of two u32 may not fit one.
inline trace::Handle global_index(std::uint64_t axis, Where where) {
  const auto wide = [&](ir::Opcode opcode) {
    return convert(ir::Type::u32, ir::Type::u64, emit(opcode, ir::Type::u32, axis, where), where);
  };
  const trace::Handle block = wide(ir::Opcode::block_index), size = wide(ir::Opcode::block_dim), thread = wide(ir::Opcode::thread_index);
  const trace::Handle first = emit(ir::Opcode::mul, ir::Type::u64, block, size, 0, where);
  return emit(ir::Opcode::add, ir::Type::u64, first, thread, 0, where);
}

// States that the launch must have the shape of this index space.
inline void require_space(std::uint64_t immediate, Where where) { emit(ir::Opcode::index_space, ir::Type::none, immediate, where); }
}  // namespace detail

// CUDA's threadIdx, blockIdx, blockDim and gridDim, as ox::u32. Example: ox::u32 lane = ox::thread_idx.x() % 32;
inline constexpr detail::Coordinates<ir::Opcode::thread_index> thread_idx;
inline constexpr detail::Coordinates<ir::Opcode::block_index> block_idx;
inline constexpr detail::Coordinates<ir::Opcode::block_dim> block_dim;
inline constexpr detail::Coordinates<ir::Opcode::grid_dim> grid_dim;

namespace thread {

// This thread's number in a 1-D launch: block_idx.x * block_dim.x + thread_idx.x. A launch with more dimensions is refused.
inline ThreadIndex<Linear> index_1d(detail::Where where) {
  detail::require_space(Linear::immediate, where);
  return ThreadIndex<Linear>(detail::global_index(0, where));
}

// This thread's element in rows of Stride elements: y is the row, x the column. Example: auto idx = ox::thread::index_2d<1024>();
template <std::uint32_t Stride>
ThreadIndex<Grid2D<Stride>> index_2d(detail::Where where) {
  detail::require_space(Grid2D<Stride>::immediate, where);
  const trace::Handle column = detail::global_index(0, where), row = detail::global_index(1, where);
  const trace::Handle stride = detail::constant(ir::Type::u64, Stride, where);
  const trace::Handle first = detail::emit(ir::Opcode::mul, ir::Type::u64, row, stride, 0, where);
  return ThreadIndex<Grid2D<Stride>>(detail::emit(ir::Opcode::add, ir::Type::u64, first, column, 0, where), {row, column});
}

}  // namespace thread
}  // namespace oxide
