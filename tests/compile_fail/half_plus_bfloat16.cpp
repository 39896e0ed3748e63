// expect: ox::f16 and ox::bf16 do not convert into each other
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(ox::f16 a, ox::bf16 b) {
#ifdef OXIDE_COMPILE_FAIL
  return a + b;
#else
  return ox::f32(a) + b;
#endif
}
