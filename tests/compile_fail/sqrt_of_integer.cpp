// expect: takes ox::f32 or ox::f64; write ox::cast<ox::f32>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 root(ox::i32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::sqrt(x);
#else
  return ox::sqrt(ox::cast<ox::f32>(x));
#endif
}
