// expect: (constant expression|not a constant|throw|non-.constexpr. function)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

constexpr auto good = ox::kernel("good", [](ox::f32) {});
#ifdef OXIDE_COMPILE_FAIL
constexpr auto bad = ox::kernel("not a name", [](ox::f32) {});
#endif
