// expect: the elements of an ox::Span<const T> cannot be written
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void set(ox::Span<const float> in, ox::Span<float> out) {
#ifdef OXIDE_COMPILE_FAIL
  in[0] = 1.0f;
#endif
  out.unchecked_mut(0) = in[0];
}
