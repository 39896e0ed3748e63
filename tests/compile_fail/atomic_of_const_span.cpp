// expect: atomics take an ox::Span<T>
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use(ox::Span<const unsigned> s) { ox::atomic(s, 0).load(); }
#else
void use(ox::Span<unsigned> s) { ox::atomic(s, 0).load(); }
#endif
