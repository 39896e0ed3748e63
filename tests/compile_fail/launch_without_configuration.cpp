// expect: a launch names the stream, then the configuration, then the kernel.s arguments
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k = ox::kernel("k", [](ox::f32 x, ox::Span<float> out) { out.unchecked_mut(0) = x; });

void go(const ox::Stream& stream, ox::DeviceBuffer<float>& a) {
#ifdef OXIDE_COMPILE_FAIL
  k(stream, 1, 32, 2.0f, a);
#else
  k(stream, {1, 32}, 2.0f, a);
#endif
}
