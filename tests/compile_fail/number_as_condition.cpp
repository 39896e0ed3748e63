// expect: write x != 0
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 pick(ox::i32 x, ox::f32 y) {
#ifdef OXIDE_COMPILE_FAIL
  if (x) return y;
#else
  if (x != 0) return y;
#endif
  return 0;
}
