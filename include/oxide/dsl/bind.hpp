// ox::bind: a lambda together with numbers and structs that it uses, which become parameters of the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/value.hpp>

namespace oxide {

// A captureless lambda and the values of its first parameters. In a kernel it is called with the rest of them. Changing the values
// costs no new compile, unlike those of captured variables.
template <class F, class... Ts>
class Bound {
 public:
  static constexpr std::size_t count = (std::size_t{0} + ... + detail::leaf_count<Ts>);  // parameters
  using lambda_type = F;

  constexpr explicit Bound(Ts... values) : values_(values...) {}

  template <class... A>
  decltype(auto) operator()(A&&... arguments) const {
    return call(std::index_sequence_for<Ts...>(), std::forward<A>(arguments)...);
  }

  // For oxide's own headers: what a launch passes, and what stands for it while the kernel is traced.
  constexpr const std::tuple<Ts...>& values() const { return values_; }
  static Bound from_handles(const trace::Handle* handles) {
    Bound bound{Ts{}...};
    for (std::size_t i = 0; i != count; ++i) bound.handles_[i] = handles[i];
    bound.in_kernel_ = true;
    return bound;
  }

 private:
  template <std::size_t... I, class... A>
  decltype(auto) call(std::index_sequence<I...>, A&&... arguments) const {
    return F{}(value<I, Ts>(detail::Where::current())..., std::forward<A>(arguments)...);
  }
  template <std::size_t I, class T>
  detail::ValueOf<T> value(detail::Where where) const {
    if (!in_kernel_) return detail::value_from<T>(detail::constants<T>(&std::get<I>(values_), where), where);
    detail::Handles<T> all;
    for (std::size_t i = 0; i != detail::leaf_count<T>; ++i) all.of[i] = handles_[first_[I] + i];
    detail::copy_leaves(detail::leaves_of<T>(), detail::leaf_count<T>, all.of, where);
    return detail::value_from<T>(all, where);
  }

  // Of each value: its first parameter.
  static constexpr std::array<std::size_t, sizeof...(Ts) + 1> first_ = [] {
    std::array<std::size_t, sizeof...(Ts) + 1> first{};
    constexpr std::size_t counts[] = {detail::leaf_count<Ts>..., 0};
    for (std::size_t i = 0; i != sizeof...(Ts); ++i) first[i + 1] = first[i] + counts[i];
    return first;
  }();

  std::tuple<Ts...> values_;
  std::array<trace::Handle, count> handles_{};
  bool in_kernel_ = false;
};

namespace detail {

template <class F>
inline constexpr bool captureless = std::is_class_v<F> && std::is_empty_v<F> && std::is_default_constructible_v<F>;

template <class F, class... Ts>
constexpr bool can_bind() {
  static_assert(captureless<F>,
                "oxide: the last argument of ox::bind is a lambda without captures; pass what it needs as the arguments before it");
  static_assert(sizeof...(Ts) > 0, "oxide: ox::bind takes one or more numbers, then a captureless lambda");
  static_assert((Element<Ts> && ...), "oxide: ox::bind passes host numbers, enumerations, and structs and arrays of them");
  return captureless<F> && sizeof...(Ts) > 0 && (Element<Ts> && ...);
}

template <class F, class... Ts>
constexpr auto bound_to(F, const Ts&... values) {
  if constexpr (can_bind<F, Ts...>()) return Bound<F, Ts...>(values...);
}
// A bind of a bind: the inner values come first, as the inner call has them.
template <class F, class... Inner, class... Ts>
constexpr auto bound_to(const Bound<F, Inner...>& inner, const Ts&... values) {
  return std::apply([&](const Inner&... first) { return bound_to(F{}, first..., values...); }, inner.values());
}

template <class Tuple, std::size_t... I>
constexpr auto bind(const Tuple& all, std::index_sequence<I...>) {
  return bound_to(std::get<sizeof...(I)>(all), std::get<I>(all)...);
}

}  // namespace detail

// Example: map(stream, config, ox::bind(2.5f, [](ox::f32 factor, ox::f32 x) { return factor * x; }), in, out);
template <class... A>
constexpr auto bind(A... values_then_lambda) {
  return detail::bind(std::tuple<A...>(values_then_lambda...), std::make_index_sequence<sizeof...(A) - 1>());
}

}  // namespace oxide
