// expect: the last argument of ox::bind is a lambda without captures
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream, ox::DeviceBuffer<float>& a, float offset) {
  constexpr auto apply = ox::kernel("apply", [](auto f, ox::DisjointSpan<float> out) {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = f();
  });
#ifdef OXIDE_COMPILE_FAIL
  apply(stream, ox::LaunchConfig::for_num_elems(1), ox::bind(2.0f, [offset](ox::f32 factor) { return factor * offset; }), a);
#else
  apply(stream, ox::LaunchConfig::for_num_elems(1), ox::bind(2.0f, offset, [](ox::f32 factor, ox::f32 o) { return factor * o; }), a);
#endif
}
