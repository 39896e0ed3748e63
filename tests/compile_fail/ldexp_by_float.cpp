// expect: this argument is a whole number; pass an ox::i32, or write ox::cast<ox::i32>\(n\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 scaled(ox::f32 x, ox::f32 n) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::ldexp(x, n);
#else
  return ox::ldexp(x, ox::cast<ox::i32>(n));
#endif
}
