// expect: a device value is no number of the host, and a cast makes none of it; write ox::cast<ox::f32>
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 as_float(ox::i32 n) {
#ifdef OXIDE_COMPILE_FAIL
  return static_cast<float>(n);
#else
  return ox::cast<float>(n);
#endif
}
