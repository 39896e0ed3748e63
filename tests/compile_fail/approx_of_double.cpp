// expect: the functions of ox::approx take ox::f32
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f64 sine(ox::f64 x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::approx::sin(x);
#else
  return ox::sin(x);
#endif
}
