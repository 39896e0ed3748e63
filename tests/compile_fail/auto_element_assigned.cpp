// expect: write its type, as in .ox::f32 x = s\[i\]
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::Span<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  auto x = s.unchecked_mut(0);
  x = 1;
#else
  s.unchecked_mut(0) = 1;
#endif
}
