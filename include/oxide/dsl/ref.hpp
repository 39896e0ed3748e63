// ox::Ref<T>: an element of memory that can be written, before it is read or written. It exists only as an rvalue.
#pragma once

#include <type_traits>
#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/ir/machine.hpp>

namespace oxide {

// Reads when it becomes a Value or meets an operator, writes when it is assigned to; Ref<const T> only reads. It can be neither
// copied nor kept: after `auto x = s[i]`, using x does not compile, because it would be unclear when the element is read.
// Example: ox::f32 x = s[i];  s.unchecked_mut(i) = x + 1;
template <class T>
class Ref : public detail::Operators<typename detail::ScalarOf<ir::type_for<T>()>::type> {
  using Scalar = typename detail::ScalarOf<ir::type_for<T>()>::type;
  using Operand = detail::Operand<Scalar>;

  template <class A>
  static constexpr void needs_writable() {
    static_assert(
        !std::is_const_v<T> || sizeof(A) == 0,
        "oxide: this element can only be read; write through get_mut of an ox::DisjointSpan, or unchecked as s.unchecked_mut(i) = x");
  }

 public:
  static constexpr ir::Type type = ir::type_for<T>();

  void operator=(Operand value) && {
    needs_writable<Operand>();
    write(value.handle, value.where);
  }
  void operator=(Ref&& source) && {
    needs_writable<Operand>();
    write(source.read(), source.position_.where);
  }
  template <class A>
    requires detail::Refused<A, type>
  void operator=(A&&) && {
    detail::explain<detail::verdict(detail::source_of<A>, type)>();
  }
  template <class A>
    requires detail::Number<A>
  void operator=(A&&) & {
    detail::explain<detail::verdict(detail::source_of<Ref&>, std::is_same_v<A, void> ? ir::Type::none : type)>();
  }

#define OXIDE_DSL_VARIABLE(symbol)                                                                                \
  template <class A>                                                                                              \
    requires detail::Number<A>                                                                                    \
  void operator symbol(A&&) & {                                                                                   \
    detail::explain<detail::verdict(detail::source_of<Ref&>, std::is_same_v<A, void> ? ir::Type::none : type)>(); \
  }
  OXIDE_DSL_VARIABLE(+=)
  OXIDE_DSL_VARIABLE(-=)
  OXIDE_DSL_VARIABLE(*=)
  OXIDE_DSL_VARIABLE(/=)
  OXIDE_DSL_VARIABLE(%=)
  OXIDE_DSL_VARIABLE(&=)
  OXIDE_DSL_VARIABLE(|=)
  OXIDE_DSL_VARIABLE(^=)
#undef OXIDE_DSL_VARIABLE

  void operator+=(Operand value) && { update(ir::Opcode::add, value); }
  void operator-=(Operand value) && { update(ir::Opcode::sub, value); }
  void operator*=(Operand value) && { update(ir::Opcode::mul, value); }
  void operator/=(Operand value) && { update(ir::Opcode::div, value, detail::is_integer<Scalar> ? detail::checked_division : 0); }
  void operator%=(Operand value) && { update_integer(ir::Opcode::rem, value, detail::checked_division); }
  void operator&=(Operand value) && { update_integer(ir::Opcode::bit_and, value); }
  void operator|=(Operand value) && { update_integer(ir::Opcode::bit_or, value); }
  void operator^=(Operand value) && { update_integer(ir::Opcode::bit_xor, value); }
  void operator<<=(detail::ShiftCount<Scalar> count) && { update_integer(ir::Opcode::shift_left, count); }
  void operator>>=(detail::ShiftCount<Scalar> count) && { update_integer(ir::Opcode::shift_right, count); }
  void operator++() && { update(ir::Opcode::add, Operand(1, position_.where)); }
  void operator--() && { update(ir::Opcode::sub, Operand(1, position_.where)); }
  void operator++(int) && { update(ir::Opcode::add, Operand(1, position_.where)); }
  void operator--(int) && { update(ir::Opcode::sub, Operand(1, position_.where)); }

  // Of a boolean element: a decision, as for ox::boolean.
  [[gnu::always_inline]] explicit operator bool() && {
    static_assert(std::is_same_v<Scalar, bool>, "oxide: a condition is an ox::boolean; write s[i] != 0");
    return detail::decide(read(), position_.where);
  }
  template <class H>
    requires detail::HostNumber<H>
  explicit operator H() const {
    detail::refuse_host_number<H>();
    return H();
  }
  friend Value<Scalar> operator!(Ref&& element)
    requires std::is_same_v<Scalar, bool>
  {
    return !Value<Scalar>::from_handle(element.read(), element.position_.where);
  }

  // For oxide's own headers.
  explicit Ref(const detail::Position& position) : position_(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<T>(memory, index, where)) {}
  trace::Handle read() const { return detail::load(position_, type); }
  trace::Handle read_with(ir::CacheHint hint) const { return detail::load(position_, type, hint); }
  void write_with(ir::CacheHint hint, trace::Handle value, detail::Where where) const {
    detail::store(position_, type, value, where, hint);
  }
  const detail::Position& position() const { return position_; }

 private:
  void write(trace::Handle value, detail::Where where) const { detail::store(position_, type, value, where); }
  void update(ir::Opcode opcode, const Operand& value, std::uint64_t immediate = 0) const {
    needs_writable<Operand>();
    write(detail::emit(opcode, type, read(), value.handle, immediate, value.where), value.where);
  }
  void update_integer(ir::Opcode opcode, const Operand& value, std::uint64_t immediate = 0) const {
    static_assert(detail::is_integer<Scalar>, "oxide: %, bitwise and shift operators take integers; for a floating remainder use ox::fmod");
    update(opcode, value, immediate);
  }

  detail::Position position_;
};

namespace detail {

// A number in a struct that p->name names: as a Ref, and usable though it is an lvalue.
template <class T>
class Place : public Ref<T> {
 public:
  using Ref<T>::Ref;
  Place(const Place&) = delete;
  void operator=(const Place& source) { set(source); }
  void operator=(Place& source) { set(source); }
#define OXIDE_DSL_PLACE(symbol)                                   \
  template <class A>                                              \
  void operator symbol(A&& source) {                              \
    static_cast<Ref<T>&&>(*this) symbol static_cast<A&&>(source); \
  }
  OXIDE_DSL_PLACE(=)
  OXIDE_DSL_PLACE(+=)
  OXIDE_DSL_PLACE(-=)
  OXIDE_DSL_PLACE(*=)
  OXIDE_DSL_PLACE(/=)
  OXIDE_DSL_PLACE(%=)
  OXIDE_DSL_PLACE(&=)
  OXIDE_DSL_PLACE(|=)
  OXIDE_DSL_PLACE(^=)
  OXIDE_DSL_PLACE(<<=)
  OXIDE_DSL_PLACE(>>=)
#undef OXIDE_DSL_PLACE
  void operator++() { ++static_cast<Ref<T>&&>(*this); }
  void operator--() { --static_cast<Ref<T>&&>(*this); }
  void operator++(int) { ++static_cast<Ref<T>&&>(*this); }
  void operator--(int) { --static_cast<Ref<T>&&>(*this); }
  [[gnu::always_inline]] explicit operator bool() { return static_cast<bool>(static_cast<Ref<T>&&>(*this)); }

 private:
  void set(const Place& source) { static_cast<Ref<T>&&>(*this) = Operand<typename ScalarOf<ir::type_for<T>()>::type>(source); }
};

}  // namespace detail

}  // namespace oxide
