// expect: rounding modes are there for ox::f32 and ox::f64
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(ox::f16 a, ox::f16 b) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::add_rz(a, b);
#else
  return ox::add_rz(ox::f32(a), b);
#endif
}
