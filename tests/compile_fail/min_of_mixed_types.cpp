// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 least(ox::i32 a, ox::f32 b) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::min(a, b);
#else
  return ox::min(ox::cast<ox::f32>(a), b);
#endif
}
