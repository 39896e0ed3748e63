// What the operations of threads together carry in their immediates: scopes, orders, shuffles, reductions, atomic accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oxide::ir {

// Among which threads an atomic access or a fence orders. PTX: .cta .gpu .sys .cluster.
enum class Scope : std::uint8_t { block, device, system, cluster };
inline constexpr std::uint64_t scope_count = 4;
constexpr std::string_view name_of(Scope s) {
  constexpr std::string_view names[] = {"block", "device", "system", "cluster"};
  return names[static_cast<std::size_t>(s)];
}

// The orders of C++'s memory model.
enum class MemoryOrder : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };
inline constexpr std::uint64_t memory_order_count = 5;
constexpr std::string_view name_of(MemoryOrder o) {
  constexpr std::string_view names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[static_cast<std::size_t>(o)];
}

// What an atomic_rmw does with the old value and the operand. `inc` is old >= operand ? 0 : old + 1; `dec` is
// old == 0 || old > operand ? operand : old - 1 (PTX ISA, "atom").
enum class AtomicKind : std::uint8_t { exchange, add, sub, min, max, bit_and, bit_or, bit_xor, inc, dec };
inline constexpr std::uint64_t atomic_kind_count = 10;
constexpr std::string_view name_of(AtomicKind k) {
  constexpr std::string_view names[] = {"exchange", "add", "sub", "min", "max", "and", "or", "xor", "inc", "dec"};
  return names[static_cast<std::size_t>(k)];
}

// The immediate of atomic operations: the memory in bits 0 to 15. `kind` is of atomic_rmw only, 0 elsewhere.
struct AtomicAccess {
  std::uint32_t memory = 0;
  AtomicKind kind = AtomicKind::exchange;
  MemoryOrder order = MemoryOrder::relaxed;
  Scope scope = Scope::device;

  constexpr std::uint64_t immediate() const {
    return (memory & 0xffff) | static_cast<std::uint64_t>(kind) << 32 | static_cast<std::uint64_t>(order) << 40 |
           static_cast<std::uint64_t>(scope) << 48;
  }
  static constexpr AtomicAccess from(std::uint64_t immediate) {
    return {static_cast<std::uint32_t>(immediate & 0xffff), static_cast<AtomicKind>(immediate >> 32 & 0xff),
            static_cast<MemoryOrder>(immediate >> 40 & 0xff), static_cast<Scope>(immediate >> 48 & 0xff)};
  }
  static constexpr bool valid(std::uint64_t immediate) {
    return (immediate >> 32 & 0xff) < atomic_kind_count && (immediate >> 40 & 0xff) < memory_order_count &&
           (immediate >> 48 & 0xff) < scope_count && immediate >> 56 == 0 && (immediate >> 16 & 0xffff) == 0;
  }
};

// Where a shuffle takes its value from: a lane of the segment; so many lanes down or up from this one; this lane's number xor'ed.
enum class ShuffleMode : std::uint8_t { index, up, down, exclusive_or };
constexpr std::string_view name_of(ShuffleMode m) {
  constexpr std::string_view names[] = {"index", "up", "down", "xor"};
  return names[static_cast<std::size_t>(m)];
}

// The immediate of shuffles: the mode in bits 0 to 7, the segment's width (a power of two up to 32) in bits 8 to 15.
constexpr std::uint64_t shuffle_immediate(ShuffleMode mode, std::uint32_t width) {
  return static_cast<std::uint64_t>(mode) | std::uint64_t{width} << 8;
}
constexpr ShuffleMode shuffle_mode(std::uint64_t immediate) { return static_cast<ShuffleMode>(immediate & 0xff); }
constexpr std::uint32_t shuffle_width(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate >> 8); }
constexpr bool valid_shuffle(std::uint64_t immediate) {
  const std::uint64_t width = immediate >> 8;
  return (immediate & 0xff) < 4 && width != 0 && width <= 32 && (width & (width - 1)) == 0;
}

// What warp_reduce does (PTX ISA, "redux.sync").
enum class ReductionKind : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };
inline constexpr std::uint64_t reduction_kind_count = 6;
constexpr std::string_view name_of(ReductionKind k) {
  constexpr std::string_view names[] = {"add", "min", "max", "and", "or", "xor"};
  return names[static_cast<std::size_t>(k)];
}

}  // namespace oxide::ir
