// ox::Option: a value or none, on the host and, with the same bytes, in kernels.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/choice_element.hpp>
#include <oxide/error.hpp>

namespace oxide {

struct None {
  friend constexpr bool operator==(None, None) = default;
};
inline constexpr None none;

// A T or none. On the host as std::optional; in a kernel ox::Value<ox::Option<T>>, or ox::Option<ox::f32> for a T of float and so on.
template <class T>
class Option {
  static_assert(detail::Element<T>, "oxide: an ox::Option holds what a kernel can have as a value");

 public:
  constexpr Option() = default;
  constexpr Option(None) {}
  constexpr Option(const T& v) : value_(v), present_(true) {}

  constexpr bool has_value() const { return present_; }
  constexpr explicit operator bool() const { return present_; }
  constexpr const T& operator*() const { return value_; }  // needs a value
  // Throws Error when there is none.
  constexpr const T& unwrap() const {
    if (!present_) throw Error("unwrap of an option that is none");
    return value_;
  }
  constexpr T value_or(const T& other) const { return present_ ? value_ : other; }
  friend constexpr bool operator==(const Option& a, const Option& b) {
    return a.present_ == b.present_ && (!a.present_ || a.value_ == b.value_);
  }

 private:
  friend struct detail::Flat<Option>;
  T value_{};
  bool present_ = false;
};

namespace detail {

template <Element T>
struct Flat<Option<T>> {
  static constexpr std::size_t count = leaf_count<T> + 1;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    Flat<T>::leaves(out, offset + offset_of(&Option<T>::value_));
    *out++ = {ir::Type::boolean, offset + offset_of(&Option<T>::present_)};
  }
  static Value<Option<T>> from(const trace::Handle*& in, Where where) { return Value<Option<T>>::oxide_adopt(in, where); }
  static void into(const Value<Option<T>>& value, trace::Handle*& out) { value.oxide_into(out); }
  static trace::Handle equal(const Value<Option<T>>& a, const Value<Option<T>>& b, Where where) { return a.oxide_equal(b, where); }
};

template <class T>
struct HostOf<Option<Value<T>>> {
  using type = Option<T>;
};

}  // namespace detail

// In a kernel: test it, then use it. Example: if (auto v = find(x)) sum += *v;
template <class T>
class Value<Option<T>> {
  using Held = detail::ValueOf<T>;
  using Where = detail::Where;

 public:
  Value(Where where = Where::current()) : Value(detail::constants<Option<T>>(nullptr, where), where) {}
  Value(None, Where where = Where::current()) : Value(where) {}
  Value(const Option<T>& host, Where where = Where::current()) : Value(detail::constants<Option<T>>(&host, where), where) {}
  Value(const Value& other, Where where = Where::current())
      : value_(other.value_, where), present_(other.present_, where), tested_(other.tested_) {}
  Value(Ref<Option<T>>&& e) : Value(detail::loaded<Option<T>>(e.oxide_position()), e.oxide_position().where) {}
  Value(Ref<const Option<T>>&& e) : Value(detail::loaded<Option<T>>(e.oxide_position()), e.oxide_position().where) {}
  // Something that a T is made of.
  template <class A>
    requires(!std::is_same_v<detail::HostType<A>, Option<T>> && std::is_constructible_v<Held, A &&, Where>)
  Value(A&& a, Where where = Where::current()) : value_(std::forward<A>(a), where), present_(true, where) {}

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
  Value& operator=(Value other) & {
    value_ = other.value_;
    present_ = other.present_;
    tested_ = other.tested_;
    return *this;
  }

  // Whether there is a value: a decision.
  [[gnu::always_inline]] explicit operator bool() const { return tested_ = static_cast<bool>(present_); }
  boolean is_some() const { return present_; }
  boolean is_none() const { return !present_; }

  // The value; throws TraceError where this path has not found that there is one.
  const Held& operator*() const {
    if (!tested_)
      detail::refuse(present_.where(),
                     "the value of an option was used where it was not tested; write `if (auto v = option) use(*v);`, or "
                     "option.unwrap(), which ends the thread where there is none");
    return value_;
  }
  const Held* operator->() const { return &**this; }

  // The value; a thread without one ends with a fault that names the line.
  Held unwrap(Where where = Where::current()) const { return expect("unwrap of an option that is none", where); }
  Held expect(std::string_view message, Where where = Where::current()) const {
    detail::check(present_.handle(), message, where);
    return Held(value_, where);
  }
  // The value, or another one; both are computed.
  Held value_or(const Held& other, Where where = Where::current()) const {
    return detail::select_value<T>(present_.handle(), value_, other, where);
  }
  // f of the value where there is one.
  template <class F>
  [[gnu::always_inline]] auto map(F&& f) const {
    using R = decltype(f(value_));
    Value<Option<detail::HostType<R>>> result;
    if (present_) result = Value<Option<detail::HostType<R>>>(f(value_));
    return result;
  }
  // f gives an option itself.
  template <class F>
  [[gnu::always_inline]] auto and_then(F&& f) const {
    using R = Value<detail::HostType<decltype(f(value_))>>;
    R result;
    if (present_) result = f(value_);
    return result;
  }
  template <class F>
  [[gnu::always_inline]] Value or_else(F&& f) const {
    Value result = *this;
    if (!present_) result = f();
    return result;
  }

  friend boolean operator==(detail::ValueOperand<Option<T>> a, detail::ValueOperand<Option<T>> b) {
    return detail::equal_values<Option<T>>(a, b);
  }
  friend boolean operator!=(detail::ValueOperand<Option<T>> a, detail::ValueOperand<Option<T>> b) {
    return !detail::equal_values<Option<T>>(a, b);
  }

  // For oxide's own headers.
  static Value oxide_adopt(const trace::Handle*& in, Where where) { return Value(in, where); }
  void oxide_into(trace::Handle*& out) const {
    detail::Flat<T>::into(value_, out);
    *out++ = present_.handle();
  }
  trace::Handle oxide_equal(const Value& other, Where where) const {
    using namespace detail;
    const auto emit2 = [&](ir::Opcode op, trace::Handle a, trace::Handle b) { return emit(op, ir::Type::boolean, a, b, 0, where); };
    const trace::Handle alike = emit2(ir::Opcode::equal, present_.handle(), other.present_.handle());
    const trace::Handle nothing = emit(ir::Opcode::bit_not, ir::Type::boolean, present_.handle(), 0, where);
    const trace::Handle same = emit2(ir::Opcode::bit_or, nothing, Flat<T>::equal(value_, other.value_, where));
    return emit2(ir::Opcode::bit_and, alike, same);
  }
  const Held& oxide_value() const { return value_; }

 private:
  Value(const trace::Handle*& in, Where where) : value_(detail::Flat<T>::from(in, where)), present_(boolean::from_handle(*in++, where)) {}
  Value(const detail::Handles<Option<T>>& all, Where where, const trace::Handle* in = nullptr) : Value((in = all.of), where) {}

  Held value_;
  boolean present_;
  mutable bool tested_ = false;  // on this path, and found to be there
};

template <class T>
class Option<Value<T>> : public Value<Option<T>> {
 public:
  using Value<Option<T>>::Value;
  Option(const Value<Option<T>>& other, detail::Where where = detail::Where::current()) : Value<Option<T>>(other, where) {}
};

// The option that holds x.
template <class V>
Value<Option<detail::HostType<V>>> some(V&& x, detail::Where where = detail::Where::current()) {
  return Value<Option<detail::HostType<V>>>(std::forward<V>(x), where);
}

namespace detail {
template <class T>
inline constexpr bool is_choice<Option<T>> = true;

// some(x) or none.
template <Element T>
struct PrintShape<Option<T>> {
  static constexpr runtime::PrintClasses classes = PrintShape<T>::classes;
  static void show(PrintParts& parts, const Value<Option<T>>& value, Where where) {
    const auto some = [&] {
      parts.text("some(");
      PrintShape<T>::show(parts, value.oxide_value(), where);
      parts.text(")");
    };
    parts.either(value.is_some(), some, [&] { parts.text("none"); });
  }
};
}  // namespace detail

}  // namespace oxide
