// What ox::print shows of values that are not one number: structs, tuples, arrays, and what choice.hpp adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/dsl/leaves.hpp>
#include <oxide/dsl/structure.hpp>
#include <oxide/runtime/print_format.hpp>

namespace oxide {

template <class T, std::size_t N>
struct Vector;

namespace detail {

// Halves and 8-bit floats are shown as the f32 that they are.
constexpr ir::Type shown_type(ir::Type type) { return ir::is_half(type) || ir::is_storage(type) ? ir::Type::f32 : type; }
constexpr runtime::PrintClass print_class_of_number(ir::Type type) {
  using enum runtime::PrintClass;
  return ir::is_boolean(type) ? boolean : ir::is_integer(type) ? integer : floating;
}

// A piece of a value's text.
struct PrintPart {
  enum class Kind : std::uint8_t { text, number, when, end } kind = Kind::text;
  ir::Type type = ir::Type::none;  // of the number
  trace::Handle handle;
  std::uint64_t value = 0;  // when: what is before the `end` is shown where the number is this one
  std::string_view text;    // lives as long as the program
};

// The text of a value, piece by piece.
class PrintParts {
 public:
  void text(std::string_view s) { all_.push_back({PrintPart::Kind::text, ir::Type::none, {}, 0, s}); }
  // Shown as the field says.
  void number(ir::Type type, trace::Handle handle, Where where) {
    all_.push_back({PrintPart::Kind::number, shown_type(type), convert(type, shown_type(type), handle, where), 0, {}});
  }
  void when(ir::Type type, trace::Handle handle, std::uint64_t value) { all_.push_back({PrintPart::Kind::when, type, handle, value, {}}); }
  // A choice between two.
  template <class F, class G>
  void either(const Value<bool>& condition, F&& shown_if_true, G&& shown_if_false) {
    when(ir::Type::boolean, condition.handle(), 1);
    shown_if_true();
    end();
    when(ir::Type::boolean, condition.handle(), 0);
    shown_if_false();
    end();
  }
  void end() { all_.push_back({PrintPart::Kind::end, ir::Type::none, {}, 0, {}}); }
  const std::vector<PrintPart>& all() const { return all_; }

 private:
  std::vector<PrintPart> all_;
};

// classes               what numbers are in it
// show(parts, value, where)
// Of a host type T, whose value is a ValueOf<T>; and of what consists of values: std::array<ox::f32, 3>, a struct with such members.
template <class T>
struct PrintShape;

template <ir::Scalar T>
struct PrintShape<T> {
  static constexpr runtime::PrintClasses classes = runtime::only(print_class_of_number(ir::type_for<T>()));
  static void show(PrintParts& parts, const ValueFor<T>& value, Where where) { parts.number(ir::type_for<T>(), value.handle(), where); }
};
template <Enumeration E>
struct PrintShape<E> {
  static constexpr runtime::PrintClasses classes = runtime::only(runtime::PrintClass::integer);
  static void show(PrintParts& parts, const Value<E>& value, Where where) { parts.number(type_of_enumeration<E>(), value.handle(), where); }
};
template <class T>
struct PrintShape<Value<T>> : PrintShape<T> {};
template <class T>
  requires(!std::is_same_v<HostType<T>, T> && !std::is_same_v<Value<HostType<T>>, T> && std::is_base_of_v<Value<HostType<T>>, T>)
struct PrintShape<T> : PrintShape<HostType<T>> {};

template <class T>
inline constexpr bool shown_as_tuple = is_tuple<T>;
template <class T, std::size_t n>
inline constexpr bool shown_as_tuple<Vector<T, n>> = true;

// Members in order, as their own types say.
template <class T, class List>
struct PrintMembers;
template <class T, class... M>
struct PrintMembers<T, TypeList<M...>> {
  static constexpr runtime::PrintClasses classes = (runtime::PrintClasses{0} | ... | PrintShape<M>::classes);
  template <class... Member>
  static void show_each(PrintParts& parts, Where where, const Member&... member) {
    bool first = true;
    const auto one = [&]<class Type>(std::type_identity<Type>, const auto& m) {
      if (!std::exchange(first, false)) parts.text(", ");
      PrintShape<Type>::show(parts, m, where);
    };
    parts.text(shown_as_tuple<T> ? "(" : "{");
    (one(std::type_identity<M>(), member), ...);
    parts.text(shown_as_tuple<T> ? ")" : "}");
  }
};
template <Structure T>
struct PrintShape<T> : PrintMembers<T, typename Fields<T>::types> {
  static void show(PrintParts& parts, const Value<T>& value, Where where) {
    Value<T>::oxide_each(value, [&](const auto&... m) { PrintShape::show_each(parts, where, m...); });
  }
};

// Elements in brackets, of an array of values or a host type that becomes one.
template <class Element, std::size_t n>
struct PrintElements {
  static constexpr runtime::PrintClasses classes = PrintShape<Element>::classes;
  static void show(PrintParts& parts, const auto& array, Where where) {
    show_each(parts, where, [&](std::size_t i) -> const auto& { return array[i]; });
  }
  static void show_each(PrintParts& parts, Where where, const auto& element) {
    parts.text("[");
    for (std::size_t i = 0; i != n; ++i) {
      if (i != 0) parts.text(", ");
      PrintShape<Element>::show(parts, element(i), where);
    }
    parts.text("]");
  }
};
template <HostArray T>
  requires(!has_leaves<T>)
struct PrintShape<T> : PrintElements<typename ArrayTraits<T>::element, ArrayTraits<T>::size> {};
template <class T, std::size_t n>
  requires has_leaves<T>
struct PrintShape<std::array<T, n>> : PrintElements<T, n> {};
template <class T, std::size_t n>
  requires has_leaves<T>
struct PrintShape<T[n]> : PrintElements<T, n> {};
template <class T, std::size_t n>
struct PrintShape<LocalArray<T, n>> : PrintElements<T, n> {
  static void show(PrintParts& parts, const LocalArray<T, n>& array, Where where) {
    PrintShape::show_each(parts, where, [&](std::size_t i) { return ValueOf<T>(array[Index(i, where)]); });
  }
};

// What consists of values.
template <class... T>
  requires(has_leaves<T> && ...)
struct PrintShape<std::tuple<T...>> : PrintMembers<std::tuple<T...>, TypeList<T...>> {
  static void show(PrintParts& parts, const std::tuple<T...>& value, Where where) {
    std::apply([&](const T&... m) { PrintShape::show_each(parts, where, m...); }, value);
  }
};
template <class A, class B>
  requires(has_leaves<A> && has_leaves<B>)
struct PrintShape<std::pair<A, B>> : PrintMembers<std::pair<A, B>, TypeList<A, B>> {
  static void show(PrintParts& parts, const std::pair<A, B>& value, Where where) {
    PrintShape::show_each(parts, where, value.first, value.second);
  }
};
struct PrintMemberTypes {
  template <class... M>
  constexpr TypeList<M...> operator()(const M&...) const {
    return {};
  }
};
template <StructOfValues T>
  requires has_leaves<T>
struct PrintShape<T> : PrintMembers<T, decltype(with_value_members(std::declval<const T&>(), PrintMemberTypes()))> {
  static void show(PrintParts& parts, const T& value, Where where) {
    with_value_members(value, [&](const auto&... m) { PrintShape::show_each(parts, where, m...); });
  }
};

// An argument that is shown in parts.
template <class A>
concept PrintedWhole = !std::is_enum_v<HostType<A>> &&
                       (AggregateArgument<A> || (has_leaves<std::remove_cvref_t<A>> && source_of<A>.kind == SourceKind::unknown));

template <class A>
using WholeOf = std::conditional_t<AggregateArgument<A>, HostType<A>, std::remove_cvref_t<A>>;

template <PrintedWhole A>
PrintParts print_parts(A&& x, Where where) {
  PrintParts parts;
  using Bare = std::remove_cvref_t<A>;
  if constexpr (AggregateArgument<A> && !std::is_base_of_v<Value<HostType<A>>, Bare>)
    PrintShape<HostType<A>>::show(parts, as_value(std::forward<A>(x), where), where);
  else PrintShape<WholeOf<A>>::show(parts, x, where);
  return parts;
}

}  // namespace detail
}  // namespace oxide
