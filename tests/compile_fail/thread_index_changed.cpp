// expect: (deleted|write ox::cast|no match|no viable|cannot be assigned)
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float> s) {
  auto mine = ox::thread::index_1d();
#ifdef OXIDE_COMPILE_FAIL
  mine = ox::thread::index_1d();
#endif
  if (auto e = s.get_mut(mine)) *e = 1;
}
