// expect: %, bitwise and shift operators take integers; for a floating remainder use ox::fmod
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32x4 use(const ox::f32x4& x) {
#ifdef OXIDE_COMPILE_FAIL
  return x % 2;
#else
  return ox::fmod(x, 2);
#endif
}
