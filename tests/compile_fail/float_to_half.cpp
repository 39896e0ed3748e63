// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f16 narrowed(ox::f32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return x;
#else
  return ox::cast<ox::f16>(x);
#endif
}
