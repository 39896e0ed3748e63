// expect: what get_mut gives may be an element; write .if .auto e = s.get_mut.i.. .e = x
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float> s) {
  auto e = s.get_mut(ox::thread::index_1d());
#ifdef OXIDE_COMPILE_FAIL
  if (e) e = 1;
#else
  if (e) *e = 1;
#endif
}
