// ox::Value<T>: a device value. Inside a kernel lambda it behaves like the T it stands for.
//
// Copying takes a snapshot, assignment changes the variable, a default-made one is zero. Moving copies: a variable that is moved
// from is still a variable, and std::swap depends on it.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/conversion.hpp>
#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/operators.hpp>
#include <oxide/dsl/refused.hpp>
#include <oxide/ir/float8.hpp>
#include <oxide/ir/half.hpp>
#include <oxide/ir/type.hpp>

namespace oxide {

template <class T>
class Value : public detail::Operators<T> {
  struct Adopt {};
  Value(trace::Handle handle, detail::Where where, Adopt) : handle_(handle), where_(where) {}

  static_assert(ir::type_for<T>() != ir::Type::none,
                "oxide: ox::Value<T> stands for bool, an 8- to 128-bit integer, ox::half, ox::bfloat16, float or double");
  static_assert(std::is_same_v<T, typename detail::ScalarOf<ir::type_for<T>()>::type>,
                "oxide: name device values by their width, as in ox::i32 and ox::u64; `long` and `long long` are both ox::i64");

 public:
  using scalar_type = T;
  static constexpr ir::Type type = ir::type_for<T>();

  Value(detail::Where where = detail::Where::current()) : Value(detail::constant(type, 0, where), where, Adopt{}) {}
  Value(const Value& other, detail::Where where = detail::Where::current())
      : handle_(detail::emit(ir::Opcode::copy, type, other.handle_, 0, where)), where_(where) {}

  // From a host number, a narrower device value, a thread index, or an element of a span.
  template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Value> && detail::Fits<A, type>)
  Value(A&& source, detail::Where where = detail::Where::current())
      : handle_(detail::fresh_handle_as<T>(std::forward<A>(source), where)), where_(where) {}

  // All other numbers: does not compile, and says what to write.
  template <class A>
    requires detail::Refused<A, type>
  Value(A&&, detail::Where where = detail::Where::current()) : Value(where) {
    detail::explain<detail::verdict(detail::source_of<A>, type)>();
  }

  // By value, so that the parameter's copy or conversion knows the place of the assignment.
  Value& operator=(Value other) & {
    detail::assign(handle_, other.handle_, other.where_);
    return *this;
  }
  template <class A>
    requires(!detail::Number<A> && !std::is_convertible_v<A &&, Value>)
  void operator=(A&&) & {
    detail::refuse_other_value<A>();
  }
  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }

  // A decision: the kernel takes both ways, one after the other.
  [[gnu::always_inline]] explicit operator bool() const {
    static_assert(std::is_same_v<T, bool>, "oxide: a condition is an ox::boolean; write x != 0");
    return detail::decide(handle_, where_);
  }

  // (float)x, static_cast<int>(x)
  template <class H>
    requires detail::HostNumber<H>
  explicit operator H() const {
    detail::refuse_host_number<H>();
    return H();
  }

  // For oxide's own headers: the recorded value behind this one.
  static Value from_handle(trace::Handle handle, detail::Where where) { return Value(handle, where, Adopt{}); }
  trace::Handle handle() const { return handle_; }
  detail::Where where() const { return where_; }

 private:
  trace::Handle handle_;
  detail::Where where_;  // of the copy or operation that made it
};

// An operation, not a decision. The operand comes by value for its place, and as a template so that only a boolean fits.
template <class T>
  requires std::is_same_v<T, bool>
Value<T> operator!(Value<T> a) {
  return Value<T>::from_handle(detail::emit(ir::Opcode::bit_not, ir::Type::boolean, a.handle(), 0, a.where()), a.where());
}

using boolean = Value<bool>;
using i8 = Value<std::int8_t>;
using i16 = Value<std::int16_t>;
using i32 = Value<std::int32_t>;
using i64 = Value<std::int64_t>;
using u8 = Value<std::uint8_t>;
using u16 = Value<std::uint16_t>;
using u32 = Value<std::uint32_t>;
using u64 = Value<std::uint64_t>;
using f32 = Value<float>;
using f64 = Value<double>;
using f16 = Value<half>;       // IEEE 754 binary16
using bf16 = Value<bfloat16>;  // the upper half of a binary32
using i128 = Value<int128>;
using u128 = Value<uint128>;
// Formats that are kept, copied, compared by their bits, and converted to and from floats; there is no arithmetic in them.
using f8_e4m3 = Value<e4m3>;
using f8_e5m2 = Value<e5m2>;
// Two halves in one word: +, - and * work on both at once, as do the functions in packed.hpp.
using f16x2 = Value<half2>;
using bf16x2 = Value<bfloat162>;

}  // namespace oxide
