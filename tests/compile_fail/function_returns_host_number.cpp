// expect: a function returns nothing, a device value
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
constexpr auto f = ox::function("f", [](ox::f32) { return 3; });
#else
constexpr auto f = ox::function("f", [](ox::f32) { return ox::i32(3); });
#endif
void use(ox::f32 x) { f(x); }
