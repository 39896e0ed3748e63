// The fast ones: a GPU's own instructions, with the errors that docs/math.md gives; on a CPU the precise functions.
#pragma once

#include <utility>

#include <oxide/dsl/math_functions.hpp>

namespace oxide {
namespace detail {

template <ir::Type type>
constexpr void needs_f32() {
  static_assert(type == ir::Type::f32, "oxide: the functions of ox::approx take ox::f32; for other types call the one in ox");
}

}  // namespace detail

namespace approx {

#define OXIDE_DSL_APPROX1(name)                                               \
  template <detail::NumberOnDevice A>                                         \
  Value<float> name(A&& x, detail::Where where = detail::Where::current()) {  \
    detail::needs_f32<detail::needed_common_type<A>()>();                     \
    return detail::math1(ir::Math::approx_##name, std::forward<A>(x), where); \
  }
#define OXIDE_DSL_APPROX2(name)                                                                   \
  template <class A, class B>                                                                     \
    requires detail::NumbersOnDevice<A, B>                                                        \
  Value<float> name(A&& x, B&& y, detail::Where where = detail::Where::current()) {               \
    detail::needs_f32<detail::needed_common_type<A, B>()>();                                      \
    return detail::math2(ir::Math::approx_##name, std::forward<A>(x), std::forward<B>(y), where); \
  }

OXIDE_DSL_APPROX1(sin)  // CUDA's __sinf, and so on
OXIDE_DSL_APPROX1(cos)
OXIDE_DSL_APPROX1(tan)
OXIDE_DSL_APPROX1(exp)
OXIDE_DSL_APPROX1(exp2)
OXIDE_DSL_APPROX1(exp10)
OXIDE_DSL_APPROX1(log)
OXIDE_DSL_APPROX1(log2)
OXIDE_DSL_APPROX1(log10)
OXIDE_DSL_APPROX2(pow)
OXIDE_DSL_APPROX1(tanh)
OXIDE_DSL_APPROX1(sqrt)
OXIDE_DSL_APPROX1(rsqrt)
OXIDE_DSL_APPROX1(rcp)  // 1 / x
OXIDE_DSL_APPROX2(div)  // x / y; 0 where |y| > 2^126

#undef OXIDE_DSL_APPROX1
#undef OXIDE_DSL_APPROX2

}  // namespace approx
}  // namespace oxide
