// expect: a span is indexed by an integer; write ox::cast<ox::u64>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 at(ox::Span<const float> s, ox::f32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return s[x];
#else
  return s[ox::cast<ox::u64>(x)];
#endif
}
