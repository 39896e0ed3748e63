// expect: atomic inc and dec count in ox::u32
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use(ox::Span<float> s) { ox::atomic(s, 0).fetch_inc(1); }
#else
void use(ox::Span<float> s) { ox::atomic(s, 0).fetch_add(1); }
#endif
