// expect: needs a T of the size of x
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Whole {
  std::uint32_t a, b;
};
#ifdef OXIDE_COMPILE_FAIL
auto use(ox::Value<Whole> p) { return ox::bit_cast<std::uint32_t>(p); }
#else
auto use(ox::Value<Whole> p) { return ox::bit_cast<std::uint64_t>(p); }
#endif
