// expect: parameters are ox::f32 and the like
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#include <string>
void use(const ox::Stream& stream) {
#ifdef OXIDE_COMPILE_FAIL
  constexpr auto k = ox::kernel("k", [](std::string) {});
#else
  constexpr auto k = ox::kernel("k", [](ox::f32) {});
#endif
  k(stream, ox::LaunchConfig::for_num_elems(1), 1.0f);
}
