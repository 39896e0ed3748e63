// expect: vectors have 2, 3, 4, 8 or 16 numbers
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

auto use(const ox::f32& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::splat<5>(x);
#else
  return ox::splat<8>(x);
#endif
}
