// The threads of a warp together: 32 threads with consecutive numbers in their block, x fastest. The last warp of a block may have fewer.
//
// A mask says which lanes take part: each of them that has not ended comes to the same operation with the same mask, or the kernel is
// undefined on a GPU and ends in an error on the CPU. The default is the whole warp.
#pragma once

#include <cstdint>
#include <utility>

#include <oxide/dsl/composite.hpp>
#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/synchronization.hpp>

namespace oxide {

inline constexpr std::uint32_t warp_size = 32;

namespace warp {

inline constexpr std::uint32_t full_mask = 0xffffffff;

}  // namespace warp

namespace detail {

using Mask = Operand<std::uint32_t>;

inline u32 warp_register(ir::Opcode opcode, Where where) {
  return u32::from_handle(emit(opcode, ir::Type::u32, std::uint64_t{0}, where), where);
}
inline boolean vote(ir::Opcode opcode, const Operand<bool>& predicate, const Mask& mask) {
  return boolean::from_handle(emit(opcode, ir::Type::boolean, predicate.handle, mask.handle, 0, predicate.where), predicate.where);
}
inline trace::Handle shuffle(ir::ShuffleMode mode, ir::Type type, trace::Handle value, const Operand<std::uint32_t>& lane,
                             std::uint32_t width, const Mask& mask) {
  const std::uint64_t immediate = ir::shuffle_immediate(mode, width);
  if (!ir::valid_shuffle(immediate)) refuse(lane.where, "the width of a shuffle is a power of two up to 32");
  const trace::Handle operands[] = {value, lane.handle, mask.handle};
  return record(ir::Opcode::shuffle, type, operands, 3, immediate, lane.where);
}

// A device value of any type: what a shuffle, a match or a reduction takes.
template <class A>
concept DeviceNumber = Number<A> && is_device(source_of<A>);

template <class A>
using LaneValue = DeviceValue<source_of<A>.type>;

template <class A>
trace::Handle device_handle(A&& x, Where where) {
  explain<verdict(source_of<A>, source_of<A>.type)>();
  return handle_as<typename LaneValue<A>::scalar_type>(std::forward<A>(x), where);
}

template <class A>
LaneValue<A> shuffle(ir::ShuffleMode mode, A&& value, const Operand<std::uint32_t>& lane, std::uint32_t width, const Mask& mask) {
  const trace::Handle handle = device_handle(std::forward<A>(value), lane.where);
  return LaneValue<A>::from_handle(shuffle(mode, source_of<A>.type, handle, lane, width, mask), lane.where);
}

// Structs and the like, member by member.
template <class T>
concept Compound = Element<T> && !ir::Scalar<T>;

template <Compound T>
Value<T> shuffle(ir::ShuffleMode mode, const Value<T>& value, const Operand<std::uint32_t>& lane, std::uint32_t width, const Mask& mask) {
  Handles<T> members = handles_of<T>(value);
  for (std::size_t i = 0; i != leaf_count<T>; ++i) members.of[i] = shuffle(mode, leaves_of<T>()[i].type, members.of[i], lane, width, mask);
  const trace::Handle* in = members.of;
  return Flat<T>::from(in, lane.where);
}
template <Composite V>
V shuffle(ir::ShuffleMode mode, const V& value, const Operand<std::uint32_t>& lane, std::uint32_t width, const Mask& mask) {
  CompositeHandles<V> all(value);
  for (std::size_t i = 0; i != all.count; ++i) all.of[i] = shuffle(mode, all.types[i], all.of[i], lane, width, mask);
  return Leaves<V>::make(all.of, lane.where);
}

// What algorithms over threads take: a number, a struct, tuple, array and the like, or what consists of such. `value` is what A is in them,
// `first` what a scan may start with: of numbers also a host number.
template <class A>
struct LaneArgument;
template <DeviceNumber A>
struct LaneArgument<A> {
  using value = LaneValue<A>;
  using first = Operand<typename value::scalar_type>;
  static value of(A&& x, Where where) { return value(std::forward<A>(x), where); }
  static value start(const first& x) { return value::from_handle(x.handle, x.where); }
};
template <class A>
  requires Compound<HostType<A>>
struct LaneArgument<A> {
  using value = Value<HostType<A>>;
  using first = value;
  static value of(A&& x, Where where) { return as_value(std::forward<A>(x), where); }
  static const value& start(const first& x) { return x; }  // NOLINT(bugprone-return-const-ref-from-parameter): what the caller has
};
template <class A>
  requires Composite<std::remove_cvref_t<A>>
struct LaneArgument<A> {
  using value = std::remove_cvref_t<A>;
  using first = value;
  static value of(A&& x, Where) { return value(std::forward<A>(x)); }
  static const value& start(const first& x) { return x; }  // NOLINT(bugprone-return-const-ref-from-parameter): what the caller has
};
template <class A>
concept LaneNumber = requires { typename LaneArgument<A>::value; };
template <LaneNumber A>
using Lane = typename LaneArgument<A>::value;
template <LaneNumber A>
using LaneStart = typename LaneArgument<A>::first;

template <class A>
LaneValue<A> warp_reduce(ir::ReductionKind kind, A&& value, const Mask& mask) {
  static_assert(source_of<A>.type == ir::Type::u32 || source_of<A>.type == ir::Type::i32,
                "oxide: this reduction takes ox::u32 or ox::i32; for other types and operations use ox::warp::reduce(x, op)");
  const trace::Handle handle = device_handle(std::forward<A>(value), mask.where);
  return LaneValue<A>::from_handle(
      emit(ir::Opcode::warp_reduce, source_of<A>.type, handle, mask.handle, static_cast<std::uint64_t>(kind), mask.where), mask.where);
}

}  // namespace detail

namespace warp {

// This thread's lane, 0 to 31, and the number of its warp in the block.
inline u32 lane_id(detail::Where where = detail::Where::current()) { return detail::warp_register(ir::Opcode::lane_index, where); }
inline u32 warp_id(detail::Where where = detail::Where::current()) { return detail::warp_register(ir::Opcode::warp_index, where); }

// The lanes equal to this one, below it, up to it, above it, and from it on, as bits.
inline u32 lanemask_eq(detail::Where where = detail::Where::current()) { return u32(1, where) << lane_id(where); }
inline u32 lanemask_lt(detail::Where where = detail::Where::current()) { return lanemask_eq(where) - 1u; }
inline u32 lanemask_le(detail::Where where = detail::Where::current()) { return lanemask_lt(where) | lanemask_eq(where); }
inline u32 lanemask_gt(detail::Where where = detail::Where::current()) { return ~lanemask_le(where); }
inline u32 lanemask_ge(detail::Where where = detail::Where::current()) { return ~lanemask_lt(where); }

// The lanes that are here together now. Which ones meet is the machine's choice: use it to find partners, never to tell who should come.
inline u32 active_mask(detail::Where where = detail::Where::current()) { return detail::warp_register(ir::Opcode::active_mask, where); }

// Waits until all lanes of the mask are here; what they wrote before, they see behind.
inline void sync(detail::Mask mask = full_mask) { detail::emit(ir::Opcode::warp_barrier, ir::Type::none, mask.handle, 0, mask.where); }

// The value of another lane: of lane `source` of each segment of `width` lanes; of the lane so far below or above; of the lane whose number
// is this one's xor `lanes`. Numbers are modulo 32 (`source`: modulo the width). A lane outside of the segment, or one that does not take
// part, gives a thread its own value. All types, also those wider than a register.
// Example: ox::f32 left = ox::warp::shfl_up(x, 1);
template <detail::DeviceNumber A>
auto shfl(A&& value, detail::Operand<std::uint32_t> source, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::index, std::forward<A>(value), source, width, mask);
}
template <detail::DeviceNumber A>
auto shfl_up(A&& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::up, std::forward<A>(value), distance, width, mask);
}
template <detail::DeviceNumber A>
auto shfl_down(A&& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::down, std::forward<A>(value), distance, width, mask);
}
template <detail::DeviceNumber A>
auto shfl_xor(A&& value, detail::Operand<std::uint32_t> lanes, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::exclusive_or, std::forward<A>(value), lanes, width, mask);
}

template <detail::Compound T>
Value<T> shfl(const Value<T>& value, detail::Operand<std::uint32_t> source, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::index, value, source, width, mask);
}
template <detail::Compound T>
Value<T> shfl_up(const Value<T>& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::up, value, distance, width, mask);
}
template <detail::Compound T>
Value<T> shfl_down(const Value<T>& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32,
                   detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::down, value, distance, width, mask);
}
template <detail::Compound T>
Value<T> shfl_xor(const Value<T>& value, detail::Operand<std::uint32_t> lanes, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::exclusive_or, value, lanes, width, mask);
}

template <detail::Composite V>
V shfl(const V& value, detail::Operand<std::uint32_t> source, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::index, value, source, width, mask);
}
template <detail::Composite V>
V shfl_up(const V& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::up, value, distance, width, mask);
}
template <detail::Composite V>
V shfl_down(const V& value, detail::Operand<std::uint32_t> distance, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::down, value, distance, width, mask);
}
template <detail::Composite V>
V shfl_xor(const V& value, detail::Operand<std::uint32_t> lanes, std::uint32_t width = 32, detail::Mask mask = full_mask) {
  return detail::shuffle(ir::ShuffleMode::exclusive_or, value, lanes, width, mask);
}

// Whether the predicate is true in all lanes, in any, and in which.
inline boolean all(detail::Operand<bool> predicate, detail::Mask mask = full_mask) {
  return detail::vote(ir::Opcode::vote_all, predicate, mask);
}
inline boolean any(detail::Operand<bool> predicate, detail::Mask mask = full_mask) {
  return detail::vote(ir::Opcode::vote_any, predicate, mask);
}
inline u32 ballot(detail::Operand<bool> predicate, detail::Mask mask = full_mask) {
  return u32::from_handle(detail::emit(ir::Opcode::vote_ballot, ir::Type::u32, predicate.handle, mask.handle, 0, predicate.where),
                          predicate.where);
}

// The lanes whose values have the same bits as this one's.
template <detail::DeviceNumber A>
u32 match_any(A&& value, detail::Mask mask = full_mask) {
  const trace::Handle handle = detail::device_handle(std::forward<A>(value), mask.where);
  return u32::from_handle(detail::emit(ir::Opcode::match_any, ir::Type::u32, handle, mask.handle, 0, mask.where), mask.where);
}
// The lanes that take part if all their values have the same bits, else 0.
template <detail::DeviceNumber A>
u32 match_all(A&& value, detail::Mask mask = full_mask) {
  const trace::Handle handle = detail::device_handle(std::forward<A>(value), mask.where);
  return u32::from_handle(detail::emit(ir::Opcode::match_all, ir::Type::u32, handle, mask.handle, 0, mask.where), mask.where);
}

// The sum (which wraps), least, greatest, and, or and exclusive or of the lanes' values, in all lanes: one instruction from compute
// capability 8.0 on.
template <detail::DeviceNumber A>
auto reduce_add(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::add, std::forward<A>(value), mask);
}
template <detail::DeviceNumber A>
auto reduce_min(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::min, std::forward<A>(value), mask);
}
template <detail::DeviceNumber A>
auto reduce_max(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::max, std::forward<A>(value), mask);
}
template <detail::DeviceNumber A>
auto reduce_and(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::bit_and, std::forward<A>(value), mask);
}
template <detail::DeviceNumber A>
auto reduce_or(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::bit_or, std::forward<A>(value), mask);
}
template <detail::DeviceNumber A>
auto reduce_xor(A&& value, detail::Mask mask = full_mask) {
  return detail::warp_reduce(ir::ReductionKind::bit_xor, std::forward<A>(value), mask);
}

// True in one of the lanes: the lowest that takes part.
inline boolean elect(detail::Mask mask = full_mask) {
  const u32 here = ballot(detail::Operand<bool>(true, mask.where), mask);
  return (here & lanemask_lt(mask.where)) == 0u;
}

}  // namespace warp

inline void sync_warp(detail::Mask mask = warp::full_mask) { warp::sync(mask); }

}  // namespace oxide
