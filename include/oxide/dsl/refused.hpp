// Operators between numbers that do not mix. They are chosen only when no real operator takes the operands, and fail to compile
// with a sentence on what to write.
#pragma once

#include <oxide/dsl/conversion.hpp>

namespace oxide {
namespace detail {

// Do not compile, and say why.
template <class A>
constexpr void refuse_assignment() {
  static_assert(sizeof(A) == 0,
                "oxide: this assigns to a copy, which changes nothing; the elements of an ox::Span<const T> cannot be written");
}
template <class H>
concept HostNumber = std::is_arithmetic_v<H> && !std::is_same_v<H, bool>;
template <class H>
constexpr void refuse_host_number() {
  static_assert(sizeof(H) == 0,
                "oxide: a device value is no number of the host, and a cast makes none of it; write ox::cast<ox::f32>(x) or "
                "ox::cast<ox::i32>(x) for a device value of another type");
}
template <class A>
constexpr void refuse_other_value() {
  static_assert(
      sizeof(A) == 0,
      "oxide: this is no number; of an enumeration write ox::cast<ox::i32>(e), of an option *o behind `if (o)` or o.value_or(x), of "
      "a struct one of its members");
}

// What a refused operator pretends to give, so that one mistake makes one error.
template <class A, class B>
using RefusedResult = DeviceValue<is_device(source_of<A>) ? source_of<A>.type : source_of<B>.type>;

template <class A>
using RefusedTruth = DeviceValue<source_of<A>.lvalue ? ir::Type::boolean : ir::Type::boolean>;

}  // namespace detail

#define OXIDE_DSL_REFUSED(symbol, Result)                                           \
  template <class A, class B>                                                       \
    requires detail::RefusedPair<A, B>                                              \
  Result operator symbol(A&&, B&&) {                                                \
    detail::explain<detail::refusal(detail::source_of<A>, detail::source_of<B>)>(); \
    return {};                                                                      \
  }
#define OXIDE_DSL_REFUSED_OPERATION(symbol) OXIDE_DSL_REFUSED(symbol, detail::RefusedResult<A OXIDE_DSL_COMMA B>)
#define OXIDE_DSL_COMMA ,
#define OXIDE_DSL_REFUSED_COMPARISON(symbol) OXIDE_DSL_REFUSED(symbol, detail::RefusedTruth<A>)
// a op= b changes a, so that b has to become what a is, and a is no copy.
#define OXIDE_DSL_REFUSED_ASSIGNMENT(symbol)                                                           \
  template <class T, class B>                                                                          \
    requires(ir::Scalar<T> && detail::Number<B>)                                                       \
  void operator symbol(Value<T>&&, B&&) {                                                              \
    detail::refuse_assignment<B>();                                                                    \
  }                                                                                                    \
  template <class A, class B>                                                                          \
    requires(detail::is_device(detail::source_of<A>) && detail::Refused<B, detail::source_of<A>.type>) \
  void operator symbol(A&&, B&&) {                                                                     \
    detail::explain<detail::verdict(detail::source_of<B>, detail::source_of<A>.type)>();               \
  }

OXIDE_DSL_REFUSED_OPERATION(+)
OXIDE_DSL_REFUSED_OPERATION(-)
OXIDE_DSL_REFUSED_OPERATION(*)
OXIDE_DSL_REFUSED_OPERATION(/)
OXIDE_DSL_REFUSED_OPERATION(%)
OXIDE_DSL_REFUSED_OPERATION(&)
OXIDE_DSL_REFUSED_OPERATION(|)
OXIDE_DSL_REFUSED_OPERATION(^)
OXIDE_DSL_REFUSED_COMPARISON(==)
OXIDE_DSL_REFUSED_COMPARISON(!=)
OXIDE_DSL_REFUSED_COMPARISON(<)
OXIDE_DSL_REFUSED_COMPARISON(<=)
OXIDE_DSL_REFUSED_COMPARISON(>)
OXIDE_DSL_REFUSED_COMPARISON(>=)
OXIDE_DSL_REFUSED_ASSIGNMENT(+=)
OXIDE_DSL_REFUSED_ASSIGNMENT(-=)
OXIDE_DSL_REFUSED_ASSIGNMENT(*=)
OXIDE_DSL_REFUSED_ASSIGNMENT(/=)
OXIDE_DSL_REFUSED_ASSIGNMENT(%=)
OXIDE_DSL_REFUSED_ASSIGNMENT(&=)
OXIDE_DSL_REFUSED_ASSIGNMENT(|=)
OXIDE_DSL_REFUSED_ASSIGNMENT(^=)

// Shifts do not widen: the count has the type of the value, or is a host integer.
namespace detail {
template <class A, class B>
concept RefusedShift = Number<A> && Number<B> && (is_device(source_of<A>) || is_device(source_of<B>)) &&
                       (source_of<A>.kind == SourceKind::host   ? !ir::is_integer(source_of<A>.type) || !ir::is_integer(source_of<B>.type)
                        : source_of<B>.kind == SourceKind::host ? !ir::is_integer(source_of<B>.type) || !ir::is_integer(source_of<A>.type)
                                                                : source_of<A>.type != source_of<B>.type);
template <class A, class B>
constexpr void explain_shift() {
  static_assert(!RefusedShift<A, B>,
                "oxide: only integers are shifted, by a count of the value's own type or a host integer; write ox::cast<T>(count)");
}
}  // namespace detail

#define OXIDE_DSL_REFUSED_SHIFT(symbol, Result) \
  template <class A, class B>                   \
    requires detail::RefusedShift<A, B>         \
  Result operator symbol(A&&, B&&) {            \
    detail::explain_shift<A, B>();              \
    return Result();                            \
  }
OXIDE_DSL_REFUSED_SHIFT(<<, detail::RefusedResult<A OXIDE_DSL_COMMA B>)
OXIDE_DSL_REFUSED_SHIFT(>>, detail::RefusedResult<A OXIDE_DSL_COMMA B>)
OXIDE_DSL_REFUSED_SHIFT(<<=, void)
OXIDE_DSL_REFUSED_SHIFT(>>=, void)

#undef OXIDE_DSL_REFUSED_SHIFT
#undef OXIDE_DSL_REFUSED_ASSIGNMENT
#undef OXIDE_DSL_REFUSED_COMPARISON
#undef OXIDE_DSL_REFUSED_OPERATION
#undef OXIDE_DSL_COMMA
#undef OXIDE_DSL_REFUSED

}  // namespace oxide
