// expect: an array parameter of a kernel needs a type
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& a, ox::DeviceBuffer<float>& b) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](auto in, ox::DisjointSpan<float> out) {
#else
  constexpr auto k = ox::kernel("k", [](ox::Span<const float> in, ox::DisjointSpan<float> out) {
#endif
    auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) {
      (void)in[i];
      *e = 1;
    }
  });
  k(stream, ox::LaunchConfig::for_num_elems(1), a, b);
}
