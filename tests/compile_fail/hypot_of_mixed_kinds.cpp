// expect: device values convert only to a wider type of the same kind
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 length(ox::f32 x, ox::u32 y) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::hypot(x, y);
#else
  return ox::hypot(x, ox::cast<ox::f32>(y));
#endif
}
