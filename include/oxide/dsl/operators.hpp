// The operators of device values, as hidden friends. && and || are not among them: they ask for a truth value, and so
// short-circuit as C++ says.
#pragma once

#include <type_traits>

#include <oxide/dsl/conversion.hpp>
#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/ir/ops.hpp>

namespace oxide::detail {

// Value<bool>, named so that it need not be complete before T is known.
template <class T>
struct BooleanFor {
  using type = Value<std::enable_if_t<sizeof(T) != 0, bool>>;
};

template <class T>
inline constexpr bool is_integer = ir::is_integer(ir::type_for<T>());

// A zero divisor traps.
inline constexpr std::uint64_t checked_division = 1;

#define OXIDE_DSL_BINARY(symbol, assignment, opcode, Left, Right, immediate)                                                    \
  friend Value<T> operator symbol(Left<T> a, Right<T> b) {                                                                      \
    return Value<T>::from_handle(emit(ir::Opcode::opcode, ir::type_for<T>(), a.handle, b.handle, immediate, b.where), b.where); \
  }                                                                                                                             \
  friend Value<T>& operator assignment(Value<T>& a, Right<T> b) {                                                               \
    assign(a.handle(), emit(ir::Opcode::opcode, ir::type_for<T>(), a.handle(), b.handle, immediate, b.where), b.where);         \
    return a;                                                                                                                   \
  }
#define OXIDE_DSL_COMPARE(symbol, opcode, first, second)                                                                          \
  friend typename BooleanFor<T>::type operator symbol(Operand<T> a, Operand<T> b) {                                               \
    return BooleanFor<T>::type::from_handle(emit(ir::Opcode::opcode, ir::Type::boolean, first.handle, second.handle, 0, b.where), \
                                            b.where);                                                                             \
  }
#define OXIDE_DSL_UNARY(symbol, opcode)                                                                       \
  friend Value<T> operator symbol(Operand<T> a) {                                                             \
    return Value<T>::from_handle(emit(ir::Opcode::opcode, ir::type_for<T>(), a.handle, 0, a.where), a.where); \
  }
#define OXIDE_DSL_STEP(symbol, opcode)                                       \
  friend Value<T>& operator symbol##symbol(Variable<T> v) {                  \
    step(ir::Opcode::opcode, ir::type_for<T>(), v.value->handle(), v.where); \
    return *v.value;                                                         \
  }                                                                          \
  friend Value<T> operator symbol##symbol(Variable<T> v, int) {              \
    Value<T> before(*v.value, v.where);                                      \
    step(ir::Opcode::opcode, ir::type_for<T>(), v.value->handle(), v.where); \
    return before;                                                           \
  }

inline void step(ir::Opcode opcode, ir::Type type, trace::Handle variable, Where where) {
  assign(variable, emit(opcode, type, variable, integer_constant(type, {1, false}, where), 0, where), where);
}

template <class T>
struct EqualityOperators {
  OXIDE_DSL_COMPARE(==, equal, a, b)
  OXIDE_DSL_COMPARE(!=, not_equal, a, b)
};

template <class T>
struct BitOperators {
  OXIDE_DSL_BINARY(&, &=, bit_and, Operand, Operand, 0)
  OXIDE_DSL_BINARY(|, |=, bit_or, Operand, Operand, 0)
  OXIDE_DSL_BINARY(^, ^=, bit_xor, Operand, Operand, 0)
};

template <class T>
struct ArithmeticOperators : EqualityOperators<T> {
  OXIDE_DSL_BINARY(+, +=, add, Operand, Operand, 0)
  OXIDE_DSL_BINARY(-, -=, sub, Operand, Operand, 0)
  OXIDE_DSL_BINARY(*, *=, mul, Operand, Operand, 0)
  OXIDE_DSL_BINARY(/, /=, div, Operand, Operand, is_integer<T> ? checked_division : 0)
  OXIDE_DSL_COMPARE(<, less, a, b)
  OXIDE_DSL_COMPARE(<=, less_equal, a, b)
  OXIDE_DSL_COMPARE(>, less, b, a)
  OXIDE_DSL_COMPARE(>=, less_equal, b, a)
  OXIDE_DSL_UNARY(-, neg)
  OXIDE_DSL_UNARY(+, copy)
  OXIDE_DSL_STEP(+, add)
  OXIDE_DSL_STEP(-, sub)
};

template <class T>
struct IntegerOperators : ArithmeticOperators<T>, BitOperators<T> {
  OXIDE_DSL_BINARY(%, %=, rem, Operand, Operand, checked_division)
  OXIDE_DSL_BINARY(<<, <<=, shift_left, ExactOperand, ShiftCount, 0)
  OXIDE_DSL_BINARY(>>, >>=, shift_right, ExactOperand, ShiftCount, 0)
  OXIDE_DSL_UNARY(~, bit_not)
};

// Of two numbers in one word: each operator works on both.
template <class T>
struct PairOperators : EqualityOperators<T> {
  OXIDE_DSL_BINARY(+, +=, add, Operand, Operand, 0)
  OXIDE_DSL_BINARY(-, -=, sub, Operand, Operand, 0)
  OXIDE_DSL_BINARY(*, *=, mul, Operand, Operand, 0)
  OXIDE_DSL_UNARY(-, neg)
  OXIDE_DSL_UNARY(+, copy)
};

struct BooleanOperators : EqualityOperators<bool>, BitOperators<bool> {};

#undef OXIDE_DSL_BINARY
#undef OXIDE_DSL_COMPARE
#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_STEP

// The base of everything that stands for a T in an expression: argument-dependent lookup finds the operators through it.
template <class T>
struct OperatorsFor {
  static constexpr ir::Type type_of_t = ir::type_for<T>();
  using type =
      std::conditional_t<is_integer<T>, IntegerOperators<T>,
                         std::conditional_t<ir::is_pair(type_of_t), PairOperators<T>,
                                            std::conditional_t<ir::is_storage(type_of_t), EqualityOperators<T>, ArithmeticOperators<T>>>>;
};
template <>
struct OperatorsFor<bool> {
  using type = BooleanOperators;
};
template <class T>
using Operators = typename OperatorsFor<T>::type;

}  // namespace oxide::detail
