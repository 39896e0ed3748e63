// expect: write its type, as in .ox::f32 x = s\[i\]
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 twice(ox::Span<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  auto x = s[0];
  return x * 2;
#else
  return s[0] * 2;
#endif
}
