// expect: ox::any and ox::all take a vector of booleans, as in ox::any.v > 0.
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::boolean use(const ox::f32x4& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::any(x);
#else
  return ox::any(x != 0);
#endif
}
