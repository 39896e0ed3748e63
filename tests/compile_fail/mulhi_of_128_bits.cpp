// expect: this function takes integers of at most 64 bits
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u64 upper(ox::u128 a, ox::u128 b) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::cast<ox::u64>(ox::mulhi(a, b));
#else
  return ox::mulhi(ox::cast<ox::u64>(a), ox::cast<ox::u64>(b));
#endif
}
