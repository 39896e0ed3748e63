// expect: ox::function takes a plain function or a lambda without captures
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(float offset) {
#ifdef OXIDE_COMPILE_FAIL
  auto f = ox::function("f", [offset](ox::f32 x) { return x + offset; });
#else
  auto f = ox::function("f", [](ox::f32 x, ox::f32 o) { return x + o; });
#endif
  (void)f;
  (void)offset;
}
