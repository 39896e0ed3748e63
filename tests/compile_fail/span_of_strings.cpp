// expect: elements of a span are bool, integers, floating-point numbers, enumerations
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#include <string>
#ifdef OXIDE_COMPILE_FAIL
void use(ox::Span<const std::string> s) { (void)s.size(); }
#else
void use(ox::Span<const float> s) { (void)s.size(); }
#endif
