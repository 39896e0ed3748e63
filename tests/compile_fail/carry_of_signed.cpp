// expect: carries are of unsigned integers
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void sum(ox::i32 a, ox::u32 b) {
#ifdef OXIDE_COMPILE_FAIL
  (void)ox::add_carry(a, a, false);
#else
  (void)ox::add_carry(b, b, false);
#endif
  (void)a;
}
