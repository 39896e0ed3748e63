// expect: a number is not an ox::boolean; write x != 0
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::boolean is_set(ox::u32 bits) {
#ifdef OXIDE_COMPILE_FAIL
  ox::boolean set = bits & 1;
#else
  ox::boolean set = (bits & 1) != 0;
#endif
  return set;
}
