// What operations say about the machine that runs them: special registers, and how memory is cached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <oxide/ir/type.hpp>

namespace oxide::ir {

// Registers that change by themselves or tell one run from another. X(name, type)
#define OXIDE_IR_SPECIAL_REGISTERS(X)                              \
  X(clock, u32)       /* cycles of the multiprocessor, low 32 bits */    \
  X(clock64, u64)     /* cycles of the multiprocessor */               \
  X(globaltimer, u64) /* nanoseconds */                            \
  X(smid, u32)        /* the multiprocessor; it may change */             \
  X(nsmid, u32)       /* one more than the largest smid */               \
  X(warpid, u32)      /* the warp's slot in its block; it may change */ \
  X(nwarpid, u32)     /* one more than the largest warpid */

enum class SpecialRegister : std::uint8_t {
#define OXIDE_IR_ENUMERATOR(name, type) name,
  OXIDE_IR_SPECIAL_REGISTERS(OXIDE_IR_ENUMERATOR)
#undef OXIDE_IR_ENUMERATOR
};

namespace detail {
struct SpecialRegisterRow {
  std::string_view name;
  Type type;
};
inline constexpr SpecialRegisterRow special_registers[] = {
#define OXIDE_IR_ROW(name, type) {#name, Type::type},
    OXIDE_IR_SPECIAL_REGISTERS(OXIDE_IR_ROW)
#undef OXIDE_IR_ROW
};
}  // namespace detail
inline constexpr std::size_t special_register_count = sizeof(detail::special_registers) / sizeof(detail::special_registers[0]);
constexpr std::string_view name_of(SpecialRegister r) { return detail::special_registers[static_cast<std::size_t>(r)].name; }
constexpr Type register_type(SpecialRegister r) { return detail::special_registers[static_cast<std::size_t>(r)].type; }

// How an access is cached, by the names of PTX ("Cache Operators", "Cache Eviction Priority Hints"). In the immediate of an access in bits
// 24 to 31. Nothing but how fast it is depends on it, besides `volatile_access`, which is neither merged nor dropped, and `fetch_again`.
enum class CacheHint : std::uint8_t {
  none,
  all,            // ca: in all levels
  global,         // cg: in L2, not in L1
  streaming,      // cs: likely used once
  last_use,       // lu: of a load, not used again
  fetch_again,    // cv: of a load, what is cached does not count
  write_back,     // wb
  write_through,  // wt
  no_allocate,    // L1::no_allocate
  evict_first,    // L2::evict_first
  evict_last,     // L2::evict_last
  volatile_access,
  l1,  // of a prefetch: into which level
  l2,
};
inline constexpr std::string_view cache_hint_names[] = {
    "", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::no_allocate", "L2::evict_first", "L2::evict_last", "volatile", "L1", "L2"};

constexpr CacheHint cache_hint(std::uint64_t immediate) { return static_cast<CacheHint>(immediate >> 24 & 0xff); }
constexpr std::uint64_t with_cache_hint(std::uint64_t immediate, CacheHint hint) {
  return (immediate & ~(std::uint64_t{0xff} << 24)) | static_cast<std::uint64_t>(hint) << 24;
}
constexpr bool may_be_dropped(CacheHint hint) { return hint != CacheHint::volatile_access && hint != CacheHint::fetch_again; }
constexpr bool fits_load(CacheHint h) {
  return h < CacheHint::write_back || (h >= CacheHint::no_allocate && h <= CacheHint::volatile_access);
}
constexpr bool fits_store(CacheHint h) {
  return h <= CacheHint::volatile_access && h != CacheHint::last_use && h != CacheHint::fetch_again && h != CacheHint::all;
}
constexpr bool fits_prefetch(CacheHint h) { return h == CacheHint::l1 || h == CacheHint::l2; }

}  // namespace oxide::ir
