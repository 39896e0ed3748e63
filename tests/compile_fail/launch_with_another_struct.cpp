// expect: pass a host object of that type
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Point {
  float x, y;
};
struct Other {
  float x, y;
};
void use(const ox::Stream& stream) {
  constexpr auto k = ox::kernel("k", [](ox::Value<Point>) {});
#ifdef OXIDE_COMPILE_FAIL
  k(stream, ox::LaunchConfig{1, 1}, Other{});
#else
  k(stream, ox::LaunchConfig{1, 1}, Point{});
#endif
}
