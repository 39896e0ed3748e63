// How the values of the language record what they do. Not templates, so that a kernel costs its compiler little.
#pragma once

#include <bit>
#include <cstdint>
#include <source_location>
#include <string>

#include <oxide/error.hpp>
#include <oxide/ir/ops.hpp>
#include <oxide/ir/type.hpp>
#include <oxide/trace/recorder.hpp>

namespace oxide::detail {

using Where = std::source_location;

inline trace::Handle emit(ir::Opcode opcode, ir::Type type, std::uint64_t immediate, Where where) {
  return trace::Recorder::current(where).emit(opcode, type, {}, 0, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, std::uint64_t immediate, Where where) {
  return trace::Recorder::current(where).emit(opcode, type, {a}, 1, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, trace::Handle b, std::uint64_t immediate, Where where) {
  return trace::Recorder::current(where).emit(opcode, type, {a, b}, 2, immediate, where);
}
inline trace::Handle emit(ir::Opcode opcode, ir::Type type, trace::Handle a, trace::Handle b, trace::Handle c, Where where) {
  return trace::Recorder::current(where).emit(opcode, type, {a, b, c}, 3, 0, where);
}

inline void assign(trace::Handle variable, trace::Handle value, Where where) {
  emit(ir::Opcode::assign, ir::Type::none, variable, value, 0, where);
}

// The answer to a condition on this path. Always inlined, so that the recorder's return address tells the user's places apart; the
// empty asm statement keeps the call from becoming a jump, which would leave the caller's address instead.
[[gnu::always_inline]] inline bool decide(trace::Handle condition, Where where, std::uint32_t loop = 0) {
  const bool answer = trace::Recorder::current(where).decide(condition, loop);
  asm volatile("");
  return answer;
}

[[noreturn]] inline void refuse(Where where, const std::string& what_happened) {
  throw TraceError(trace::Recorder::current(where).kernel_name(), trace::Place(where).source_line(), what_happened);
}

inline trace::Handle constant(ir::Type type, std::uint64_t bits, Where where) { return emit(ir::Opcode::constant, type, bits, where); }

inline trace::Handle convert(ir::Type from, ir::Type to, trace::Handle value, Where where) {
  return from == to ? value : emit(ir::Opcode::cast, to, value, 0, where);
}

inline trace::Handle floating_constant(ir::Type type, double value, Where where) {
  if (type == ir::Type::f64) return constant(type, std::bit_cast<std::uint64_t>(value), where);
  const float narrow = static_cast<float>(value);
  if (__builtin_isinf(narrow) && !__builtin_isinf(value))
    refuse(where, "the host number " + std::to_string(value) + " is too large for f32; write ox::f64(x), or ox::cast<ox::f32>(x) for infinity");
  return constant(type, std::bit_cast<std::uint32_t>(narrow), where);
}

// A host integer: its bits, and whether they are those of a negative number.
struct HostInteger {
  std::uint64_t bits;
  bool negative;
  std::uint64_t magnitude() const { return negative ? 0 - bits : bits; }
  std::string text() const { return (negative ? "-" : "") + std::to_string(magnitude()); }
};

constexpr std::uint64_t low_bits(std::uint64_t bits, unsigned count) { return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1); }

constexpr bool holds(ir::Type type, HostInteger x) {
  const std::uint64_t magnitude = x.negative ? 0 - x.bits : x.bits;
  if (ir::is_floating(type)) {  // as many significant bits as the format has
    const unsigned digits = type == ir::Type::f32 ? 24 : 53;
    return magnitude == 0 || (magnitude >> std::countr_zero(magnitude)) >> digits == 0;
  }
  const unsigned width = ir::bits_of(type);
  if (!ir::is_signed_integer(type)) return !x.negative && low_bits(magnitude, width) == magnitude;
  const std::uint64_t limit = std::uint64_t{1} << (width - 1);
  return x.negative ? magnitude <= limit : magnitude < limit;
}

// The bits of a host integer that `type` holds.
inline std::uint64_t bits_of_integer(ir::Type type, HostInteger x) {
  if (!ir::is_floating(type)) return low_bits(x.bits, ir::bits_of(type));
  const double magnitude = static_cast<double>(x.magnitude());
  const double value = x.negative ? -magnitude : magnitude;
  return type == ir::Type::f64 ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

inline trace::Handle integer_constant(ir::Type type, HostInteger x, Where where) {
  if (!holds(type, x)) {
    const std::string name(ir::name_of(type));
    refuse(where, "the host integer " + x.text() + (ir::is_floating(type) ? " is not exact in " : " does not fit ") + name +
                      "; write ox::cast<ox::" + name + ">(" + x.text() + ") if that is meant");
  }
  return constant(type, bits_of_integer(type, x), where);
}

template <class H>
constexpr HostInteger host_integer(H x) {
  if constexpr (std::is_signed_v<H>) return {static_cast<std::uint64_t>(static_cast<std::int64_t>(x)), x < 0};
  else return {static_cast<std::uint64_t>(x), false};
}

// A host number that is known to convert (see conversion.hpp), as a constant of the kernel.
template <class H>
trace::Handle host_constant(ir::Type type, H x, Where where) {
  if constexpr (std::is_floating_point_v<H>) return floating_constant(type, static_cast<double>(x), where);
  else return integer_constant(type, host_integer(x), where);
}

}  // namespace oxide::detail
