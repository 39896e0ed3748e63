// expect: get_mut takes the thread index of the span.s own space, which only ox::thread::index_1d
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float, ox::Grid2D<64>> s) {
#ifdef OXIDE_COMPILE_FAIL
  if (auto e = s.get_mut(ox::thread::index_1d())) *e = 1;
#else
  if (auto e = s.get_mut(ox::thread::index_2d<64>())) *e = 1;
#endif
}
