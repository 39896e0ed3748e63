// expect: a function's parameters are device values and structs of them
// expect: shared arrays by reference
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

using Line = ox::Shared<float, 64>;
#ifdef OXIDE_COMPILE_FAIL
constexpr auto f = ox::function("f", [](Line line) { return ox::f32(line[0]); });
#else
constexpr auto f = ox::function("f", [](const Line& line) { return ox::f32(line[0]); });
#endif
void use(const Line& line) { f(line); }
