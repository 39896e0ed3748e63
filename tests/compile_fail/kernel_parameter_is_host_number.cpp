// expect: write ox::f32 for float
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& out) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](float x, ox::DisjointSpan<float> s) {
    if (auto e = s.get_mut(ox::thread::index_1d())) *e = x;
  });
#else
  constexpr auto k = ox::kernel("k", [](ox::f32 x, ox::DisjointSpan<float> s) {
    if (auto e = s.get_mut(ox::thread::index_1d())) *e = x;
  });
#endif
  k(stream, ox::LaunchConfig::for_num_elems(out.size()), 1.0f, out);
}
