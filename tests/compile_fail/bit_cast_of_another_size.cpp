// expect: needs a T of the size of x
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u32 bits(ox::f64 x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::bit_cast<ox::u32>(x);
#else
  return ox::cast<ox::u32>(ox::bit_cast<ox::u64>(x) >> 32);
#endif
}
