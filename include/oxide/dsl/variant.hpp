// ox::Variant: one of several types, on the host and, with the same bytes, in kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <oxide/dsl/shared_bytes.hpp>
#include <oxide/error.hpp>

namespace oxide {

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
    return as<T>();
  }
  friend bool operator==(const Variant& a, const Variant& b) {
    return a.index_ == b.index_ && (... && (a.index_ != detail::place_of<Ts, Ts...>() || a.template as<Ts>() == b.template as<Ts>()));
  }

 private:
  friend struct detail::Flat<Variant>;
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }
  alignas(detail::SharedBytes<Ts...>::alignment) unsigned char bytes_[detail::SharedBytes<Ts...>::size] = {};
  std::uint8_t index_ = 0;
};

namespace detail {
template <Element... Ts>
struct Flat<Variant<Ts...>> {
  static constexpr std::size_t count = SharedBytes<Ts...>::words + 1;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    SharedBytes<Ts...>::leaves(out, offset);
    *out++ = {ir::Type::u8, offset + offset_of(&Variant<Ts...>::index_)};
  }
  static Value<Variant<Ts...>> from(const trace::Handle*& in, Where where) { return Value<Variant<Ts...>>::oxide_adopt(in, where); }
  static void into(const Value<Variant<Ts...>>& value, trace::Handle*& out) { value.oxide_into(out); }
  static trace::Handle equal(const Value<Variant<Ts...>>& a, const Value<Variant<Ts...>>& b, Where where) {
    return a.oxide_equal(b, where);
  }
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

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
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

  friend boolean operator==(detail::ValueOperand<Host> a, detail::ValueOperand<Host> b) { return detail::equal_values<Host>(a, b); }
  friend boolean operator!=(detail::ValueOperand<Host> a, detail::ValueOperand<Host> b) { return !detail::equal_values<Host>(a, b); }

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
  trace::Handle oxide_equal(const Value& other, Where where) const {
    using namespace detail;
    trace::Handle same = emit(ir::Opcode::equal, ir::Type::boolean, index_.handle(), other.index_.handle(), 0, where);
    const auto alternative = [&]<class T>(std::type_identity<T>) {  // one that they do not hold counts as equal
      const trace::Handle held = holds<T>().handle();
      const trace::Handle equal = Flat<T>::equal(oxide_as<T>(where), other.template oxide_as<T>(where), where);
      const trace::Handle operands[] = {held, equal, constant(ir::Type::boolean, 1, where)};
      const trace::Handle chosen = record(ir::Opcode::select, ir::Type::boolean, operands, 3, 0, where);
      same = emit(ir::Opcode::bit_and, ir::Type::boolean, same, chosen, 0, where);
    };
    (alternative(std::type_identity<Ts>()), ...);
    return same;
  }

 private:
  Value(const trace::Handle*& in, Where where) : words_(in), index_(u8::from_handle(*in++, where)) {}
  Value(const detail::Handles<Host>& all, Where where, const trace::Handle* in = nullptr) : Value((in = all.of), where) {}

  detail::SharedWords<Ts...> words_;
  u8 index_;
};

namespace detail {
template <class... Ts>
inline constexpr bool is_choice<Variant<Ts...>> = true;

// The alternative that it holds.
template <Element... Ts>
struct PrintShape<Variant<Ts...>> {
  static constexpr runtime::PrintClasses classes = (PrintShape<Ts>::classes | ...);
  static void show(PrintParts& parts, const Value<Variant<Ts...>>& value, Where where) {
    const u8 index = value.index();
    std::uint64_t place = 0;
    const auto alternative = [&]<class T>(std::type_identity<T>) {
      parts.when(ir::Type::u8, index.handle(), place++);
      PrintShape<T>::show(parts, value.template oxide_as<T>(where), where);
      parts.end();
    };
    (alternative(std::type_identity<Ts>()), ...);
  }
};
}  // namespace detail

}  // namespace oxide
