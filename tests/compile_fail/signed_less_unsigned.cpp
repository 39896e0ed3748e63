// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::boolean below(ox::i32 a, ox::u64 b) {
#ifdef OXIDE_COMPILE_FAIL
  return a < b;
#else
  return ox::cast<ox::u64>(a) < b;
#endif
}
