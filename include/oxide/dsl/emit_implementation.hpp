// Recording, as it meets the recorder of the run that is being made.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/other_way.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/float_format.hpp>
#include <oxide/linkage.hpp>
#include <oxide/trace/recorder.hpp>

namespace oxide::detail {

OXIDE_INLINE trace::Handle record(ir::Opcode opcode, ir::Type type, const trace::Handle* operands, unsigned count, std::uint64_t immediate,
                                  Where where) {
  return trace::Recorder::current(where).emit(opcode, type, operands, count, immediate, where);
}

OXIDE_INLINE bool ask(trace::Handle condition, const void* address, std::uint32_t loop, Where where) {
  return trace::Recorder::current(where).decide(condition, address, loop, where);
}

OXIDE_INLINE std::uint32_t loop_head(std::uint32_t loop, Where where) { return trace::Recorder::current(where).loop_head(loop, where); }

OXIDE_INLINE OtherWay::OtherWay() {
  if (trace::Recorder* recorder = trace::Recorder::slot(); recorder != nullptr) ++recorder->way;
}
OXIDE_INLINE OtherWay::~OtherWay() {
  if (trace::Recorder* recorder = trace::Recorder::slot(); recorder != nullptr) --recorder->way;
}

OXIDE_INLINE std::uint64_t declare_string(std::string_view text, Where where) {
  return trace::Recorder::current(where).declarations.string(text);
}

OXIDE_INLINE void release_shared(std::uint32_t memory) {
  if (trace::Recorder* recorder = trace::Recorder::slot(); recorder != nullptr) recorder->declarations.release(memory);
}

OXIDE_INLINE trace::Handle atomic(ir::Opcode opcode, ir::Type type, const ir::AtomicAccess& access, trace::Handle index,
                                  const trace::Handle* operands, unsigned count, Where where) {
  trace::Handle all[ir::max_operands] = {index};
  for (unsigned i = 0; i != count; ++i) all[i + 1] = operands[i];
  return record(opcode, type, all, count + 1, access.immediate(), where);
}

[[noreturn]] inline void refuse(Where where, const std::string& what_happened) {
  throw TraceError(trace::Recorder::current(where).kernel_name(), trace::Place(where).source_line(), what_happened);
}
OXIDE_INLINE void refuse(Where where, const char* what_happened) { refuse(where, std::string(what_happened)); }

constexpr std::uint64_t low_bits(std::uint64_t bits, unsigned count) {
  return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}
constexpr uint128 magnitude_of(HostInteger x) { return uint128{x.high} << 64 | x.magnitude; }
inline std::string text_of(HostInteger x) {
  std::string text;
  for (uint128 rest = magnitude_of(x); rest != 0 || text.empty(); rest /= 10)
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return x.negative ? '-' + text : text;
}

// Its nearest double; exact when any floating type of the language holds it.
constexpr double as_double(HostInteger x) {
  const double magnitude = static_cast<double>(x.high) * 0x1p64 + static_cast<double>(x.magnitude);
  return x.negative ? -magnitude : magnitude;
}

// Whether a type holds an integer exactly.
constexpr bool holds(ir::Type type, HostInteger x) {
  const uint128 magnitude = magnitude_of(x);
  if (ir::is_floating(type)) {  // as many significant bits as the format has, and none above the exponent's range
    const unsigned digits = type == ir::Type::f64 ? 53 : type == ir::Type::f32 ? 24 : ir::format_of(type).mantissa + 1;
    uint128 odd = magnitude;
    while (odd != 0 && (odd & 1) == 0) odd >>= 1;
    return odd >> digits == 0 && (type != ir::Type::f16 || magnitude < 65536);
  }
  const unsigned width = ir::bits_of(type);
  if (!ir::is_signed_integer(type)) return (!x.negative || magnitude == 0) && (width == 128 || magnitude >> width == 0);
  const uint128 limit = uint128{1} << (width - 1);
  return x.negative ? magnitude <= limit : magnitude < limit;
}

// The bits of a number in a floating type, rounded to nearest even.
constexpr std::uint64_t bits_of_double(ir::Type type, double x) {
  if (type == ir::Type::f64) return std::bit_cast<std::uint64_t>(x);
  if (type == ir::Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return ir::round_to_format(ir::format_of(type), x);
}

// The bits of an integer that `type`, of at most 64 bits, holds.
inline std::uint64_t bits_of_integer(ir::Type type, HostInteger x) {
  if (ir::is_floating(type)) return bits_of_double(type, as_double(x));
  return low_bits(x.negative ? 0 - x.magnitude : x.magnitude, ir::bits_of(type));
}

// In one immediate where it fits (see ir::Immediate::bits), else from two halves.
inline trace::Handle wide_constant(ir::Type type, HostInteger x, Where where) {
  const uint128 bits = x.negative ? 0 - magnitude_of(x) : magnitude_of(x);
  const auto low = static_cast<std::uint64_t>(bits), high = static_cast<std::uint64_t>(bits >> 64);
  const bool sign_extends = ir::is_signed_integer(type) && low >> 63 != 0;
  if (high == (sign_extends ? ~std::uint64_t{0} : 0)) return constant(type, low, where);
  const trace::Handle upper = emit(ir::Opcode::cast, type, constant(ir::Type::u64, high, where), 0, where);
  const trace::Handle shifted = emit(ir::Opcode::shift_left, type, upper, constant(type, 64, where), 0, where);
  if (low == 0) return shifted;
  const trace::Handle lower = emit(ir::Opcode::cast, type, constant(ir::Type::u64, low, where), 0, where);
  return emit(ir::Opcode::bit_or, type, shifted, lower, 0, where);
}

OXIDE_INLINE trace::Handle integer_constant(ir::Type type, HostInteger x, Where where) {
  if (!holds(type, x)) {
    const std::string name(ir::name_of(type));
    refuse(where, "the host integer " + text_of(x) + (ir::is_floating(type) ? " is not exact in " : " does not fit ") + name +
                      "; write ox::cast<ox::" + name + ">(" + text_of(x) + ") if that is meant");
  }
  return ir::bits_of(type) > 64 ? wide_constant(type, x, where) : constant(type, bits_of_integer(type, x), where);
}

OXIDE_INLINE trace::Handle floating_constant(ir::Type type, double x, Where where) {
  const std::uint64_t bits = bits_of_double(type, x);
  const std::uint64_t infinity = bits_of_double(type, __builtin_inf());
  if ((bits == infinity || bits == bits_of_double(type, -__builtin_inf())) && !__builtin_isinf(x)) {
    const std::string name(ir::name_of(type));
    refuse(where, "the host number " + std::to_string(x) + " is too large for " + name + "; write ox::f64(x), or ox::cast<ox::" + name +
                      ">(x) for infinity");
  }
  return constant(type, bits, where);
}

}  // namespace oxide::detail
