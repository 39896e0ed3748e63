// expect: this parameter of the kernel is a number; pass a host number
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto fill = ox::kernel("fill", [](ox::f32 x, ox::DisjointSpan<float> out) {
  if (auto e = out.get_mut(ox::thread::index_1d())) *e = x;
});

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& a) {
#ifdef OXIDE_COMPILE_FAIL
  fill(stream, ox::LaunchConfig::for_num_elems(1), a, a);
#endif
  fill(stream, ox::LaunchConfig::for_num_elems(1), 1.0f, a);
}
