// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u8 invert(ox::u8 x) { return 255 - x; }
ox::u8 use(ox::u32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return invert(x);
#else
  return invert(ox::cast<ox::u8>(x));
#endif
}
