// expect: the operation takes two values of the type that is reduced or scanned and gives one
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(const ox::f32& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::warp::reduce(x, [](ox::f32 a, ox::f32 b) { a += b; });
#else
  return ox::warp::reduce(x, [](ox::f32 a, ox::f32 b) { return a + b; });
#endif
}
