// Pairs of halves, pairs of 8-bit floats, tf32, contraction, and what CUDA has on 32 bits only, against exact models.
#include "check.hpp"

namespace {

using namespace numbers;

template <class Pair>
using HalfOf = std::conditional_t<std::is_same_v<Pair, ox::half2>, ox::half, ox::bfloat16>;

// ---- pairs: each number as the half that it is

// clang-format off
template <class Pair>
inline constexpr auto pair_kernel = ox::kernel("pairs", [](ox::Span<const std::uint32_t> a, ox::Span<const std::uint32_t> b,
                                                           ox::Span<const std::uint32_t> c, ox::Span<uint128> out) {
  const auto thread = ox::thread::index_1d();
  const ox::u64 i = thread, n = a.size();
  if (i >= n) return;
  const auto x = ox::bit_cast<ox::Value<Pair>>(a[i]), y = ox::bit_cast<ox::Value<Pair>>(b[i]), z = ox::bit_cast<ox::Value<Pair>>(c[i]);
  Results put(out, i, n);
  const auto both = [&](const ox::Value<Pair>& p) { put(ox::low(p)), put(ox::high(p)); };
  both(x + y), both(x - y), both(x * y), both(-x), both(ox::abs(x)), both(ox::min(x, y)), both(ox::max(x, y));
  both(ox::hadd2(x, y)), both(ox::hsub2(x, y)), both(ox::hmul2(x, y)), both(ox::hfma2(x, y, z)), both(ox::hmin2(x, y));
  both(ox::hmax2(x, y)), both(ox::hneg2(x)), both(ox::habs2(x));
  put(x == y), put(x != y), put(x == x), put(x != x);
  if constexpr (std::is_same_v<Pair, ox::half2>)
    put(x == ox::make_f16x2(ox::low(x), ox::high(y))), put(x != ox::make_f16x2(ox::low(y), ox::high(x)));
  else
    put(x == ox::make_bf16x2(ox::low(x), ox::high(y))), put(x != ox::make_bf16x2(ox::low(y), ox::high(x)));
  both(ox::hadd2_rn(ox::hmul2_rn(x, y), z)), both(ox::hsub2_rn(z, ox::hmul2(x, y))), both(ox::hmul2_rn(x, y) + z);
  if constexpr (std::is_same_v<Pair, ox::half2>) both(ox::make_f16x2(ox::high(x), ox::low(y)));
  else both(ox::make_bf16x2(ox::high(x), ox::low(y)));
});

template <class T>
inline constexpr auto contracted_kernel = OXIDE_NUMBERS_KERNEL("contracted")
  put(x * y + z);
  put(z + x * y);
  put(x * y - z);
  put(z - x * y);
  put(x * y + y * z);
  put(x * y - z * 3);
  put(-(x * y) + z);
  const ox::Value<T> product = x * y;
  put(product + z);
  put(ox::mul_rn(x, y) + z);
  put(ox::add_rn(x * y, z));
  put(ox::sub_rn(z, product));
  put(product * z + x);
  put((x + y) * z + 1);
  put(x * y);
OXIDE_NUMBERS_END;

inline constexpr auto packed_kernel = [] {
  using T = float;
  return OXIDE_NUMBERS_KERNEL("packed")
    const auto bytes = [&](const ox::u16& packed, auto format) {
      using F = decltype(format);
      put(ox::bit_cast<F>(ox::cast<ox::u8>(packed & 255)));
      put(ox::bit_cast<F>(ox::cast<ox::u8>(packed >> 8)));
    };
    bytes(ox::pack_e4m3x2(x, y), ox::f8_e4m3());
    bytes(ox::pack_e5m2x2(x, y), ox::f8_e5m2());
    const ox::u16 word = ox::cast<ox::u16>(ox::bit_cast<ox::u32>(z) >> 7);
    for (const ox::f16x2& p : {ox::unpack_e4m3x2(word), ox::unpack_e5m2x2(word)}) put(ox::low(p)), put(ox::high(p));
    put(ox::round_tf32(x));
    put(ox::round_tf32(x * 0.5f));
    put(ox::round_tf32_rn(x));
    put(ox::round_tf32_rz(x));
    put(ox::round_tf32_rn(ox::bit_cast<ox::f32>(ox::bit_cast<ox::u32>(x) & 0xfffff000 | 0x1000)));  // between two
  OXIDE_NUMBERS_END;
}();

constexpr ox::Permute every_permute[] = {ox::Permute::index, ox::Permute::f4e, ox::Permute::b4e, ox::Permute::rc8,
                                         ox::Permute::ecl,   ox::Permute::ecr, ox::Permute::rc16};

inline constexpr auto words_kernel = [] {
  using T = std::uint32_t;
  return OXIDE_NUMBERS_KERNEL("words")
    put(ox::sad(ox::bit_cast<ox::i32>(x), ox::bit_cast<ox::i32>(y), z));
    put(ox::usad(x, y, z));
    for (const ox::u32& by : {z, ox::u32(z % 40)}) {
      put(ox::funnelshift_l(x, y, by));
      put(ox::funnelshift_r(x, y, by));
      put(ox::funnelshift_lc(x, y, by));
      put(ox::funnelshift_rc(x, y, by));
    }
    put(ox::funnelshift_lc(x, y, 32));
    put(ox::funnelshift_rc(x, y, 33));
    put(ox::byte_perm(x, y, z));
    for (const ox::Permute mode : every_permute) put(ox::byte_permute(x, y, z, mode));
    const ox::i32 sx = ox::bit_cast<ox::i32>(x), sy = ox::bit_cast<ox::i32>(y), sz = ox::bit_cast<ox::i32>(z);
    put(ox::dp4a(x, y, z)), put(ox::dp4a(x, sy, sz)), put(ox::dp4a(sx, y, sz)), put(ox::dp4a(sx, sy, sz));
    put(ox::dp2a_lo(x, y, z)), put(ox::dp2a_lo(x, sy, sz)), put(ox::dp2a_lo(sx, y, sz)), put(ox::dp2a_lo(sx, sy, sz));
    put(ox::dp2a_hi(x, y, z)), put(ox::dp2a_hi(x, sy, sz)), put(ox::dp2a_hi(sx, y, sz)), put(ox::dp2a_hi(sx, sy, sz));
    put(ox::dp4a(sx, sy, 7)), put(ox::dp2a_hi(x, y, 7u));
  OXIDE_NUMBERS_END;
}();
// clang-format on

// What an MPFR function of two or three numbers gives, rounded once.
template <class F>
uint128 of(Type type, F f, const Real& a, const Real& b) {
  return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return f(r, a.x, b.x, mode); });
}
uint128 fused(Type type, const Real& a, const Real& b, const Real& c) {
  return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_fma(r, a.x, b.x, c.x, mode); });
}
Real negated(const Real& a) {
  Real r(a);
  mpfr_neg(r.x, r.x, MPFR_RNDN);
  return r;
}

template <class Pair>
std::vector<Expected> pair_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<HalfOf<Pair>>();
  std::vector<Expected> e;
  const auto both = [&](const char* name, auto f) {
    for (const unsigned at : {0u, 16u})
      e.push_back({std::string(name) + (at == 0 ? " low" : " high"), type, f(xb >> at & 0xffff, yb >> at & 0xffff, zb >> at & 0xffff)});
  };
  const auto two = [&](auto f) {
    return [f](uint128 a, uint128 b, uint128) { return of(type, f, Real::of_bits(type, a), Real::of_bits(type, b)); };
  };
  const auto smaller = [&](bool min) {
    return [min](uint128 a, uint128 b, uint128) {
      const Real x = Real::of_bits(type, a), y = Real::of_bits(type, b);
      if (mpfr_nan_p(x.x)) return b;
      if (mpfr_nan_p(y.x)) return a;
      if (mpfr_zero_p(x.x) && mpfr_zero_p(y.x)) return ((a & 0x8000) != 0) == min ? a : b;
      return (mpfr_less_p(x.x, y.x) != 0) == min ? a : b;
    };
  };
  const auto negation = [](uint128 a, uint128, uint128) { return a ^ 0x8000; };
  const auto magnitude = [](uint128 a, uint128, uint128) { return a & 0x7fff; };
  both("+", two(mpfr_add));
  both("-", two(mpfr_sub));
  both("*", two(mpfr_mul));
  both("negation", negation);
  both("abs", magnitude);
  both("min", smaller(true));
  both("max", smaller(false));
  both("hadd2", two(mpfr_add));
  both("hsub2", two(mpfr_sub));
  both("hmul2", two(mpfr_mul));
  both("hfma2",
       [](uint128 a, uint128 b, uint128 c) { return fused(type, Real::of_bits(type, a), Real::of_bits(type, b), Real::of_bits(type, c)); });
  both("hmin2", smaller(true));
  both("hmax2", smaller(false));
  both("hneg2", negation);
  both("habs2", magnitude);
  const auto equal = [&](uint128 a, uint128 b) {
    return mpfr_equal_p(Real::of_bits(type, a & 0xffff).x, Real::of_bits(type, b & 0xffff).x) != 0;
  };
  const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
  const bool low = equal(xb, yb), high = equal(xb >> 16, yb >> 16), low_itself = equal(xb, xb), high_itself = equal(xb >> 16, xb >> 16);
  truth("==", low && high);
  truth("!=", !(low && high));
  truth("== itself", low_itself && high_itself);
  truth("!= itself", !(low_itself && high_itself));
  truth("== in one half", low_itself && high);
  truth("!= in one half", !(low && high_itself));
  const auto product = [](uint128 a, uint128 b) {
    return Real::of_bits(type, of(type, mpfr_mul, Real::of_bits(type, a), Real::of_bits(type, b)));
  };
  both("hadd2_rn", [&](uint128 a, uint128 b, uint128 c) { return of(type, mpfr_add, product(a, b), Real::of_bits(type, c)); });
  both("hsub2_rn", [&](uint128 a, uint128 b, uint128 c) { return of(type, mpfr_sub, Real::of_bits(type, c), product(a, b)); });
  both("hmul2_rn and +", [&](uint128 a, uint128 b, uint128 c) { return of(type, mpfr_add, product(a, b), Real::of_bits(type, c)); });
  e.push_back({"make low", type, xb >> 16 & 0xffff});
  e.push_back({"make high", type, yb & 0xffff});
  return e;
}

template <class T>
std::vector<Expected> contracted_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  const Real x = Real::of_bits(type, xb), y = Real::of_bits(type, yb), z = Real::of_bits(type, zb);
  Real three, one;
  mpfr_set_ui(three.x, 3, MPFR_RNDN);
  mpfr_set_ui(one.x, 1, MPFR_RNDN);
  std::vector<Expected> e;
  const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits}); };
  const auto real = [&](uint128 bits) { return Real::of_bits(type, bits); };
  put("x * y + z", fused(type, x, y, z));
  put("z + x * y", fused(type, x, y, z));
  put("x * y - z", fused(type, x, y, negated(z)));
  put("z - x * y", fused(type, negated(x), y, z));
  put("x * y + y * z", fused(type, x, y, real(of(type, mpfr_mul, y, z))));
  put("x * y - z * 3", fused(type, x, y, negated(real(of(type, mpfr_mul, z, three)))));
  put("-(x * y) + z", of(type, mpfr_add, negated(real(of(type, mpfr_mul, x, y))), z));
  put("product + z", fused(type, x, y, z));
  const Real rounded_product = real(of(type, mpfr_mul, x, y));
  put("mul_rn(x, y) + z", of(type, mpfr_add, rounded_product, z));
  put("add_rn(x * y, z)", of(type, mpfr_add, rounded_product, z));
  put("sub_rn(z, product)", of(type, mpfr_sub, z, rounded_product));
  put("product * z + x", fused(type, real(of(type, mpfr_mul, x, y)), z, x));
  put("(x + y) * z + 1", fused(type, real(of(type, mpfr_add, x, y)), z, one));
  put("x * y", of(type, mpfr_mul, x, y));
  return e;
}

std::vector<Expected> packed_model(uint128 xb, uint128 yb, uint128 zb) {
  std::vector<Expected> e;
  for (const Type format : {Type::e4m3, Type::e5m2})
    for (const uint128 bits : {xb, yb}) {
      const Real v = Real::of_bits(Type::f32, bits);
      e.push_back({"pack", format, exact::rounded(format, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, v.x, m); }, MPFR_RNDN, true)});
    }
  for (const Type format : {Type::e4m3, Type::e5m2})
    for (const unsigned at : {7u, 15u}) {
      const Real v = Real::of_bits(format, zb >> at & 0xff);
      e.push_back({"unpack", Type::f16, exact::rounded(Type::f16, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, v.x, m); })});
    }
  // Ties away from zero are an addition to the magnitude, whatever its exponent.
  const auto tf32 = [](uint128 bits) { return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000; };
  Real half;
  mpfr_set_d(half.x, 0.5, MPFR_RNDN);
  e.push_back({"round_tf32", Type::f32, tf32(xb)});
  e.push_back({"round_tf32 of x / 2", Type::f32, tf32(of(Type::f32, mpfr_mul, Real::of_bits(Type::f32, xb), half))});
  const auto special = [](uint128 bits) { return (bits & 0x7f800000) == 0x7f800000; };
  const auto to_even = [&](uint128 bits) { return special(bits) ? bits : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000; };
  e.push_back({"round_tf32_rn", Type::f32, to_even(xb)});
  e.push_back({"round_tf32_rz", Type::f32, special(xb) ? xb : xb & 0xffffe000});
  e.push_back({"round_tf32_rn of ties", Type::f32, to_even((xb & 0xfffff000) | 0x1000)});
  return e;
}

std::vector<Expected> words_model(uint128 xb, uint128 yb, uint128 zb) {
  const auto x = static_cast<std::uint32_t>(xb), y = static_cast<std::uint32_t>(yb), z = static_cast<std::uint32_t>(zb);
  std::vector<Expected> e;
  const auto put = [&](const char* name, std::uint32_t v) { e.push_back({name, Type::u32, v}); };
  const auto distance = [](std::int64_t a, std::int64_t b) { return static_cast<std::uint32_t>(a < b ? b - a : a - b); };
  put("sad", z + distance(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)));
  put("usad", z + distance(x, y));
  const std::uint64_t both = std::uint64_t{y} << 32 | x;
  const auto left = [&](std::uint32_t by) { return static_cast<std::uint32_t>(by == 32 ? x : (both << by) >> 32); };
  const auto right = [&](std::uint32_t by) { return static_cast<std::uint32_t>(by == 32 ? y : both >> by); };
  const auto clamped = [](std::uint32_t by) { return by < 32 ? by : 32; };
  for (const std::uint32_t by : {z, z % 40}) {
    put("funnelshift_l", left(by % 32));
    put("funnelshift_r", right(by % 32));
    put("funnelshift_lc", left(clamped(by)));
    put("funnelshift_rc", right(clamped(by)));
  }
  put("funnelshift_lc by 32", x);
  put("funnelshift_rc by 33", y);
  std::uint32_t permuted = 0;
  for (unsigned k = 0; k != 4; ++k) permuted |= static_cast<std::uint32_t>(both >> (8 * (z >> (4 * k) & 7)) & 255) << (8 * k);
  put("byte_perm", permuted);
  for (const ox::Permute mode : every_permute) {
    std::uint32_t bytes = 0;
    const unsigned low = z & 3;
    for (unsigned k = 0; k != 4; ++k) {
      // By the tables of the PTX ISA, "prmt".
      const unsigned places[] = {z >> (4 * k) & 7,  low + k,           (low - k) & 7,          low,
                                 low > k ? low : k, low < k ? low : k, 2 * (low & 1) + (k & 1)};
      auto byte = static_cast<std::uint32_t>(both >> (8 * places[static_cast<unsigned>(mode)]) & 255);
      if (mode == ox::Permute::index && (z >> (4 * k) & 8) != 0) byte = byte >= 128 ? 255 : 0;
      bytes |= byte << (8 * k);
    }
    put("byte_permute", bytes);
  }
  // The sum of `count` products of parts of x, of 32 / count bits, and bytes of y from the byte `first` on.
  const auto dot = [&](unsigned count, unsigned first, bool x_signed, bool y_signed, std::uint32_t sum) {
    for (unsigned k = 0; k != count; ++k) {
      const unsigned width = 32 / count;
      std::int64_t a = x >> (width * k) & ((1u << width) - 1), b = y >> (8 * (first + k)) & 255;
      if (x_signed && a >= std::int64_t{1} << (width - 1)) a -= std::int64_t{1} << width;
      if (y_signed && b >= 128) b -= 256;
      sum += static_cast<std::uint32_t>(a * b);
    }
    return sum;
  };
  struct Dot {
    const char* name;
    unsigned count, first;
  };
  for (const Dot& d : {Dot{"dp4a", 4, 0}, Dot{"dp2a_lo", 2, 0}, Dot{"dp2a_hi", 2, 2}})
    for (const bool x_signed : {false, true})
      for (const bool y_signed : {false, true}) put(d.name, dot(d.count, d.first, x_signed, y_signed, z));
  put("dp4a and a literal", dot(4, 0, true, true, 7));
  put("dp2a_hi and a literal", dot(2, 2, false, false, 7));
  return e;
}

}  // namespace

TEMPLATE_TEST_CASE("operations on pairs are those on each half, rounded once", "", ox::half2, ox::bfloat162) {
  check<std::uint32_t>(pair_kernel<TestType>, false, pair_model<TestType>);
}

TEMPLATE_TEST_CASE("products are contracted where the rule says so, and nowhere else", "", ox::half, ox::bfloat16, float, double) {
  check<TestType>(contracted_kernel<TestType>, false, contracted_model<TestType>);
}

TEST_CASE("8-bit floats pack and unpack in pairs, and tf32 rounds ties away from zero") {
  check<float>(packed_kernel, false, packed_model);
}

TEST_CASE("sums of distances, funnel shifts, byte permutations and sums of products on 32 bits") {
  check<std::uint32_t>(words_kernel, false, words_model);
}
