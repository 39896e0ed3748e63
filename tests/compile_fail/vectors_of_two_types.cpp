// expect: vectors of different types or sizes do not mix; write ox::cast<T>.v., or ox::swizzle
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32x4 use(const ox::f32x4& x, const ox::i32x4& y) {
#ifdef OXIDE_COMPILE_FAIL
  return x + y;
#else
  return x + ox::cast<float>(y);
#endif
}
