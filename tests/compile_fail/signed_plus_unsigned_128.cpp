// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i128 sum(ox::i128 a, ox::u128 b) {
#ifdef OXIDE_COMPILE_FAIL
  return a + b;
#else
  return a + ox::cast<ox::i128>(b);
#endif
}
