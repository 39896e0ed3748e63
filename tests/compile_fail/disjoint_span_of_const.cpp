// expect: an ox::DisjointSpan is written; for reading use ox::Span<const T>
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use(ox::DisjointSpan<const float> s) { (void)s.size(); }
#else
void use(ox::DisjointSpan<float> s) { (void)s.size(); }
#endif
