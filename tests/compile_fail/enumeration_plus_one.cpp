// expect: (no match for|invalid operands to binary)
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

enum class Kind : int { a, b };
auto use(ox::Value<Kind> k) {
#ifdef OXIDE_COMPILE_FAIL
  return k + 1;
#else
  return ox::cast<int>(k) + 1;
#endif
}
