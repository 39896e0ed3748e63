// Recording, as it meets the recorder of the run that is being made.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <oxide/dsl/emit.hpp>
#include <oxide/error.hpp>
#include <oxide/linkage.hpp>
#include <oxide/trace/recorder.hpp>

namespace oxide::detail {

OXIDE_INLINE trace::Handle record(ir::Opcode opcode, ir::Type type, const trace::Handle* operands, unsigned count, std::uint64_t immediate,
                                  Where where) {
  std::array<trace::Handle, ir::max_operands> all{};
  for (unsigned i = 0; i != count; ++i) all[i] = operands[i];
  return trace::Recorder::current(where).emit(opcode, type, all, count, immediate, where);
}

OXIDE_INLINE bool ask(trace::Handle condition, const void* address, std::uint32_t loop, Where where) {
  return trace::Recorder::current(where).decide_at(condition, address, loop);
}

OXIDE_INLINE std::uint32_t loop_head(std::uint32_t loop, Where where) { return trace::Recorder::current(where).loop_head(loop, where); }

OXIDE_INLINE std::uint64_t declare_string(std::string_view text, Where where) {
  return trace::Recorder::current(where).declarations.string(text);
}

[[noreturn]] inline void refuse(Where where, const std::string& what_happened) {
  throw TraceError(trace::Recorder::current(where).kernel_name(), trace::Place(where).source_line(), what_happened);
}
OXIDE_INLINE void refuse(Where where, const char* what_happened) { refuse(where, std::string(what_happened)); }

constexpr std::uint64_t low_bits(std::uint64_t bits, unsigned count) {
  return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}
constexpr std::uint64_t magnitude_of(HostInteger x) { return x.negative ? 0 - x.bits : x.bits; }
inline std::string text_of(HostInteger x) { return (x.negative ? "-" : "") + std::to_string(magnitude_of(x)); }

// Whether a type holds an integer exactly.
constexpr bool holds(ir::Type type, HostInteger x) {
  const std::uint64_t magnitude = magnitude_of(x);
  if (ir::is_floating(type)) {  // as many significant bits as the format has
    const unsigned digits = type == ir::Type::f32 ? 24 : 53;
    return magnitude == 0 || (magnitude >> std::countr_zero(magnitude)) >> digits == 0;
  }
  const unsigned width = ir::bits_of(type);
  if (!ir::is_signed_integer(type)) return !x.negative && low_bits(magnitude, width) == magnitude;
  const std::uint64_t limit = std::uint64_t{1} << (width - 1);
  return x.negative ? magnitude <= limit : magnitude < limit;
}

// The bits of an integer that `type` holds.
inline std::uint64_t bits_of_integer(ir::Type type, HostInteger x) {
  if (!ir::is_floating(type)) return low_bits(x.bits, ir::bits_of(type));
  const double magnitude = static_cast<double>(magnitude_of(x));
  const double value = x.negative ? -magnitude : magnitude;
  return type == ir::Type::f64 ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

OXIDE_INLINE trace::Handle integer_constant(ir::Type type, HostInteger x, Where where) {
  if (!holds(type, x)) {
    const std::string name(ir::name_of(type));
    refuse(where, "the host integer " + text_of(x) + (ir::is_floating(type) ? " is not exact in " : " does not fit ") + name +
                      "; write ox::cast<ox::" + name + ">(" + text_of(x) + ") if that is meant");
  }
  return constant(type, bits_of_integer(type, x), where);
}

OXIDE_INLINE trace::Handle floating_constant(ir::Type type, double x, Where where) {
  if (type == ir::Type::f64) return constant(type, std::bit_cast<std::uint64_t>(x), where);
  const float narrow = static_cast<float>(x);
  if (__builtin_isinf(narrow) && !__builtin_isinf(x))
    refuse(where, "the host number " + std::to_string(x) + " is too large for f32; write ox::f64(x), or ox::cast<ox::f32>(x) for infinity");
  return constant(type, std::bit_cast<std::uint32_t>(narrow), where);
}

}  // namespace oxide::detail
