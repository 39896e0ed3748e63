// expect: a struct in a kernel has at most 64 members; give some of them a struct of their own
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Many {
  int m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15;
  int m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31;
  int m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47;
  int m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63;
#ifdef OXIDE_COMPILE_FAIL
  int one_more;
#endif
};
void use(ox::Span<const Many> s) { (void)s.size(); }
