// expect: a device value is no number of the host, and a cast makes none of it; write ox::cast<ox::f32>.x.
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 half(const ox::i32& n) {
#ifdef OXIDE_COMPILE_FAIL
  return static_cast<float>(n) / 2;
#else
  return ox::cast<ox::f32>(n) / 2;
#endif
}
