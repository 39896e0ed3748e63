// expect: ox::Value<T> stands for bool, an 8- to 128-bit integer
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#include <string>
#ifdef OXIDE_COMPILE_FAIL
void use(ox::Value<std::string> p) { (void)p; }
#else
void use(ox::Value<float> p) { (void)p; }
#endif
