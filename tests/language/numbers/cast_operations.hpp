// Every cast between types of numbers, and what they give by GNU MPFR and wide integers.
#pragma once

#include "check.hpp"

namespace numbers {

#define OXIDE_EVERY_NUMBER(X) \
  X(std::int8_t)              \
  X(std::int16_t)             \
  X(std::int32_t)             \
  X(std::int64_t)             \
  X(int128)                   \
  X(std::uint8_t)             \
  X(std::uint16_t)            \
  X(std::uint32_t)            \
  X(std::uint64_t)            \
  X(uint128)                  \
  X(float)                    \
  X(double)                   \
  X(ox::half)                 \
  X(ox::bfloat16)             \
  X(bool)                     \
  X(ox::e4m3)                 \
  X(ox::e5m2)

// Of numbers, or of the places of vectors.
template <class T, class Put, class X>
void cast_operations(Put& put, const X& x) {
#define OXIDE_CAST(To) \
  if constexpr (oxide::ir::can_cast(oxide::ir::type_for<T>(), oxide::ir::type_for<To>())) put(ox::cast<To>(x));
  OXIDE_EVERY_NUMBER(OXIDE_CAST)
#undef OXIDE_CAST
  if constexpr (oxide::ir::is_floating(oxide::ir::type_for<T>())) {
    put(ox::cast_unsaturated<ox::e4m3>(x));
    put(ox::cast_unsaturated<ox::e5m2>(x));
  }
}

template <class T>
std::vector<Expected> cast_model(uint128 xb, uint128, uint128) {
  constexpr Type from = oxide::ir::type_for<T>();
  using namespace oxide::ir;
  const bool has_point = is_floating(from) || is_storage(from);
  const Real x = has_point ? Real::of_bits(from, xb) : Real::of_integer(is_signed_integer(from), xb, bits_of(from));
  std::vector<Expected> e;
  const auto set = [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_set(r, x.x, mode); };
  const auto put = [&](Type to) {
    if (!can_cast(from, to)) return;
    const std::string name = "cast to " + std::string(name_of(to));
    if (to == from) e.push_back({name, to, xb});
    else if (is_boolean(to)) e.push_back({name, to, mpfr_zero_p(x.x) ? 0u : 1u});
    else if (is_integer(to) && has_point) e.push_back({name, to, exact::to_integer(x, is_signed_integer(to), bits_of(to))});
    else if (is_integer(to)) {
      const bool negative = is_signed_integer(from) && (xb >> (bits_of(from) - 1) & 1) != 0;
      const uint128 wide = negative && bits_of(from) != 128 ? xb | ~uint128{0} << (bits_of(from) % 128) : xb;
      e.push_back({name, to, bits_of(to) == 128 ? wide : wide & ((uint128{1} << (bits_of(to) % 128)) - 1)});
    } else e.push_back({name, to, exact::rounded(to, set, MPFR_RNDN, is_storage(to))});
  };
#define OXIDE_CAST(To) put(type_for<To>());
  OXIDE_EVERY_NUMBER(OXIDE_CAST)
#undef OXIDE_CAST
  if (is_floating(from))
    for (const Type to : {Type::e4m3, Type::e5m2}) e.push_back({"unsaturated cast", to, exact::rounded(to, set)});
  return e;
}

}  // namespace numbers
