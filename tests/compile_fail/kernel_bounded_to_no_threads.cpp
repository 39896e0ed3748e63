// expect: (constant expression|not a constant|throw|non-.constexpr. function)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

constexpr auto plain = ox::kernel("plain", [](ox::f32) {});
constexpr auto good = plain.launch_bounds(256, 2);
#ifdef OXIDE_COMPILE_FAIL
constexpr auto bad = plain.launch_bounds(0);
#endif
