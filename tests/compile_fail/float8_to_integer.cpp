// expect: 8-bit floats convert to and from floating types only
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32 whole(ox::f8_e4m3 x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::cast<ox::i32>(x);
#else
  return ox::cast<ox::i32>(ox::cast<ox::f32>(x));
#endif
}
