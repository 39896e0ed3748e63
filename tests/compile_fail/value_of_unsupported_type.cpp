// expect: ox::Value<T> stands for bool, an 8- to 64-bit integer, float or double
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Point {
  float x, y;
};
#ifdef OXIDE_COMPILE_FAIL
void use(ox::Value<Point> p) { (void)p; }
#else
void use(ox::Value<float> p) { (void)p; }
#endif
