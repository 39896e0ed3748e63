// expect: by a count of the value.s own type or a host integer
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u64 shift(ox::u64 x, ox::u32 n) {
#ifdef OXIDE_COMPILE_FAIL
  return x << n;
#else
  return x << ox::cast<ox::u64>(n);
#endif
}
