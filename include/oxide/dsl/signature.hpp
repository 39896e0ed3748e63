// What parameters a kernel lambda has.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <oxide/dsl/bind.hpp>
#include <oxide/dsl/type_list.hpp>

namespace oxide::detail {

// The parameter types as they are written, and the result. `known` is false for a lambda with `auto` parameters.
template <class R, class... P>
struct SignatureOf {
  static constexpr bool known = true;
  using result = R;
  using parameters = TypeList<P...>;
};
struct UnknownSignature {
  static constexpr bool known = false;
};

template <class M>
struct MemberSignature;
#define OXIDE_DSL_MEMBER(qualifiers)                  \
  template <class C, class R, class... P>             \
  struct MemberSignature<R (C::*)(P...) qualifiers> { \
    using type = SignatureOf<R, P...>;                \
  };
OXIDE_DSL_MEMBER()
OXIDE_DSL_MEMBER(const)
OXIDE_DSL_MEMBER(noexcept)
OXIDE_DSL_MEMBER(const noexcept)
#undef OXIDE_DSL_MEMBER

template <class F, class = void>
struct Signature {
  using type = UnknownSignature;
};
template <class F>
struct Signature<F, std::void_t<decltype(&F::operator())>> : MemberSignature<decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...), void> {
  using type = SignatureOf<R, P...>;
};

// A bound lambda, as a kernel: its bound parameters come first, and take what the Bound itself holds.
template <std::size_t n, class List>
struct DropFirst {
  using type = List;
};
template <std::size_t n, class First, class... Rest>
  requires(n > 0)
struct DropFirst<n, TypeList<First, Rest...>> : DropFirst<n - 1, TypeList<Rest...>> {};

template <class R, class List>
struct SignatureFromList;
template <class R, class... P>
struct SignatureFromList<R, TypeList<P...>> {
  using type = SignatureOf<R, P...>;
};

template <class S, std::size_t n>
struct SignatureAfter {
  using type = UnknownSignature;
};
template <class R, class... P, std::size_t n>
struct SignatureAfter<SignatureOf<R, P...>, n> : SignatureFromList<R, typename DropFirst<n, TypeList<P...>>::type> {
  static_assert(sizeof...(P) >= n, "oxide: the lambda in ox::bind takes fewer parameters than there are bound values");
};
template <class F, class... Ts>
struct Signature<Bound<F, Ts...>, void> : SignatureAfter<typename Signature<F>::type, sizeof...(Ts)> {};

}  // namespace oxide::detail
