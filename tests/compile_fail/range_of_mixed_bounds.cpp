// expect: write ox::cast<T>\(x\)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u32 sum(ox::u32 low, ox::i32 high) {
  ox::u32 s = 0;
#ifdef OXIDE_COMPILE_FAIL
  for (auto i : ox::range(low, high)) s += 1;
#else
  for (auto i : ox::range(low, ox::cast<ox::u32>(high))) s += i;
#endif
  return s;
}
