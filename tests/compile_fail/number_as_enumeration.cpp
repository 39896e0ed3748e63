// expect: a number does not become an enumerator by itself; write ox::cast<E>
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

enum class Color { red, blue };

ox::Value<Color> color(const ox::i32& n) {
#ifdef OXIDE_COMPILE_FAIL
  return n;
#else
  return ox::cast<Color>(n);
#endif
}
