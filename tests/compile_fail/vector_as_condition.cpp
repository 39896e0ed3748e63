// expect: a vector is no condition; write ox::all.a == b. or ox::any
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(ox::f32x4& x, const ox::f32x4& y) {
#ifdef OXIDE_COMPILE_FAIL
  if (x == y) x = y + 1;
#else
  if (ox::all(x == y)) x = y + 1;
#endif
}
