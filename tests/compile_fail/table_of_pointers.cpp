// expect: a constant table holds bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays of them
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

static const int numbers[] = {1, 2};
#ifdef OXIDE_COMPILE_FAIL
static const int* places[] = {numbers, numbers + 1};
#else
static const int places[] = {1, 2};
#endif
inline constexpr auto k = ox::kernel("k", [](ox::u32 i, ox::Span<int> out) { out.unchecked_mut(0) = ox::constant_table(places)[i]; });
void use(const ox::Stream& s, ox::DeviceBuffer<int>& out) { k(s, ox::LaunchConfig{1, 1}, numbers[0], out); }
