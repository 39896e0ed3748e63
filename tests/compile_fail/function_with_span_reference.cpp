// expect: a function's parameters are device values and structs of them
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
constexpr auto f = ox::function("f", [](ox::Span<const float>& s) { return ox::f32(s[0]); });
#else
constexpr auto f = ox::function("f", [](const ox::Span<const float>& s) { return ox::f32(s[0]); });
#endif
void use(ox::Span<const float> s) { f(s); }
