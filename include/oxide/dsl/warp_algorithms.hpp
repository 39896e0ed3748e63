// Reductions and scans over the lanes of a warp, with any associative operation: ox::warp::reduce(x, [](ox::f32 a, ox::f32 b) { ... }).
// Of numbers, structs, tuples and arrays.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/dsl/other_way.hpp>
#include <oxide/dsl/range.hpp>
#include <oxide/dsl/warp.hpp>

namespace oxide {
namespace detail {

// The lanes of a segment that take part: `here` says which are there, as bits from the segment's first lane on. Lanes may end later, so
// it is asked for where an operation begins.
struct Segment {
  std::uint32_t width;  // a power of two up to 32
  u32 mask;             // of the lanes in the warp
  u32 rank;             // of this lane in the segment
  u32 here;
  std::uint32_t full;   // what `here` is when nobody is missing

  Segment(std::uint32_t lanes, Where where)
      : width(lanes), mask(0, where), rank(0, where), here(0, where), full(lanes == 32 ? 0xffffffffu : (1u << lanes) - 1) {
    const u32 lane = warp::lane_id(where);
    const u32 first = lane & u32(~(lanes - 1), where);
    rank = lane - first;
    mask = u32(full, where) << first;
    here = warp::ballot(Operand<bool>(true, where), mask) >> first;
  }
  // The lanes of a mask.
  Segment(const u32& lanes, Where where)
      : width(32), mask(lanes, where), rank(warp::lane_id(where)), here(warp::ballot(Operand<bool>(true, where), mask)), full(0xffffffff) {}
  // The lanes that are there are the first ones.
  boolean is_prefix() const { return (here & (here + 1u)) == 0u; }
};

// What reductions and scans take.
template <class V, class Op>
constexpr void check_operation() {
  static_assert(
      requires(Op& op, const V& v) { V(op(V(v), V(v))); },
      "oxide: the operation takes two values of the type that is reduced or scanned and gives one, as in "
      "[](ox::f32 a, ox::f32 b) { return a + b; }");
}

// A step that is not a lane's is computed all the same, of values that there are, and not taken: branches would cost more, in code and to
// trace.

// Left to right, over the lanes that are there; all lanes get the result. Of a full segment in log2 steps.
template <class V, class Op>
V reduce_segment(const V& x, Op& op, const Segment& segment) {
  check_operation<V, Op>();
  V total = x;
  if (segment.here == segment.full) {
    for (std::uint32_t d = 1; d < segment.width; d *= 2) total = op(V(total), V(warp::shfl_down(total, d, segment.width, segment.mask)));
    total = warp::shfl(total, 0, segment.width, segment.mask);
  } else {
    const OtherWay one_by_one;
    boolean any = false;
    for (auto lane : range(u32(segment.width))) {
      V other = warp::shfl(x, lane, segment.width, segment.mask);
      if ((segment.here >> lane & 1u) != 0u) {
        total = select(any, V(op(V(total), V(other))), other);
        any = true;
      }
    }
  }
  return total;
}

// What the lanes up to this one give, left to right.
template <class V, class Op>
V scan_segment(const V& x, Op& op, const Segment& segment) {
  check_operation<V, Op>();
  V total = x;
  if (segment.is_prefix()) {
    for (std::uint32_t d = 1; d < segment.width; d *= 2) {
      V left = warp::shfl_up(total, d, segment.width, segment.mask);
      total = select(segment.rank >= d, V(op(V(left), V(total))), total);
    }
  } else {
    const OtherWay one_by_one;
    boolean any = false;
    for (auto lane : range(u32(segment.width))) {
      V other = warp::shfl(x, lane, segment.width, segment.mask);
      if (((segment.here >> lane & 1u) != 0u) & (lane <= segment.rank)) {
        total = select(any, V(op(V(total), V(other))), other);
        any = true;
      }
    }
  }
  return total;
}

// `inclusive` of the lane before this one that is there, after `initial`; `initial` in the first.
template <class V, class Op>
V exclusive_of(const V& inclusive, const V& initial, Op& op, const Segment& segment) {
  V before = inclusive;
  boolean any = segment.rank > 0u;
  if (segment.is_prefix()) {
    before = warp::shfl_up(inclusive, 1, segment.width, segment.mask);
  } else {
    any = false;
    for (auto lane : range(u32(segment.width))) {
      V other = warp::shfl(inclusive, lane, segment.width, segment.mask);
      const boolean earlier = ((segment.here >> lane & 1u) != 0u) & (lane < segment.rank);
      before = select(earlier, other, before);
      any = any | earlier;
    }
  }
  return select(any, V(op(V(initial), V(before))), initial);
}

// What the lanes before this one give, after `initial`.
template <class A, class V, class Op>
V exclusive_scan_segment(const V& x, const LaneStart<A>& initial, Op& op, const Segment& segment) {
  const V inclusive = scan_segment(x, op, segment);
  return exclusive_of(inclusive, LaneArgument<A>::start(initial), op, segment);
}

// A value, and whether a segment of a segmented scan starts in it.
template <class V>
using WithHead = Value<std::pair<Image<V>, bool>>;

template <class V>
WithHead<V> with_head(const V& x, const Operand<bool>& head) {
  return {to_image(x, head.where), boolean::from_handle(head.handle, head.where)};
}
template <class V>
V without_head(const WithHead<V>& x, Where where) {
  return from_image<V>(x.template get<0>(), where);
}
// op over such: what comes before a head does not matter.
template <class V, class Op>
auto between_heads(Op& op, Where where) {
  return [&op, where](const WithHead<V>& a, const WithHead<V>& b) {
    const V second = without_head<V>(b, where), both = op(without_head<V>(a, where), V(second));
    const boolean head = b.template get<1>();
    return WithHead<V>{to_image(V(select(head, second, both)), where), a.template get<1>() | head};
  };
}

}  // namespace detail

namespace warp {

// op over the values of all lanes that have not ended, in the order of lanes; every lane gets it. op takes two values and gives one, and is
// associative. All lanes of the warp that have not ended come here together.
// Example: ox::f32 sum = ox::warp::reduce(x, [](ox::f32 a, ox::f32 b) { return a + b; });
template <detail::LaneNumber A, class Op>
detail::Lane<A> reduce(A&& x, Op op, detail::Where where = detail::Where::current()) {
  const detail::Lane<A> value = detail::LaneArgument<A>::of(std::forward<A>(x), where);
  return detail::reduce_segment(value, op, detail::Segment(32, where));
}

// op over the values of the lanes up to this one; of those before it, after `initial`.
template <detail::LaneNumber A, class Op>
detail::Lane<A> inclusive_scan(A&& x, Op op, detail::Where where = detail::Where::current()) {
  const detail::Lane<A> value = detail::LaneArgument<A>::of(std::forward<A>(x), where);
  return detail::scan_segment(value, op, detail::Segment(32, where));
}
template <detail::LaneNumber A, class Op>
detail::Lane<A> exclusive_scan(A&& x, detail::LaneStart<A> initial, Op op, detail::Where where = detail::Where::current()) {
  const detail::Lane<A> value = detail::LaneArgument<A>::of(std::forward<A>(x), where);
  return detail::exclusive_scan_segment<A>(value, initial, op, detail::Segment(32, where));
}

// An inclusive scan that starts anew in each lane whose `head` is true.
template <detail::LaneNumber A, class Op>
detail::Lane<A> segmented_scan(A&& x, detail::Operand<bool> head, Op op, detail::Where where = detail::Where::current()) {
  auto both = detail::between_heads<detail::Lane<A>>(op, where);
  const auto mine = detail::with_head(detail::LaneArgument<A>::of(std::forward<A>(x), where), head);
  return detail::without_head<detail::Lane<A>>(detail::scan_segment(mine, both, detail::Segment(32, where)), where);
}

}  // namespace warp
}  // namespace oxide
