// Vectors as points and directions: products, lengths, and what is made of them.
#pragma once

#include <cstddef>
#include <utility>

#include <oxide/dsl/vector_functions.hpp>

namespace oxide {

// The sum of the products, from the first place to the last; contracted as a * b + c is.
template <class A, class B>
  requires detail::VectorArguments<A, B>
auto dot(A&& x, B&& y, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B>;
  using T = typename V::number;
  const auto a = detail::vector_operand<T, V::size>(std::forward<A>(x), where),
             b = detail::vector_operand<T, V::size>(std::forward<B>(y), where);
  trace::Handle sum = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[0], b.all.of[0], 0, where);
  for (std::size_t i = 1; i != V::size; ++i) {
    const trace::Handle product = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[i], b.all.of[i], 0, where);
    sum = detail::emit(ir::Opcode::add, ir::type_for<T>(), product, sum, 0, where);
  }
  return detail::ValueFor<T>::from_handle(sum, where);
}

// The cross product of two vectors of three: a.y * b.z - a.z * b.y and so on, contracted as such differences are.
template <class A, class B>
  requires detail::VectorArguments<A, B>
auto cross(A&& x, B&& y, detail::Where where = detail::Where::current()) {
  static_assert(detail::VectorOf<A>::size == 3 && detail::VectorOf<B>::size == 3,
                "oxide: ox::cross takes two vectors of three numbers; ox::swizzle<0, 1, 2>(v) gives the first three of one");
  using T = typename detail::CommonVector<A, B>::number;
  const auto a = detail::vector_operand<T, 3>(std::forward<A>(x), where), b = detail::vector_operand<T, 3>(std::forward<B>(y), where);
  detail::Handles<Vector<T, 3>> all;
  for (std::size_t i = 0; i != 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const trace::Handle left = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[j], b.all.of[k], 0, where);
    const trace::Handle right = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[k], b.all.of[j], 0, where);
    all.of[i] = detail::emit(ir::Opcode::sub, ir::type_for<T>(), left, right, 0, where);
  }
  return detail::value_from<Vector<T, 3>>(all, where);
}

// The length, as ox::norm computes it: without overflow or underflow on the way.
template <class A>
  requires detail::VectorArgument<A>
auto length(A&& v, detail::Where where = detail::Where::current()) {
  using T = typename detail::VectorOf<A>::number;
  detail::needs_floating<ir::type_for<T>()>();
  const auto x = detail::vector_operand<T, detail::VectorOf<A>::size>(std::forward<A>(v), where);
  return detail::ValueFor<T>::from_handle(detail::emit_norm(ir::type_for<T>(), x.all.of, detail::VectorOf<A>::size, false, where), where);
}
// The length of a - b.
template <class A, class B>
  requires detail::VectorArguments<A, B>
auto distance(A&& a, B&& b, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B>;
  using T = typename V::number;
  const auto x = detail::vector_operand<T, V::size>(std::forward<A>(a), where),
             y = detail::vector_operand<T, V::size>(std::forward<B>(b), where);
  return length(detail::vector_of<T, V::size>(ir::Opcode::sub, 0, where, x.all.of, y.all.of), where);
}
// v divided by its length: of a vector of zeros, NaNs.
template <class A>
  requires detail::VectorArgument<A>
auto normalize(A&& v, detail::Where where = detail::Where::current()) {
  using T = typename detail::VectorOf<A>::number;
  constexpr std::size_t n = detail::VectorOf<A>::size;
  detail::needs_floating<ir::type_for<T>()>();
  const auto x = detail::vector_operand<T, n>(std::forward<A>(v), where);
  const trace::Handle size = detail::emit_norm(ir::type_for<T>(), x.all.of, n, false, where);
  detail::Handles<Vector<T, n>> all;
  for (std::size_t i = 0; i != n; ++i) all.of[i] = detail::emit(ir::Opcode::div, ir::type_for<T>(), x.all.of[i], size, 0, where);
  return detail::value_from<Vector<T, n>>(all, where);
}

// From a, at t = 0, to b, at t = 1, both exact: fma(t, b, fma(-t, a, a)).
template <class A, class B, class C>
  requires detail::VectorArguments<A, B, C>
auto lerp(A&& a, B&& b, C&& t, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B, C>;
  using T = typename V::number;
  constexpr std::size_t n = V::size;
  constexpr ir::Type type = ir::type_for<T>();
  detail::needs_floating<type>();
  const auto x = detail::vector_operand<T, n>(std::forward<A>(a), where), y = detail::vector_operand<T, n>(std::forward<B>(b), where),
             at = detail::vector_operand<T, n>(std::forward<C>(t), where);
  detail::Handles<Vector<T, n>> all;
  for (std::size_t i = 0; i != n; ++i) {
    const trace::Handle minus_t = detail::emit(ir::Opcode::neg, type, at.all.of[i], 0, where);
    const trace::Handle rest = detail::emit(ir::Opcode::fma, type, minus_t, x.all.of[i], x.all.of[i], where);
    all.of[i] = detail::emit(ir::Opcode::fma, type, at.all.of[i], y.all.of[i], rest, where);
  }
  return detail::value_from<Vector<T, n>>(all, where);
}

// The direction that v has after it met a surface with the normal n, of length 1: v - 2 * dot(n, v) * n.
template <class A, class B>
  requires detail::VectorArguments<A, B>
auto reflect(A&& v, B&& n, detail::Where where = detail::Where::current()) {
  static_assert(detail::VectorArgument<A> && detail::VectorArgument<B>, "oxide: ox::reflect takes a direction and a normal, both vectors");
  using T = typename detail::CommonVector<A, B>::number;
  constexpr std::size_t size = detail::CommonVector<A, B>::size;
  constexpr ir::Type type = ir::type_for<T>();
  detail::needs_floating<type>();
  const auto x = detail::vector_operand<T, size>(std::forward<A>(v), where), y = detail::vector_operand<T, size>(std::forward<B>(n), where);
  const auto along = dot(detail::value_from<Vector<T, size>>(y.all, where), detail::value_from<Vector<T, size>>(x.all, where), where);
  const trace::Handle twice = detail::emit(ir::Opcode::add, type, along.handle(), along.handle(), 0, where);
  const trace::Handle minus = detail::emit(ir::Opcode::neg, type, twice, 0, where);
  detail::Handles<Vector<T, size>> all;
  for (std::size_t i = 0; i != size; ++i) all.of[i] = detail::emit(ir::Opcode::fma, type, minus, y.all.of[i], x.all.of[i], where);
  return detail::value_from<Vector<T, size>>(all, where);
}

}  // namespace oxide
