// expect: no default_, and no case_ for an enumerator that OXIDE_ENUM lists
// expect: Case<.*line, *false>
// room: language
#include <oxide/dsl/match.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

enum class Shape : int { square, circle, line };
OXIDE_ENUM(Shape, square, circle, line)
void use(ox::Value<Shape> s) {
#ifdef OXIDE_COMPILE_FAIL
  ox::match(s).case_<Shape::square>([] {}).case_<Shape::circle>([] {}).exhaustive();
#else
  ox::match(s).case_<Shape::square>([] {}).case_<Shape::circle>([] {}).case_<Shape::line>([] {}).exhaustive();
#endif
}
