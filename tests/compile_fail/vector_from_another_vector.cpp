// expect: vectors of different types or sizes do not mix; write ox::cast<T>
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(ox::f32x4& x, const ox::i32x4& y) {
#ifdef OXIDE_COMPILE_FAIL
  x = y;
#else
  x = ox::cast<float>(y);
#endif
}
