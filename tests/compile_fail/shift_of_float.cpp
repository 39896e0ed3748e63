// expect: only integers are shifted
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 shift(ox::f32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return x << 2;
#else
  return x * 4;
#endif
}
