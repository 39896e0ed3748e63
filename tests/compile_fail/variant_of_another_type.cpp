// expect: this type is no alternative of the ox::Variant
// room: language
#include <oxide/dsl/choice.hpp>
#include <oxide/oxide.hpp>
namespace ox = oxide;

auto use(ox::Value<ox::Variant<float, int>> v) {
#ifdef OXIDE_COMPILE_FAIL
  return v.holds<double>();
#else
  return v.holds<float>();
#endif
}
