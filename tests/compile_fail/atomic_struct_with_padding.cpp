// expect: an atomic struct has no padding and no booleans
// room: simt
#include <oxide/dsl/atomic_struct.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;
struct alignas(8) Padded {
  std::uint32_t key;
  std::uint16_t value;
};
OXIDE_STRUCT(Padded, key, value)
constexpr auto k = ox::kernel("k", [](ox::Span<Padded> cells) {
#ifdef OXIDE_COMPILE_FAIL
  ox::Value<Padded> old = ox::atomic(cells, 0).load();
#else
  ox::Value<Padded> old = cells[0];
#endif
  cells.unchecked_mut(1) = old;
});
auto use() { return k.graph(); }
