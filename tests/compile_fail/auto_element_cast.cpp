// expect: write its type, as in .ox::f32 x = s\[i\]
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32 whole(ox::Span<float> s) {
#ifdef OXIDE_COMPILE_FAIL
  auto x = s[0];
  return ox::cast<ox::i32>(x);
#else
  return ox::cast<ox::i32>(s[0]);
#endif
}
