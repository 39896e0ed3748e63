// expect: (deleted function|call to deleted member function)
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::DisjointSpan<float, ox::Grid2D<64>> s) {
#ifdef OXIDE_COMPILE_FAIL
  if (auto e = s.get_mut(ox::thread::index_2d<32>())) *e = 1;
#else
  if (auto e = s.get_mut(ox::thread::index_2d<64>())) *e = 1;
#endif
}
