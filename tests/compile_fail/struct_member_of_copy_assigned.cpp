// expect: this assigns to a copy, which changes nothing
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Point {
  float x, y;
};
OXIDE_STRUCT(Point, x, y)
void use(ox::Span<const Point> s, ox::Span<Point> t) {
#ifdef OXIDE_COMPILE_FAIL
  s[0].x = 1;
#else
  t.unchecked_mut(0).x = s[0].x;
#endif
}
