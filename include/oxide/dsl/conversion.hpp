// Which conversions between host numbers and device values are allowed, and what the compiler says about the others.
//
// A host number converts in when nothing can be lost; whether its value fits is checked while tracing. A device value widens only
// without loss. Everything else needs ox::cast<T>(x).
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/ir/type.hpp>

namespace oxide {

template <class T>
class Value;
template <class T>
class Ref;
template <class Space>
class ThreadIndex;

namespace detail {

template <class T>
class Place;

enum class SourceKind : std::uint8_t { unknown, host, device, element };

// What an argument of an operator or a function is: a host number, a device value or thread index, or an element of a span.
struct Source {
  SourceKind kind = SourceKind::unknown;
  ir::Type type = ir::Type::none;
  bool lvalue = false;
};

template <class H>
constexpr ir::Type host_type() {
  if constexpr (std::is_integral_v<H> && ir::type_for<H>() == ir::Type::none && sizeof(H) <= 4) {  // text types count as integers here
    if constexpr (sizeof(H) == 1) return std::is_signed_v<H> ? ir::Type::i8 : ir::Type::u8;
    else if constexpr (sizeof(H) == 2) return std::is_signed_v<H> ? ir::Type::i16 : ir::Type::u16;
    else return std::is_signed_v<H> ? ir::Type::i32 : ir::Type::u32;
  } else {
    return ir::type_for<H>();
  }
}

// Enumerations and structs are no numbers.
template <class T>
constexpr SourceKind if_number(SourceKind kind) {
  return ir::type_for<T>() == ir::Type::none ? SourceKind::unknown : kind;
}

template <class A>
inline constexpr Source bare_source{host_type<A>() == ir::Type::none ? SourceKind::unknown : SourceKind::host, host_type<A>(), false};
template <class T>
inline constexpr Source bare_source<Value<T>>{if_number<T>(SourceKind::device), ir::type_for<T>(), false};
template <class T>
inline constexpr Source bare_source<Ref<T>>{if_number<T>(SourceKind::element), ir::type_for<T>(), false};
template <class T>
inline constexpr Source bare_source<Place<T>>{if_number<T>(SourceKind::element), ir::type_for<T>(), false};
template <class A>
inline constexpr bool is_place = false;
template <class T>
inline constexpr bool is_place<Place<T>> = true;
template <class Space>
inline constexpr Source bare_source<ThreadIndex<Space>>{SourceKind::device, ir::Type::u64, false};

// A is deduced for a forwarding reference, so that it says whether the argument was an lvalue.
template <class A>
inline constexpr Source source_of{bare_source<std::remove_cvref_t<A>>.kind, bare_source<std::remove_cvref_t<A>>.type,
                                  std::is_lvalue_reference_v<A> && !is_place<std::remove_cvref_t<A>>};

constexpr bool is_device(Source s) { return s.kind == SourceKind::device || s.kind == SourceKind::element; }

// Whether every value of one type is a value of the other.
constexpr bool widens(ir::Type from, ir::Type to) {
  if (from == to) return true;
  if (ir::size_of(from) >= ir::size_of(to)) return false;
  if (ir::is_floating(from)) return ir::is_floating(to);  // f16 and bf16 are of one size, so neither widens to the other
  if (!ir::is_integer(from) || !ir::is_integer(to)) return false;
  return !ir::is_signed_integer(from) || ir::is_signed_integer(to);
}

enum class Verdict : std::uint8_t { unknown, fits, element_variable, loses, loses_fraction, number_as_boolean, not_a_number, two_halves };

// Whether it is a number or boolean, and not one of the formats that are only kept or packed.
constexpr bool is_plain(ir::Type type) { return ir::is_arithmetic(type) || ir::is_boolean(type); }

constexpr Verdict verdict(Source from, ir::Type to) {
  switch (from.kind) {
    case SourceKind::unknown:
      return Verdict::unknown;
    case SourceKind::element:
      if (from.lvalue) return Verdict::element_variable;
      [[fallthrough]];
    case SourceKind::device:
      if (widens(from.type, to)) return Verdict::fits;
      if (!is_plain(from.type) || !is_plain(to)) return Verdict::not_a_number;
      if (ir::is_half(from.type) && ir::is_half(to)) return Verdict::two_halves;
      return ir::is_boolean(to) ? Verdict::number_as_boolean : Verdict::loses;
    case SourceKind::host:
      if (!is_plain(from.type) || !is_plain(to)) return from.type == to ? Verdict::fits : Verdict::not_a_number;
      if (ir::is_half(from.type) && ir::is_floating(to) && !widens(from.type, to)) return Verdict::two_halves;
      if (ir::is_boolean(to)) return ir::is_boolean(from.type) ? Verdict::fits : Verdict::number_as_boolean;
      return ir::is_floating(from.type) && !ir::is_floating(to) ? Verdict::loses_fraction : Verdict::fits;
  }
  return Verdict::unknown;
}

// The type that two arguments have in common, at least one of them on the device; `none` when there is none.
constexpr ir::Type common_type(Source a, Source b) {
  if (is_device(b) && verdict(a, b.type) == Verdict::fits && !(b.kind == SourceKind::element && b.lvalue)) return b.type;
  if (is_device(a) && verdict(b, a.type) == Verdict::fits && !(a.kind == SourceKind::element && a.lvalue)) return a.type;
  return ir::Type::none;
}

// Why two arguments have no common type.
constexpr Verdict refusal(Source a, Source b) {
  if ((a.kind == SourceKind::element && a.lvalue) || (b.kind == SourceKind::element && b.lvalue)) return Verdict::element_variable;
  if (a.kind == SourceKind::host) return verdict(a, b.type);
  if (b.kind == SourceKind::host) return verdict(b, a.type);
  if (!is_plain(a.type) || !is_plain(b.type)) return Verdict::not_a_number;
  return ir::is_half(a.type) && ir::is_half(b.type) ? Verdict::two_halves : Verdict::loses;
}

template <class A, ir::Type to>
concept Fits = verdict(source_of<A>, to) == Verdict::fits;

template <class A, ir::Type to>
concept Refused = source_of<A>.kind != SourceKind::unknown && verdict(source_of<A>, to) != Verdict::fits;

// Two arguments that an operator cannot take together, though each alone is a number.
template <class A, class B>
concept RefusedPair = source_of<A>.kind != SourceKind::unknown && source_of<B>.kind != SourceKind::unknown &&
                      (is_device(source_of<A>) || is_device(source_of<B>)) && common_type(source_of<A>, source_of<B>) == ir::Type::none;

template <class A>
concept Number = source_of<A>.kind != SourceKind::unknown;

// Fails to compile with one sentence on what to write instead.
template <Verdict v>
constexpr void explain() {
  static_assert(v != Verdict::element_variable,
                "oxide: `auto x = s[i]` names the element without reading it; write its type, as in `ox::f32 x = s[i]`");
  static_assert(v != Verdict::loses,
                "oxide: device values convert only to a wider type of the same kind (not signed to unsigned, integer to float, or wide to "
                "narrow); write ox::cast<T>(x)");
  static_assert(v != Verdict::loses_fraction,
                "oxide: a floating-point host number never becomes an integer silently; write an integer, or ox::cast<T>(x)");
  static_assert(v != Verdict::number_as_boolean, "oxide: a number is not an ox::boolean; write x != 0");
  static_assert(v != Verdict::not_a_number,
                "oxide: 8-bit floats and pairs of halves do not convert or mix by themselves; write ox::cast<ox::f32>(x) for the number "
                "of an 8-bit float, ox::cast<ox::e4m3>(x) for the way back, ox::low(p) and ox::high(p) for the halves of a pair");
  static_assert(v != Verdict::two_halves,
                "oxide: ox::f16 and ox::bf16 do not convert into each other; write ox::cast<T>(x), or go by way of ox::f32");
}

// The host type of a device type.
template <ir::Type type>
struct ScalarOf;
#define OXIDE_DSL_SCALAR(name, host) \
  template <>                        \
  struct ScalarOf<ir::Type::name> {  \
    using type = host;               \
  };
OXIDE_DSL_SCALAR(boolean, bool)
OXIDE_DSL_SCALAR(i8, std::int8_t)
OXIDE_DSL_SCALAR(i16, std::int16_t)
OXIDE_DSL_SCALAR(i32, std::int32_t)
OXIDE_DSL_SCALAR(i64, std::int64_t)
OXIDE_DSL_SCALAR(u8, std::uint8_t)
OXIDE_DSL_SCALAR(u16, std::uint16_t)
OXIDE_DSL_SCALAR(u32, std::uint32_t)
OXIDE_DSL_SCALAR(u64, std::uint64_t)
OXIDE_DSL_SCALAR(f32, float)
OXIDE_DSL_SCALAR(f64, double)
OXIDE_DSL_SCALAR(f16, half)
OXIDE_DSL_SCALAR(bf16, bfloat16)
OXIDE_DSL_SCALAR(i128, int128)
OXIDE_DSL_SCALAR(u128, uint128)
OXIDE_DSL_SCALAR(e4m3, oxide::e4m3)
OXIDE_DSL_SCALAR(e5m2, oxide::e5m2)
OXIDE_DSL_SCALAR(f16x2, half2)
OXIDE_DSL_SCALAR(bf16x2, bfloat162)
#undef OXIDE_DSL_SCALAR

template <ir::Type type>
using DeviceValue = Value<typename ScalarOf<type>::type>;

// The Value that elements or parameters of host type T become: `long` and `long long` are one type on the device.
template <class T>
using ValueFor = DeviceValue<ir::type_for<T>()>;

}  // namespace detail
}  // namespace oxide
