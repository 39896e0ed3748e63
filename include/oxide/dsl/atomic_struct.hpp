// Atomic accesses to structs of 4, 8 and 16 bytes: a key with its value, a pointer with its version. Not in the umbrella.
#pragma once

#include <cstddef>
#include <cstdint>

#include <oxide/dsl/atomic.hpp>
#include <oxide/dsl/bits.hpp>

namespace oxide {

namespace detail {

template <class T>
concept AtomicStruct = !ir::Scalar<T> && Element<T>;

// A struct as the one unsigned integer that is accessed.
template <class T>
struct AtomicBits {
  static constexpr std::size_t size = sizeof(T);
  static_assert(size == 4 || size == 8 || size == 16, "oxide: atomic structs have 4, 8 or 16 bytes");
  static_assert(alignof(T) == sizeof(T), "oxide: an atomic struct is aligned to its size: struct alignas(8) Pair { ... }");
  static_assert(number_bytes<T>() == sizeof(T),
                "oxide: an atomic struct has no padding and no booleans, whose bits are not defined and would be compared");
  static constexpr std::size_t word = word_size(size, alignof(T)), words = size / word;
  static constexpr ir::Type type = size == 16 ? ir::Type::u128 : word_type(size);

  static trace::Handle from(const ValueOf<T>& value, Where where) {
    trace::Handle parts[words];
    pack(leaves_of<T>(), leaf_count<T>, handles_of<T>(value).of, word, words, parts, where);
    if constexpr (words == 1) return parts[0];
    else {
      const trace::Handle low = convert(ir::Type::u64, type, parts[0], where), high = convert(ir::Type::u64, type, parts[1], where);
      const trace::Handle shifted = emit(ir::Opcode::shift_left, type, high, constant(type, 64, where), 0, where);
      return emit(ir::Opcode::bit_or, type, low, shifted, 0, where);
    }
  }
  static ValueOf<T> value(trace::Handle bits, Where where) {
    trace::Handle parts[words] = {bits};
    if constexpr (words == 2) {
      parts[0] = convert(type, ir::Type::u64, bits, where);
      parts[1] = convert(type, ir::Type::u64, emit(ir::Opcode::shift_right, type, bits, constant(type, 64, where), 0, where), where);
    }
    Handles<T> all;
    unpack(leaves_of<T>(), leaf_count<T>, parts, word, all.of, where);
    copy_leaves(leaves_of<T>(), leaf_count<T>, all.of, where);
    return value_from<T>(all, where);
  }
};

}  // namespace detail

// As for numbers, of a struct as a whole: bits are compared. 16 bytes need compute capability 9.0, or a processor with cmpxchg16b.
// Example: ox::atomic(table, slot).compare_exchange(empty, entry, ox::MemoryOrder::acq_rel)
template <detail::AtomicStruct T, Scope scope>
class Atomic<T, scope> {
  using Bits = detail::AtomicBits<T>;
  using Result = detail::ValueOf<T>;
  using Where = detail::Where;

 public:
  Result load(MemoryOrder order = MemoryOrder::relaxed, Where where = Where::current()) const {
    return Bits::value(bits_.load(order).handle(), where);
  }
  void store(const Result& value, MemoryOrder order = MemoryOrder::relaxed, Where where = Where::current()) const {
    bits_.store(number(value, where), order);
  }
  Result exchange(const Result& value, MemoryOrder order = MemoryOrder::relaxed, Where where = Where::current()) const {
    return Bits::value(bits_.exchange(number(value, where), order).handle(), where);
  }
  // Stores `desired` where the element has the bits of `expected`. Gives what the element was.
  Result compare_exchange(const Result& expected, const Result& desired, MemoryOrder order = MemoryOrder::relaxed,
                          Where where = Where::current()) const {
    return Bits::value(bits_.compare_exchange(number(expected, where), number(desired, where), order).handle(), where);
  }
  // The same, as a condition: whether it was exchanged. If not, `expected` becomes what the element was.
  boolean compare_exchange_strong(Result& expected, const Result& desired, MemoryOrder order = MemoryOrder::relaxed,
                                  Where where = Where::current()) const {
    Number bits = number(expected, where);
    const boolean exchanged = bits_.compare_exchange_strong(bits, number(desired, where), order);
    detail::assign_value<T>(expected, Bits::value(bits.handle(), where), where);
    return exchanged;
  }

  // For oxide's own headers.
  Atomic(std::uint32_t memory, trace::Handle index, Where where) : bits_(memory, index, where) {}
  static Atomic behind(trace::Handle address, Where where) { return Atomic(Of::behind(address, where)); }

 private:
  using Host = typename detail::ScalarOf<Bits::type>::type;
  using Of = Atomic<Host, scope>;
  using Number = Value<Host>;
  explicit Atomic(const Of& bits) : bits_(bits) {}
  static Number number(const Result& value, Where where) {
    return Number::from_handle(detail::emit(ir::Opcode::copy, Bits::type, Bits::from(value, where), 0, where), where);
  }
  Of bits_;
};

}  // namespace oxide
