// expect: a floating-point host number never becomes an integer silently
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32x4 use(const ox::i32x4& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::max(x, 1.5);
#else
  return ox::max(x, 1);
#endif
}
