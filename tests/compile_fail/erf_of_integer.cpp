// expect: takes ox::f32 or ox::f64; write ox::cast<ox::f32>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 error(ox::i32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::erf(x);
#else
  return ox::erf(ox::cast<ox::f32>(x));
#endif
}
