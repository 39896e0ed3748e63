// expect: auto x = s.i.. names the element without reading it
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Span<float>& s, const ox::Span<float>& t) {
#ifdef OXIDE_COMPILE_FAIL
  auto x = s[0];
#else
  ox::f32 x = s[0];
#endif
  x += 3;
  t.unchecked_mut(0) = x;
}
