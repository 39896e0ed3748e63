// Where a number lies in memory: in which array, in which of its elements, and how far behind the element's start.
#pragma once

#include <cstddef>
#include <cstdint>

#include <oxide/dsl/emit.hpp>
#include <oxide/ir/graph.hpp>

namespace oxide::detail {

// An array whose elements are values, each of them variables: `at(elements, k, offset, type)` is the number at that offset in element k.
// Of an array in such elements, when both indices are known at run time only, the index is that of a list of count * inner.
struct RegisterArray {
  const void* elements = nullptr;
  trace::Handle (*at)(const void* elements, std::size_t k, std::uint32_t offset, ir::Type type) = nullptr;
  std::size_t count = 0;
  std::uint32_t inner = 1, stride = 0;  // how many there are in each element, and bytes from one to the next

  std::size_t size() const { return count * inner; }
  trace::Handle number(std::size_t n, std::uint32_t offset, ir::Type type) const {
    return at(elements, n / inner, offset + static_cast<std::uint32_t>(n % inner) * stride, type);
  }
};

struct Position {
  trace::Handle index;          // u64: of the element, or in bytes
  trace::Handle base;           // the address of a local or shared array; unset for a memory of the graph
  std::uint32_t memory = 0;     // of the graph
  std::uint32_t size = 0;       // bytes from one element to the next
  std::uint32_t alignment = 1;  // of the place that the index says
  std::uint32_t offset = 0;     // bytes behind it
  bool claimed = false;         // the alignment is not what the memory's layout says
  bool in_bytes = false;
  Where where = {};             // of the expression that names the element
  RegisterArray registers = {};

  constexpr bool behind_address() const { return base.run != 0; }
};

// The element of a memory of the graph, or of an array behind an address, whose elements are T's.
template <class T>
constexpr Position element_of(std::uint32_t memory, trace::Handle index, Where where) {
  return {index, {}, memory, sizeof(T), alignof(T), 0, false, false, where};
}
template <class T>
constexpr Position element_behind(trace::Handle address, trace::Handle index, Where where) {
  return {index, address, 0, sizeof(T), ir::array_alignment(sizeof(T)), 0, false, false, where};
}

constexpr std::uint32_t common_alignment(std::uint32_t alignment, std::uint32_t distance) {
  const std::uint32_t both = alignment | distance | 4096;
  return both & (0 - both);
}

// A part of an element, at a known distance from its start.
constexpr Position part_of(Position p, std::uint32_t offset) {
  p.offset += offset;
  return p;
}

// Of arrays of values: reads and writes all elements, and takes the one.
OXIDE_INLINE Position element_in_registers(const Position& p, trace::Handle j, std::uint32_t stride, std::size_t size);
OXIDE_INLINE trace::Handle load_register(const Position& p, ir::Type type);
OXIDE_INLINE void store_register(const Position& p, ir::Type type, trace::Handle value, Where where);

// Element j (u64, checked) of an array of `size` that starts at p.
inline Position element_in(const Position& p, trace::Handle j, std::uint32_t stride, std::size_t size) {
  if (p.registers.count != 0) return element_in_registers(p, j, stride, size);
  const auto times = [&](trace::Handle i, std::uint32_t bytes) {
    return bytes == 1 ? i : emit(ir::Opcode::mul, ir::Type::u64, i, constant(ir::Type::u64, bytes, p.where), 0, p.where);
  };
  const trace::Handle start = p.in_bytes ? p.index : times(p.index, p.size);
  Position q = p;
  q.index = emit(ir::Opcode::add, ir::Type::u64, start, times(j, stride), 0, p.where);
  q.in_bytes = q.claimed = true;
  q.alignment = common_alignment(p.alignment, stride);
  return q;
}

constexpr std::uint64_t access_immediate(const Position& p) {
  const std::uint32_t alignment = common_alignment(p.alignment, p.offset);
  if (p.behind_address()) return ir::address_immediate({p.in_bytes ? 1 : p.size, p.offset, alignment});
  return ir::memory_immediate({p.memory, p.offset, p.claimed ? alignment : 0, p.in_bytes});
}

// Accesses of arrays of the thread's own take no cache hints.
inline trace::Handle load(const Position& p, ir::Type type, ir::CacheHint hint = ir::CacheHint::none) {
  if (p.registers.count != 0) return load_register(p, type);
  if (p.behind_address()) return emit(ir::Opcode::load_at, type, p.base, p.index, access_immediate(p), p.where);
  return emit(ir::Opcode::load, type, p.index, ir::with_cache_hint(access_immediate(p), hint), p.where);
}

inline void store(const Position& p, ir::Type type, trace::Handle value, Where where, ir::CacheHint hint = ir::CacheHint::none) {
  if (p.registers.count != 0) return store_register(p, type, value, where);
  if (p.behind_address()) {
    const trace::Handle operands[] = {p.base, p.index, value};
    record(ir::Opcode::store_at, ir::Type::none, operands, 3, access_immediate(p), where);
  } else {
    emit(ir::Opcode::store, ir::Type::none, p.index, value, ir::with_cache_hint(access_immediate(p), hint), where);
  }
}

}  // namespace oxide::detail

#ifndef OXIDE_LINKED
#include <oxide/dsl/position_implementation.hpp>
#endif
