// Every operation of the language on every type of number, from literals and from values known only at run time, against exact models.
// One kernel a type and family: each result goes, as its bits, into one array of 128-bit words.
#include <bit>
#include <random>
#include <string>

#include "support/devices.hpp"
#include "support/exact.hpp"
#include "support/random_graph.hpp"

namespace {

using exact::int128;
using exact::Real;
using exact::uint128;
using oxide::ir::Type;
using oxide::testing::interesting_word;

constexpr std::size_t count = 400;

template <class T>
struct BitsOf;
template <class T>
  requires(sizeof(T) == 1)
struct BitsOf<T> {
  using type = ox::u8;
};
template <class T>
  requires(sizeof(T) == 2)
struct BitsOf<T> {
  using type = ox::u16;
};
template <class T>
  requires(sizeof(T) == 4)
struct BitsOf<T> {
  using type = ox::u32;
};
template <class T>
  requires(sizeof(T) == 8)
struct BitsOf<T> {
  using type = ox::u64;
};
template <class T>
  requires(sizeof(T) == 16)
struct BitsOf<T> {
  using type = ox::u128;
};

// Takes the results of one thread, in order.
class Results {
 public:
  Results(ox::Span<uint128> out, ox::u64 i, ox::u64 n) : out_(out), at_(i), n_(n) {}
  template <class T>
  void operator()(const ox::Value<T>& x) {
    if constexpr (std::is_same_v<T, bool>) put(ox::cast<ox::u128>(x));
    else put(ox::cast<ox::u128>(ox::bit_cast<typename BitsOf<T>::type>(x)));
  }

 private:
  void put(const ox::u128& bits) {
    out_.unchecked_mut(at_) = bits;
    at_ += n_;
  }
  ox::Span<uint128> out_;
  ox::u64 at_, n_;
};

// What a result is expected to be.
struct Expected {
  std::string name;
  Type type;
  uint128 bits;
};

bool is_nan(Type type, uint128 bits) {
  return (oxide::ir::is_floating(type) || oxide::ir::is_storage(type)) && mpfr_nan_p(Real::of_bits(type, bits).x) != 0;
}

template <class T>
uint128 bits_of(T x) {
  uint128 bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T>
T from_bits(uint128 bits) {
  T x;
  std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
  return x;
}

std::size_t compared = 0;

// Runs `kernel` on random and edge operands on every device; `model(x, y, z)` lists what one thread gives.
template <class T, class K, class M>
void check(const K& kernel, bool nonzero_divisor, M model) {
  constexpr Type type = oxide::ir::type_for<T>();
  std::mt19937_64 random(17);
  std::vector<T> in[3];
  for (auto& v : in)
    for (std::size_t i = 0; i != count; ++i) v.push_back(from_bits<T>(interesting_word(type, random)));
  if (nonzero_divisor)
    for (T& y : in[1])
      if (bits_of(y) == 0) y = from_bits<T>(3);
  std::vector<std::vector<Expected>> expected;
  for (std::size_t i = 0; i != count; ++i) expected.push_back(model(bits_of(in[0][i]), bits_of(in[1][i]), bits_of(in[2][i])));
  const std::size_t results = expected[0].size();
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<T>::from_host(stream, in[0]), b = ox::DeviceBuffer<T>::from_host(stream, in[1]),
               c = ox::DeviceBuffer<T>::from_host(stream, in[2]);
    auto out = ox::DeviceBuffer<uint128>::zeroed(stream, count * results);
    kernel(stream, ox::LaunchConfig::for_num_elems(count), a, b, c, out);
    const std::vector<uint128> got = out.to_host(stream);
    for (std::size_t k = 0; k != results; ++k) {
      std::size_t wrong = 0, first = 0;
      for (std::size_t i = count; i-- != 0;) {
        const Expected& e = expected[i][k];
        const uint128 bits = got[k * count + i];
        if (bits != e.bits && !(is_nan(e.type, bits) && is_nan(e.type, e.bits))) ++wrong, first = i;
      }
      compared += count;
      const auto hex = [](uint128 x) {
        std::string text;
        for (; x != 0 || text.empty(); x >>= 4) text.insert(text.begin(), "0123456789abcdef"[static_cast<unsigned>(x & 15)]);
        return text;
      };
      INFO(oxide::ir::name_of(type) << ' ' << expected[first][k].name << " of " << hex(bits_of(in[0][first])) << ' '
                                    << hex(bits_of(in[1][first])) << ' ' << hex(bits_of(in[2][first])) << ": got "
                                    << hex(got[k * count + first]) << ", expected " << hex(expected[first][k].bits));
      CHECK(wrong == 0);
    }
  });
}

#define OXIDE_NUMBERS_KERNEL(name) \
  ox::kernel(name, [](ox::Span<const T> a, ox::Span<const T> b, ox::Span<const T> c, ox::Span<uint128> out) {      \
    const auto thread = ox::thread::index_1d();                                                                    \
    const ox::u64 i = thread, n = a.size();                                                                        \
    if (i >= n) return;                                                                                            \
    [[maybe_unused]] const ox::Value<T> x = a[i], y = b[i], z = c[i];                                                               \
    Results put(out, i, n);
#define OXIDE_NUMBERS_END \
  })

// ---- floating types

template <class T>
inline constexpr auto float_kernel = OXIDE_NUMBERS_KERNEL("float_operations") put(x + y);
put(x - y);
put(x* y);
put(x / y);
put(-x);
put(ox::abs(x));
put(ox::min(x, y));
put(ox::max(x, y));
put(ox::sqrt(x));
put(ox::fma(x, y, z));
put(ox::floor(x));
put(ox::ceil(x));
put(ox::trunc(x));
put(ox::rint(x));
put(x < y);
put(x <= y);
put(x > y);
put(x >= y);
put(x == y);
put(x != y);
put(x + 1.5);
put(0.1 - x);
put(3 * x);
put(x / 7);
put(ox::fma(x, 2.5, -1));
put(x < 0.5);
ox::Value<T> v = x;
v += y;
v *= 0.75;
v -= z;
++v;
v /= y;
put(v);
OXIDE_NUMBERS_END.strict_fp();

template <class T>
std::vector<Expected> float_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  const Real x = Real::of_bits(type, xb), y = Real::of_bits(type, yb), z = Real::of_bits(type, zb);
  std::vector<Expected> e;
  const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits}); };
  const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
  const auto two = [&](auto f, const Real& a, const Real& b) {
    return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return f(r, a.x, b.x, mode); });
  };
  const auto three = [&](const Real& a, const Real& b, const Real& c) {
    return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_fma(r, a.x, b.x, c.x, mode); });
  };
  const auto literal = [&](double v) {
    Real exact_value;
    mpfr_set_d(exact_value.x, v, MPFR_RNDN);
    return Real::of_bits(type, exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_set(r, exact_value.x, mode); }));
  };
  const auto whole = [&](mpfr_rnd_t to) { return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t) { return mpfr_rint(r, x.x, to), 0; }); };
  const uint128 sign = uint128{1} << (8 * sizeof(T) - 1);
  const auto smaller = [&](bool min) {
    if (mpfr_nan_p(x.x)) return yb;
    if (mpfr_nan_p(y.x)) return xb;
    if (mpfr_zero_p(x.x) && mpfr_zero_p(y.x)) return ((xb & sign) != 0) == min ? xb : yb;
    return (mpfr_less_p(x.x, y.x) != 0) == min ? xb : yb;
  };
  put("+", two(mpfr_add, x, y));
  put("-", two(mpfr_sub, x, y));
  put("*", two(mpfr_mul, x, y));
  put("/", two(mpfr_div, x, y));
  put("negation", xb ^ sign);
  put("abs", xb & ~sign);
  put("min", smaller(true));
  put("max", smaller(false));
  put("sqrt", exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_sqrt(r, x.x, mode); }));
  put("fma", three(x, y, z));
  put("floor", whole(MPFR_RNDD));
  put("ceil", whole(MPFR_RNDU));
  put("trunc", whole(MPFR_RNDZ));
  put("rint", whole(MPFR_RNDN));
  truth("<", mpfr_less_p(x.x, y.x) != 0);
  truth("<=", mpfr_lessequal_p(x.x, y.x) != 0);
  truth(">", mpfr_greater_p(x.x, y.x) != 0);
  truth(">=", mpfr_greaterequal_p(x.x, y.x) != 0);
  truth("==", mpfr_equal_p(x.x, y.x) != 0);
  truth("!=", mpfr_equal_p(x.x, y.x) == 0);
  put("x + 1.5", two(mpfr_add, x, literal(1.5)));
  put("0.1 - x", two(mpfr_sub, literal(0.1), x));
  put("3 * x", two(mpfr_mul, literal(3), x));
  put("x / 7", two(mpfr_div, x, literal(7)));
  put("fma(x, 2.5, -1)", three(x, literal(2.5), literal(-1)));
  truth("x < 0.5", mpfr_less_p(x.x, literal(0.5).x) != 0);
  const auto again = [&](auto f, uint128 a, const Real& b) { return two(f, Real::of_bits(type, a), b); };
  uint128 v = again(mpfr_add, xb, y);
  v = again(mpfr_mul, v, literal(0.75));
  v = again(mpfr_sub, v, z);
  v = again(mpfr_add, v, literal(1));
  put("compound assignments", again(mpfr_div, v, y));
  return e;
}

// ---- rounding modes

template <class T>
inline constexpr auto rounding_kernel = OXIDE_NUMBERS_KERNEL("rounding_modes")
#define OXIDE_MODE(suffix)                                                  \
  put(ox::add_##suffix(x, y));                                              \
  put(ox::sub_##suffix(x, y));                                              \
  put(ox::mul_##suffix(x, y));                                              \
  put(ox::div_##suffix(x, y));                                              \
  put(ox::fma_##suffix(x, y, z));                                           \
  put(ox::sqrt_##suffix(x));                                                \
  put(ox::rcp_##suffix(x));                                                 \
  put(ox::add_##suffix(x, 0.1));                                            \
  put(ox::cast_##suffix<float>(x));                                         \
  put(ox::cast_##suffix<std::int32_t>(x));                                  \
  put(ox::cast_##suffix<std::uint64_t>(x));                                 \
  put(ox::cast_##suffix<float>(ox::bit_cast<typename BitsOf<T>::type>(y))); \
  put(ox::cast_##suffix<double>(ox::bit_cast<ox::Value<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>(y)));
    OXIDE_MODE(rn) OXIDE_MODE(rz) OXIDE_MODE(rm) OXIDE_MODE(rp)
#undef OXIDE_MODE
        OXIDE_NUMBERS_END;

template <class T>
std::vector<Expected> rounding_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  const Real x = Real::of_bits(type, xb), y = Real::of_bits(type, yb), z = Real::of_bits(type, zb);
  Real one, tenth;
  mpfr_set_ui(one.x, 1, MPFR_RNDN);
  mpfr_set_d(tenth.x, type == Type::f32 ? static_cast<double>(0.1f) : 0.1, MPFR_RNDN);
  std::vector<Expected> e;
  for (const mpfr_rnd_t mode : {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU}) {
    const std::string suffix = mode == MPFR_RNDN ? "_rn" : mode == MPFR_RNDZ ? "_rz" : mode == MPFR_RNDD ? "_rm" : "_rp";
    const auto put = [&](const char* name, Type t, uint128 bits) { e.push_back({name + suffix, t, bits}); };
    const auto to = [&](Type t, auto f) { return exact::rounded(t, f, mode); };
    const auto two = [&](auto f, const Real& a, const Real& b) {
      return to(type, [&](mpfr_t r, mpfr_rnd_t m) { return f(r, a.x, b.x, m); });
    };
    put("add", type, two(mpfr_add, x, y));
    put("sub", type, two(mpfr_sub, x, y));
    put("mul", type, two(mpfr_mul, x, y));
    put("div", type, two(mpfr_div, x, y));
    put("fma", type, to(type, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_fma(r, x.x, y.x, z.x, m); }));
    put("sqrt", type, to(type, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_sqrt(r, x.x, m); }));
    put("rcp", type, two(mpfr_div, one, x));
    put("add 0.1", type, two(mpfr_add, x, tenth));
    put("cast to f32", Type::f32, to(Type::f32, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, x.x, m); }));
    put("cast to i32", Type::i32, exact::to_integer(x, true, 32, mode));
    put("cast to u64", Type::u64, exact::to_integer(x, false, 64, mode));
    const Real natural = Real::of_integer(false, yb, 8 * sizeof(T)), integer = Real::of_integer(true, yb, 8 * sizeof(T));
    put("cast of unsigned", Type::f32, to(Type::f32, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, natural.x, m); }));
    put("cast of signed", Type::f64, to(Type::f64, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set(r, integer.x, m); }));
  }
  return e;
}

// ---- casts

#define OXIDE_EVERY_NUMBER(X) \
  X(std::int8_t)              \
  X(std::int16_t)             \
  X(std::int32_t)             \
  X(std::int64_t)             \
  X(int128)                   \
  X(std::uint8_t)             \
  X(std::uint16_t)            \
  X(std::uint32_t)            \
  X(std::uint64_t)            \
  X(uint128)                  \
  X(float)                    \
  X(double)                   \
  X(ox::half)                 \
  X(ox::bfloat16)             \
  X(bool)                     \
  X(ox::e4m3)                 \
  X(ox::e5m2)

template <class T>
inline constexpr auto cast_kernel = OXIDE_NUMBERS_KERNEL("casts")
#define OXIDE_CAST(To) \
  if constexpr (oxide::ir::can_cast(oxide::ir::type_for<T>(), oxide::ir::type_for<To>())) put(ox::cast<To>(x));
    OXIDE_EVERY_NUMBER(OXIDE_CAST)
#undef OXIDE_CAST
        if constexpr (oxide::ir::is_floating(oxide::ir::type_for<T>())) {
  put(ox::cast_unsaturated<ox::e4m3>(x));
  put(ox::cast_unsaturated<ox::e5m2>(x));
}
OXIDE_NUMBERS_END;

template <class T>
std::vector<Expected> cast_model(uint128 xb, uint128, uint128) {
  constexpr Type from = oxide::ir::type_for<T>();
  using namespace oxide::ir;
  const bool has_point = is_floating(from) || is_storage(from);
  const Real x = has_point ? Real::of_bits(from, xb) : Real::of_integer(is_signed_integer(from), xb, bits_of(from));
  std::vector<Expected> e;
  const auto set = [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_set(r, x.x, mode); };
  const auto put = [&](Type to) {
    if (!can_cast(from, to)) return;
    const std::string name = "cast to " + std::string(name_of(to));
    if (to == from) e.push_back({name, to, xb});
    else if (is_boolean(to)) e.push_back({name, to, mpfr_zero_p(x.x) ? 0u : 1u});
    else if (is_integer(to) && has_point) e.push_back({name, to, exact::to_integer(x, is_signed_integer(to), bits_of(to))});
    else if (is_integer(to)) {
      const bool negative = is_signed_integer(from) && (xb >> (bits_of(from) - 1) & 1) != 0;
      const uint128 wide = negative && bits_of(from) != 128 ? xb | ~uint128{0} << (bits_of(from) % 128) : xb;
      e.push_back({name, to, bits_of(to) == 128 ? wide : wide & ((uint128{1} << (bits_of(to) % 128)) - 1)});
    } else e.push_back({name, to, exact::rounded(to, set, MPFR_RNDN, is_storage(to))});
  };
#define OXIDE_CAST(To) put(type_for<To>());
  OXIDE_EVERY_NUMBER(OXIDE_CAST)
#undef OXIDE_CAST
  if (is_floating(from))
    for (const Type to : {Type::e4m3, Type::e5m2}) e.push_back({"unsaturated cast", to, exact::rounded(to, set)});
  return e;
}

// ---- integers

template <class T>
inline constexpr auto integer_kernel = OXIDE_NUMBERS_KERNEL("integer_operations") put(x + y);
put(x - y);
put(x* y);
put(x / y);
put(x % y);
put(-x);
put(ox::abs(x));
put(ox::min(x, y));
put(ox::max(x, y));
put(x& y);
put(x | y);
put(x ^ y);
put(~x);
put(x << z);
put(x >> z);
put(x < y);
put(x <= y);
put(x == y);
put(x != y);
put(x + 3);
put(100 - x);
put(x * 7);
put(x / 10);
put(x % 10);
put(x << 5);
put(x >> 3);
put(ox::popc(x));
put(ox::clz(x));
put(ox::ctz(x));
put(ox::ffs(x));
put(ox::brev(x));
put(ox::add_sat(x, y));
put(ox::sub_sat(x, y));
put(ox::hadd(x, y));
put(ox::rhadd(x, y));
put(ox::abs_diff(x, y));
put(ox::rotate_left(x, z));
put(ox::rotate_right(x, z));
const auto [sum, sum_over] = ox::add_overflow(x, y);
put(sum);
put(sum_over);
const auto [difference, difference_over] = ox::sub_overflow(x, y);
put(difference);
put(difference_over);
if constexpr (sizeof(T) <= 8) {
  put(ox::mulhi(x, y));
  put(ox::mul_sat(x, y));
  const auto [product, product_over] = ox::mul_overflow(x, y);
  put(product);
  put(product_over);
  const ox::u32 position = ox::cast<ox::u32>(y), length = ox::cast<ox::u32>(z);
  put(ox::bit_extract(x, position, length));
  put(ox::bit_insert(x, y, length, 5));
}
if constexpr (!oxide::ir::is_signed_integer(oxide::ir::type_for<T>())) {
  const auto [low, carry] = ox::add_carry(x, y, z > x);
  put(low);
  put(carry);
  const auto [rest, borrow] = ox::sub_borrow(x, y, z > x);
  put(rest);
  put(borrow);
}
OXIDE_NUMBERS_END;

// In twice the width where that fits, else with care. The bits of a T, zero-extended.
template <class T>
std::vector<Expected> integer_model(uint128 xb, uint128 yb, uint128 zb) {
  constexpr Type type = oxide::ir::type_for<T>();
  constexpr bool is_signed = oxide::ir::is_signed_integer(type);
  constexpr unsigned width = 8 * sizeof(T);
  const uint128 mask = width == 128 ? ~uint128{0} : (uint128{1} << width) - 1, top = uint128{1} << (width - 1);
  const T x = from_bits<T>(xb), y = from_bits<T>(yb);
  const Real rx = Real::of_integer(is_signed, xb, width), ry = Real::of_integer(is_signed, yb, width);
  std::vector<Expected> e;
  const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits & mask}); };
  const auto number = [&](const char* name, unsigned n) { e.push_back({name, Type::i32, n}); };
  const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
  const auto divided = [](T a, T b) -> uint128 {
    if constexpr (is_signed)
      if (b == -1) return 0 - static_cast<uint128>(a);
    return static_cast<uint128>(a / b);
  };
  const auto remainder = [](T a, T b) -> uint128 {
    if constexpr (is_signed)
      if (b == -1) return 0;
    return static_cast<uint128>(a % b);
  };
  const auto exactly = [&](auto f) {  // the result as an exact number, and its bits when it saturates
    Real r;
    f(r.x, rx.x, ry.x, MPFR_RNDN);
    return r;
  };
  const auto overflows = [&](const Real& r, uint128 wrapped) {
    return mpfr_equal_p(r.x, Real::of_integer(is_signed, wrapped & mask, width).x) == 0;
  };
  const unsigned n = static_cast<unsigned>(zb % width);
  const uint128 low = xb & mask;
  const auto shifted_right = [&](unsigned k) -> uint128 { return static_cast<uint128>(from_bits<T>(xb) >> k); };
  put("+", xb + yb);
  put("-", xb - yb);
  put("*", xb * yb);
  put("/", divided(x, y));
  put("%", remainder(x, y));
  put("negation", 0 - xb);
  put("abs", x < T{0} ? 0 - xb : xb);
  put("min", x < y ? xb : yb);
  put("max", x < y ? yb : xb);
  put("&", xb & yb);
  put("|", xb | yb);
  put("^", xb ^ yb);
  put("~", ~xb);
  put("<<", xb << n);
  put(">>", shifted_right(n));
  truth("<", x < y);
  truth("<=", x <= y);
  truth("==", x == y);
  truth("!=", x != y);
  put("x + 3", xb + 3);
  put("100 - x", 100 - xb);
  put("x * 7", xb * 7);
  put("x / 10", divided(x, T{10}));
  put("x % 10", remainder(x, T{10}));
  put("x << 5", xb << (5 % width));
  put("x >> 3", shifted_right(3));
  unsigned ones = 0, leading = 0, trailing = 0;
  uint128 reversed = 0;
  for (unsigned i = 0; i != width; ++i) ones += low >> i & 1, reversed |= (low >> i & 1) << (width - 1 - i);
  while (leading != width && (low >> (width - 1 - leading) & 1) == 0) ++leading;
  while (trailing != width && (low >> trailing & 1) == 0) ++trailing;
  number("popc", ones);
  number("clz", leading);
  number("ctz", trailing);
  number("ffs", trailing == width ? 0 : trailing + 1);
  put("brev", reversed);
  const Real sum = exactly(mpfr_add), difference = exactly(mpfr_sub), product = exactly(mpfr_mul);
  put("add_sat", exact::to_integer(sum, is_signed, width));
  put("sub_sat", exact::to_integer(difference, is_signed, width));
  for (const mpfr_rnd_t mode : {MPFR_RNDD, MPFR_RNDU}) {
    Real half;
    mpfr_div_ui(half.x, sum.x, 2, MPFR_RNDN);
    put("average", exact::to_integer(half, is_signed, width, mode));
  }
  Real distance;
  mpfr_abs(distance.x, difference.x, MPFR_RNDN);
  put("abs_diff", exact::to_integer(distance, false, width));
  put("rotate_left", n == 0 ? low : low << n | low >> (width - n));
  put("rotate_right", n == 0 ? low : low >> n | low << (width - n));
  put("sum", xb + yb);
  truth("sum overflows", overflows(sum, xb + yb));
  put("difference", xb - yb);
  truth("difference overflows", overflows(difference, xb - yb));
  if constexpr (width <= 64) {
    Real upper;
    mpfr_div_2ui(upper.x, product.x, width, MPFR_RNDN);
    put("mulhi", exact::to_integer(upper, is_signed, width, MPFR_RNDD));
    put("mul_sat", exact::to_integer(product, is_signed, width));
    put("product", xb * yb);
    truth("product overflows", overflows(product, xb * yb));
    const auto as_u32 = [&](uint128 v) {
      const bool negative = is_signed && (v & top) != 0;
      return static_cast<std::uint32_t>(negative ? v | ~mask : v) & 255;
    };
    const unsigned position = as_u32(yb), length = as_u32(zb);
    uint128 field = 0;  // PTX ISA, "bfe": bit i of the result is bit position + i of x, up to the sign bit of the field
    const unsigned msb = width - 1;
    const bool sign = is_signed && length != 0 && (low >> (position + length - 1 > msb ? msb : position + length - 1) & 1) != 0;
    for (unsigned i = 0; i != width; ++i) {
      const bool inside = i < length && position + i <= msb;
      if (inside ? (low >> (position + i) & 1) != 0 : sign) field |= uint128{1} << i;
    }
    put("bit_extract", field);
    uint128 inserted = yb & mask;
    for (unsigned i = 0; i != 5; ++i)
      if (length + i < width) inserted = (inserted & ~(uint128{1} << (length + i))) | (low >> i & 1) << (length + i);
    put("bit_insert", inserted);
  }
  if constexpr (!is_signed) {
    const uint128 carry = from_bits<T>(zb) > x ? 1 : 0;
    const uint128 first = (xb + yb) & mask, with_carry = (first + carry) & mask;
    put("add_carry", with_carry);
    truth("carry", first < xb || with_carry < first);
    put("sub_borrow", xb - yb - carry);
    truth("borrow", xb < yb || ((xb - yb) & mask) < carry);
  }
  return e;
}

}  // namespace

TEMPLATE_TEST_CASE("every operation on floating types is rounded once", "", ox::half, ox::bfloat16, float, double) {
  check<TestType>(float_kernel<TestType>, false, float_model<TestType>);
}

TEMPLATE_TEST_CASE("rounding modes round as they say", "", float, double) {
  check<TestType>(rounding_kernel<TestType>, false, rounding_model<TestType>);
}

TEMPLATE_TEST_CASE("every cast gives the nearest number, or the integer that the rules say", "", std::int8_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, int128, uint128, float, double, ox::half, ox::bfloat16, ox::e4m3, ox::e5m2) {
  check<TestType>(cast_kernel<TestType>, false, cast_model<TestType>);
}

TEMPLATE_TEST_CASE("every operation on integers follows its rule", "", std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, int128, uint128) {
  check<TestType>(integer_kernel<TestType>, true, integer_model<TestType>);
}
