// expect: ox::range counts in integers
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 sum(ox::f32 n) {
  ox::f32 s = 0;
#ifdef OXIDE_COMPILE_FAIL
  for (auto i : ox::range(n)) s += i;
#else
  for (auto i : ox::range(ox::cast<ox::u32>(n))) s += ox::cast<ox::f32>(i);
#endif
  return s;
}
