// expect: (no match for|invalid|no viable|not an integer|invalid types)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::f32 pick(ox::i32 i) {
  ox::f32 table[4];
#ifdef OXIDE_COMPILE_FAIL
  return table[i];
#else
  return table[1] + ox::cast<float>(i);
#endif
}
