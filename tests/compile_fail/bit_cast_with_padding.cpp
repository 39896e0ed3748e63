// expect: without padding and without booleans
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Padded {
  std::uint8_t a;
  std::uint32_t b;
};
struct Whole {
  std::uint32_t a, b;
};
#ifdef OXIDE_COMPILE_FAIL
auto use(ox::Value<Padded> p) { return ox::bit_cast<std::uint64_t>(p); }
#else
auto use(ox::Value<Whole> p) { return ox::bit_cast<std::uint64_t>(p); }
#endif
