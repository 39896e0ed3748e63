// expect: this assigns to a copy, which changes nothing; the elements of an ox::Span<const T> cannot be written
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(const ox::Span<const float>& in, const ox::Span<float>& out) {
#ifdef OXIDE_COMPILE_FAIL
  in[0] += 3;
#else
  out.unchecked_mut(0) += in[0];
#endif
}
