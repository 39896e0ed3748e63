// How memory is accessed, where that matters: cache hints, volatile accesses, prefetching, copies.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/ref.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/machine.hpp>

namespace oxide {

// Cache hints, by what they ask for (and their names in PTX). They change no result, only how fast an access is; the CPU ignores them.
namespace cache {
inline constexpr ir::CacheHint all = ir::CacheHint::all;                      // .ca, loads: cached in all levels
inline constexpr ir::CacheHint global = ir::CacheHint::global;                // .cg: in L2, not in L1
inline constexpr ir::CacheHint streaming = ir::CacheHint::streaming;          // .cs: likely accessed once
inline constexpr ir::CacheHint last_use = ir::CacheHint::last_use;            // .lu, loads: not used again
inline constexpr ir::CacheHint fetch_again = ir::CacheHint::fetch_again;      // .cv, loads: what is cached does not count
inline constexpr ir::CacheHint write_back = ir::CacheHint::write_back;        // .wb, stores
inline constexpr ir::CacheHint write_through = ir::CacheHint::write_through;  // .wt, stores: through L2 to system memory
inline constexpr ir::CacheHint no_allocate = ir::CacheHint::no_allocate;      // .L1::no_allocate
inline constexpr ir::CacheHint evict_first = ir::CacheHint::evict_first;      // L2::evict_first, from sm_80 on
inline constexpr ir::CacheHint evict_last = ir::CacheHint::evict_last;        // L2::evict_last, from sm_80 on
inline constexpr ir::CacheHint l1 = ir::CacheHint::l1;                        // prefetches: into L1 (and L2)
inline constexpr ir::CacheHint l2 = ir::CacheHint::l2;                        // prefetches: into L2
}  // namespace cache

namespace detail {
template <ir::CacheHint hint>
constexpr void needs_load() {
  static_assert(ir::fits_load(hint), "oxide: this cache hint is not one of a load");
}
template <ir::CacheHint hint>
constexpr void needs_store() {
  static_assert(ir::fits_store(hint), "oxide: this cache hint is not one of a store");
}
template <class T>
constexpr void needs_number_elements() {
  static_assert(ir::Scalar<std::remove_const_t<T>>, "oxide: cache hints and volatile accesses take elements that are numbers");
}

template <class T>
DeviceValue<ir::type_for<T>()> load_element(const Span<T>& span, Index i, ir::CacheHint hint) {
  // A copy, so that what is read is what was checked.
  i.handle = emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
  emit(ir::Opcode::check_bounds, ir::Type::none, i.handle, span.memory(), i.where);
  constexpr ir::Type type = ir::type_for<T>();
  return DeviceValue<type>::from_handle(emit(ir::Opcode::load, type, i.handle, ir::with_cache_hint(span.memory(), hint), i.where), i.where);
}
}  // namespace detail

// Element i, after a check of i against the length, with a cache hint. Example: ox::f32 x = ox::load<ox::cache::streaming>(in, i);
template <ir::CacheHint hint, class T>
auto load(const Span<T>& span, detail::Index i) {
  detail::needs_load<hint>();
  detail::needs_number_elements<T>();
  return detail::load_element(span, i, hint);
}
// An element that was reached otherwise, as by *get_mut or unchecked_mut.
template <ir::CacheHint hint, class T>
auto load(Ref<T>&& element, detail::Where where = detail::Where::current()) {
  detail::needs_load<hint>();
  return detail::ValueFor<std::remove_const_t<T>>::from_handle(element.read_with(hint), where);
}
// Writes an element with a cache hint. Example: if (auto e = out.get_mut(i)) ox::store<ox::cache::streaming>(*e, x);
template <ir::CacheHint hint, class T>
void store(Ref<T>&& element, std::type_identity_t<detail::Operand<typename detail::ScalarOf<ir::type_for<T>()>::type>> value) {
  detail::needs_store<hint>();
  static_assert(!std::is_const_v<T>, "oxide: this element can only be read");
  element.write_with(hint, value.handle, value.where);
}

// As load and store, but each is done exactly as often as it is written, and in order: for memory that others change meanwhile. They order
// nothing else; where threads meet, use atomics.
template <class T>
auto volatile_load(const Span<T>& span, detail::Index i) {
  return load<ir::CacheHint::volatile_access>(span, i);
}
template <class T>
auto volatile_load(Ref<T>&& element, detail::Where where = detail::Where::current()) {
  return load<ir::CacheHint::volatile_access>(std::move(element), where);
}
template <class T>
void volatile_store(Ref<T>&& element, std::type_identity_t<detail::Operand<typename detail::ScalarOf<ir::type_for<T>()>::type>> value) {
  store<ir::CacheHint::volatile_access>(std::move(element), value);
}

// Asks for element i to be brought near, if there is one; does not wait. Example: ox::prefetch<ox::cache::l2>(in, i + 1024);
template <ir::CacheHint level = ir::CacheHint::l2, class T>
void prefetch(const Span<T>& span, detail::Index i) {
  static_assert(ir::fits_prefetch(level), "oxide: a prefetch goes into ox::cache::l1 or ox::cache::l2");
  detail::emit(ir::Opcode::prefetch, ir::Type::none, i.handle, ir::with_cache_hint(span.memory(), level), i.where);
}

// Copies `count` elements in this thread, from element `first` of `from` on, to the element `to` and those behind it; 16 bytes at a time
// where addresses and count allow. `from` is checked; `to` is as unchecked as the unchecked_mut that made it, except against the length.
// The ranges must not overlap. Example: ox::copy(out.unchecked_mut(row * 64), in, row * 64, 64);
template <class T>
void copy(Ref<T>&& to, const Span<const T>& from, detail::Index first, detail::Index count) {
  static_assert(!std::is_const_v<T>, "oxide: this element can only be read");
  const detail::Where where = count.where;
  if (to.position().behind_address())
    detail::refuse(where, "ox::copy writes to a span; the elements of an array of the thread's own are assigned");
  const std::uint32_t memory = to.position().memory;
  const trace::Handle index = to.position().index;
  const auto end_fits = [&](std::uint32_t m, trace::Handle start, std::string_view message) {
    // start <= length and count <= length - start: nothing wraps.
    const trace::Handle length = detail::emit(ir::Opcode::length, ir::Type::u64, m, where);
    const trace::Handle starts = detail::emit(ir::Opcode::less_equal, ir::Type::boolean, start, length, 0, where);
    const trace::Handle rest = detail::emit(ir::Opcode::sub, ir::Type::u64, length, start, 0, where);
    const trace::Handle fits = detail::emit(ir::Opcode::less_equal, ir::Type::boolean, count.handle, rest, 0, where);
    detail::check(detail::emit(ir::Opcode::bit_and, ir::Type::boolean, starts, fits, 0, where), message, where);
  };
  end_fits(from.memory(), first.handle, "ox::copy reads past the end");
  end_fits(memory, index, "ox::copy writes past the end");
  const trace::Handle operands[] = {index, first.handle, count.handle};
  detail::record(ir::Opcode::copy_elements, ir::Type::none, operands, 3, ir::two_memories(memory, from.memory()), where);
}

}  // namespace oxide
