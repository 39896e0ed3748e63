// expect: (deleted|implicitly-deleted|use of deleted)
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void keep(ox::Span<float> s) {
  auto x = s[0];
#ifdef OXIDE_COMPILE_FAIL
  auto y = x;
#endif
  (void)x;
}
