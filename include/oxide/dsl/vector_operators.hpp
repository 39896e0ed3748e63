// The operators of vectors. They work place by place, on vectors of one type or on a vector and a number, which then stands for all places;
// comparisons give a vector of booleans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/math.hpp>
#include <oxide/dsl/vector_types.hpp>

namespace oxide::detail {

// What a whole-vector operation takes: a vector, an element that is one, a host vector, or a number for all of its places. As the count of
// a shift, a number is a T, or a host integer modulo the width.
template <class T, std::size_t n, bool counts = false>
struct VectorOperand {
  using V = Vector<T, n>;
  template <class A>
    requires std::is_same_v<A, Value<V>>  // not what would become one
  VectorOperand(const A& v, Where place = Where::current()) : all(handles_of<V>(v)), where(place) {}
  VectorOperand(const V& host, Where place = Where::current()) : all(constants<V>(&host, place)), where(place) {}
  VectorOperand(Ref<V>&& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  VectorOperand(Ref<const V>&& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  VectorOperand(const Place<V>& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  VectorOperand(const Place<const V>& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  template <class A>
    requires(Fits<A, ir::type_for<T>()> && (!counts || source_of<A>.type == ir::type_for<T>()) &&
             !(counts && source_of<A>.kind == SourceKind::host))
  VectorOperand(A&& number, Where place = Where::current()) : VectorOperand(handle_as<T>(std::forward<A>(number), place), place) {}
  template <class H>
    requires(counts && source_of<H>.kind == SourceKind::host && ir::is_integer(source_of<H>.type))
  VectorOperand(H count, Where place = Where::current()) : VectorOperand(ShiftCount<T>(count, place).handle, place) {}

  Handles<V> all;
  Where where;

 private:
  VectorOperand(trace::Handle one, Where place) : where(place) {
    for (trace::Handle& h : all.of) h = one;
  }
};

inline void each_place(std::size_t n, ir::Opcode opcode, ir::Type type, std::uint64_t immediate, Where where, trace::Handle* out,
                       const trace::Handle* a, const trace::Handle* b = nullptr) {
  for (std::size_t i = 0; i != n; ++i) {
    const trace::Handle operands[] = {a[i], b == nullptr ? trace::Handle{} : b[i]};
    out[i] = record(opcode, type, operands, b == nullptr ? 1 : 2, immediate, where);
  }
}

template <class T, std::size_t n>
Value<Vector<T, n>> vector_of(ir::Opcode opcode, std::uint64_t immediate, Where where, const trace::Handle* a,
                              const trace::Handle* b = nullptr) {
  Handles<Vector<T, n>> all;
  each_place(n, opcode, ir::type_for<T>(), immediate, where, all.of, a, b);
  return value_from<Vector<T, n>>(all, where);
}

// a = a op b, in each place.
template <class T, std::size_t n>
void assign_vector(const Value<Vector<T, n>>& a, ir::Opcode opcode, std::uint64_t immediate, const trace::Handle* b, Where where) {
  const Handles<Vector<T, n>> all = handles_of<Vector<T, n>>(a);
  assign_value<Vector<T, n>>(a, vector_of<T, n>(opcode, immediate, where, all.of, b), where);
}
template <class T, std::size_t n>
void step_vector(const Value<Vector<T, n>>& v, ir::Opcode opcode, Where where) {
  Handles<Vector<T, n>> ones;
  for (trace::Handle& h : ones.of) h = integer_constant(ir::type_for<T>(), {1, false}, where);
  assign_vector<T, n>(v, opcode, 0, ones.of, where);
}

#define OXIDE_DSL_BINARY(symbol, assignment, opcode, immediate, condition, Right)             \
  friend Value<V> operator symbol(const VectorOperand<T, n>& a, const Right& b)               \
    requires(condition)                                                                       \
  {                                                                                           \
    return vector_of<T, n>(ir::Opcode::opcode, immediate, b.where, a.all.of, b.all.of);       \
  }                                                                                           \
  friend Value<V>& operator assignment(Value<V>& a, const Right& b)                           \
    requires(condition)                                                                       \
  {                                                                                           \
    assign_vector<T, n>(a, ir::Opcode::opcode, immediate, b.all.of, b.where);                 \
    return a;                                                                                 \
  }                                                                                           \
  friend void operator assignment(Ref<V>&& a, const Right& b)                                 \
    requires(condition)                                                                       \
  {                                                                                           \
    const Handles<V> all = loaded<V>(a.oxide_position());                                     \
    std::move(a) = vector_of<T, n>(ir::Opcode::opcode, immediate, b.where, all.of, b.all.of); \
  }
#define OXIDE_DSL_COMPARE(symbol, opcode, first, second, condition)                                         \
  friend Value<Vector<bool, n>> operator symbol(const VectorOperand<T, n>& a, const VectorOperand<T, n>& b) \
    requires(condition)                                                                                     \
  {                                                                                                         \
    return vector_of<bool, n>(ir::Opcode::opcode, 0, b.where, first.all.of, second.all.of);                 \
  }
#define OXIDE_DSL_UNARY(symbol, opcode, condition)                    \
  friend Value<V> operator symbol(const VectorOperand<T, n>& a)       \
    requires(condition)                                               \
  {                                                                   \
    return vector_of<T, n>(ir::Opcode::opcode, 0, a.where, a.all.of); \
  }
#define OXIDE_DSL_STEP(symbol, opcode)                        \
  friend Value<V>& operator symbol##symbol(Variable<V> v)     \
    requires number                                           \
  {                                                           \
    step_vector<T, n>(*v.value, ir::Opcode::opcode, v.where); \
    return *v.value;                                          \
  }                                                           \
  friend Value<V> operator symbol##symbol(Variable<V> v, int) \
    requires number                                           \
  {                                                           \
    Value<V> before(*v.value, v.where);                       \
    step_vector<T, n>(*v.value, ir::Opcode::opcode, v.where); \
    return before;                                            \
  }

template <class T, std::size_t n>
struct StructOperators<Vector<T, n>> {
  static constexpr bool whole_equality = false;
  using V = Vector<T, n>;
  using Operand = VectorOperand<T, n>;
  using Count = VectorOperand<T, n, true>;
  static constexpr ir::Type type = ir::type_for<T>();
  static constexpr bool integer = ir::is_integer(type), truth = ir::is_boolean(type), number = ir::is_arithmetic(type),
                        computes = number || ir::is_pair(type);
  static constexpr std::uint64_t division_check = integer ? checked_division : 0;

  OXIDE_DSL_BINARY(+, +=, add, 0, computes, Operand)
  OXIDE_DSL_BINARY(-, -=, sub, 0, computes, Operand)
  OXIDE_DSL_BINARY(*, *=, mul, 0, computes, Operand)
  OXIDE_DSL_BINARY(/, /=, div, division_check, number, Operand)
  OXIDE_DSL_BINARY(%, %=, rem, checked_division, integer, Operand)
  OXIDE_DSL_BINARY(&, &=, bit_and, 0, integer || truth, Operand)
  OXIDE_DSL_BINARY(|, |=, bit_or, 0, integer || truth, Operand)
  OXIDE_DSL_BINARY(^, ^=, bit_xor, 0, integer || truth, Operand)
  OXIDE_DSL_BINARY(<<, <<=, shift_left, 0, integer, Count)
  OXIDE_DSL_BINARY(>>, >>=, shift_right, 0, integer, Count)
  OXIDE_DSL_COMPARE(==, equal, a, b, true)
  OXIDE_DSL_COMPARE(!=, not_equal, a, b, true)
  OXIDE_DSL_COMPARE(<, less, a, b, number)
  OXIDE_DSL_COMPARE(<=, less_equal, a, b, number)
  OXIDE_DSL_COMPARE(>, less, b, a, number)
  OXIDE_DSL_COMPARE(>=, less_equal, b, a, number)
  OXIDE_DSL_UNARY(-, neg, computes)
  OXIDE_DSL_UNARY(+, copy, computes)
  OXIDE_DSL_UNARY(~, bit_not, integer)
  OXIDE_DSL_UNARY(!, bit_not, truth)
  OXIDE_DSL_STEP(+, add)
  OXIDE_DSL_STEP(-, sub)

  // Takes the copy itself: there is a conversion to a condition, which does not compile, and neither may be as good.
  template <class A>
    requires(truth && std::is_same_v<A, Value<V>>)
  friend Value<V> operator!(A a) {
    return vector_of<T, n>(ir::Opcode::bit_not, 0, at(a, HostIndex(0)).where(), handles_of<V>(a).of);
  }

  static constexpr void refuse_condition() {
    static_assert(sizeof(T) == 0,
                  "oxide: a vector is no condition; write ox::all(a == b) or ox::any(a < b), and ox::select(a < b, a, b) to choose in each "
                  "place");
  }
  template <class A>
  static constexpr void refuse_initializer() {
    static_assert(!Number<A>, "oxide: a number does not become a vector by itself; write ox::splat<4>(x) for one of x in each place");
    static_assert(Number<A>, "oxide: vectors of different types or sizes do not mix; write ox::cast<T>(v), or ox::swizzle<0, 1>(v)");
  }

  // The number at a place.
  static auto& at(auto& self, const HostIndex& i) {
    const std::size_t place = host_index(i, n);
    if constexpr (n <= 4) {
      using Number = As<decltype(self), ValueFor<T>>;
      Number* found = nullptr;
      std::size_t k = 0;
      self.oxide_each(self, [&](auto&... m) { ((k++ == place ? void(found = &m) : void()), ...); });
      return *found;
    } else {
      return self.e[place];
    }
  }
  static auto at(auto& self, const DeviceIndex& i) {
    constexpr bool reads = std::is_const_v<std::remove_reference_t<decltype(self)>>;
    Position p = element_of<T>(0, checked_index(i, n), i.where);
    p.registers = {&self, &number_at, n};
    return Ref<std::conditional_t<reads, const T, T>>(p);
  }

 private:
  static trace::Handle number_at(const void* vector, std::size_t k, std::uint32_t, ir::Type) {
    return handles_of<V>(*static_cast<const Value<V>*>(vector)).of[k];
  }
};
#undef OXIDE_DSL_BINARY
#undef OXIDE_DSL_COMPARE
#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_STEP

// The vector type behind a host type.
template <class A>
struct VectorIn {
  static constexpr std::size_t size = 0;
  using number = void;
};
template <class T, std::size_t n>
struct VectorIn<Vector<T, n>> {
  static constexpr std::size_t size = n;
  using number = T;
};
template <class A>
using VectorOf = VectorIn<HostType<A>>;
template <class A>
concept VectorArgument = (VectorOf<A>::size != 0);

// The first vector type among arguments; the others are of the same type, or numbers.
template <class First, class... Rest>
struct CommonVector : std::conditional_t<VectorArgument<First>, VectorOf<First>, CommonVector<Rest...>> {};
template <class Last>
struct CommonVector<Last> : VectorOf<Last> {};
template <class... A>
concept VectorArguments = (VectorArgument<A> || ...) && ((VectorArgument<A> || Number<A>) && ...);
template <class... A>
using VectorOperandOf = VectorOperand<typename CommonVector<A...>::number, CommonVector<A...>::size>;

}  // namespace oxide::detail
