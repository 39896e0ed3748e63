// expect: an atomic struct is aligned to its size
// room: simt
#include <oxide/dsl/atomic_struct.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;
struct Pair {
  std::uint32_t key, value;
};
OXIDE_STRUCT(Pair, key, value)
constexpr auto k = ox::kernel("k", [](ox::Span<Pair> cells) {
#ifdef OXIDE_COMPILE_FAIL
  ox::Value<Pair> old = ox::atomic(cells, 0).load();
#else
  ox::Value<Pair> old = cells[0];
#endif
  cells.unchecked_mut(1) = old;
});
auto use() { return k.graph(); }
