// expect: each element of an ox::DisjointSpan is one thread.s own; atomics take an ox::Span<T>
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
using Counts = ox::DisjointSpan<std::uint32_t>;
#else
using Counts = ox::Span<std::uint32_t>;
#endif
void count(const Counts& counts) { ox::atomic(counts, 0).fetch_add(1); }
