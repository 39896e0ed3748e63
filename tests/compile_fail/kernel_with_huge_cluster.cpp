// expect: (constant expression|not a constant|throw|non-.constexpr. function)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

constexpr auto plain = ox::kernel("plain", [](ox::f32) {});
constexpr auto good = plain.cluster(4, 4);
#ifdef OXIDE_COMPILE_FAIL
constexpr auto bad = plain.cluster(32);
#endif
