// What vectors do across their places: loads and stores of every type and length, indices, moves, masks, reductions, products and lengths.
#include <algorithm>
#include <cmath>

#include "float_operations.hpp"
#include "integer_operations.hpp"
#include "vectors.hpp"

namespace {

using namespace numbers;

// Vectors reversed, copied by spans of vectors, and with one place of another, which is chosen at run time.
template <class T, std::size_t n>
inline constexpr auto move_kernel =
    ox::kernel("moves", [](ox::Span<const ox::Vector<T, n>> in, ox::Span<const T> numbers, ox::DisjointSpan<ox::Vector<T, n>> reversed,
                           ox::DisjointSpan<T> copied, ox::Span<T> mixed) {
      using V = ox::Vector<T, n>;
      const auto i = ox::thread::index_1d();
      auto e = reversed.get_mut(i);
      if (!e) return;
      const ox::Value<V> v = in[i];
      [&]<std::size_t... k>(std::index_sequence<k...>) { *e = ox::swizzle<(n - 1 - k)...>(v); }(std::make_index_sequence<n>());
      ox::Value<V> w;
      for (std::size_t k = 0; k != n; ++k) w[k] = numbers[i * n + k];
      w[i % n] = v[i % n];
      if constexpr (n == 3) {
        for (std::size_t k = 0; k != n; ++k) mixed.unchecked_mut(i * n + k) = w[k];
      } else {
        if (auto whole = copied.template as_vectors<n>().get_mut(i)) *whole = numbers.template as_vectors<n>()[i];
        mixed.template as_vectors<n>().unchecked_mut(i) = w;
      }
    });

template <class T, std::size_t n>
void check_moves() {
  constexpr std::size_t threads = 40;
  const auto in = random_operands<T>(threads * n, false);
  std::vector<ox::Vector<T, n>> vectors(threads);
  std::memcpy(static_cast<void*>(vectors.data()), in[0].data(), threads * n * sizeof(T));
  const auto bits = [](const auto& all) {
    std::vector<uint128> out;
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    for (std::size_t i = 0; i != threads * n; ++i) {
      uint128 x = 0;
      std::memcpy(&x, bytes + i * sizeof(T), sizeof(T));
      out.push_back(x);
    }
    return out;
  };
  std::vector<T> reversed = in[0], mixed = in[1];
  for (std::size_t i = 0; i != threads; ++i) {
    std::reverse(reversed.begin() + static_cast<std::ptrdiff_t>(i * n), reversed.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
    mixed[i * n + i % n] = in[0][i * n + i % n];
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<ox::Vector<T, n>>::from_host(stream, vectors);
    const auto b = ox::DeviceBuffer<T>::from_host(stream, in[1]);
    auto out = ox::DeviceBuffer<ox::Vector<T, n>>::zeroed(stream, threads);
    auto copied = ox::DeviceBuffer<T>::zeroed(stream, threads * n), other = ox::DeviceBuffer<T>::zeroed(stream, threads * n);
    move_kernel<T, n>(stream, ox::LaunchConfig::for_num_elems(threads), a, b, out, copied, other);
    INFO(oxide::ir::name_of(oxide::ir::type_for<T>()) << 'x' << n);
    CHECK(bits(out.to_host(stream)) == bits(reversed));
    if (n != 3) CHECK(bits(copied.to_host(stream)) == bits(in[1]));
    CHECK(bits(other.to_host(stream)) == bits(mixed));
  });
}

// What comes of all places together is put as the result of each of them.
template <class T, std::size_t n>
inline constexpr auto across_kernel =
    ox::kernel("across", [](ox::Span<const T> a, ox::Span<const T> b, ox::Span<const T> c, ox::Span<uint128> out) {
      using V = ox::Vector<T, n>;
      const auto thread = ox::thread::index_1d();
      const ox::u64 i = thread, threads = a.size() / n;
      if (i >= threads) return;
      ox::Value<V> x, y, z;
      for (std::size_t k = 0; k != n; ++k) x[k] = a[i * n + k], y[k] = b[i * n + k], z[k] = c[i * n + k];
      Results<n> put(out, i, threads);
      put(ox::any(x < y));
      put(ox::all(x < y));
      put(!(x < y) | (y == z));
      put(ox::reduce_add(x));
      put(ox::reduce_min(x));
      put(ox::reduce_max(x));
      put(ox::dot(x, y));
      put(ox::dot(x, 3));
      put(ox::splat<n>(x[1]));
      put(ox::select(y[0] < x[0], x, y));
      if constexpr (n != 16 && n != 3) {
        const auto both = ox::join(x, y);
        [&]<std::size_t... k>(std::index_sequence<k...>) { put(ox::swizzle<(2 * k + 1)...>(both)); }(std::make_index_sequence<n>());
      }
      if constexpr (n == 3) put(ox::cross(x, y));
      if constexpr (oxide::ir::is_floating(oxide::ir::type_for<T>())) put(ox::lerp(x, y, z)), put(ox::lerp(x, 2, 0.5));
    });

template <class T>
std::vector<Expected> model_of(uint128 x, uint128 y, uint128 z) {
  if constexpr (oxide::ir::is_floating(oxide::ir::type_for<T>())) return float_model<T>(x, y, z);
  else return integer_model<T>(x, y, z);
}
template <class T>
uint128 value_of(const std::string& name, uint128 x, uint128 y, uint128 z = 3) {
  for (const Expected& e : model_of<T>(x, y, z))
    if (e.name == name) return e.bits;
  throw std::logic_error(name);
}

template <class T, std::size_t n>
void check_across() {
  constexpr Type type = oxide::ir::type_for<T>();
  constexpr bool floating = oxide::ir::is_floating(type);
  constexpr std::size_t numbers = 48 * n / 2;
  const auto in = random_operands<T>(numbers, true);
  const uint128 sign = uint128{1} << (8 * sizeof(T) - 1);
  const auto literal = [](double v) {
    if constexpr (floating) return exact::rounded(type, [&](mpfr_t r, mpfr_rnd_t mode) { return mpfr_set_d(r, v, mode); });
    else return static_cast<uint128>(v);
  };
  // a * b + c, which is contracted when it is of floating types.
  const auto sum = [](uint128 a, uint128 b, uint128 c) {
    if constexpr (floating) return value_of<T>("fma", a, b, c);
    else return value_of<T>("+", value_of<T>("*", a, b), c);
  };
  Outcome outcome;
  outcome.places = n;
  for (std::size_t start = 0; start != numbers; start += n) {
    const auto at = [&](std::size_t which, std::size_t k) { return bits_of(in[which][start + k]); };
    bool any = false, all = true;
    std::array<bool, n> less{}, equal{};
    uint128 total = at(0, 0), least = at(0, 0), most = at(0, 0), product = value_of<T>("*", at(0, 0), at(1, 0)),
            thrice = value_of<T>("*", at(0, 0), literal(3));
    for (std::size_t k = 0; k != n; ++k) {
      less[k] = value_of<T>("<", at(0, k), at(1, k)) != 0;
      equal[k] = value_of<T>("==", at(1, k), at(2, k)) != 0;
      any |= less[k], all &= less[k];
      if (k == 0) continue;
      total = value_of<T>("+", total, at(0, k));
      least = value_of<T>("min", least, at(0, k));
      most = value_of<T>("max", most, at(0, k));
      product = sum(at(0, k), at(1, k), product);
      thrice = sum(at(0, k), literal(3), thrice);
    }
    const bool second = value_of<T>("<", at(1, 0), at(0, 0)) != 0;
    for (std::size_t k = 0; k != n; ++k) {
      std::vector<Expected> e;
      const auto put = [&](const char* name, uint128 bits) { e.push_back({name, type, bits}); };
      const auto truth = [&](const char* name, bool b) { e.push_back({name, Type::boolean, b ? 1u : 0u}); };
      truth("any", any);
      truth("all", all);
      truth("not less or equal", !less[k] || equal[k]);
      put("reduce_add", total);
      put("reduce_min", least);
      put("reduce_max", most);
      put("dot", product);
      put("dot with 3", thrice);
      put("splat", at(0, 1));
      put("select by one boolean", at(second ? 0 : 1, k));
      if (n != 16 && n != 3) put("join and swizzle", 2 * k + 1 < n ? at(0, 2 * k + 1) : at(1, 2 * k + 1 - n));
      if (n == 3) {
        const std::size_t j = (k + 1) % 3, l = (k + 2) % 3;
        const uint128 right = value_of<T>("*", at(0, l), at(1, j));
        put("cross", sum(at(0, j), at(1, l), floating ? right ^ sign : value_of<T>("negation", right, 3)));
      }
      if (floating) {
        put("lerp", value_of<T>("fma", at(2, k), at(1, k), value_of<T>("fma", at(2, k) ^ sign, at(0, k), at(0, k))));
        put("lerp to 2 by 0.5", value_of<T>("fma", literal(0.5), literal(2), value_of<T>("fma", literal(-0.5), at(0, k), at(0, k))));
      }
      outcome.operands.push_back({at(0, k), at(1, k), at(2, k)});
      outcome.expected.push_back(std::move(e));
    }
  }
  const auto graph = across_kernel<T, n>.graph();
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<T>::from_host(stream, in[0]), b = ox::DeviceBuffer<T>::from_host(stream, in[1]),
               c = ox::DeviceBuffer<T>::from_host(stream, in[2]);
    check_outcome(stream, 3, graph, type, {a.argument(), b.argument(), c.argument()}, outcome);
  });
}

// Of the length, the distance from 0, the direction, and its mirror image at the plane across the first axis.
template <class T, std::size_t n>
inline constexpr auto length_kernel = ox::kernel("lengths", [](ox::Span<const ox::Vector<T, n>> in, ox::Span<double> out) {
  const auto thread = ox::thread::index_1d();
  const ox::u64 i = thread;
  if (i >= in.size()) return;
  const ox::Value<ox::Vector<T, n>> v = in[i];
  ox::Value<ox::Vector<T, n>> axis;
  axis[0] = 1;
  const auto direction = ox::normalize(v), mirrored = ox::reflect(v, axis);
  ox::u64 at = i * (2 * n + 2);
  const auto put = [&](const auto& x) { out.unchecked_mut(at) = ox::cast<double>(x), at += 1; };
  put(ox::length(v));
  put(ox::distance(v, 0));
  for (std::size_t k = 0; k != n; ++k) put(direction[k]), put(mirrored[k]);
});

template <class T, std::size_t n>
void check_lengths() {
  constexpr std::size_t threads = 200;
  const exact::Format format = exact::binary_format(oxide::ir::type_for<T>());
  std::mt19937_64 random(3);
  std::vector<ox::Vector<T, n>> in(threads);
  std::vector<std::array<double, n>> numbers(threads);
  for (std::size_t i = 0; i != threads; ++i) {
    // Exponents from the smallest normal number to the largest: their squares are not numbers of the type.
    const int span = format.largest_exponent - 4, power = static_cast<int>(random() % static_cast<unsigned>(2 * span)) - span;
    std::array<T, n> v;
    for (std::size_t k = 0; k != n; ++k) {
      v[k] = static_cast<T>(static_cast<float>(static_cast<int>(random() % 255) - 127));
      const double x = std::ldexp(static_cast<double>(v[k]), power - 7);
      v[k] = static_cast<T>(x);
      numbers[i][k] = static_cast<double>(v[k]);
    }
    std::memcpy(static_cast<void*>(&in[i]), v.data(), sizeof v);
  }
  const double bound = std::ldexp(1.0, 3 - format.precision), subnormal = std::ldexp(1.0, 3 - format.largest_exponent - format.precision);
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<ox::Vector<T, n>>::from_host(stream, in);
    auto out = ox::DeviceBuffer<double>::zeroed(stream, threads * (2 * n + 2));
    length_kernel<T, n>(stream, ox::LaunchConfig::for_num_elems(threads), a, out);
    const std::vector<double> got = out.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != threads; ++i) {
      const double* result = got.data() + i * (2 * n + 2);
      Real square, length;
      mpfr_set_zero(square.x, 0);
      for (const double x : numbers[i]) {
        mpfr_set_d(length.x, x, MPFR_RNDN);
        mpfr_sqr(length.x, length.x, MPFR_RNDN);
        mpfr_add(square.x, square.x, length.x, MPFR_RNDN);
      }
      mpfr_sqrt(length.x, square.x, MPFR_RNDN);
      const double exactly = mpfr_get_d(length.x, MPFR_RNDN);
      const auto near = [&](double x, double y, double less) { return std::abs(x - y) <= bound * std::abs(y) + less; };
      if (!near(result[0], exactly, subnormal) || result[0] != result[1]) ++wrong;
      for (std::size_t k = 0; k != n; ++k) {
        // Of a subnormal length the direction is as good as the length.
        const double least = std::ldexp(1.0, 2 - format.largest_exponent);
        if (exactly == 0) wrong += std::isnan(result[2 + 2 * k]) ? 0 : 1;
        else if (exactly >= 4 * least) wrong += near(result[2 + 2 * k], numbers[i][k] / exactly, bound) ? 0 : 1;
        wrong += result[3 + 2 * k] == (k == 0 ? -numbers[i][0] : numbers[i][k]) ? 0 : 1;
      }
    }
    INFO(oxide::ir::name_of(oxide::ir::type_for<T>()) << 'x' << n);
    CHECK(wrong == 0);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("vectors of every type and length are loaded, stored, indexed and moved", "", std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, int128, ox::half, ox::bfloat16, float, double,
                   ox::e4m3, ox::e5m2, ox::half2, ox::bfloat162) {
  check_moves<TestType, 2>();
  check_moves<TestType, 3>();
  check_moves<TestType, 4>();
  check_moves<TestType, 8>();
  check_moves<TestType, 16>();
}

TEMPLATE_TEST_CASE("masks, reductions and products of vectors", "", std::int8_t, std::uint32_t, std::int64_t, ox::half, ox::bfloat16, float,
                   double) {
  check_across<TestType, 2>();
  check_across<TestType, 3>();
  check_across<TestType, 4>();
  check_across<TestType, 8>();
  check_across<TestType, 16>();
}

TEMPLATE_TEST_CASE("lengths and directions neither overflow nor underflow", "", ox::half, ox::bfloat16, float, double) {
  check_lengths<TestType, 2>();
  check_lengths<TestType, 3>();
  check_lengths<TestType, 4>();
}
