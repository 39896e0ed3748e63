// expect: pass a buffer that is not const
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto copy = ox::kernel("copy", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
  auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = in[i];
});

void use(const ox::Stream& stream, const ox::DeviceBuffer<float>& a, ox::DeviceBuffer<float>& b) {
#ifdef OXIDE_COMPILE_FAIL
  copy(stream, ox::LaunchConfig::for_num_elems(1), b, a);
#endif
  copy(stream, ox::LaunchConfig::for_num_elems(1), a, b);
}
