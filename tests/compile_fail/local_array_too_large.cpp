// expect: an ox::LocalArray has at most 512 KiB
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

void use() {
#ifdef OXIDE_COMPILE_FAIL
  ox::LocalArray<double, 100000> a;
#else
  ox::LocalArray<double, 1000> a;
#endif
  (void)a;
}
