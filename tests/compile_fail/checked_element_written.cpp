// expect: this element can only be read; write through get_mut
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::Span<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  s[0] = 1.0f;
#else
  s.unchecked_mut(0) = 1.0f;
#endif
}
