// expect: a kernel cannot change its arguments
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Stream& stream) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](ox::f32& x) { x = 1; });
#else
  constexpr auto k = ox::kernel("k", [](ox::f32 x) { x = 1; });
#endif
  k(stream, ox::LaunchConfig::for_num_elems(1), 1.0f);
}
