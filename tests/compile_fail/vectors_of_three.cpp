// expect: span.as_vectors<N>.. takes 2, 4, 8 or 16
// room: language
#include <oxide/dsl/vector.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

auto use(ox::Span<const float> s) {
#ifdef OXIDE_COMPILE_FAIL
  return s.as_vectors<3>();
#else
  return s.as_vectors<4>();
#endif
}
