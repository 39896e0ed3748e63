// Operators of vectors that do not compile, with a sentence on what to write. They are chosen only when no real operator takes the
// operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/vector_operators.hpp>

namespace oxide {
namespace detail {

// Fails to compile with one sentence on why A is no operand beside a vector of n numbers T.
template <class T, std::size_t n, class A>
constexpr void explain_vector() {
  if constexpr (!std::is_constructible_v<VectorOperand<T, n>, A, Where>) {
    if constexpr (VectorArgument<A>) {
      constexpr bool same = std::is_same_v<typename VectorOf<A>::number, T> && VectorOf<A>::size == n;
      static_assert(same, "oxide: vectors of different types or sizes do not mix; write ox::cast<T>(v), or ox::swizzle<0, 1>(v)");
      explain<same ? Verdict::element_variable : Verdict::unknown>();
    } else {
      explain<verdict(source_of<A>, ir::type_for<T>())>();
    }
  }
}

// What the places of an operator's vectors are.
enum class Places : std::uint8_t { all, computed, numbers, integers, bits, shifted };
constexpr bool takes_places(Places places, ir::Type type) {
  switch (places) {
    case Places::all:
      return true;
    case Places::computed:
      return ir::is_arithmetic(type) || ir::is_pair(type);
    case Places::numbers:
      return ir::is_arithmetic(type);
    case Places::bits:
      return ir::is_integer(type) || ir::is_boolean(type);
    case Places::integers:
    case Places::shifted:
      return ir::is_integer(type);
  }
  return false;
}

template <Places places, class A, class B>
struct VectorOperatorFor {
  using V = CommonVector<A, B>;
  using T = typename V::number;
  static constexpr ir::Type type = ir::type_for<T>();
  static constexpr bool fits = std::is_constructible_v<VectorOperand<T, V::size>, A, Where> &&
                               std::is_constructible_v<VectorOperand<T, V::size, places == Places::shifted>, B, Where>;

  static constexpr void explain() {
    if constexpr (places != Places::shifted && !fits) {
      explain_vector<T, V::size, A>();
      explain_vector<T, V::size, B>();
    } else {
      static_assert(fits,
                    "oxide: only integers are shifted, by a vector of the same type, by a number of that type, or by a host integer; "
                    "write ox::cast<T>(count)");
      static_assert(
          !ir::is_boolean(type) || takes_places(places, type),
          "oxide: vectors of booleans have &, |, ^, !, == and !=; write ox::any(v) or ox::all(v) for one boolean, ox::cast<T>(v) to "
          "compute with 1 and 0");
      static_assert(ir::is_boolean(type) || takes_places(places, type),
                    "oxide: %, bitwise and shift operators take integers; for a floating remainder use ox::fmod");
    }
  }
};
// Two arguments, one of them a vector, that the operator does not take together.
template <class A, class B, Places places>
concept RefusedVectors =
    VectorArguments<A, B> && !(VectorOperatorFor<places, A, B>::fits && takes_places(places, VectorOperatorFor<places, A, B>::type));

}  // namespace detail

#define OXIDE_DSL_REFUSED(symbol, places)                               \
  template <class A, class B>                                           \
    requires detail::RefusedVectors<A, B, detail::Places::places>       \
  void operator symbol(A&&, B&&) {                                      \
    detail::VectorOperatorFor<detail::Places::places, A, B>::explain(); \
  }
OXIDE_DSL_REFUSED(+, computed)
OXIDE_DSL_REFUSED(-, computed)
OXIDE_DSL_REFUSED(*, computed)
OXIDE_DSL_REFUSED(/, numbers)
OXIDE_DSL_REFUSED(%, integers)
OXIDE_DSL_REFUSED(&, bits)
OXIDE_DSL_REFUSED(|, bits)
OXIDE_DSL_REFUSED(^, bits)
OXIDE_DSL_REFUSED(<<, shifted)
OXIDE_DSL_REFUSED(>>, shifted)
OXIDE_DSL_REFUSED(==, all)
OXIDE_DSL_REFUSED(!=, all)
OXIDE_DSL_REFUSED(<, numbers)
OXIDE_DSL_REFUSED(<=, numbers)
OXIDE_DSL_REFUSED(>, numbers)
OXIDE_DSL_REFUSED(>=, numbers)
OXIDE_DSL_REFUSED(+=, computed)
OXIDE_DSL_REFUSED(-=, computed)
OXIDE_DSL_REFUSED(*=, computed)
OXIDE_DSL_REFUSED(/=, numbers)
OXIDE_DSL_REFUSED(%=, integers)
OXIDE_DSL_REFUSED(&=, bits)
OXIDE_DSL_REFUSED(|=, bits)
OXIDE_DSL_REFUSED(^=, bits)
OXIDE_DSL_REFUSED(<<=, shifted)
OXIDE_DSL_REFUSED(>>=, shifted)
#undef OXIDE_DSL_REFUSED

}  // namespace oxide
