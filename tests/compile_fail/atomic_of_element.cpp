// expect: an atomic access names the span and the index: ox::atomic.s, i.
// room: safety
#include <oxide/oxide.hpp>
namespace ox = oxide;

void count(const ox::Span<std::uint32_t>& counts) {
#ifdef OXIDE_COMPILE_FAIL
  ox::atomic(counts[0]).fetch_add(1);
#else
  ox::atomic(counts, 0).fetch_add(1);
#endif
}
