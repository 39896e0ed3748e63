// expect: write its type, as in .ox::f32 x = s\[i\]
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k = ox::kernel("k", [](ox::Span<float> s, ox::DisjointSpan<float> out) {
  ox::f32 read = s[0];
#ifdef OXIDE_COMPILE_FAIL
  auto x = s[0];
  read = x;
#endif
  if (auto e = out.get_mut(ox::thread::index_1d())) *e = read;
});
