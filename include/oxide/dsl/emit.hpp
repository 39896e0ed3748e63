// How the values of the language record what they do. Not templates, so that a kernel costs its compiler little.
#pragma once

#include <bit>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <type_traits>

#include <oxide/ir/ops.hpp>
#include <oxide/ir/synchronization.hpp>
#include <oxide/ir/type.hpp>
#include <oxide/linkage.hpp>
#include <oxide/trace/handle.hpp>

namespace oxide::detail {

using Where = std::source_location;

// Records one operation; all throw TraceError outside of a kernel lambda, and for values of another run.
OXIDE_INLINE trace::Handle record(ir::Opcode opcode, ir::Type type, const trace::Handle* operands, unsigned count, std::uint64_t immediate,
                                  Where where);

inline trace::Handle emit(ir::Opcode opcode, ir::Type type, std::uint64_t immediate, Where where) {
  return record(opcode, type, nullptr, 0, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, std::uint64_t immediate, Where where) {
  return record(opcode, type, &a, 1, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, trace::Handle b, std::uint64_t immediate, Where where) {
  const trace::Handle operands[] = {a, b};
  return record(opcode, type, operands, 2, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, trace::Handle b, trace::Handle c, Where where) {
  const trace::Handle operands[] = {a, b, c};
  return record(opcode, type, operands, 3, 0, where);
}
inline void assign(trace::Handle variable, trace::Handle value, Where where) {
  emit(ir::Opcode::assign, ir::Type::none, variable, value, 0, where);
}
inline trace::Handle constant(ir::Type type, std::uint64_t bits, Where where) { return emit(ir::Opcode::constant, type, bits, where); }
inline trace::Handle convert(ir::Type from, ir::Type to, trace::Handle value, Where where) {
  return from == to ? value : emit(ir::Opcode::cast, to, value, 0, where);
}

struct CallSite {
  // The address behind the call. The asm statement keeps calls at two places from being taken for one.
  [[gnu::noinline]] static const void* here() {
    asm volatile("" ::: "memory");
    return __builtin_return_address(0);
  }
};

// The answer to a condition on this path; `loop` is the counted loop that asks, 0 for none. Always inlined, so that its address tells
// the user's places apart.
OXIDE_INLINE bool ask(trace::Handle condition, const void* address, std::uint32_t loop, Where where);
[[gnu::always_inline]] inline bool decide(trace::Handle condition, Where where, std::uint32_t loop = 0) {
  return ask(condition, CallSite::here(), loop, where);
}
// Enters a counted loop (`loop` 0) or comes back to its head; returns the loop's number.
OXIDE_INLINE std::uint32_t loop_head(std::uint32_t loop, Where where);

// The number of a string, for the immediate of an operation that names one.
OXIDE_INLINE std::uint64_t declare_string(std::string_view text, Where where);
// Ends the thread, and lets the host know the message, where the condition is false.
inline void check(trace::Handle condition, std::string_view message, Where where) {
  emit(ir::Opcode::check, ir::Type::none, condition, declare_string(message, where), where);
}

// A shared array ends; see declare_shared.
OXIDE_INLINE void release_shared(std::uint32_t memory);

// An atomic access; `operands` are those behind the index.
OXIDE_INLINE trace::Handle atomic(ir::Opcode opcode, ir::Type type, const ir::AtomicAccess& access, trace::Handle index,
                                  const trace::Handle* operands, unsigned count, Where where);

// Throws TraceError.
[[noreturn]] OXIDE_INLINE void refuse(Where where, const char* what_happened);

// A host integer: its sign, and its magnitude in two words.
struct HostInteger {
  std::uint64_t magnitude;
  bool negative;
  std::uint64_t high = 0;
};

template <class H>
constexpr HostInteger host_integer(H x) {
  const bool negative = x < H{0};
  if constexpr (sizeof(H) <= 8) {
    const auto bits = static_cast<std::uint64_t>(x);
    return {negative ? 0 - bits : bits, negative};
  } else {
    const auto bits = static_cast<uint128>(x), magnitude = negative ? 0 - bits : bits;
    return {static_cast<std::uint64_t>(magnitude), negative, static_cast<std::uint64_t>(magnitude >> 64)};
  }
}

// The bits of a floating-point number of the host as an f32 or f64.
inline std::uint64_t host_bits(ir::Type type, double x) {
  return type == ir::Type::f64 ? std::bit_cast<std::uint64_t>(x) : std::bit_cast<std::uint32_t>(static_cast<float>(x));
}

// Host numbers as constants; throw TraceError when the type does not hold the number.
OXIDE_INLINE trace::Handle integer_constant(ir::Type type, HostInteger x, Where where);
OXIDE_INLINE trace::Handle floating_constant(ir::Type type, double x, Where where);

// A host number that is known to convert (see conversion.hpp), as a constant of the kernel.
template <class H>
trace::Handle host_constant(ir::Type type, H x, Where where) {
  constexpr ir::Type from = ir::type_for<H>();
  if constexpr (ir::is_floating(from)) return floating_constant(type, static_cast<double>(x), where);
  else if constexpr (ir::is_storage(from)) return constant(type, x.bits(), where);
  else if constexpr (ir::is_pair(from)) return constant(type, std::uint64_t{x.y.bits()} << 16 | x.x.bits(), where);
  else return integer_constant(type, host_integer(x), where);
}

}  // namespace oxide::detail

#ifndef OXIDE_LINKED
#include <oxide/dsl/emit_implementation.hpp>
#endif
