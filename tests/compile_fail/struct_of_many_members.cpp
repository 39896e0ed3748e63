// expect: more than 16 members needs its members listed: OXIDE_STRUCT
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
#ifdef OXIDE_COMPILE_FAIL
  int q;
#endif
};
void use(ox::Span<const Many> s) { (void)s.size(); }
