// expect: floating-point host number never becomes an integer silently
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto fill = ox::kernel("fill", [](ox::i32 x, ox::DisjointSpan<int> out) {
  if (auto e = out.get_mut(ox::thread::index_1d())) *e = x;
});

void use(const ox::Stream& stream, ox::DeviceBuffer<int>& a) {
#ifdef OXIDE_COMPILE_FAIL
  fill(stream, ox::LaunchConfig::for_num_elems(1), 0.5, a);
#endif
  fill(stream, ox::LaunchConfig::for_num_elems(1), 1, a);
}
