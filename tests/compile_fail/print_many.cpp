// expect: there are more arguments than the format shows
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

inline constexpr auto k =
    ox::kernel("k", [](ox::i32 x, ox::f32 y, [[maybe_unused]] ox::Span<const int> in, [[maybe_unused]] ox::Span<float> out) {
      ox::print("{} {:.2f}\n", x, y);
#ifdef OXIDE_COMPILE_FAIL
      ox::print("{}\\n", x, x);
#endif
    });

std::string text() { return k.graph_text(); }
