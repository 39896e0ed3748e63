// expect: (no match for .operator\[\]|does not provide a subscript operator)
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  s[0] = 1.0f;
#else
  s.unchecked_mut(0) = 1.0f;
#endif
}
