// expect: a kernel takes an ox::DeviceBuffer<T> as ox::Span<const T>
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& out) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](const ox::DeviceBuffer<float>& s) { (void)s; });
#else
  constexpr auto k = ox::kernel("k", [](ox::Span<const float> s) { (void)s; });
#endif
  k(stream, ox::LaunchConfig::for_num_elems(out.size()), out);
}
