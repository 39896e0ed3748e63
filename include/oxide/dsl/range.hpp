// Counted loops over device values: for (auto i : ox::range(n)).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/index_space.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/thread.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {
namespace detail {

struct RangeEnd {};

// The bounds of a counted loop, recorded once, before it.
struct RangeBounds {
  ir::Type type;
  trace::Handle first, last, step;
  bool down;  // the step is a negative host number
  Where where;
  std::int32_t unroll = -1;  // how many passes become one, 0 for all; -1 where nothing was asked
};

// A counted loop while it runs. Asking for another pass is the loop's head; the increment is its back edge.
class Counter {
 public:
  explicit Counter(const RangeBounds& bounds)
      : bounds_(bounds), variable_(emit(ir::Opcode::copy, bounds.type, bounds.first, 0, bounds.where)) {}

  trace::Handle head() {
    loop_ = loop_head(loop_, bounds_.where);
    if (bounds_.unroll >= 0) emit(ir::Opcode::unroll, ir::Type::none, static_cast<std::uint64_t>(bounds_.unroll), bounds_.where);
    return bounds_.down ? emit(ir::Opcode::less, ir::Type::boolean, bounds_.last, variable_, 0, bounds_.where)
                        : emit(ir::Opcode::less, ir::Type::boolean, variable_, bounds_.last, 0, bounds_.where);
  }
  void next() { assign(variable_, emit(ir::Opcode::add, bounds_.type, variable_, bounds_.step, 0, bounds_.where), bounds_.where); }
  trace::Handle snapshot() const { return emit(ir::Opcode::copy, bounds_.type, variable_, 0, bounds_.where); }
  std::uint32_t loop() const { return loop_; }
  Where where() const { return bounds_.where; }

 private:
  RangeBounds bounds_;
  trace::Handle variable_;
  std::uint32_t loop_ = 0;
};

template <class T>
class RangeIterator {
 public:
  explicit RangeIterator(const RangeBounds& bounds) : counter_(bounds) {}
  Value<T> operator*() const { return Value<T>::from_handle(counter_.snapshot(), counter_.where()); }
  RangeIterator& operator++() {
    counter_.next();
    return *this;
  }
  [[gnu::always_inline]] bool operator!=(RangeEnd) {
    const trace::Handle more = counter_.head();
    return decide(more, counter_.where(), counter_.loop());
  }

 private:
  Counter counter_;
};

// Made of ThreadIndices, because i, i + threads, i + 2 * threads ... are no other thread's.
class GridStrideIterator {
 public:
  explicit GridStrideIterator(const RangeBounds& bounds) : counter_(bounds) {}
  ThreadIndex<Linear> operator*() const { return ThreadIndex<Linear>(counter_.snapshot()); }
  GridStrideIterator& operator++() {
    counter_.next();
    return *this;
  }
  [[gnu::always_inline]] bool operator!=(RangeEnd) {
    const trace::Handle more = counter_.head();
    return decide(more, counter_.where(), counter_.loop());
  }

 private:
  Counter counter_;
};

template <class Iterator>
class CountedLoop {
 public:
  explicit CountedLoop(const RangeBounds& bounds) : bounds_(bounds) {}
  CountedLoop unrolled(std::int32_t passes) const {
    CountedLoop loop = *this;
    loop.bounds_.unroll = passes;
    return loop;
  }
  Iterator begin() const { return Iterator(bounds_); }
  RangeEnd end() const { return {}; }

 private:
  RangeBounds bounds_;
};

// The type that a range counts in: the common one of its device values, or that of its host integers.
template <class... A>
constexpr ir::Type range_type() {
  static_assert((Number<A> && ...), "oxide: ox::range takes integers");
  if constexpr ((is_device(source_of<A>) || ...)) return needed_common_type<A...>();
  else return host_type<std::common_type_t<std::remove_cvref_t<A>...>>();
}

template <ir::Type type, class A>
trace::Handle range_bound(A&& x, Where where) {
  return fresh_handle_as<typename ScalarOf<type>::type>(std::forward<A>(x), where);
}

template <ir::Type type>
using Range = CountedLoop<RangeIterator<typename ScalarOf<type>::type>>;

template <ir::Type type, class Low, class High, class Step>
Range<type> make_range(Low&& low, High&& high, Step&& step, Where where) {
  static_assert(ir::is_integer(type), "oxide: ox::range counts in integers");
  RangeBounds bounds{type, {}, {}, {}, false, where};
  if constexpr (source_of<Step>.kind == SourceKind::host) {
    if (step == 0) refuse(where, "the step of ox::range is 0; the loop would never end");
    if constexpr (ir::is_signed_integer(source_of<Step>.type)) bounds.down = step < 0;
  }
  bounds.first = range_bound<type>(std::forward<Low>(low), where);
  bounds.last = range_bound<type>(std::forward<High>(high), where);
  bounds.step = range_bound<type>(std::forward<Step>(step), where);
  return Range<type>(bounds);
}

}  // namespace detail

// 0, 1 ... n - 1. The bounds are read once, before the loop.
// Example: for (auto i : ox::range(n)) sum += a[i];
template <class N>
auto range(N&& n, detail::Where where = detail::Where::current()) {
  return detail::make_range<detail::range_type<N>()>(0, std::forward<N>(n), 1, where);
}

// low, low + 1 ... high - 1.
template <class Low, class High>
auto range(Low&& low, High&& high, detail::Where where = detail::Where::current()) {
  return detail::make_range<detail::range_type<Low, High>()>(std::forward<Low>(low), std::forward<High>(high), 1, where);
}

// low, low + step ... while below high; a negative host step counts down while above high. A step that is a device value must be
// positive. The counter wraps as integers do, so high + step has to fit its type.
template <class Low, class High, class Step>
auto range(Low&& low, High&& high, Step&& step, detail::Where where = detail::Where::current()) {
  return detail::make_range<detail::range_type<Low, High, Step>()>(std::forward<Low>(low), std::forward<High>(high),
                                                                   std::forward<Step>(step), where);
}

// The elements below n that are this thread's when a 1-D grid shares them out: its own index, then steps of the whole grid.
// Example: for (auto i : ox::grid_stride(out.size())) if (auto e = out.get_mut(i)) *e = f(in[i]);
inline detail::CountedLoop<detail::GridStrideIterator> grid_stride(detail::Operand<std::uint64_t> n,
                                                                   detail::Where where = detail::Where::current()) {
  using namespace detail;
  require_space(Linear::immediate, where);
  const trace::Handle first = global_index(0, where);
  const trace::Handle last = emit(ir::Opcode::copy, ir::Type::u64, n.handle, 0, where);
  const auto wide = [&](ir::Opcode opcode) {
    return convert(ir::Type::u32, ir::Type::u64, emit(opcode, ir::Type::u32, std::uint64_t{0}, where), where);
  };
  const trace::Handle blocks = wide(ir::Opcode::grid_dim), size = wide(ir::Opcode::block_dim);
  const trace::Handle threads = emit(ir::Opcode::mul, ir::Type::u64, blocks, size, 0, where);
  return CountedLoop<GridStrideIterator>({ir::Type::u64, first, last, threads, false, where});
}

// The same loop, with Passes passes made into one; without Passes, with all of them, where their number is known when the kernel is traced.
// unroll<1> keeps the compiler from unrolling. Example: for (auto i : ox::unroll<4>(ox::range(n))) sum += a[i];
template <std::uint32_t Passes = 0, class Iterator>
detail::CountedLoop<Iterator> unroll(const detail::CountedLoop<Iterator>& loop) {
  static_assert(Passes <= 1024, "oxide: ox::unroll makes at most 1024 passes one");
  return loop.unrolled(static_cast<std::int32_t>(Passes));
}

}  // namespace oxide
