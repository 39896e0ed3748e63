// expect: no default_, and no case_ for an alternative
// room: language
#include <oxide/dsl/match.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use(ox::Value<ox::Variant<float, int>> v) {
#ifdef OXIDE_COMPILE_FAIL
  ox::match(v).case_<float>([] {}).exhaustive();
#else
  ox::match(v).case_<float>([] {}).case_<int>([] {}).exhaustive();
#endif
}
