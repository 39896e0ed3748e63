// The types of the graph's variables, and how host types map to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace oxide {

// Host storage of the types that C++20 has none for: half.hpp, float8.hpp, packed.hpp.
class half;
class bfloat16;
class e4m3;
class e5m2;
struct half2;
struct bfloat162;
#ifdef __SIZEOF_INT128__
// `__extension__` goes before a typedef only.
__extension__ typedef __int128 int128;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using)
#else
#error "oxide needs a compiler with 128-bit integers"
#endif

namespace ir {

// One row per type: name, size in bytes, and what kind of number it is. `none` is the type of an operation without a result, `address`
// that of one that makes an array of this thread's own or of its block (see `local_array` in ops.hpp): no number, and never in memory.
// `storage` is a floating-point format that is only kept and converted; `pair` is two numbers of a 16-bit format in one word, on which
// arithmetic works by element.
#define OXIDE_IR_TYPES(X)       \
  X(none, 0, other)             \
  X(address, 8, address)        \
  X(boolean, 1, boolean)        \
  X(i8, 1, signed_integer)      \
  X(i16, 2, signed_integer)     \
  X(i32, 4, signed_integer)     \
  X(i64, 8, signed_integer)     \
  X(u8, 1, unsigned_integer)    \
  X(u16, 2, unsigned_integer)   \
  X(u32, 4, unsigned_integer)   \
  X(u64, 8, unsigned_integer)   \
  X(f32, 4, floating)           \
  X(f64, 8, floating)           \
  X(f16, 2, floating)           \
  X(bf16, 2, floating)          \
  X(i128, 16, signed_integer)   \
  X(u128, 16, unsigned_integer) \
  X(e4m3, 1, storage)           \
  X(e5m2, 1, storage)           \
  X(f16x2, 4, pair)             \
  X(bf16x2, 4, pair)

enum class Type : std::uint8_t {
#define OXIDE_IR_ENUMERATOR(name, size, kind) name,
  OXIDE_IR_TYPES(OXIDE_IR_ENUMERATOR)
#undef OXIDE_IR_ENUMERATOR
};

enum class TypeKind : std::uint8_t { other, address, boolean, signed_integer, unsigned_integer, floating, storage, pair };

namespace detail {

struct TypeRow {
  std::string_view name;
  std::uint8_t size;
  TypeKind kind;
};

inline constexpr TypeRow type_rows[] = {
#define OXIDE_IR_ROW(name, size, kind) {#name, size, TypeKind::kind},
    OXIDE_IR_TYPES(OXIDE_IR_ROW)
#undef OXIDE_IR_ROW
};

}  // namespace detail

inline constexpr std::size_t type_count = std::size(detail::type_rows);
inline constexpr std::size_t first_number = static_cast<std::size_t>(Type::boolean);  // types from here on are values in memory

constexpr std::string_view name_of(Type t) { return detail::type_rows[static_cast<std::size_t>(t)].name; }
constexpr std::size_t size_of(Type t) { return detail::type_rows[static_cast<std::size_t>(t)].size; }
constexpr TypeKind kind_of(Type t) { return detail::type_rows[static_cast<std::size_t>(t)].kind; }
constexpr unsigned bits_of(Type t) { return t == Type::boolean ? 1 : static_cast<unsigned>(8 * size_of(t)); }

constexpr bool is_number(Type t) { return static_cast<std::size_t>(t) >= first_number && static_cast<std::size_t>(t) < type_count; }
constexpr bool is_address(Type t) { return t == Type::address; }
constexpr bool is_boolean(Type t) { return kind_of(t) == TypeKind::boolean; }
constexpr bool is_floating(Type t) { return kind_of(t) == TypeKind::floating; }
constexpr bool is_signed_integer(Type t) { return kind_of(t) == TypeKind::signed_integer; }
constexpr bool is_integer(Type t) { return is_signed_integer(t) || kind_of(t) == TypeKind::unsigned_integer; }
constexpr bool is_arithmetic(Type t) { return is_integer(t) || is_floating(t); }
constexpr bool is_storage(Type t) { return kind_of(t) == TypeKind::storage; }
constexpr bool is_pair(Type t) { return kind_of(t) == TypeKind::pair; }
constexpr bool is_half(Type t) { return t == Type::f16 || t == Type::bf16; }  // the 16-bit floating types
constexpr Type element_of(Type pair) { return pair == Type::bf16x2 ? Type::bf16 : Type::f16; }

// Whether a `cast` operation goes from one type to the other.
constexpr bool can_cast(Type from, Type to) {
  if (is_address(from) || is_address(to)) return false;
  if (from == to) return true;
  if (is_pair(from) || is_pair(to)) return false;
  if (is_storage(from) || is_storage(to)) return is_floating(from) || is_floating(to);
  return true;
}

// The graph type that stands for a host type; `none` when there is none. Integers map by size and sign, so that `long`
// and `long long` are both i64. `char`, `wchar_t` and the like are text, not numbers, and do not map.
template <class T>
constexpr Type type_for() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return Type::boolean;
  else if constexpr (std::is_same_v<U, float>) return Type::f32;
  else if constexpr (std::is_same_v<U, double>) return Type::f64;
  else if constexpr (std::is_same_v<U, half>) return Type::f16;
  else if constexpr (std::is_same_v<U, bfloat16>) return Type::bf16;
  else if constexpr (std::is_same_v<U, int128>) return Type::i128;
  else if constexpr (std::is_same_v<U, uint128>) return Type::u128;
  else if constexpr (std::is_same_v<U, e4m3>) return Type::e4m3;
  else if constexpr (std::is_same_v<U, e5m2>) return Type::e5m2;
  else if constexpr (std::is_same_v<U, half2>) return Type::f16x2;
  else if constexpr (std::is_same_v<U, bfloat162>) return Type::bf16x2;
  else if constexpr (std::is_same_v<U, char> || std::is_same_v<U, wchar_t> || std::is_same_v<U, char8_t> || std::is_same_v<U, char16_t> ||
                     std::is_same_v<U, char32_t>)
    return Type::none;
  else if constexpr (std::is_integral_v<U> && sizeof(U) <= 8) {
    constexpr bool is_signed = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1) return is_signed ? Type::i8 : Type::u8;
    else if constexpr (sizeof(U) == 2) return is_signed ? Type::i16 : Type::u16;
    else if constexpr (sizeof(U) == 4) return is_signed ? Type::i32 : Type::u32;
    else return is_signed ? Type::i64 : Type::u64;
  } else return Type::none;
}

// Bytes in memory.
struct Layout {
  std::uint32_t size = 0;
  std::uint32_t alignment = 0;  // a power of two
  friend constexpr bool operator==(const Layout&, const Layout&) = default;
};
constexpr Layout layout_of(Type t) { return {static_cast<std::uint32_t>(size_of(t)), static_cast<std::uint32_t>(size_of(t))}; }

// A host type that a device value can stand for.
template <class T>
concept Scalar = type_for<T>() != Type::none;

}  // namespace ir
}  // namespace oxide
