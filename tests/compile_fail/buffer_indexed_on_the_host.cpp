// expect: the elements of a DeviceBuffer lie on the device; buffer.to_host.stream..i. copies them here
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

float first(const ox::Stream& stream, const ox::DeviceBuffer<float>& a) {
#ifdef OXIDE_COMPILE_FAIL
  (void)stream;
  return a[0];
#else
  return a.to_host(stream)[0];
#endif
}
