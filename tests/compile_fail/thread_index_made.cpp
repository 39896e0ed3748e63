// expect: (private|no matching)
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  ox::ThreadIndex<ox::Linear> mine(ox::u64(3).handle());
#else
  ox::ThreadIndex<ox::Linear> mine = ox::thread::index_1d();
#endif
  if (auto e = s.get_mut(mine)) *e = 1;
}
