// expect: needs the enumerators of an enumeration: OXIDE_ENUM
// room: language
#include <oxide/dsl/match.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

enum class Shape : int { square, circle };
void use(ox::Value<Shape> s) {
#ifdef OXIDE_COMPILE_FAIL
  ox::match(s).case_<Shape::square>([] {}).case_<Shape::circle>([] {}).exhaustive();
#else
  ox::match(s).case_<Shape::square>([] {}).default_([] {});
#endif
}
