// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void count(ox::u32& n, ox::u64 more) {
#ifdef OXIDE_COMPILE_FAIL
  n = more;
#else
  n = ox::cast<ox::u32>(more);
#endif
}
