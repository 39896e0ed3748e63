// expect: elements of 16 bytes and 8-bit floats have the atomic operations load, store, exchange and compare_exchange
// room: simt
#include <oxide/oxide.hpp>
namespace ox = oxide;
constexpr auto k = ox::kernel("k", [](ox::Span<ox::uint128> cells) {
#ifdef OXIDE_COMPILE_FAIL
  ox::atomic(cells, 0).fetch_add(1);
#else
  ox::atomic(cells, 0).exchange(1);
#endif
});
auto use() { return k.graph(); }
