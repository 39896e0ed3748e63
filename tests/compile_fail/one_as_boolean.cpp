// expect: a number is not an ox::boolean; write x != 0
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::boolean yes() {
#ifdef OXIDE_COMPILE_FAIL
  ox::boolean b = 1;
#else
  ox::boolean b = true;
#endif
  return b;
}
