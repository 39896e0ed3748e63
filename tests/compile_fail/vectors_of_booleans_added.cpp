// expect: vectors of booleans have &, .*; write ox::any
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u32 use(const ox::f32x4& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::reduce_add((x > 0) + (x < 9));
#else
  return ox::reduce_add(ox::cast<std::uint32_t>((x > 0) & (x < 9)));
#endif
}
