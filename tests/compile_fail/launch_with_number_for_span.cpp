// expect: this parameter of the kernel is an array; pass an ox::DeviceBuffer
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto copy = ox::kernel("copy", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
  auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = in[i];
});

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& a, ox::DeviceBuffer<float>& b) {
#ifdef OXIDE_COMPILE_FAIL
  copy(stream, ox::LaunchConfig::for_num_elems(1), 3.0f, b);
#endif
  copy(stream, ox::LaunchConfig::for_num_elems(1), a, b);
}
