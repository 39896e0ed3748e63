// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 narrow(ox::f64 x) {
#ifdef OXIDE_COMPILE_FAIL
  ox::f32 y = x;
#else
  ox::f32 y = ox::cast<ox::f32>(x);
#endif
  return y;
}
