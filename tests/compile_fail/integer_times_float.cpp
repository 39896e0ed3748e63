// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 scale(ox::f32 a, ox::i32 n) {
#ifdef OXIDE_COMPILE_FAIL
  return a * n;
#else
  return a * ox::cast<ox::f32>(n);
#endif
}
