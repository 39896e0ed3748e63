// expect: ox::cross takes two vectors of three numbers; ox::swizzle<0, 1, 2>
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32x3 use(const ox::f32x4& x, const ox::f32x4& y) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::cross(x, y);
#else
  return ox::cross(ox::swizzle<0, 1, 2>(x), ox::swizzle<0, 1, 2>(y));
#endif
}
