// expect: name device values by their width
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

#ifdef OXIDE_COMPILE_FAIL
void use(ox::Value<long long> p) { (void)p; }
#else
void use(ox::i64 p) { (void)p; }
#endif
