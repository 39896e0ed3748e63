// The types of short vectors: ox::Vector<float, 4> on the host, ox::f32x4 in a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/array_value.hpp>

namespace oxide {

namespace detail {
// CUDA's: that of the whole, up to 16 bytes; vectors of three are aligned as one.
template <class T, std::size_t n>
inline constexpr std::size_t vector_alignment = n == 3               ? alignof(T)
                                                : n * sizeof(T) < 16 ? n * sizeof(T)
                                                                     : 16;
}  // namespace detail

// A host vector of 2, 3, 4, 8 or 16 numbers, aligned as CUDA's vector types are; an element that a kernel accesses at once. v[i] is number
// i, below the number of them.
template <class T, std::size_t N>
struct Vector {
  static_assert(sizeof(T) == 0, "oxide: vectors have 2, 3, 4, 8 or 16 numbers");
};
template <class T>
struct alignas(detail::vector_alignment<T, 2>) Vector<T, 2> {
  T x, y;
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : y; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : y; }
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 3>) Vector<T, 3> {
  T x, y, z;
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 4>) Vector<T, 4> {
  T x, y, z, w;
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  constexpr const T& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 8>) Vector<T, 8> {
  T e[8];
  constexpr T& operator[](std::size_t i) { return e[i]; }
  constexpr const T& operator[](std::size_t i) const { return e[i]; }
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 16>) Vector<T, 16> {
  T e[16];
  constexpr T& operator[](std::size_t i) { return e[i]; }
  constexpr const T& operator[](std::size_t i) const { return e[i]; }
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};

}  // namespace oxide

namespace oxide {

OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 2>), x, y)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 3>), x, y, z)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 4>), x, y, z, w)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 8>), e)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 16>), e)

// Two halves are ox::f16x2 and ox::bf16x2 of value.hpp, which are one word; they work place by place as these do, see packed.hpp.
#define OXIDE_DSL_VECTORS(name, scalar)      \
  using name##x3 = Value<Vector<scalar, 3>>; \
  using name##x4 = Value<Vector<scalar, 4>>; \
  using name##x8 = Value<Vector<scalar, 8>>; \
  using name##x16 = Value<Vector<scalar, 16>>;
OXIDE_DSL_VECTORS(f16, half)
OXIDE_DSL_VECTORS(bf16, bfloat16)
OXIDE_DSL_VECTORS(boolean, bool)
OXIDE_DSL_VECTORS(i8, std::int8_t)
OXIDE_DSL_VECTORS(i16, std::int16_t)
OXIDE_DSL_VECTORS(i32, std::int32_t)
OXIDE_DSL_VECTORS(i64, std::int64_t)
OXIDE_DSL_VECTORS(u8, std::uint8_t)
OXIDE_DSL_VECTORS(u16, std::uint16_t)
OXIDE_DSL_VECTORS(u32, std::uint32_t)
OXIDE_DSL_VECTORS(u64, std::uint64_t)
OXIDE_DSL_VECTORS(f32, float)
OXIDE_DSL_VECTORS(f64, double)
#undef OXIDE_DSL_VECTORS
using booleanx2 = Value<Vector<bool, 2>>;
using i8x2 = Value<Vector<std::int8_t, 2>>;
using i16x2 = Value<Vector<std::int16_t, 2>>;
using i32x2 = Value<Vector<std::int32_t, 2>>;
using i64x2 = Value<Vector<std::int64_t, 2>>;
using u8x2 = Value<Vector<std::uint8_t, 2>>;
using u16x2 = Value<Vector<std::uint16_t, 2>>;
using u32x2 = Value<Vector<std::uint32_t, 2>>;
using u64x2 = Value<Vector<std::uint64_t, 2>>;
using f32x2 = Value<Vector<float, 2>>;
using f64x2 = Value<Vector<double, 2>>;

}  // namespace oxide
