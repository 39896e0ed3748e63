// Structs of many members: by their own shape, by OXIDE_STRUCT, and of device values through a function.
#include <cstdint>
#include <vector>

#include "support/devices.hpp"

namespace wide {

// 64 members, with every size of number in it, and arrays.
struct Plain {
  std::int8_t a0;
  double a1;
  std::int16_t a2;
  float a3[3], a4[2];
  std::uint8_t a5, a6, a7;
  std::int64_t a8, a9, a10, a11, a12, a13, a14, a15;
  std::uint16_t a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31;
  float a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47;
  int a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62;
  bool a63;
};

struct Named {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj;
};
OXIDE_STRUCT(Named, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj)

struct Values {
  ox::i32 a, b, c, d, e, f, g, h, i, j, k, l;
};

}  // namespace wide

TEST_CASE("structs of many members work by their shape, by name, and through functions") {
  static const auto shifted = ox::function(
      "shifted", [](const wide::Values& v) { return wide::Values{v.l, v.a, v.b, v.c, v.d, v.e, v.f, v.g, v.h, v.i, v.j, v.k}; });
  constexpr auto k = ox::kernel("wide", [](ox::Span<wide::Plain> plain, ox::Span<wide::Named> named, ox::Span<int> out) {
    plain.unchecked_mut(1)[&wide::Plain::a63] = plain[0][&wide::Plain::a63];
    plain.unchecked_mut(1)[&wide::Plain::a62] = plain[0][&wide::Plain::a48] + ox::cast<int>(plain[0][&wide::Plain::a31]);
    plain.unchecked_mut(1)[&wide::Plain::a4][1] = plain[0][&wide::Plain::a47];
    ox::Value<wide::Named> n = named[0];
    n.aj = n.a + n.ai;
    n.z *= 2;
    named.unchecked_mut(1) = n;
    const wide::Values v = shifted(wide::Values{n.a, n.b, n.c, n.d, n.e, n.f, n.g, n.h, n.i, n.j, n.k, n.l});
    out.unchecked_mut(0) = v.a * 1000 + v.b * 100 + v.l;
  });
  on_every_device([&](const ox::Stream& stream) {
    wide::Plain p{};
    p.a31 = 7, p.a47 = 2.5f, p.a48 = 100, p.a63 = true;
    wide::Named n{};
    n.a = 1, n.k = 11, n.l = 12, n.z = 26, n.ai = 35;
    auto plain = ox::DeviceBuffer<wide::Plain>::from_host(stream, std::vector<wide::Plain>{p, {}});
    auto named = ox::DeviceBuffer<wide::Named>::from_host(stream, std::vector<wide::Named>{n, {}});
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 1);
    k(stream, ox::LaunchConfig{1, 1}, plain, named, out);
    const wide::Plain after = plain.to_host(stream)[1];
    CHECK(after.a62 == 107);
    CHECK(after.a63);
    CHECK(after.a4[1] == 2.5f);
    CHECK(after.a0 == 0);
    const wide::Named copy = named.to_host(stream)[1];
    CHECK(copy.a == 1);
    CHECK(copy.l == 12);
    CHECK(copy.z == 52);
    CHECK(copy.aj == 36);
    CHECK(out.to_host(stream)[0] == 12 * 1000 + 100 + 11);
  });
}
