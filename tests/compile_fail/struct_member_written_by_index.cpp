// expect: this element can only be read
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Point {
  float x, y;
};
OXIDE_STRUCT(Point, x, y)
void use(ox::Span<Point> s) {
#ifdef OXIDE_COMPILE_FAIL
  s[0].x = 1;
#else
  s.unchecked_mut(0).x = 1;
#endif
}
