// expect: floating-point host number never becomes an integer silently
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::i32 more(ox::i32 x) {
#ifdef OXIDE_COMPILE_FAIL
  return x + 0.5;
#else
  return x + 1;
#endif
}
