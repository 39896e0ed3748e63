// expect: a kernel takes no pointers; write ox::Span<const T>
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& out) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](float* s) { (void)s; });
#else
  constexpr auto k = ox::kernel("k", [](ox::DisjointSpan<float> s) { (void)s; });
#endif
  k(stream, ox::LaunchConfig::for_num_elems(out.size()), out);
}
