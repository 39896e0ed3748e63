// Rounding modes of halves, exhaustively: every number that a half can be, and what lies beside and between them.
#include <cmath>
#include <limits>

#include "check.hpp"

namespace {

using namespace numbers;

constexpr std::size_t rn = 0, rz = 1, rm = 2, rp = 3;  // in the order of the results

template <class From, class Half>
inline constexpr auto narrowing_kernel = ox::kernel("narrowing", [](ox::Span<const From> in, ox::Span<std::uint16_t> out) {
  const ox::u64 i = ox::thread::index_1d();
  if (i >= in.size()) return;
  const ox::Value<From> x = in[i];
  const auto put = [&](std::size_t mode, const ox::Value<Half>& y) { out.unchecked_mut(4 * i + mode) = ox::bit_cast<ox::u16>(y); };
  put(rn, ox::cast_rn<Half>(x));
  put(rz, ox::cast_rz<Half>(x));
  put(rm, ox::cast_rm<Half>(x));
  put(rp, ox::cast_rp<Half>(x));
});

template <class Half>
constexpr std::uint16_t infinity_of = std::numeric_limits<Half>::infinity().bits();
template <class Half>
double value_of(std::uint16_t bits) {
  return static_cast<double>(static_cast<float>(Half::from_bits(bits)));
}

// Numbers of type From and what they are as halves in the four modes, known from how the numbers are made.
template <class From>
struct Narrowing {
  std::vector<From> in;
  std::vector<std::uint16_t> expected;

  // A number between the magnitudes `below` and `below` + 1, or one of them; both signs.
  void add(From x, std::uint16_t nearest, std::uint16_t below, std::uint16_t above) {
    constexpr std::uint16_t sign = 0x8000;
    const auto negative = [](std::uint16_t bits) { return static_cast<std::uint16_t>(bits | sign); };
    in.push_back(x);
    expected.insert(expected.end(), {nearest, below, below, above});
    in.push_back(-x);
    expected.insert(expected.end(), {negative(nearest), negative(below), negative(above), negative(below)});
  }
};

template <class From, class Half>
Narrowing<From> narrowing_of_every_half() {
  Narrowing<From> all;
  constexpr std::uint16_t infinity = infinity_of<Half>;
  const From far = std::numeric_limits<From>::infinity();
  for (std::uint16_t below = 0; below != infinity; ++below) {
    const auto above = static_cast<std::uint16_t>(below + 1);
    const double low = value_of<Half>(below);
    // Behind the largest number the next one is where an infinity begins.
    const double high = above == infinity ? 2 * low - value_of<Half>(static_cast<std::uint16_t>(below - 1)) : value_of<Half>(above);
    const auto x = static_cast<From>(low), middle = static_cast<From>((low + high) / 2), y = static_cast<From>(high);
    all.add(x, below, below, below);
    all.add(std::nextafter(x, far), below, below, above);
    all.add(std::nextafter(middle, From{0}), below, below, above);
    all.add(middle, below % 2 == 0 ? below : above, below, above);
    if (middle < std::numeric_limits<From>::max()) all.add(std::nextafter(middle, far), above, below, above);
    if (std::isfinite(y)) all.add(std::nextafter(y, From{0}), above, below, above);
  }
  all.add(std::numeric_limits<From>::max(), infinity, static_cast<std::uint16_t>(infinity - 1), infinity);
  all.add(far, infinity, infinity, infinity);
  return all;
}

template <class From, class Half>
void check_narrowing() {
  const Narrowing<From> all = narrowing_of_every_half<From, Half>();
  on_every_device([&](const ox::Stream& stream) {
    std::vector<From> in = all.in;
    in.push_back(std::numeric_limits<From>::quiet_NaN());
    const auto a = ox::DeviceBuffer<From>::from_host(stream, in);
    auto out = ox::DeviceBuffer<std::uint16_t>::zeroed(stream, 4 * in.size());
    narrowing_kernel<From, Half>(stream, ox::LaunchConfig::for_num_elems(in.size()), a, out);
    std::vector<std::uint16_t> got = out.to_host(stream);
    for (std::size_t mode = 0; mode != 4; ++mode) {
      CHECK((got.back() & 0x7fff) > infinity_of<Half>);
      got.pop_back();
    }
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = got.size(); i-- != 0;)
      if (got[i] != all.expected[i]) ++wrong, first = i;
    INFO(oxide::ir::name_of(oxide::ir::type_for<From>())
         << " to " << oxide::ir::name_of(oxide::ir::type_for<Half>()) << ", " << all.in[first / 4] << " in mode " << first % 4 << ": got "
         << got[first] << ", expected " << all.expected[first]);
    CHECK(wrong == 0);
  });
}

template <class Half>
inline constexpr auto whole_kernel = ox::kernel("whole", [](ox::Span<std::int64_t> out) {
  const ox::u64 i = ox::thread::index_1d();
  if (i >= 65536u) return;
  const auto x = ox::bit_cast<ox::Value<Half>>(ox::cast<ox::u16>(i));
  ox::u64 at = i;
  const auto put = [&](const auto& y) { out.unchecked_mut(at) = ox::cast<std::int64_t>(y), at += 65536u; };
#define OXIDE_MODE(suffix)                  \
  put(ox::cast_##suffix<std::int8_t>(x));   \
  put(ox::cast_##suffix<std::uint16_t>(x)); \
  put(ox::cast_##suffix<std::int32_t>(x));  \
  put(ox::cast_##suffix<std::int64_t>(x));
  OXIDE_MODE(rn) OXIDE_MODE(rz) OXIDE_MODE(rm) OXIDE_MODE(rp)
#undef OXIDE_MODE
});

template <class Half>
inline constexpr auto roots_kernel = ox::kernel("roots", [](ox::Span<std::uint16_t> out) {
  const ox::u64 i = ox::thread::index_1d();
  if (i >= 65536u) return;
  const auto x = ox::bit_cast<ox::Value<Half>>(ox::cast<ox::u16>(i));
  ox::u64 at = i;
  const auto put = [&](const ox::Value<Half>& y) { out.unchecked_mut(at) = ox::bit_cast<ox::u16>(y), at += 65536u; };
  put(ox::sqrt_rn(x)), put(ox::sqrt_rz(x)), put(ox::sqrt_rm(x)), put(ox::sqrt_rp(x));
  put(ox::rcp_rn(x)), put(ox::rcp_rz(x)), put(ox::rcp_rm(x)), put(ox::rcp_rp(x));
});

// Whether y, a positive finite half, is the one that a mode makes of a number r, of which `compare(y)` says on which side of y it lies. r
// may be beyond the largest number.
template <class Half, class Compare>
bool is_rounded(std::size_t mode, std::uint16_t y, Compare compare) {
  const auto beside = [&](int step) { return value_of<Half>(static_cast<std::uint16_t>(y + step)); };
  const double value = value_of<Half>(y);
  const int here = compare(value);
  if (here == 0) return true;
  switch (mode) {
    case rz:
    case rm:
      return here > 0 && compare(beside(1)) < 0;
    case rp:
      return here < 0 && (y == 0 || compare(beside(-1)) > 0);
    default:
      if (here > 0) {  // r is above y: not beyond the middle
        const int middle = compare((value + beside(1)) / 2);
        return middle < 0 || (middle == 0 && y % 2 == 0);
      }
      const int middle = compare((value + beside(-1)) / 2);
      return middle > 0 || (middle == 0 && y % 2 == 0);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("casts to halves round in every mode, at every half and between them", "", ox::half, ox::bfloat16) {
  check_narrowing<float, TestType>();
  check_narrowing<double, TestType>();
}

TEMPLATE_TEST_CASE("every half becomes a whole number in every mode, saturated", "", ox::half, ox::bfloat16) {
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::int64_t>::zeroed(stream, std::size_t{16} * 65536);
    whole_kernel<TestType>(stream, ox::LaunchConfig::for_num_elems(65536), out);
    const std::vector<std::int64_t> got = out.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != 65536; ++i) {
      const double x = value_of<TestType>(static_cast<std::uint16_t>(i));
      const double whole[] = {std::nearbyint(x), std::trunc(x), std::floor(x), std::ceil(x)};
      for (std::size_t mode = 0; mode != 4; ++mode) {
        const auto saturated = [&](double least, double most) { return std::isnan(x) ? 0 : std::min(std::max(whole[mode], least), most); };
        const double expected[] = {saturated(-128, 127), saturated(0, 65535), saturated(-2147483648.0, 2147483647.0)};
        for (std::size_t k = 0; k != 3; ++k) wrong += static_cast<double>(got[(4 * mode + k) * 65536 + i]) == expected[k] ? 0 : 1;
        const std::int64_t wide = got[(4 * mode + 3) * 65536 + i];
        if (std::isnan(x)) wrong += wide == 0 ? 0 : 1;
        else if (whole[mode] >= 0x1p63) wrong += wide == std::numeric_limits<std::int64_t>::max() ? 0 : 1;
        else wrong += wide == static_cast<std::int64_t>(std::max(whole[mode], -0x1p63)) ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  });
}

TEMPLATE_TEST_CASE("roots and reciprocals of every half round in every mode", "", ox::half, ox::bfloat16) {
  constexpr std::uint16_t infinity = infinity_of<TestType>, sign = 0x8000;
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<std::uint16_t>::zeroed(stream, std::size_t{8} * 65536);
    roots_kernel<TestType>(stream, ox::LaunchConfig::for_num_elems(65536), out);
    const std::vector<std::uint16_t> got = out.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t mode = 0; mode != 4; ++mode)
      for (std::size_t i = 0; i != infinity; ++i) {
        const double x = value_of<TestType>(static_cast<std::uint16_t>(i));
        const std::uint16_t root = got[mode * 65536 + i], reciprocal = got[(4 + mode) * 65536 + i];
        // Squares and products of halves are exact in a double.
        const auto side_of_root = [&](double y) { return x > y * y ? 1 : x < y * y ? -1 : 0; };
        const auto side_of_reciprocal = [&](double y) { return 1 > y * x ? 1 : 1 < y * x ? -1 : 0; };
        wrong += is_rounded<TestType>(mode, root, side_of_root) ? 0 : 1;
        if (i == 0) wrong += reciprocal == infinity ? 0 : 1;
        else if (reciprocal != infinity) wrong += is_rounded<TestType>(mode, reciprocal, side_of_reciprocal) ? 0 : 1;
        else wrong += mode == rn || mode == rp ? (value_of<TestType>(infinity - 1) * x < 1 ? 0 : 1) : 1;
        // The negative number's is the same one, in the mirrored mode.
        const std::size_t mirrored = mode == rm ? rp : mode == rp ? rm : mode;
        wrong += got[(4 + mirrored) * 65536 + (i | sign)] == (reciprocal | sign) ? 0 : 1;
        wrong += i == 0 || (got[mode * 65536 + (i | sign)] & 0x7fff) > infinity ? 0 : 1;
      }
    CHECK(wrong == 0);
  });
}
