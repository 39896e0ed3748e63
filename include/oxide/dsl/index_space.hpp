// How the threads of a launch are numbered, as a type. A DisjointSpan takes indices of its own space only.
#pragma once

#include <cstdint>

#include <oxide/dsl/value.hpp>
#include <oxide/ir/graph.hpp>

namespace oxide {

// The threads of a 1-D launch: block_idx.x * block_dim.x + thread_idx.x.
struct Linear {
  static constexpr std::uint64_t immediate = ir::space_immediate(ir::SpaceKind::linear, 0);
};

// The threads of a 2-D launch over rows of Stride elements: row * Stride + column. Only columns below Stride have an element.
template <std::uint32_t Stride>
struct Grid2D {
  static_assert(Stride > 0, "oxide: a Grid2D has rows of at least one element");
  static constexpr std::uint32_t stride = Stride;
  static constexpr std::uint64_t immediate = ir::space_immediate(ir::SpaceKind::grid_2d, Stride);
};

namespace thread {
ThreadIndex<Linear> index_1d(detail::Where where = detail::Where::current());
template <std::uint32_t Stride>
ThreadIndex<Grid2D<Stride>> index_2d(detail::Where where = detail::Where::current());
}  // namespace thread

namespace detail {
class GridStrideIterator;

// What index spaces keep besides the element's index.
template <class Space>
struct IndexParts {};
template <std::uint32_t Stride>
struct IndexParts<Grid2D<Stride>> {
  trace::Handle row, column;  // u64
};
}  // namespace detail

// The index of the element that is this thread's own. Only ox::thread::index_1d, index_2d and ox::grid_stride make one, and it
// cannot be changed: so two threads never hold the same. Used as a number it is an ox::u64.
template <class Space>
class ThreadIndex : public detail::Operators<std::uint64_t> {
 public:
  using space = Space;

  ThreadIndex(const ThreadIndex&) = default;
  ThreadIndex& operator=(const ThreadIndex&) = delete;

  u64 value(detail::Where where = detail::Where::current()) const { return u64(*this, where); }
  u32 row(detail::Where where = detail::Where::current()) const { return coordinate<Space>(&detail::IndexParts<Space>::row, where); }
  u32 col(detail::Where where = detail::Where::current()) const { return coordinate<Space>(&detail::IndexParts<Space>::column, where); }

  // For oxide's own headers.
  trace::Handle handle() const { return index_; }
  const detail::IndexParts<Space>& parts() const { return parts_; }

 private:
  friend ThreadIndex<Linear> thread::index_1d(detail::Where);
  template <std::uint32_t Stride>
  friend ThreadIndex<Grid2D<Stride>> thread::index_2d(detail::Where);
  friend class detail::GridStrideIterator;

  explicit ThreadIndex(trace::Handle index, detail::IndexParts<Space> parts = {}) : index_(index), parts_(parts) {}

  template <class S>
  u32 coordinate(trace::Handle detail::IndexParts<S>::* part, detail::Where where) const {
    return u32::from_handle(detail::convert(ir::Type::u64, ir::Type::u32, parts_.*part, where), where);
  }

  trace::Handle index_;
  [[no_unique_address]] detail::IndexParts<Space> parts_;
};

}  // namespace oxide
