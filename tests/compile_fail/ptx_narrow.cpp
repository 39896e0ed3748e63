// expect: PTX has no 8-bit registers
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k = ox::kernel("k", [](ox::u32 x) {
  ox::ptx("mov.u32 %0, %%laneid;", ox::out(x));
#ifdef OXIDE_COMPILE_FAIL
  ox::u8 small = 1;
  ox::ptx("mov.u32 %0, 1;", ox::out(small));
#endif
});

std::string text() { return k.graph_text(); }
