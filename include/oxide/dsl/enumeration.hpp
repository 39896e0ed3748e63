// ox::Value<E> of an enumeration: compared, assigned, cast by name. In memory and in variables it is its underlying integer.
#pragma once

#include <type_traits>
#include <utility>

#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/ref.hpp>

namespace oxide {
namespace detail {

template <class E>
concept Enumeration = std::is_enum_v<E>;

template <Enumeration E>
constexpr ir::Type type_of_enumeration() {
  return host_type<std::underlying_type_t<E>>();
}
template <Enumeration E>
using UnderlyingOf = DeviceValue<type_of_enumeration<E>()>;

template <Enumeration E>
trace::Handle enumerator(E e, Where where) {
  return host_constant(type_of_enumeration<E>(), static_cast<std::underlying_type_t<E>>(e), where);
}

// What an operator of an enumeration takes: a value, an enumerator, or an element that is read.
template <class E>
struct EnumerationOperand {
  EnumerationOperand(E e, Where place = Where::current()) : handle(enumerator(e, place)), where(place) {}
  EnumerationOperand(const Value<E>& e, Where place = Where::current()) : handle(e.handle()), where(place) {}
  EnumerationOperand(Ref<E>&& e, Where place = Where::current()) : handle(e.read()), where(place) {}
  EnumerationOperand(Ref<const E>&& e, Where place = Where::current()) : handle(e.read()), where(place) {}
  EnumerationOperand(const Place<E>& e, Where place = Where::current()) : handle(e.read()), where(place) {}
  EnumerationOperand(const Place<const E>& e, Where place = Where::current()) : handle(e.read()), where(place) {}
  trace::Handle handle;
  Where where;
};

#define OXIDE_DSL_COMPARE(symbol, opcode, first, second)                                                                            \
  friend Value<bool> operator symbol(EnumerationOperand<E> a, EnumerationOperand<E> b) {                                            \
    return Value<bool>::from_handle(emit(ir::Opcode::opcode, ir::Type::boolean, first.handle, second.handle, 0, b.where), b.where); \
  }
template <class E>
struct EnumerationOperators {
  OXIDE_DSL_COMPARE(==, equal, a, b)
  OXIDE_DSL_COMPARE(!=, not_equal, a, b)
  OXIDE_DSL_COMPARE(<, less, a, b)
  OXIDE_DSL_COMPARE(<=, less_equal, a, b)
  OXIDE_DSL_COMPARE(>, less, b, a)
  OXIDE_DSL_COMPARE(>=, less_equal, b, a)
};
#undef OXIDE_DSL_COMPARE

template <Enumeration E>
struct Flat<E> {
  static constexpr std::size_t count = 1;
  static void leaves(Leaf*& out, std::uint32_t offset) { *out++ = {type_of_enumeration<E>(), offset}; }
  static Value<E> from(const trace::Handle*& in, Where) { return Value<E>::from_handle(*in++); }
  static void into(const Value<E>& value, trace::Handle*& out) { *out++ = value.handle(); }
  static trace::Handle equal(const Value<E>& a, const Value<E>& b, Where where) {
    return emit(ir::Opcode::equal, ir::Type::boolean, a.handle(), b.handle(), 0, where);
  }
};

}  // namespace detail

// Example: ox::Value<Color> c = Color::red; if (c == colors[i]) ...
template <class E>
  requires detail::Enumeration<E>
class Value<E> : public detail::EnumerationOperators<E> {
  static_assert(detail::type_of_enumeration<E>() != ir::Type::none,
                "oxide: an enumeration in a kernel has an underlying type of 8 to 64 bits");

 public:
  static constexpr ir::Type type = detail::type_of_enumeration<E>();

  // The enumerator 0.
  Value(detail::Where where = detail::Where::current()) : handle_(detail::constant(type, 0, where)) {}
  Value(E e, detail::Where where = detail::Where::current()) : handle_(detail::enumerator(e, where)) {}
  Value(const Value& other, detail::Where where = detail::Where::current())
      : handle_(detail::emit(ir::Opcode::copy, type, other.handle_, 0, where)), where_(where) {}
  // A number: does not compile, and says what to write.
  template <class A>
    requires detail::Number<A>
  Value(A&&, detail::Where where = detail::Where::current()) : Value(where) {
    static_assert(sizeof(A) == 0, "oxide: a number does not become an enumerator by itself; write ox::cast<E>(n)");
  }
  Value(Ref<E>&& element) : handle_(element.read()) {}
  Value(Ref<const E>&& element) : handle_(element.read()) {}
  Value(const detail::Place<E>& element) : handle_(element.read()) {}
  Value(const detail::Place<const E>& element) : handle_(element.read()) {}

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
  Value& operator=(Value other) & {
    detail::assign(handle_, other.handle_, other.where_);
    return *this;
  }

  // For oxide's own headers.
  static Value from_handle(trace::Handle handle) { return Value(handle, Adopt{}); }
  trace::Handle handle() const { return handle_; }

 private:
  struct Adopt {};
  Value(trace::Handle handle, Adopt) : handle_(handle) {}

  trace::Handle handle_;
  detail::Where where_ = detail::Where::current();
};

// An element that is an enumeration, see Ref of numbers.
template <class E>
  requires detail::Enumeration<std::remove_const_t<E>>
class Ref<E> : public detail::EnumerationOperators<std::remove_const_t<E>> {
  using Enum = std::remove_const_t<E>;

 public:
  void operator=(detail::EnumerationOperand<Enum> value) && {
    static_assert(!std::is_const_v<E>, "oxide: this element can only be read");
    detail::store(position_, detail::type_of_enumeration<Enum>(), value.handle, value.where);
  }
  void operator=(Ref&& source) && { std::move(*this) = detail::EnumerationOperand<Enum>(std::move(source)); }

  // For oxide's own headers.
  explicit Ref(const detail::Position& position) : position_(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<E>(memory, index, where)) {}
  trace::Handle read() const { return detail::load(position_, detail::type_of_enumeration<Enum>()); }

 private:
  detail::Position position_;
};

namespace detail {

template <class E>
  requires Enumeration<std::remove_const_t<E>>
class Place<E> : public Ref<E> {
 public:
  using Ref<E>::Ref;
  Place(const Place&) = delete;
  void operator=(const Place& source) { *this = EnumerationOperand<std::remove_const_t<E>>(source); }
  void operator=(EnumerationOperand<std::remove_const_t<E>> value) { static_cast<Ref<E>&&>(*this) = value; }
};

template <class A>
struct EnumerationIn {
  using type = void;
};
template <Enumeration E>
struct EnumerationIn<Value<E>> {
  using type = E;
};
template <class E>
  requires Enumeration<std::remove_const_t<E>>
struct EnumerationIn<Ref<E>> {
  using type = std::remove_const_t<E>;
};
template <class E>
  requires Enumeration<std::remove_const_t<E>>
struct EnumerationIn<Place<E>> {
  using type = std::remove_const_t<E>;
};
// A value or element of an enumeration.
template <class A>
concept EnumerationValue = Enumeration<typename EnumerationIn<std::remove_cvref_t<A>>::type>;

}  // namespace detail

// The number of an enumerator, and the enumerator of a number, which may be none of the listed ones.
// Example: ox::u8 n = ox::cast<ox::u8>(color);  auto c = ox::cast<Color>(n);
template <class T, class A>
  requires detail::EnumerationValue<A>
auto cast(A&& x, detail::Where where = detail::Where::current()) {
  using E = typename detail::EnumerationIn<std::remove_cvref_t<A>>::type;
  const detail::EnumerationOperand<E> operand(std::forward<A>(x), where);
  return cast<T>(detail::UnderlyingOf<E>::from_handle(operand.handle, where), where);
}
template <class T, class A>
  requires detail::Number<A> && detail::Enumeration<T>
auto cast(A&& x, detail::Where where = detail::Where::current()) {
  return Value<T>::from_handle(cast<detail::UnderlyingOf<T>>(std::forward<A>(x), where).handle());
}

}  // namespace oxide
