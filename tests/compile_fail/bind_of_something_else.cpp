// expect: ox::bind passes host numbers
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#include <string>
void use() {
#ifdef OXIDE_COMPILE_FAIL
  (void)ox::bind(std::string("x"), [](ox::f32 x) { return x; });
#else
  (void)ox::bind(1.0f, [](ox::f32 x) { return x; });
#endif
}
