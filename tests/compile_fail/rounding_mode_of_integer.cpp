// expect: rounding modes are there for ox::f16, ox::bf16, ox::f32 and ox::f64
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f16 sum(ox::f16 a, ox::i32 b) {
#ifdef OXIDE_COMPILE_FAIL
  ox::add_rz(b, b);
#endif
  return ox::add_rz(a, ox::cast_rz<ox::half>(b));
}
