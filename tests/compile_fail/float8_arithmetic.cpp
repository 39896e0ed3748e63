// expect: no match for|invalid operands
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(ox::f8_e4m3 a, ox::f8_e4m3 b) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::cast<ox::f32>(a + b);
#else
  return ox::cast<ox::f32>(a) + ox::cast<ox::f32>(b);
#endif
}
