// expect: 8-bit floats and pairs of halves do not convert or mix by themselves
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(ox::f8_e5m2 a, ox::f32 b) {
#ifdef OXIDE_COMPILE_FAIL
  return a + b;
#else
  return ox::cast<ox::f32>(a) + b;
#endif
}
