// expect: elements of the buffer are not of the type that the kernel.s span has
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto copy = ox::kernel("copy", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
  auto i = ox::thread::index_1d();
  if (auto e = out.get_mut(i)) *e = in[i];
});

void use(const ox::Stream& stream, ox::DeviceBuffer<double>& wrong, ox::DeviceBuffer<float>& a, ox::DeviceBuffer<float>& b) {
#ifdef OXIDE_COMPILE_FAIL
  copy(stream, ox::LaunchConfig::for_num_elems(1), wrong, b);
#endif
  copy(stream, ox::LaunchConfig::for_num_elems(1), a, b);
}
