// expect: ox::low\(p\) and ox::high\(p\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f16 sum(ox::f16x2 p, ox::f16 x) {
#ifdef OXIDE_COMPILE_FAIL
  return p + x;
#else
  return ox::low(p) + ox::high(p) + x;
#endif
}
