// ox::Result: a value, or an error that says why there is none, on the host and, with the same bytes, in kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/shared_bytes.hpp>
#include <oxide/error.hpp>

namespace oxide {

template <class T, class E>
class Result;

namespace detail {
template <class T, class E>
struct HostOf<Result<Value<T>, Value<E>>> {
  using type = Result<T, E>;
};
}  // namespace detail

// What makes an ox::Result that is an error. Example: return ox::err(7u);
template <class E>
struct Err {
  E error;
};
template <class E>
Err<std::remove_cvref_t<E>> err(E&& error) {
  return {std::forward<E>(error)};
}

// A T, or an E that says why there is none; they share their bytes. On the host and, with the same bytes, in kernels:
// ox::Value<ox::Result<T, E>>, or ox::Result<ox::f32, ox::u32> for float and std::uint32_t and so on.
template <class T, class E>
class Result {
  static_assert(detail::Element<T> && detail::Element<E>, "oxide: an ox::Result holds what a kernel can have as a value");

 public:
  Result() = default;  // ok, zero
  Result(const T& value) { std::memcpy(bytes_, &value, sizeof value); }
  Result(const Err<E>& error) : ok_(false) { std::memcpy(bytes_, &error.error, sizeof error.error); }
  bool is_ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  // Throw Error when it is the other one.
  T unwrap() const {
    if (!ok_) throw Error("unwrap of a result that is an error");
    return as<T>();
  }
  E error() const {
    if (ok_) throw Error("the error of a result that is ok");
    return as<E>();
  }
  T value_or(const T& other) const { return ok_ ? as<T>() : other; }
  friend bool operator==(const Result& a, const Result& b) {
    return a.ok_ == b.ok_ && (a.ok_ ? a.as<T>() == b.as<T>() : a.as<E>() == b.as<E>());
  }

 private:
  friend struct detail::Flat<Result>;
  template <class A>
  A as() const {
    A value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }
  alignas(detail::SharedBytes<T, E>::alignment) unsigned char bytes_[detail::SharedBytes<T, E>::size] = {};
  bool ok_ = true;
};

namespace detail {
template <Element T, Element E>
struct Flat<Result<T, E>> {
  static constexpr std::size_t count = SharedBytes<T, E>::words + 1;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    SharedBytes<T, E>::leaves(out, offset);
    *out++ = {ir::Type::boolean, offset + offset_of(&Result<T, E>::ok_)};
  }
  static Value<Result<T, E>> from(const trace::Handle*& in, Where where) { return Value<Result<T, E>>::oxide_adopt(in, where); }
  static void into(const Value<Result<T, E>>& value, trace::Handle*& out) { value.oxide_into(out); }
  static trace::Handle equal(const Value<Result<T, E>>& a, const Value<Result<T, E>>& b, Where where) { return a.oxide_equal(b, where); }
};
}  // namespace detail

// In a kernel. Example: if (auto r = parse(x)) use(*r); else report(r.error());
template <class T, class E>
class Value<Result<T, E>> {
  using Host = Result<T, E>;
  using Held = detail::ValueOf<T>;
  using Where = detail::Where;

 public:
  Value(Where where = Where::current()) : words_(where), ok_(true, where) {}
  Value(const Host& host, Where where = Where::current()) : Value(detail::constants<Host>(&host, where), where) {}
  Value(const Value& other, Where where = Where::current()) : words_(other.words_, where), ok_(other.ok_, where), tested_(other.tested_) {}
  Value(Ref<Host>&& e) : Value(detail::loaded<Host>(e.oxide_position()), e.oxide_position().where) {}
  Value(Ref<const Host>&& e) : Value(detail::loaded<Host>(e.oxide_position()), e.oxide_position().where) {}
  template <class A>
    requires(!std::is_same_v<detail::HostType<A>, Host> && std::is_constructible_v<Held, A &&, Where>)
  Value(A&& a, Where where = Where::current())
      : words_(detail::SharedWords<T, E>::template made_of<T>(Held(std::forward<A>(a), where), where)), ok_(true, where) {}
  template <class A>
    requires std::is_constructible_v<detail::ValueOf<E>, const A&, Where>
  Value(const Err<A>& e, Where where = Where::current())
      : words_(detail::SharedWords<T, E>::template made_of<E>(detail::ValueOf<E>(e.error, where), where)), ok_(false, where) {}

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
  Value& operator=(Value other) & {
    words_.assign(other.words_, ok_.where());
    ok_ = other.ok_;
    tested_ = other.tested_;
    return *this;
  }

  // Whether it is ok: a decision.
  [[gnu::always_inline]] explicit operator bool() const { return tested_ = static_cast<bool>(ok_); }
  boolean is_ok() const { return ok_; }
  boolean is_error() const { return !ok_; }

  // The value; throws TraceError where this path has not found that it is ok.
  Held operator*() const {
    if (!tested_)
      detail::refuse(ok_.where(),
                     "the value of a result was used where it was not tested; write `if (auto r = result) use(*r);`, or "
                     "result.unwrap(), which ends the thread where it is an error");
    return words_.template as<T>(ok_.where());
  }
  // A thread whose result is the other one ends with a fault that names the line.
  Held unwrap(Where where = Where::current()) const { return expect("unwrap of a result that is an error", where); }
  Held expect(std::string_view message, Where where = Where::current()) const {
    detail::check(ok_.handle(), message, where);
    return words_.template as<T>(where);
  }
  // The error, where it is one: test it with is_ok() or if (r) ... else.
  detail::ValueOf<E> error(Where where = Where::current()) const {
    detail::check((!ok_).handle(), "the error of a result that is ok", where);
    return words_.template as<E>(where);
  }
  Held value_or(const Held& other, Where where = Where::current()) const {
    return detail::select_value<T>(ok_.handle(), words_.template as<T>(where), other, where);
  }
  // f of the value; errors stay.
  template <class F>
  [[gnu::always_inline]] auto map(F&& f, Where where = Where::current()) const {
    using R = Value<Result<detail::HostType<decltype(f(std::declval<const Held&>()))>, E>>;
    R result;
    if (ok_) result = R(f(oxide_as<T>(where)));
    else result = R(Err<detail::ValueOf<E>>{oxide_as<E>(where)});
    return result;
  }
  // f gives a result with the same kind of error.
  template <class F>
  [[gnu::always_inline]] auto and_then(F&& f, Where where = Where::current()) const {
    using R = Value<detail::HostType<decltype(f(std::declval<const Held&>()))>>;
    R result;
    if (ok_) result = f(oxide_as<T>(where));
    else result = R(Err<detail::ValueOf<E>>{oxide_as<E>(where)});
    return result;
  }

  friend boolean operator==(detail::ValueOperand<Host> a, detail::ValueOperand<Host> b) { return detail::equal_values<Host>(a, b); }
  friend boolean operator!=(detail::ValueOperand<Host> a, detail::ValueOperand<Host> b) { return !detail::equal_values<Host>(a, b); }

  // For oxide's own headers.
  static Value oxide_adopt(const trace::Handle*& in, Where where) { return Value(in, where); }
  void oxide_into(trace::Handle*& out) const {
    words_.into(out);
    *out++ = ok_.handle();
  }
  template <class A>
  detail::ValueOf<A> oxide_as(Where where) const {
    return words_.template as<A>(where);
  }
  trace::Handle oxide_equal(const Value& other, Where where) const {
    using namespace detail;
    const auto of = [&](ir::Opcode op, trace::Handle a, trace::Handle b) { return emit(op, ir::Type::boolean, a, b, 0, where); };
    const trace::Handle alike = of(ir::Opcode::equal, ok_.handle(), other.ok_.handle());
    const trace::Handle operands[] = {ok_.handle(), Flat<T>::equal(oxide_as<T>(where), other.oxide_as<T>(where), where),
                                      Flat<E>::equal(oxide_as<E>(where), other.oxide_as<E>(where), where)};
    return of(ir::Opcode::bit_and, alike, record(ir::Opcode::select, ir::Type::boolean, operands, 3, 0, where));
  }

 private:
  Value(const trace::Handle*& in, Where where) : words_(in), ok_(boolean::from_handle(*in++, where)) {}
  Value(const detail::Handles<Host>& all, Where where, const trace::Handle* in = nullptr) : Value((in = all.of), where) {}

  detail::SharedWords<T, E> words_;
  boolean ok_;
  mutable bool tested_ = false;
};

template <class T, class E>
class Result<Value<T>, Value<E>> : public Value<Result<T, E>> {
 public:
  using Value<Result<T, E>>::Value;
  Result(const Value<Result<T, E>>& other, detail::Where where = detail::Where::current()) : Value<Result<T, E>>(other, where) {}
};

namespace detail {
template <class T, class E>
inline constexpr bool is_choice<Result<T, E>> = true;

// ok(x) or err(e).
template <Element T, Element E>
struct PrintShape<Result<T, E>> {
  static constexpr runtime::PrintClasses classes = PrintShape<T>::classes | PrintShape<E>::classes;
  static void show(PrintParts& parts, const Value<Result<T, E>>& value, Where where) {
    const auto held = [&]<class A>(std::type_identity<A>, std::string_view name) {
      parts.text(name);
      PrintShape<A>::show(parts, value.template oxide_as<A>(where), where);
      parts.text(")");
    };
    parts.either(value.is_ok(), [&] { held(std::type_identity<T>(), "ok("); }, [&] { held(std::type_identity<E>(), "err("); });
  }
};
}  // namespace detail

}  // namespace oxide
