// expect: a number does not become a vector by itself; write ox::splat<4>
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32x4 use(const ox::f32& x) {
#ifdef OXIDE_COMPILE_FAIL
  return x;
#else
  return ox::splat<4>(x);
#endif
}
