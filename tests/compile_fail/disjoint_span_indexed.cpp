// expect: an ox::DisjointSpan has no operator\[\]: each thread has an element of its own
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
