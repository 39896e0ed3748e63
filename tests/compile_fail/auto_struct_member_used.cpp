// expect: names the element without reading it
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Point {
  float x, y;
};
OXIDE_STRUCT(Point, x, y)
void use(ox::Span<Point> s) {
#ifdef OXIDE_COMPILE_FAIL
  auto x = s[0].x;
#else
  ox::f32 x = s[0].x;
#endif
  (void)(x + 1);
}
