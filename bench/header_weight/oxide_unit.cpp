// The umbrella header and one kernel, launched.
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto vecadd = ox::kernel("vecadd", [](ox::Span<const float> a, ox::Span<const float> b, ox::DisjointSpan<float> c) {
  auto idx = ox::thread::index_1d();
  if (auto c_elem = c.get_mut(idx)) *c_elem = a[idx] + b[idx];
});

void add(const ox::Stream& stream, const ox::DeviceBuffer<float>& a, const ox::DeviceBuffer<float>& b, ox::DeviceBuffer<float>& c) {
  vecadd(stream, ox::LaunchConfig::for_num_elems(c.size()), a, b, c);
}
