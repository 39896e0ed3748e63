// expect: floating-point host number never becomes an integer silently
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32 half() {
#ifdef OXIDE_COMPILE_FAIL
  ox::i32 x = 0.5;
#else
  ox::i32 x = 0;
#endif
  return x;
}
