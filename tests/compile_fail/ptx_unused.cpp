// expect: an operand is passed that the PTX does not name
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k = ox::kernel("k", [](ox::u32 x) {
  ox::ptx("mov.u32 %0, %%laneid;", ox::out(x));
#ifdef OXIDE_COMPILE_FAIL
  ox::ptx("mov.u32 %0, 1;", ox::out(x), ox::in(x));
#endif
});

std::string text() { return k.graph_text(); }
