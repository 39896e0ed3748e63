// expect: this is no number; of an enumeration write ox::cast<ox::i32>
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

enum class Color { red, blue };

void number(ox::i32& n, const ox::Value<Color>& c) {
#ifdef OXIDE_COMPILE_FAIL
  n = c;
#else
  n = ox::cast<ox::i32>(c);
#endif
}
