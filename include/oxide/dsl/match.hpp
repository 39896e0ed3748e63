// ox::match: one of several ways, by an integer, an enumerator, or what an option, result or variant holds.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/choice.hpp>
#include <oxide/dsl/signature.hpp>

namespace oxide {
namespace detail {

// Names an enumerator or alternative in an error.
template <auto enumerator, bool handled>
struct Case {
  static_assert(
      handled,
      "oxide: this ox::match has no default_, and no case_ for an enumerator that OXIDE_ENUM lists; Case<...> in this error names it");
};
template <class Alternative, bool handled>
struct CaseOf {
  static_assert(handled, "oxide: this ox::match has no default_, and no case_ for an alternative; CaseOf<...> in this error names it");
};

// What the cases so far take: labels and alternatives.
template <auto... labels>
struct Labels {};
template <class Labels, class Types>
struct Handled;
template <auto... labels, class... T>
struct Handled<Labels<labels...>, TypeList<T...>> {
  template <auto... more>
  using with_labels = Handled<Labels<labels..., more...>, TypeList<T...>>;
  template <class A>
  using with_type = Handled<Labels<labels...>, TypeList<T..., A>>;
  template <auto label>
  static constexpr bool has_label() {
    [[maybe_unused]] const auto same = [](auto other) {
      if constexpr (std::is_same_v<decltype(other), decltype(label)>) return other == label;
      else return false;
    };
    return (same(labels) || ...);
  }
  template <class A>
  static constexpr bool has_type = (std::is_same_v<A, T> || ...);
};

// What a way gives; device values are kept as values.
struct NoResult {};
template <class R>
struct KeptResult {
  using type = R;
};
template <class T>
struct KeptResult<Ref<T>> {
  using type = ValueOf<T>;
};
template <class R>
using Kept = typename KeptResult<std::remove_cvref_t<R>>::type;

template <class R>
struct MatchResult {
  std::optional<R> value;
  template <class F>
  [[gnu::always_inline]] void run(F&& f) {
    value.emplace(f());
  }
};
template <>
struct MatchResult<void> {
  template <class F>
  [[gnu::always_inline]] void run(F&& f) {
    f();
  }
};
template <>
struct MatchResult<NoResult> {};

template <class Host>
struct TwoWays {
  static constexpr bool value = false;
  using first = void;
  using second = void;
};
template <class T>
struct TwoWays<Option<T>> {
  static constexpr bool value = true;
  using first = T;
  using second = void;
};
template <class T, class E>
struct TwoWays<Result<T, E>> {
  static constexpr bool value = true;
  using first = T;
  using second = E;
};

enum class Way : bool { first, second };

template <class E>
concept ListedEnumeration = requires { oxide_enumerators(std::type_identity<E>()); };

template <class E>
inline constexpr auto enumerators_of = oxide_enumerators(std::type_identity<E>());

// A match while its cases are written. `matched_` is host state, which each path of the kernel has for itself.
template <class S, class R, class Done>
class [[nodiscard("oxide: an ox::match ends with default_ or exhaustive()")]] Match {
  using Host = HostType<S>;
  using Ways = TwoWays<Host>;
  static constexpr bool is_plain = ir::Scalar<Host> || std::is_enum_v<Host>;

 public:
  Match(const S& subject, Where where) : subject_(&subject), where_(where) {}

  // Integers, enumerations, booleans: one or more labels, then a function without parameters.
  // Variants: a function whose parameter is an alternative.
  template <class... A>
  [[gnu::always_inline]] auto case_(A&&... labels_then_function) && {
    if constexpr (is_plain) {
      static_assert(sizeof...(A) >= 2, "oxide: case_ takes one or more labels, then a function");
      return labelled(std::make_index_sequence<sizeof...(A) - 1>(), std::forward_as_tuple(std::forward<A>(labels_then_function)...));
    } else {
      static_assert(sizeof...(A) == 1, "oxide: case_ of a variant takes a function whose parameter is an alternative");
      return by_parameter(std::forward<A>(labels_then_function)...);
    }
  }
  // The label as a template argument, which exhaustive() can check.
  template <auto label, class F>
  [[gnu::always_inline]] auto case_(F&& f) && {
    return next<typename Done::template with_labels<label>>([&] { return equals(label); }, f);
  }
  // Of a variant: an alternative; the function takes it, or nothing.
  template <class T, class F>
  [[gnu::always_inline]] auto case_(F&& f) && {
    return alternative<T>(f);
  }

  // The two ways of an option and of a result. The second one that is written ends the match and gives the result.
  template <class F>
  [[gnu::always_inline]] auto some(F&& f) && {
    return next<typename Done::template with_labels<Way::first>>([&] { return subject_->is_some(); },
                                                                 [&]() -> decltype(auto) { return f(subject_->oxide_value()); });
  }
  template <class F>
  [[gnu::always_inline]] auto none(F&& f) && {
    return next<typename Done::template with_labels<Way::second>>([&] { return subject_->is_none(); }, f);
  }
  template <class F>
  [[gnu::always_inline]] auto ok(F&& f) && {
    return next<typename Done::template with_labels<Way::first>>(
        [&] { return subject_->is_ok(); },
        [&]() -> decltype(auto) { return f(subject_->template oxide_as<typename Ways::first>(where_)); });
  }
  template <class F>
  [[gnu::always_inline]] auto error(F&& f) && {
    return next<typename Done::template with_labels<Way::second>>(
        [&] { return subject_->is_error(); },
        [&]() -> decltype(auto) { return f(subject_->template oxide_as<typename Ways::second>(where_)); });
  }

  // What no case took. Gives the result.
  template <class F>
  [[gnu::always_inline]] auto default_(F&& f) && {
    using Result = std::conditional_t<std::is_same_v<R, NoResult>, Kept<decltype(f())>, R>;
    MatchResult<Result> all;
    if constexpr (std::is_same_v<R, Result>) all = std::move(result_);
    if (!matched_) all.run(f);
    if constexpr (!std::is_void_v<Result>) return Result(std::move(*all.value));
  }
  // There is a case for everything: of an enumeration for every enumerator that OXIDE_ENUM lists, of a variant for every alternative; the
  // compiler checks it. A thread with a value that is none of them ends with a fault. Gives the result.
  [[gnu::always_inline]] auto exhaustive() && {
    static_assert(!std::is_same_v<R, NoResult>, "oxide: this ox::match has no case");
    complete(static_cast<Host*>(nullptr));
    if (!matched_) check(constant(ir::Type::boolean, 0, where_), "a match met a value that is none of its cases", where_);
    if constexpr (!std::is_void_v<R>) {
      if (!matched_) result_.value.emplace();  // of a thread that has ended
      return R(std::move(*result_.value));
    }
  }

 private:
  template <class, class, class>
  friend class Match;

  template <class Label>
  boolean equals(const Label& label) const {
    if constexpr (std::is_enum_v<Host>) {
      const EnumerationOperand<Host> other(label, where_);
      return boolean::from_handle(emit(ir::Opcode::equal, ir::Type::boolean, subject_->handle(), other.handle, 0, where_), where_);
    } else {
      const Operand<Host> other(label, where_);
      return boolean::from_handle(emit(ir::Opcode::equal, ir::Type::boolean, subject_->handle(), other.handle, 0, where_), where_);
    }
  }
  template <std::size_t... i, class Tuple>
  [[gnu::always_inline]] auto labelled(std::index_sequence<i...>, Tuple&& all) {
    const auto is_one = [&] {
      boolean one = equals(std::get<0>(all));
      ((i == 0 ? void() : void(one |= equals(std::get<i>(all)))), ...);
      return one;
    };
    return next<Done>(is_one, std::get<sizeof...(i)>(all));
  }

  template <class F>
  [[gnu::always_inline]] auto by_parameter(F&& f) {
    using Parameters = typename Signature<std::remove_cvref_t<F>>::type::parameters;
    static_assert(Parameters::size == 1, "oxide: case_ of a variant takes a function whose parameter is an alternative");
    return alternative<HostType<TypeAt<0, Parameters>>>(f);
  }
  template <class T, class F>
  [[gnu::always_inline]] auto alternative(F& f) {
    return next<typename Done::template with_type<T>>([&] { return subject_->template holds<T>(); },
                                                      [&]() -> decltype(auto) {
                                                        if constexpr (std::is_invocable_v<F&>) return f();
                                                        else return f(subject_->template oxide_as<T>(where_));
                                                      });
  }

  template <class NowDone, class Condition, class F>
  [[gnu::always_inline]] auto next(const Condition& condition, F&& f) {
    using Result = std::conditional_t<std::is_same_v<R, NoResult>, Kept<decltype(f())>, R>;
    Match<S, Result, NowDone> after(*subject_, where_);
    if constexpr (std::is_same_v<R, Result>) after.result_ = std::move(result_);
    after.matched_ = matched_;
    constexpr bool last = Ways::value && NowDone::template has_label<Way::first>() && NowDone::template has_label<Way::second>();
    if constexpr (last) {  // no question is left
      if (!matched_) after.result_.run(f);
      if constexpr (!std::is_void_v<Result>) return Result(std::move(*after.result_.value));
    } else {
      if (!matched_ && static_cast<bool>(condition())) {
        after.result_.run(f);
        after.matched_ = true;
      }
      return after;
    }
  }

  template <class T>
  static constexpr void complete(T*) {
    if constexpr (std::is_same_v<T, bool>) {
      static_assert(Done::template has_label<true>() && Done::template has_label<false>(),
                    "oxide: an exhaustive match of a boolean has case_<true> and case_<false>");
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(ListedEnumeration<T>,
                    "oxide: .exhaustive() needs the enumerators of an enumeration: OXIDE_ENUM(Type, enumerator, enumerator, ...)");
      if constexpr (ListedEnumeration<T>) {
        []<std::size_t... i>(std::index_sequence<i...>) {
          static_assert((sizeof(Case<enumerators_of<T>[i], Done::template has_label<enumerators_of<T>[i]>()>) + ... + 0) != 0);
        }(std::make_index_sequence<enumerators_of<T>.size()>());
      }
    } else {
      static_assert(!ir::Scalar<T>, "oxide: a match of an integer ends with default_");
    }
  }
  template <class... Ts>
  static constexpr void complete(Variant<Ts...>*) {
    static_assert((sizeof(CaseOf<Ts, Done::template has_type<Ts>>) + ... + 0) != 0);
  }

  const S* subject_;
  Where where_;
  bool matched_ = false;
  MatchResult<R> result_;
};

template <class T>
concept Matchable = ir::Scalar<T> || std::is_enum_v<T> || is_choice<T>;

}  // namespace detail

// Takes the first way that fits, as C++'s switch does without falling through, and gives what that way gives; all ways give one type, or
// nothing. Example:
//   ox::f32 area = ox::match(kind).case_(Kind::square, [&] { return x * x; }).case_(Kind::circle, [&] { return 3.14159f * x * x; })
//                      .default_([] { return ox::f32(0); });
template <detail::Matchable T>
auto match(const Value<T>& subject, detail::Where where = detail::Where::current()) {
  static_assert(!ir::Scalar<T> || !std::is_floating_point_v<T>,
                "oxide: ox::match takes integers, enumerations, options, results and variants");
  return detail::Match<Value<T>, detail::NoResult, detail::Handled<detail::Labels<>, detail::TypeList<>>>(subject, where);
}

}  // namespace oxide

// The enumerators of an enumeration, for ox::match(...).exhaustive(). Stands in the namespace of the enumeration, behind it.
// Example: enum class Kind : std::uint8_t { square, circle };  OXIDE_ENUM(Kind, square, circle)
#define OXIDE_ENUM(Type, ...)                                                   \
  [[maybe_unused]] constexpr auto oxide_enumerators(std::type_identity<Type>) { \
    using enum Type;                                                            \
    return std::array{__VA_ARGS__};                                             \
  }
