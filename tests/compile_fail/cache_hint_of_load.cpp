// expect: this cache hint is not one of a store
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k = ox::kernel("k", [](ox::Span<float> s) {
  ox::store<ox::cache::streaming>(s.unchecked_mut(0), 1);
#ifdef OXIDE_COMPILE_FAIL
  ox::store<ox::cache::last_use>(s.unchecked_mut(0), 1);
#endif
});
