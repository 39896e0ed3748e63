// expect: this takes a vector of numbers; of booleans there are ox::any and ox::all
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

ox::u32 use(const ox::f32x4& x) {
#ifdef OXIDE_COMPILE_FAIL
  return ox::reduce_add(x > 0);
#else
  return ox::reduce_add(ox::cast<std::uint32_t>(x > 0));
#endif
}
