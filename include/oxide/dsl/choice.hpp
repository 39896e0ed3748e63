// ox::Option, ox::Result and ox::Variant: one of several things, on the host and, with the same bytes, in kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/bits.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/error.hpp>

namespace oxide {

template <class T, class E>
class Result;

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

template <class T>
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

// a where the condition holds, else b, of any type; no branch.
template <class T>
ValueOf<T> select_value(trace::Handle condition, const ValueOf<T>& a, const ValueOf<T>& b, Where where) {
  Handles<T> x = handles_of<T>(a);
  const Handles<T> y = handles_of<T>(b);
  const Leaf* leaves = leaves_of<T>();
  for (std::size_t i = 0; i != leaf_count<T>; ++i) {
    const trace::Handle operands[] = {condition, x.of[i], y.of[i]};
    x.of[i] = record(ir::Opcode::select, leaves[i].type, operands, 3, 0, where);
  }
  return value_from<T>(x, where);
}

template <class T>
struct HostOf<Option<Value<T>>> {
  using type = Option<T>;
};
template <class T, class E>
struct HostOf<Result<Value<T>, Value<E>>> {
  using type = Result<T, E>;
};

// The host type that a value stands for.
template <class V>
using HostType = typename HostOf<std::remove_cvref_t<V>>::type;

template <class A>
inline constexpr bool is_option = false;
template <class T>
inline constexpr bool is_option<Option<T>> = true;

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
    requires(!detail::is_option<detail::HostType<A>> && std::is_constructible_v<Held, A &&, Where>)
  Value(A&& a, Where where = Where::current()) : value_(std::forward<A>(a), where), present_(true, where) {}

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

  friend boolean operator==(const Value& a, const Value& b) {
    return boolean::from_handle(a.oxide_equal(b, Where::current()), Where::current());
  }
  friend boolean operator!=(const Value& a, const Value& b) { return !(a == b); }

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

// ---- alternatives that share their bytes

namespace detail {

template <class... T>
struct Shared {
  static constexpr std::size_t most(std::initializer_list<std::size_t> all) {
    std::size_t n = 1;
    for (const std::size_t x : all) n = x > n ? x : n;
    return n;
  }
  static constexpr std::size_t alignment = most({alignof(T)...});
  static constexpr std::size_t size = (most({sizeof(T)...}) + alignment - 1) / alignment * alignment;
  static constexpr std::size_t word = word_size(size, alignment), words = size / word;

  static void leaves(Leaf*& out, std::uint32_t offset) {
    for (std::size_t w = 0; w != words; ++w) *out++ = {word_type(word), offset + static_cast<std::uint32_t>(w * word)};
  }
};

// The words of alternatives, as variables.
template <class... T>
class SharedWords {
  using S = Shared<T...>;

 public:
  explicit SharedWords(Where where) {
    for (trace::Handle& w : words_) w = constant(word_type(S::word), 0, where);
  }
  explicit SharedWords(const trace::Handle*& in) {
    for (trace::Handle& w : words_) w = *in++;
  }
  SharedWords(const SharedWords& other, Where where) {
    for (std::size_t w = 0; w != S::words; ++w) words_[w] = emit(ir::Opcode::copy, word_type(S::word), other.words_[w], 0, where);
  }
  void assign(const SharedWords& other, Where where) { assign_leaves(S::words, words_, other.words_, where); }
  void into(trace::Handle*& out) const {
    for (const trace::Handle w : words_) *out++ = w;
  }
  template <class A>
  static SharedWords made_of(const ValueOf<A>& value, Where where) {
    trace::Handle words[S::words];
    pack(leaves_of<A>(), leaf_count<A>, handles_of<A>(value).of, S::word, S::words, words, where);
    const trace::Handle* in = words;
    SharedWords made(in);
    return SharedWords(made, where);
  }
  template <class A>
  ValueOf<A> as(Where where) const {
    Handles<A> all;
    unpack(leaves_of<A>(), leaf_count<A>, words_, S::word, all.of, where);
    copy_leaves(leaves_of<A>(), leaf_count<A>, all.of, where);
    return value_from<A>(all, where);
  }

 private:
  trace::Handle words_[S::words];
};

template <class T, class... Ts>
constexpr std::size_t place_of() {
  constexpr bool same[] = {std::is_same_v<T, Ts>...};
  std::size_t found = sizeof...(Ts);
  for (std::size_t i = 0; i != sizeof...(Ts); ++i)
    if (same[i]) found = i;
  return found;
}

}  // namespace detail

// One of several types; they share their bytes, and an index says which it is. On the host and, with the same bytes, in kernels.
template <class... Ts>
class Variant {
  static_assert((detail::Element<Ts> && ...), "oxide: an ox::Variant holds what a kernel can have as a value");
  static_assert((std::is_trivially_copyable_v<Ts> && ...), "oxide: the alternatives of an ox::Variant are copied as bytes");
  static_assert(sizeof...(Ts) > 0 && sizeof...(Ts) <= 255, "oxide: an ox::Variant has 1 to 255 alternatives");

 public:
  Variant() = default;  // the first alternative, zero
  template <class T>
    requires(detail::place_of<T, Ts...>() < sizeof...(Ts))
  Variant(const T& value) : index_(static_cast<std::uint8_t>(detail::place_of<T, Ts...>())) {
    std::memcpy(bytes_, &value, sizeof value);
  }
  std::size_t index() const { return index_; }
  template <class T>
  bool holds() const {
    static_assert(detail::place_of<T, Ts...>() < sizeof...(Ts), "oxide: this type is no alternative of the ox::Variant");
    return index_ == detail::place_of<T, Ts...>();
  }
  // Throws Error when it holds another alternative.
  template <class T>
  T get() const {
    if (!holds<T>()) throw Error("the variant holds another alternative");
    T value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }

 private:
  friend struct detail::Flat<Variant>;
  alignas(detail::Shared<Ts...>::alignment) unsigned char bytes_[detail::Shared<Ts...>::size] = {};
  std::uint8_t index_ = 0;
};

namespace detail {
template <class... Ts>
struct Flat<Variant<Ts...>> {
  static constexpr std::size_t count = Shared<Ts...>::words + 1;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    Shared<Ts...>::leaves(out, offset);
    *out++ = {ir::Type::u8, offset + offset_of(&Variant<Ts...>::index_)};
  }
  static Value<Variant<Ts...>> from(const trace::Handle*& in, Where where) { return Value<Variant<Ts...>>::oxide_adopt(in, where); }
  static void into(const Value<Variant<Ts...>>& value, trace::Handle*& out) { value.oxide_into(out); }
};
}  // namespace detail

// In a kernel. Example: ox::match(shape).case_([&](ox::Value<Circle> c) { ... }).default_([&] { ... });
template <class... Ts>
class Value<Variant<Ts...>> {
  using Host = Variant<Ts...>;
  using Where = detail::Where;
  template <class T>
  static constexpr std::size_t place = detail::place_of<T, Ts...>();

 public:
  Value(Where where = Where::current()) : words_(where), index_(0, where) {}
  Value(const Host& host, Where where = Where::current()) : Value(detail::constants<Host>(&host, where), where) {}
  Value(const Value& other, Where where = Where::current()) : words_(other.words_, where), index_(other.index_, where) {}
  Value(Ref<Host>&& e) : Value(detail::loaded<Host>(e.oxide_position()), e.oxide_position().where) {}
  Value(Ref<const Host>&& e) : Value(detail::loaded<Host>(e.oxide_position()), e.oxide_position().where) {}
  // An alternative.
  template <class A>
    requires(place<detail::HostType<A>> < sizeof...(Ts))
  Value(A&& a, Where where = Where::current())
      : words_(detail::SharedWords<Ts...>::template made_of<detail::HostType<A>>(detail::ValueOf<detail::HostType<A>>(std::forward<A>(a)),
                                                                                 where)),
        index_(place<detail::HostType<A>>, where) {}

  Value& operator=(Value other) & {
    words_.assign(other.words_, index_.where());
    index_ = other.index_;
    return *this;
  }

  u8 index() const { return index_; }
  template <class T>
  boolean holds() const {
    static_assert(place<T> < sizeof...(Ts), "oxide: this type is no alternative of the ox::Variant");
    return index_ == place<T>;
  }
  // A thread whose variant holds another alternative ends with a fault that names the line.
  template <class T>
  detail::ValueOf<T> get(Where where = Where::current()) const {
    detail::check(holds<T>().handle(), "the variant holds another alternative", where);
    return words_.template as<T>(where);
  }

  // For oxide's own headers.
  static Value oxide_adopt(const trace::Handle*& in, Where where) { return Value(in, where); }
  void oxide_into(trace::Handle*& out) const {
    words_.into(out);
    *out++ = index_.handle();
  }
  template <class T>
  detail::ValueOf<T> oxide_as(Where where) const {
    return words_.template as<T>(where);
  }

 private:
  Value(const trace::Handle*& in, Where where) : words_(in), index_(u8::from_handle(*in++, where)) {}
  Value(const detail::Handles<Host>& all, Where where, const trace::Handle* in = nullptr) : Value((in = all.of), where) {}

  detail::SharedWords<Ts...> words_;
  u8 index_;
};

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

 private:
  friend struct detail::Flat<Result>;
  template <class A>
  A as() const {
    A value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }
  alignas(detail::Shared<T, E>::alignment) unsigned char bytes_[detail::Shared<T, E>::size] = {};
  bool ok_ = true;
};

namespace detail {
template <class T, class E>
struct Flat<Result<T, E>> {
  static constexpr std::size_t count = Shared<T, E>::words + 1;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    Shared<T, E>::leaves(out, offset);
    *out++ = {ir::Type::boolean, offset + offset_of(&Result<T, E>::ok_)};
  }
  static Value<Result<T, E>> from(const trace::Handle*& in, Where where) { return Value<Result<T, E>>::oxide_adopt(in, where); }
  static void into(const Value<Result<T, E>>& value, trace::Handle*& out) { value.oxide_into(out); }
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
  [[gnu::always_inline]] auto map(F&& f) const {
    using R = Value<Result<detail::HostType<decltype(f(std::declval<const Held&>()))>, E>>;
    R result;
    if (ok_) result = R(f(oxide_as<T>(Where())));
    else result = R(Err<detail::ValueOf<E>>{oxide_as<E>(Where())});
    return result;
  }
  // f gives a result with the same kind of error.
  template <class F>
  [[gnu::always_inline]] auto and_then(F&& f) const {
    using R = Value<detail::HostType<decltype(f(std::declval<const Held&>()))>>;
    R result;
    if (ok_) result = f(oxide_as<T>(Where()));
    else result = R(Err<detail::ValueOf<E>>{oxide_as<E>(Where())});
    return result;
  }

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

// ---- elements of memory

namespace detail {
template <class T>
inline constexpr bool is_choice = false;
template <class T>
inline constexpr bool is_choice<Option<T>> = true;
template <class... Ts>
inline constexpr bool is_choice<Variant<Ts...>> = true;
template <class T, class E>
inline constexpr bool is_choice<Result<T, E>> = true;
template <class T>
concept ChoiceElement = is_choice<std::remove_const_t<T>>;

}  // namespace detail

// Read when it becomes a value, written when it is assigned to.
template <class T>
  requires detail::ChoiceElement<T>
class Ref<T> {
  using Host = std::remove_const_t<T>;

 public:
  void operator=(const Value<Host>& value) && {
    static_assert(!std::is_const_v<T>, "oxide: this element can only be read");
    detail::write<Host>(position_, value, position_.where);
  }
  void operator=(Ref&& source) && { std::move(*this) = Value<Host>(std::move(source)); }

  // For oxide's own headers.
  explicit Ref(const detail::Position& position) : position_(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<T>(memory, index, where)) {}
  Ref(const Ref&) = delete;
  const detail::Position& oxide_position() const { return position_; }

 private:
  detail::Position position_;
};

namespace detail {
template <class T>
  requires ChoiceElement<T>
class Place<T> : public Ref<T> {
 public:
  using Ref<T>::Ref;
  void operator=(const Value<std::remove_const_t<T>>& value) { static_cast<Ref<T>&&>(*this) = value; }
  operator Value<std::remove_const_t<T>>() const {
    return value_from<std::remove_const_t<T>>(loaded<std::remove_const_t<T>>(this->oxide_position()), this->oxide_position().where);
  }
};
}  // namespace detail

}  // namespace oxide
