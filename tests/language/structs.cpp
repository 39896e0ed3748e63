// Structs, tuples, enumerations and arrays as values and as elements: what they hold, where it lies, and what control flow does to them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/devices.hpp"

namespace shapes {

struct Vec3 {
  float x, y, z;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};
OXIDE_STRUCT(Vec3, x, y, z)

enum class Kind : std::uint8_t { gas, dust, star };

struct Nothing {};

struct Particle {
  Vec3 position;
  float mass;
  Kind kind;
  bool alive;
  double energy[3];
  std::array<std::int16_t, 2> cell;
  Nothing nothing;
  alignas(32) std::uint64_t id;
  friend bool operator==(const Particle& a, const Particle& b) {
    return a.position == b.position && a.mass == b.mass && a.kind == b.kind && a.alive == b.alive &&
           std::equal(a.energy, a.energy + 3, b.energy) && a.cell == b.cell && a.id == b.id;
  }
};
OXIDE_STRUCT(Particle, position, mass, kind, alive, energy, cell, nothing, id)
static_assert(alignof(Particle) == 32);

struct Plain {  // without OXIDE_STRUCT
  std::uint8_t tag;
  Vec3 at;
  int counts[4];
  std::pair<float, std::int8_t> pair;
};

template <class T, int n>
struct Row {
  int size;
  T data[n];
};
OXIDE_STRUCT_TEMPLATE((class T, int n), (Row<T, n>), size, data)

#pragma pack(push, 1)
struct Packed {
  std::uint8_t tag;
  float value;
  std::uint16_t end;
};
#pragma pack(pop)
OXIDE_STRUCT(Packed, tag, value, end)
static_assert(sizeof(Packed) == 7);

ox::Value<Vec3> scaled(const ox::Value<Vec3>& v, const ox::f32& k) { return {v.x * k, v.y * k, v.z * k}; }

Particle random_particle(std::mt19937& random) {
  Particle p{};
  const auto number = [&] { return static_cast<float>(random() % 1000) / 8 - 50; };
  p.position = {number(), number(), number()};
  p.mass = number();
  p.kind = static_cast<Kind>(random() % 3);
  p.alive = random() % 2 != 0;
  for (double& e : p.energy) e = number();
  p.cell = {static_cast<std::int16_t>(random()), static_cast<std::int16_t>(random())};
  p.id = random();
  return p;
}

}  // namespace shapes

namespace {

using namespace shapes;

template <class T>
std::vector<T> random_particles(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> all;
  for (std::size_t i = 0; i != n; ++i) all.push_back(random_particle(random));
  return all;
}

}  // namespace

TEST_CASE("members of structs are read, changed and written where they lie, and padding is left alone") {
  constexpr auto k = ox::kernel("change", [](ox::Span<const Particle> in, ox::DisjointSpan<Particle> out, ox::Span<Particle> all) {
    auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::Value<Particle> p = in[i];
    p.position = scaled(p.position, p.mass);
    p.position.x += in[i].position.z;
    p.energy[1] += p.energy[i % 3];
    p.energy[i % 3] = 7;
    p.cell[0] = p.cell[1];
    p.kind = Kind::star;
    p.alive = !p.alive;
    *e = p;
    e->mass = e->mass * 2 + 1;
    (*e).id += 3;
    e->position.y = p.position.z;
    e->energy[(i + 1) % 3] -= 0.5;
    if (e->alive) e->cell[1] = 5;
    all.unchecked_mut(i).kind = all[i].kind;
    all.unchecked_mut(i).position = Vec3{1, 2, 3};
    all.unchecked_mut(i).energy[2] *= 2;
    all.unchecked_mut(i)[&Particle::mass] = all[i].position.y;
  });
  constexpr std::size_t n = 77;
  const auto host = random_particles<Particle>(n, 1);
  std::vector<Particle> expected = host, changed = host;
  for (std::size_t i = 0; i != n; ++i) {
    Particle& p = expected[i];
    p.position = {p.position.x * p.mass, p.position.y * p.mass, p.position.z * p.mass};
    p.position.x = std::fma(host[i].position.x, host[i].mass, host[i].position.z);
    p.energy[1] += p.energy[i % 3];
    p.energy[i % 3] = 7;
    p.cell[0] = p.cell[1];
    p.kind = Kind::star;
    p.alive = !p.alive;
    p.mass = p.mass * 2 + 1;
    p.id += 3;
    p.position.y = p.position.z;
    p.energy[(i + 1) % 3] -= 0.5;
    if (p.alive) p.cell[1] = 5;
    changed[i].position = {1, 2, 3};
    changed[i].energy[2] *= 2;
    changed[i].mass = 2;
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<Particle>::from_host(stream, host);
    std::vector<Particle> marks(n);
    std::memset(static_cast<void*>(marks.data()), 0x5a, n * sizeof(Particle));
    auto out = ox::DeviceBuffer<Particle>::from_host(stream, marks), all = ox::DeviceBuffer<Particle>::from_host(stream, host);
    k(stream, ox::LaunchConfig::for_num_elems(n), in, out, all);
    const std::vector<Particle> got = out.to_host(stream);
    for (std::size_t i = 0; i != n; ++i) {
      INFO(i);
      CHECK(got[i].position.x == Approx(expected[i].position.x));
      Particle same = got[i];
      same.position.x = expected[i].position.x;
      CHECK(same == expected[i]);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(got.data());
    CHECK(bytes[offsetof(Particle, nothing)] == 0x5a);
    CHECK(bytes[sizeof(Particle) - 1] == 0x5a);
    CHECK(all.to_host(stream) == changed);
  });
}

TEST_CASE("structs go through branches, loops, helpers, swaps and comparators as whole values") {
  constexpr auto k =
      ox::kernel("flow", [](ox::Span<const Particle> in, ox::Value<Particle> extra, ox::Value<Kind> kind, ox::DisjointSpan<Particle> out) {
        auto i = ox::thread::index_1d();
        auto e = out.get_mut(i);
        if (!e) return;
        ox::Value<Particle> p = in[i], q = extra;
        const auto lighter = [](const ox::Value<Particle>& a, const ox::Value<Particle>& b) { return static_cast<bool>(a.mass < b.mass); };
        const ox::Value<Particle> least = std::min(p, q, lighter);
        if (p.kind == kind || p.kind == Kind::gas) std::swap(p, q);
        while (p.mass < 20) {
          p.mass += 7;
          std::swap(p.position.x, p.position.y);
        }
        for (auto n : ox::range(3)) {
          if (p.alive && n == 1) p = least;
          p.energy[0] += 1;
        }
        ox::Value<Particle> chosen = p.mass > 30 ? p : q;
        if (chosen == p) chosen.id = 1;
        if (chosen.position != p.position) chosen.id = 2;
        *e = chosen;
      });
  constexpr std::size_t n = 100;
  const auto host = random_particles<Particle>(n, 2);
  Particle extra = host[5];
  extra.kind = Kind::dust;
  std::vector<Particle> expected(n);
  for (std::size_t i = 0; i != n; ++i) {
    Particle p = host[i], q = extra;
    const Particle least = std::min(p, q, [](const Particle& a, const Particle& b) { return a.mass < b.mass; });
    if (p.kind == Kind::star || p.kind == Kind::gas) std::swap(p, q);
    while (p.mass < 20) p.mass += 7, std::swap(p.position.x, p.position.y);
    for (int r = 0; r != 3; ++r) {
      if (p.alive && r == 1) p = least;
      p.energy[0] += 1;
    }
    Particle chosen = p.mass > 30 ? p : q;
    if (chosen == p) chosen.id = 1;
    if (!(chosen.position == p.position)) chosen.id = 2;
    expected[i] = chosen;
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<Particle>::from_host(stream, host);
    auto out = ox::DeviceBuffer<Particle>::zeroed(stream, n);
    k(stream, ox::LaunchConfig::for_num_elems(n), in, extra, Kind::star, out);
    const std::vector<Particle> got = out.to_host(stream);
    for (std::size_t i = 0; i != n; ++i) {
      INFO(i);
      CHECK(got[i] == expected[i]);
    }
  });
}

TEST_CASE("aggregates without names, tuples, templates, packed structs, binds and bit casts") {
  constexpr auto k = ox::kernel("plain", [](ox::Span<const Plain> in, ox::Span<const std::tuple<std::int8_t, double, bool>> tuples,
                                            ox::Span<Row<float, 5>> rows, ox::Span<Packed> packed, ox::DisjointSpan<Plain> out) {
    auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::Value<Plain> p = in[i];
    p[&Plain::tag] += 1;
    p[&Plain::at].x *= 2;
    p[&Plain::counts][i % 4] += p[&Plain::counts][3];
    auto [tag, at, counts, pair] = p;
    const auto [number, wide, yes] = ox::Value<std::tuple<std::int8_t, double, bool>>(tuples[i]);
    pair.get<0>() = ox::cast<float>(wide);
    if (yes) pair.get<1>() = number;
    p[&Plain::pair] = pair;
    *e = p;
    (*e)[&Plain::at].z = at.y;
    rows.unchecked_mut(i).data[rows[i].size] = at.x;
    packed.unchecked_mut(i).value += 1.5f;
    packed.unchecked_mut(i).end = ox::cast<std::uint16_t>(tag);
    const auto bits = ox::bit_cast<std::array<std::uint32_t, 3>>(at);
    const ox::Value<Vec3> back = ox::bit_cast<Vec3>(bits);
    rows.unchecked_mut(i).data[4] = back.z;
    rows.unchecked_mut(i).size = ox::bit_cast<std::int32_t>(ox::bit_cast<std::array<std::uint8_t, 4>>(bits[0]));
  });
  constexpr std::size_t n = 40;
  std::mt19937 random(3);
  std::vector<Plain> host(n), expected;
  std::vector<std::tuple<std::int8_t, double, bool>> tuples(n);
  std::vector<Row<float, 5>> rows(n), expected_rows;
  std::vector<Packed> packed(n), expected_packed;
  for (std::size_t i = 0; i != n; ++i) {
    host[i] = {static_cast<std::uint8_t>(random()), {float(i), 2, 3.5f}, {1, 2, 3, int(i)}, {0, 9}};
    tuples[i] = {static_cast<std::int8_t>(random()), static_cast<double>(i) / 4, i % 3 == 0};
    rows[i] = {static_cast<int>(i % 4), {1, 2, 3, 4, 5}};
    packed[i] = {7, static_cast<float>(i), 100};
  }
  expected = host, expected_rows = rows, expected_packed = packed;
  for (std::size_t i = 0; i != n; ++i) {
    Plain& p = expected[i];
    ++p.tag;
    p.at.x *= 2;
    p.counts[i % 4] += p.counts[3];
    p.pair.first = static_cast<float>(std::get<1>(tuples[i]));
    if (std::get<2>(tuples[i])) p.pair.second = std::get<0>(tuples[i]);
    p.at.z = p.at.y;
    expected_rows[i].data[i % 4] = p.at.x;
    expected_rows[i].data[4] = host[i].at.z;
    std::memcpy(&expected_rows[i].size, &p.at.x, 4);
    expected_packed[i].value += 1.5f;
    expected_packed[i].end = p.tag;
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<Plain>::from_host(stream, host);
    const auto ts = ox::DeviceBuffer<std::tuple<std::int8_t, double, bool>>::from_host(stream, tuples);
    auto r = ox::DeviceBuffer<Row<float, 5>>::from_host(stream, rows);
    auto p = ox::DeviceBuffer<Packed>::from_host(stream, packed);
    auto out = ox::DeviceBuffer<Plain>::zeroed(stream, n);
    k(stream, ox::LaunchConfig::for_num_elems(n), in, ts, r, p, out);
    const auto got = out.to_host(stream);
    const auto got_rows = r.to_host(stream);
    const auto got_packed = p.to_host(stream);
    for (std::size_t i = 0; i != n; ++i) {
      INFO(i);
      CHECK(got[i].tag == expected[i].tag);
      CHECK(got[i].at == expected[i].at);
      CHECK(std::equal(got[i].counts, got[i].counts + 4, expected[i].counts));
      CHECK(got[i].pair == expected[i].pair);
      CHECK(got_rows[i].size == expected_rows[i].size);
      CHECK(std::equal(got_rows[i].data, got_rows[i].data + 5, expected_rows[i].data));
      CHECK(std::memcmp(&got_packed[i], &expected_packed[i], sizeof(Packed)) == 0);
    }
  });

  const auto moved =
      ox::bind(Vec3{1, 2, 3}, 4.0f, Kind::dust, [](ox::Value<Vec3> by, ox::f32 times, ox::Value<Kind> kind, ox::Value<Vec3> v) {
        by.x += ox::cast<float>(kind);
        return ox::Value<Vec3>{v.x + by.x * times, v.y + by.y * times, v.z + by.z * times};
      });
  constexpr auto map = ox::kernel("map", [](auto f, auto by, ox::DisjointSpan<Vec3> out) {
    auto i = ox::thread::index_1d();
    if (auto e = out.get_mut(i)) *e = f(by);
  });
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<Vec3>::zeroed(stream, 3);
    map(stream, ox::LaunchConfig{1, 3}, moved, Vec3{10, 20, 30}, out);
    CHECK(out.to_host(stream) == std::vector<Vec3>(3, Vec3{18, 28, 42}));
  });
}

TEST_CASE("enumerations compare, cast and store; members made of values and of constants") {
  constexpr auto k = ox::kernel("kinds", [](ox::Span<const Kind> in, ox::Span<Kind> all, ox::DisjointSpan<std::uint32_t> out) {
    auto i = ox::thread::index_1d();
    ox::Value<Kind> kind = in[i], other;
    ox::u32 code = ox::cast<std::uint32_t>(kind) * 10;
    if (kind == Kind::dust) code += 1;
    if (Kind::gas != kind) code += 2;
    if (kind >= all[i]) code += 4;
    if (other == Kind::gas) code += 1000;
    other = ox::cast<Kind>(ox::cast<std::uint8_t>(i % 3));
    all.unchecked_mut(i) = other;
    if (all[i] == kind) code += 100;
    ox::Value<Particle> zero,
        made{Vec3{1, 2, 3}, 4, Kind::star, true, ox::Value<double[3]>(), std::array<std::int16_t, 2>{1, 2}, Nothing{}, 9};
    if (zero.kind == Kind::gas && !zero.alive && zero.id == 0) code += 10000;
    if (made.position.y == 2 && made.kind == Kind::star && made.cell[1] == 2 && made.id == 9) code += 20000;
    if (auto e = out.get_mut(i)) *e = code;
  });
  std::vector<Kind> kinds, all;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i != 30; ++i) {
    kinds.push_back(static_cast<Kind>(i / 10));
    all.push_back(Kind::dust);
    expected.push_back(i / 10 * 10 + (i / 10 == 1 ? 1u : 0u) + (i / 10 != 0 ? 2u : 0u) + (i / 10 >= 1 ? 4u : 0u) +
                       (i % 3 == i / 10 ? 100u : 0u) + 31000);
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<Kind>::from_host(stream, kinds);
    auto memory = ox::DeviceBuffer<Kind>::from_host(stream, all);
    auto out = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, kinds.size());
    k(stream, ox::LaunchConfig{1, 30}, in, memory, out);
    CHECK(out.to_host(stream) == expected);
  });
}

TEST_CASE("a struct by value is a parameter for each of its numbers; its layout is in the graph") {
  const auto graph = ox::kernel("k", [](ox::Value<Vec3> v, ox::DisjointSpan<Particle> out) {
                       if (auto e = out.get_mut(ox::thread::index_1d())) e->position = v;
                     }).graph();
  REQUIRE(graph->parameters.size() == 4);
  CHECK(graph->parameters[2].type == oxide::ir::Type::f32);
  CHECK(graph->parameters[3].layout == oxide::ir::Layout{sizeof(Particle), alignof(Particle)});
}

TEST_CASE("messages count a struct as one parameter", "[fault]") {
  constexpr auto k = ox::kernel("counted", [](ox::Value<Particle> p, ox::Span<const float> a, ox::DisjointSpan<float> out, ox::u8 n) {
    if (auto e = out.get_mut(ox::thread::index_1d())) *e = a[n] * p.mass;
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<float>::zeroed(stream, 3);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 1);
    std::string text;
    try {
      k(stream, ox::LaunchConfig{1, 1}, Particle{}, a, out, 5);
      stream.synchronize();
    } catch (const ox::KernelFault& fault) {
      text = fault.what();
    }
    CHECK_THAT(text, Catch::Contains("index 5 is outside of parameter 2, which has 3 elements"));
    CHECK_THROWS_WITH(k(stream, ox::LaunchConfig{1, 1}, Particle{}, a, out, 500), Catch::Contains("parameter 4"));
  });
}

TEST_CASE("select takes one of two structs, elements, arrays or enumerations, without a branch") {
  constexpr auto k =
      ox::kernel("select_structs", [](ox::Span<const Particle> in, ox::DisjointSpan<Particle> out, ox::Span<std::uint8_t> kinds) {
        auto i = ox::thread::index_1d();
        ox::Value<Particle> p = in[i], q = in[i + 1];
        const ox::boolean heavier = p.mass > q.mass;
        ox::Value<Particle> chosen = ox::select(heavier, p, in[i + 1]);
        chosen.position = ox::select(heavier, Vec3{1, 2, 3}, q.position);
        chosen.cell = ox::select(p.alive, p.cell, q.cell);
        if (auto e = out.get_mut(i)) *e = chosen;
        kinds.unchecked_mut(i) = ox::cast<std::uint8_t>(ox::select(heavier, Kind::star, p.kind)) * 16 +
                                 ox::cast<std::uint8_t>(ox::select(heavier, Kind::dust, Kind::star));
      });
  CHECK(k.graph()->blocks.size() <= 3);  // the check of the index is the only branch
  const auto in = random_particles<Particle>(65, 5);
  on_every_device([&](const ox::Stream& stream) {
    const auto a = ox::DeviceBuffer<Particle>::from_host(stream, in);
    auto b = ox::DeviceBuffer<Particle>::zeroed(stream, 64);
    auto c = ox::DeviceBuffer<std::uint8_t>::zeroed(stream, 64);
    k(stream, ox::LaunchConfig{2, 32}, a, b, c);
    const auto out = b.to_host(stream);
    const auto kinds = c.to_host(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != 64; ++i) {
      const bool heavier = in[i].mass > in[i + 1].mass;
      Particle expected = heavier ? in[i] : in[i + 1];
      expected.position = heavier ? Vec3{1, 2, 3} : in[i + 1].position;
      expected.cell = in[i].alive ? in[i].cell : in[i + 1].cell;
      wrong += !(out[i] == expected);
      wrong += kinds[i] != (heavier ? 2 * 16 + 1 : static_cast<int>(in[i].kind) * 16 + 2);
    }
    CHECK(wrong == 0);
  });
}
