// expect: a function's parameters are device values and structs of them
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
constexpr auto f = ox::function("f", [](ox::f32* x) { return *x; });
#else
constexpr auto f = ox::function("f", [](ox::f32& x) { return x; });
#endif
void use(ox::f32& x) {
#ifdef OXIDE_COMPILE_FAIL
  f(&x);
#else
  f(x);
#endif
}
