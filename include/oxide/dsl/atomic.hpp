// Atomic accesses to elements of spans and shared arrays.
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/dsl/barrier.hpp>
#include <oxide/dsl/index.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/shared.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/synchronization.hpp>

namespace oxide {

template <class T, class Space>
class DisjointSpan;

namespace detail {
// Whether two values of a type have the same bits.
inline boolean same_bits(ir::Type type, trace::Handle a, trace::Handle b, Where where) {
  const auto bits = [&](trace::Handle x) {
    if (ir::is_integer(type) || ir::is_boolean(type)) return x;
    const std::size_t size = ir::size_of(type);
    const ir::Type of = size == 1 ? ir::Type::u8 : size == 2 ? ir::Type::u16 : size == 4 ? ir::Type::u32 : ir::Type::u64;
    return emit(ir::Opcode::bit_cast, of, x, 0, where);
  };
  return boolean::from_handle(emit(ir::Opcode::equal, ir::Type::boolean, bits(a), bits(b), 0, where), where);
}
}  // namespace detail

// An element of memory that threads access atomically, among the threads of a scope. ox::atomic makes it; it lives in one expression.
// The default order is relaxed, as of CUDA's atomic functions; acquire, release, acq_rel and seq_cst order other accesses as in C++.
// Floating-point minima and maxima follow docs/numbers.md; compare_exchange compares bits.
// Example: ox::atomic(histogram, bin).fetch_add(1);
// Structs of 4, 8 and 16 bytes: <oxide/dsl/atomic_struct.hpp>.
template <class T, Scope scope = Scope::device>
class Atomic {
  static_assert(ir::Scalar<T>,
                "oxide: atomic elements are bool, integers and floating-point numbers; for structs of 4, 8 and 16 bytes, #include "
                "<oxide/dsl/atomic_struct.hpp>");
  using Scalar = typename detail::ScalarOf<ir::type_for<T>()>::type;
  using Operand = detail::Operand<Scalar>;
  using Result = Value<Scalar>;
  static constexpr ir::Type type = ir::type_for<T>();
  static constexpr bool integer = std::is_integral_v<Scalar> && !std::is_same_v<Scalar, bool>;

 public:
  Result load(MemoryOrder order = MemoryOrder::relaxed) const {
    if (order == MemoryOrder::release || order == MemoryOrder::acq_rel) detail::refuse(where_, "an atomic load cannot release");
    return access(ir::Opcode::atomic_load, ir::AtomicKind::exchange, order, nullptr, 0, where_);
  }
  void store(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    if (order == MemoryOrder::acquire || order == MemoryOrder::acq_rel) detail::refuse(where_, "an atomic store cannot acquire");
    detail::atomic(opcode(ir::Opcode::atomic_store), ir::Type::none, {memory_, ir::AtomicKind::exchange, order, scope}, place_,
                   &value.handle, 1, value.where);
  }

  // Each changes the element and gives what it was before.
  Result exchange(Operand value, MemoryOrder order = MemoryOrder::relaxed) const { return rmw(ir::AtomicKind::exchange, value, order); }
  Result fetch_add(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_number();
    return rmw(ir::AtomicKind::add, value, order);
  }
  Result fetch_sub(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_number();
    return rmw(ir::AtomicKind::sub, value, order);
  }
  Result fetch_min(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_number();
    return rmw(ir::AtomicKind::min, value, order);
  }
  Result fetch_max(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_number();
    return rmw(ir::AtomicKind::max, value, order);
  }
  Result fetch_and(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_bits();
    return rmw(ir::AtomicKind::bit_and, value, order);
  }
  Result fetch_or(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_bits();
    return rmw(ir::AtomicKind::bit_or, value, order);
  }
  Result fetch_xor(Operand value, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_bits();
    return rmw(ir::AtomicKind::bit_xor, value, order);
  }
  // old >= limit ? 0 : old + 1, and old == 0 || old > limit ? limit : old - 1; of u32.
  Result fetch_inc(Operand limit, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_u32();
    return rmw(ir::AtomicKind::inc, limit, order);
  }
  Result fetch_dec(Operand limit, MemoryOrder order = MemoryOrder::relaxed) const {
    needs_u32();
    return rmw(ir::AtomicKind::dec, limit, order);
  }

  // Stores `desired` where the element has the bits of `expected`. Gives what the element was: when that is `expected`, it was exchanged.
  Result compare_exchange(Operand expected, Operand desired, MemoryOrder order = MemoryOrder::relaxed) const {
    const trace::Handle operands[] = {expected.handle, desired.handle};
    return access(ir::Opcode::atomic_cas, ir::AtomicKind::exchange, order, operands, 2, desired.where);
  }

  // The same, as a condition: whether it was exchanged. If not, `expected` becomes what the element was.
  // Example: while (!ox::atomic(cells, 0).compare_exchange_strong(old, old * 2)) {}
  boolean compare_exchange_strong(Result& expected, Operand desired, MemoryOrder order = MemoryOrder::relaxed) const {
    const Result found = compare_exchange(Operand(expected, desired.where), desired, order);
    const boolean exchanged = detail::same_bits(type, found.handle(), expected.handle(), desired.where);
    detail::assign(expected.handle(), found.handle(), desired.where);
    return exchanged;
  }

  // For oxide's own headers: an element of a memory of the graph, or what an address says.
  Atomic(std::uint32_t memory, trace::Handle index, detail::Where where) : place_(index), where_(where), memory_(memory) {}
  static Atomic behind(trace::Handle address, detail::Where where) {
    Atomic atomic(0, address, where);
    atomic.named_ = false;
    return atomic;
  }

 private:
  static constexpr void needs_number() {
    static_assert(!std::is_same_v<Scalar, bool>, "oxide: this atomic operation takes numbers; an ox::boolean has exchange, fetch_or ...");
    static_assert(sizeof(Scalar) <= 8 && !ir::is_storage(type),
                  "oxide: elements of 16 bytes and 8-bit floats have the atomic operations load, store, exchange and compare_exchange");
  }
  static constexpr void needs_bits() {
    static_assert(std::is_integral_v<Scalar> && sizeof(Scalar) <= 8, "oxide: atomic and, or and xor take integers or ox::boolean");
  }
  static constexpr void needs_u32() {
    static_assert(std::is_same_v<Scalar, std::uint32_t>, "oxide: atomic inc and dec count in ox::u32; use fetch_add or fetch_sub");
  }
  // The operations behind an address stand in the order of those on memories.
  ir::Opcode opcode(ir::Opcode of_memory) const {
    constexpr auto distance = static_cast<unsigned>(ir::Opcode::atomic_load_at) - static_cast<unsigned>(ir::Opcode::atomic_load);
    return named_ ? of_memory : static_cast<ir::Opcode>(static_cast<unsigned>(of_memory) + distance);
  }
  Result access(ir::Opcode of_memory, ir::AtomicKind kind, MemoryOrder order, const trace::Handle* operands, unsigned count,
                detail::Where where) const {
    return Result::from_handle(detail::atomic(opcode(of_memory), type, {memory_, kind, order, scope}, place_, operands, count, where),
                               where);
  }
  Result rmw(ir::AtomicKind kind, const Operand& value, MemoryOrder order) const {
    return access(ir::Opcode::atomic_rmw, kind, order, &value.handle, 1, value.where);
  }

  trace::Handle place_;  // an index, or an address
  detail::Where where_;
  std::uint32_t memory_;
  bool named_ = true;
};

namespace detail {
template <class T, Scope scope>
Atomic<T, scope> checked_atomic(std::uint32_t memory, const Index& i) {
  const trace::Handle index = emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
  emit(ir::Opcode::check_bounds, ir::Type::none, index, memory, i.where);
  return Atomic<T, scope>(memory, index, i.where);
}
}  // namespace detail

namespace detail {
template <class T, Scope scope>
struct StoredElement<Atomic<T, scope>> {
  using type = T;
};
template <class T, Scope scope>
struct StoredElement<const Atomic<T, scope>> {
  static_assert(sizeof(T) == 0,
                "oxide: elements that are accessed atomically are not const; write ox::Span<ox::Atomic<T>>, or for plain "
                "reads ox::Span<const T>");
  using type = T;
};
}  // namespace detail

// A parameter whose elements are accessed atomically and in no other way; its argument is a DeviceBuffer<T>.
// Example: [](ox::Span<ox::Atomic<std::uint32_t>> bins) { bins[k].fetch_add(1); }
template <class T, Scope scope>
class Span<Atomic<T, scope>> : public detail::SpanBase {
 public:
  using element_type = Atomic<T, scope>;
  using detail::SpanBase::SpanBase;

  // The element, after a check of i against the length.
  Atomic<T, scope> operator[](detail::Index i) const { return detail::checked_atomic<T, scope>(memory(), i); }
};

// Element i of an array that threads write, after a check of i against the length. Spans of elements that are accessed atomically are
// ox::Span<T>. Example: ox::u32 ticket = ox::atomic(counter, 0).fetch_add(1);
// Example: ox::atomic<ox::Scope::system>(flags, i).store(1, ox::MemoryOrder::release);
template <Scope scope = Scope::device, class T>
Atomic<T, scope> atomic(const Span<T>& span, detail::Index i) {
  static_assert(!std::is_const_v<T>, "oxide: an ox::Span<const T> is not written during the kernel; atomics take an ox::Span<T>");
  return detail::checked_atomic<T, scope>(span.memory(), i);
}
template <class T, class Space, class I>
void atomic(const DisjointSpan<T, Space>&, const I&) {
  static_assert(sizeof(T) == 0, "oxide: each element of an ox::DisjointSpan is one thread's own; atomics take an ox::Span<T>");
}
template <class T>
void atomic(const Ref<T>&) {
  static_assert(sizeof(T) == 0, "oxide: an atomic access names the span and the index: ox::atomic(s, i).fetch_add(1)");
}
// Among the threads of the block.
template <Scope scope = Scope::block, class T>
Atomic<T, scope> atomic(const detail::SharedArray<T>& array, detail::Index i) {
  return detail::checked_atomic<T, scope>(array.memory(), i);
}

}  // namespace oxide
