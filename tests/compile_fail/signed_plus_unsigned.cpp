// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32 sum(ox::i32 a, ox::u32 b) {
#ifdef OXIDE_COMPILE_FAIL
  return a + b;
#else
  return a + ox::cast<ox::i32>(b);
#endif
}
