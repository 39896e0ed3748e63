// Short vectors: ox::Vector<float, 4> on the host, ox::f32x4 in a kernel; and spans of numbers as spans of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/array_value.hpp>
#include <oxide/dsl/disjoint_span.hpp>
#include <oxide/dsl/math.hpp>

namespace oxide {

namespace detail {
// CUDA's: that of the whole, up to 16 bytes; vectors of three are aligned as one.
template <class T, std::size_t n>
inline constexpr std::size_t vector_alignment = n == 3               ? alignof(T)
                                                : n * sizeof(T) < 16 ? n * sizeof(T)
                                                                     : 16;
}  // namespace detail

// A host vector of 2, 3, 4, 8 or 16 numbers, aligned as CUDA's vector types are; an element that a kernel accesses at once.
template <class T, std::size_t N>
struct Vector;
template <class T>
struct alignas(detail::vector_alignment<T, 2>) Vector<T, 2> {
  T x, y;
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 3>) Vector<T, 3> {
  T x, y, z;
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 4>) Vector<T, 4> {
  T x, y, z, w;
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 8>) Vector<T, 8> {
  T e[8];
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};
template <class T>
struct alignas(detail::vector_alignment<T, 16>) Vector<T, 16> {
  T e[16];
  friend constexpr bool operator==(const Vector&, const Vector&) = default;
};

}  // namespace oxide

namespace oxide {

OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 2>), x, y)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 3>), x, y, z)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 4>), x, y, z, w)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 8>), e)
OXIDE_STRUCT_TEMPLATE((class T), (Vector<T, 16>), e)

#define OXIDE_DSL_VECTORS(name, scalar)      \
  using name##x2 = Value<Vector<scalar, 2>>; \
  using name##x3 = Value<Vector<scalar, 3>>; \
  using name##x4 = Value<Vector<scalar, 4>>; \
  using name##x8 = Value<Vector<scalar, 8>>; \
  using name##x16 = Value<Vector<scalar, 16>>;
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

namespace detail {

// What a whole-vector operation takes: a vector, an element that is one, a host vector, or a number for all of its places.
template <class T, std::size_t n>
struct VectorOperand {
  using V = Vector<T, n>;
  VectorOperand(const Value<V>& v, Where place = Where::current()) : all(handles_of<V>(v)), where(place) {}
  VectorOperand(const V& host, Where place = Where::current()) : all(constants<V>(&host, place)), where(place) {}
  VectorOperand(Ref<V>&& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  VectorOperand(Ref<const V>&& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  VectorOperand(const Place<V>& e, Where place = Where::current()) : all(loaded<V>(e.oxide_position())), where(place) {}
  template <class A>
    requires Fits<A, ir::type_for<T>()>
  VectorOperand(A&& number, Where place = Where::current()) : where(place) {
    const trace::Handle one = handle_as<T>(std::forward<A>(number), place);
    for (trace::Handle& h : all.of) h = one;
  }

  Handles<V> all;
  Where where;
};

inline void each_place(std::size_t n, ir::Opcode opcode, ir::Type type, std::uint64_t immediate, Where where, trace::Handle* out,
                       const trace::Handle* a, const trace::Handle* b = nullptr, const trace::Handle* c = nullptr) {
  for (std::size_t i = 0; i != n; ++i) {
    const trace::Handle operands[] = {a[i], b == nullptr ? trace::Handle{} : b[i], c == nullptr ? trace::Handle{} : c[i]};
    out[i] = record(opcode, type, operands, b == nullptr ? 1 : c == nullptr ? 2 : 3, immediate, where);
  }
}

template <class T, std::size_t n>
Value<Vector<T, n>> vector_of(ir::Opcode opcode, std::uint64_t immediate, Where where, const trace::Handle* a,
                              const trace::Handle* b = nullptr, const trace::Handle* c = nullptr) {
  Handles<Vector<T, n>> all;
  each_place(n, opcode, ir::type_for<T>(), immediate, where, all.of, a, b, c);
  return value_from<Vector<T, n>>(all, where);
}

template <class T>
constexpr std::uint64_t division_check() {
  return std::is_integral_v<T> ? checked_division : 0;
}

#define OXIDE_DSL_BINARY(symbol, assignment, opcode, immediate, condition)                                  \
  friend Value<V> operator symbol(const VectorOperand<T, n>& a, const VectorOperand<T, n>& b)               \
    requires(condition)                                                                                     \
  {                                                                                                         \
    return vector_of<T, n>(ir::Opcode::opcode, immediate, b.where, a.all.of, b.all.of);                     \
  }                                                                                                         \
  friend Value<V>& operator assignment(Value<V>& a, const VectorOperand<T, n>& b)                           \
    requires(condition)                                                                                     \
  {                                                                                                         \
    const Handles<V> all = handles_of<V>(a);                                                                \
    assign_value<V>(a, vector_of<T, n>(ir::Opcode::opcode, immediate, b.where, all.of, b.all.of), b.where); \
    return a;                                                                                               \
  }                                                                                                         \
  friend void operator assignment(Ref<V>&& a, const VectorOperand<T, n>& b)                                 \
    requires(condition)                                                                                     \
  {                                                                                                         \
    const Handles<V> all = loaded<V>(a.oxide_position());                                                   \
    std::move(a) = vector_of<T, n>(ir::Opcode::opcode, immediate, b.where, all.of, b.all.of);               \
  }
#define OXIDE_DSL_COMPARE(symbol, opcode, first, second, condition)                                         \
  friend Value<Vector<bool, n>> operator symbol(const VectorOperand<T, n>& a, const VectorOperand<T, n>& b) \
    requires(condition)                                                                                     \
  {                                                                                                         \
    return vector_of<bool, n>(ir::Opcode::opcode, 0, b.where, first.all.of, second.all.of);                 \
  }

// Operators work place by place; comparisons give a vector of booleans.
template <class T, std::size_t n>
struct StructOperators<Vector<T, n>> {
  static constexpr bool whole_equality = false;
  using V = Vector<T, n>;
  static constexpr bool number = !std::is_same_v<T, bool>, integer = number && std::is_integral_v<T>, bits = std::is_integral_v<T>;

  OXIDE_DSL_BINARY(+, +=, add, 0, number)
  OXIDE_DSL_BINARY(-, -=, sub, 0, number)
  OXIDE_DSL_BINARY(*, *=, mul, 0, number)
  OXIDE_DSL_BINARY(/, /=, div, division_check<T>(), number)
  OXIDE_DSL_BINARY(%, %=, rem, checked_division, integer)
  OXIDE_DSL_BINARY(&, &=, bit_and, 0, bits)
  OXIDE_DSL_BINARY(|, |=, bit_or, 0, bits)
  OXIDE_DSL_BINARY(^, ^=, bit_xor, 0, bits)
  OXIDE_DSL_BINARY(<<, <<=, shift_left, 0, integer)
  OXIDE_DSL_BINARY(>>, >>=, shift_right, 0, integer)
  OXIDE_DSL_COMPARE(==, equal, a, b, true)
  OXIDE_DSL_COMPARE(!=, not_equal, a, b, true)
  OXIDE_DSL_COMPARE(<, less, a, b, number)
  OXIDE_DSL_COMPARE(<=, less_equal, a, b, number)
  OXIDE_DSL_COMPARE(>, less, b, a, number)
  OXIDE_DSL_COMPARE(>=, less_equal, b, a, number)
  friend Value<V> operator-(const VectorOperand<T, n>& a)
    requires number
  {
    return vector_of<T, n>(ir::Opcode::neg, 0, a.where, a.all.of);
  }
  friend Value<V> operator~(const VectorOperand<T, n>& a)
    requires integer
  {
    return vector_of<T, n>(ir::Opcode::bit_not, 0, a.where, a.all.of);
  }
  friend Value<V> operator!(const VectorOperand<T, n>& a)
    requires(!number)
  {
    return vector_of<T, n>(ir::Opcode::bit_not, 0, a.where, a.all.of);
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

// The vector type behind a value, an element or a host vector.
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
template <class T>
struct VectorIn<Value<T>> : VectorIn<T> {};
template <class T>
struct VectorIn<Ref<T>> : VectorIn<std::remove_const_t<T>> {};
template <class T>
struct VectorIn<Place<T>> : VectorIn<std::remove_const_t<T>> {};
template <class A>
using VectorOf = VectorIn<std::remove_cvref_t<A>>;
template <class A>
concept VectorArgument = (VectorOf<A>::size != 0);

// The one vector type among arguments, the others being numbers.
template <class First, class... Rest>
struct CommonVector : std::conditional_t<VectorArgument<First>, VectorOf<First>, CommonVector<Rest...>> {};
template <class Last>
struct CommonVector<Last> : VectorOf<Last> {};
template <class... A>
concept VectorArguments = (VectorArgument<A> || ...);
template <class... A>
using VectorOperandOf = VectorOperand<typename CommonVector<A...>::number, CommonVector<A...>::size>;

}  // namespace detail

#define OXIDE_DSL_UNARY(name, opcode)                                                              \
  template <class A>                                                                               \
    requires detail::VectorArgument<A>                                                             \
  auto name(A&& x, detail::Where where = detail::Where::current()) {                               \
    using V = detail::VectorOf<A>;                                                                 \
    const detail::VectorOperandOf<A> a(std::forward<A>(x), where);                                 \
    return detail::vector_of<typename V::number, V::size>(ir::Opcode::opcode, 0, where, a.all.of); \
  }
#define OXIDE_DSL_BINARY(name, opcode)                                                                       \
  template <class A, class B>                                                                                \
    requires detail::VectorArguments<A, B>                                                                   \
  auto name(A&& x, B&& y, detail::Where where = detail::Where::current()) {                                  \
    using V = detail::CommonVector<A, B>;                                                                    \
    const detail::VectorOperandOf<A, B> a(std::forward<A>(x), where), b(std::forward<B>(y), where);          \
    return detail::vector_of<typename V::number, V::size>(ir::Opcode::opcode, 0, where, a.all.of, b.all.of); \
  }
OXIDE_DSL_UNARY(abs, abs)
OXIDE_DSL_UNARY(sqrt, sqrt)
OXIDE_DSL_UNARY(floor, floor)
OXIDE_DSL_UNARY(ceil, ceil)
OXIDE_DSL_UNARY(trunc, trunc)
OXIDE_DSL_UNARY(rint, round_even)
OXIDE_DSL_BINARY(min, min)
OXIDE_DSL_BINARY(max, max)
#undef OXIDE_DSL_UNARY
#undef OXIDE_DSL_BINARY

// x * y + z in each place, rounded once.
template <class A, class B, class C>
  requires detail::VectorArguments<A, B, C>
auto fma(A&& x, B&& y, C&& z, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B, C>;
  using Operand = detail::VectorOperandOf<A, B, C>;
  const Operand a(std::forward<A>(x), where), b(std::forward<B>(y), where), c(std::forward<C>(z), where);
  return detail::vector_of<typename V::number, V::size>(ir::Opcode::fma, 0, where, a.all.of, b.all.of, c.all.of);
}

// The sum of the products, from the first place to the last; contracted as a * b + c is.
template <class A, class B>
  requires detail::VectorArguments<A, B>
auto dot(A&& x, B&& y, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B>;
  using T = typename V::number;
  const detail::VectorOperandOf<A, B> a(std::forward<A>(x), where), b(std::forward<B>(y), where);
  trace::Handle sum = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[0], b.all.of[0], 0, where);
  for (std::size_t i = 1; i != V::size; ++i) {
    const trace::Handle product = detail::emit(ir::Opcode::mul, ir::type_for<T>(), a.all.of[i], b.all.of[i], 0, where);
    sum = detail::emit(ir::Opcode::add, ir::type_for<T>(), product, sum, 0, where);
  }
  return detail::ValueFor<T>::from_handle(sum, where);
}

// Whether one, or every, place is true.
template <std::size_t n>
boolean any(const Value<Vector<bool, n>>& mask, detail::Where where = detail::Where::current()) {
  const auto all = detail::handles_of<Vector<bool, n>>(mask);
  trace::Handle one = all.of[0];
  for (std::size_t i = 1; i != n; ++i) one = detail::emit(ir::Opcode::bit_or, ir::Type::boolean, one, all.of[i], 0, where);
  return boolean::from_handle(one, where);
}
template <std::size_t n>
boolean all(const Value<Vector<bool, n>>& mask, detail::Where where = detail::Where::current()) {
  return boolean::from_handle(detail::all_of(detail::handles_of<Vector<bool, n>>(mask).of, n, where), where);
}

// a in the places where the mask is true, else b.
template <std::size_t n, class A, class B>
  requires detail::VectorArguments<A, B>
auto select(const Value<Vector<bool, n>>& mask, A&& a, B&& b, detail::Where where = detail::Where::current()) {
  using V = detail::CommonVector<A, B>;
  static_assert(V::size == n, "oxide: the mask of ox::select has as many places as the vectors");
  const detail::VectorOperandOf<A, B> x(std::forward<A>(a), where), y(std::forward<B>(b), where);
  return detail::vector_of<typename V::number, n>(ir::Opcode::select, 0, where, detail::handles_of<Vector<bool, n>>(mask).of, x.all.of,
                                                  y.all.of);
}

// Each place as a T. Example: ox::f32x4 f = ox::cast<float>(i);
template <class T, class A>
  requires(detail::VectorArgument<A> && ir::Scalar<typename detail::CastTarget<T>::host>)
auto cast(A&& x, detail::Where where = detail::Where::current()) {
  using V = detail::VectorOf<A>;
  using To = typename detail::CastTarget<T>::host;
  const detail::VectorOperandOf<A> a(std::forward<A>(x), where);
  detail::Handles<Vector<To, V::size>> all;
  for (std::size_t i = 0; i != V::size; ++i)
    all.of[i] = detail::cast(ir::type_for<typename V::number>(), ir::type_for<To>(), a.all.of[i], where);
  return detail::value_from<Vector<To, V::size>>(all, where);
}

namespace detail {

// A span as vectors: the memory stays the span's, an index counts vectors. Made after a check that the span is made of whole, aligned
// vectors.
template <class T, std::size_t n>
class VectorSpanBase {
  static_assert((n & (n - 1)) == 0 && n > 1 && n <= 16, "oxide: span.as_vectors<N>() takes 2, 4, 8 or 16");

 public:
  using element_type = Vector<std::remove_const_t<T>, n>;
  VectorSpanBase(std::uint32_t memory, Where where) : memory_(memory) {
    emit(ir::Opcode::check_vectors, ir::Type::none, memory | std::uint64_t{n} << 32, where);
  }
  // How many vectors.
  u64 size(Where where = Where::current()) const { return u64::from_handle(vectors(where), where); }

 protected:
  trace::Handle vectors(Where where) const {
    return emit(ir::Opcode::div, ir::Type::u64, length(where), constant(ir::Type::u64, n, where), 0, where);
  }
  trace::Handle length(Where where) const { return emit(ir::Opcode::length, ir::Type::u64, memory_, where); }
  Position position(trace::Handle vector, Where where) const {
    Position p = element_of<T>(memory_, emit(ir::Opcode::mul, ir::Type::u64, vector, constant(ir::Type::u64, n, where), 0, where), where);
    p.alignment = alignof(element_type);
    p.claimed = true;
    return p;
  }
  // Checks that the last number of the vector is there. min keeps the product from wrapping.
  Position checked_position(const Index& i) const {
    const trace::Handle vector = emit(ir::Opcode::min, ir::Type::u64, i.handle, length(i.where), 0, i.where);
    const Position p = position(vector, i.where);
    const trace::Handle last = emit(ir::Opcode::add, ir::Type::u64, p.index, constant(ir::Type::u64, n - 1, i.where), 0, i.where);
    emit(ir::Opcode::check_bounds, ir::Type::none, last, memory_, i.where);
    return p;
  }

 private:
  std::uint32_t memory_;
};

}  // namespace detail

// What span.as_vectors<N>() gives of an ox::Span: v[i] is vector i, read with one access.
template <class T, std::size_t N>
class VectorSpan : public detail::VectorSpanBase<T, N> {
  using Base = detail::VectorSpanBase<T, N>;

 public:
  using Base::Base;
  Value<typename Base::element_type> operator[](detail::Index i) const {
    return detail::read<typename Base::element_type>(Base::checked_position(i));
  }
  // Reads or writes without a check of i.
  Ref<typename Base::element_type> unchecked_mut(detail::Index i) const {
    static_assert(!std::is_const_v<T>, "oxide: this span can only be read");
    return Ref<typename Base::element_type>(Base::position(i.handle, i.where));
  }
};

// What as_vectors<N>() gives of an ox::DisjointSpan: each thread writes its own vector.
template <class T, std::size_t N>
class DisjointVectorSpan : public detail::VectorSpanBase<T, N> {
  using Base = detail::VectorSpanBase<T, N>;

 public:
  using Base::Base;
  MaybeRef<typename Base::element_type> get_mut(const ThreadIndex<Linear>& index, detail::Where where = detail::Where::current()) const {
    return {Base::position(index.handle(), where),
            detail::emit(ir::Opcode::less, ir::Type::boolean, index.handle(), Base::vectors(where), 0, where)};
  }
};

template <class T, std::size_t n>
struct detail::VectorSpans {
  static VectorSpan<T, n> span(std::uint32_t memory, Where where) { return {memory, where}; }
  static DisjointVectorSpan<T, n> disjoint(std::uint32_t memory, Where where) { return {memory, where}; }
};

}  // namespace oxide
