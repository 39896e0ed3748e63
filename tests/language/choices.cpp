// Options, results, variants, and ox::match.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/dsl/match.hpp>

#include "support/devices.hpp"

namespace ways {

enum class Kind : std::int16_t { square = -1, circle = 5, line = 9 };
OXIDE_ENUM(Kind, square, circle, line)

struct Box {
  double width;
  float height;
};
OXIDE_STRUCT(Box, width, height)

using Shape = ox::Variant<float, Box, std::uint8_t>;

ox::Option<ox::f32> root(const ox::f32& x) {
  if (x < 0) return ox::none;
  return ox::sqrt(x);
}
ox::Result<ox::f32, ox::u32> inverse(const ox::f32& x) {
  if (x == 0) return ox::err(7u);
  if (x > 100) return ox::err(ox::cast<std::uint32_t>(x));
  return 1 / x;
}

}  // namespace ways

namespace {

using namespace ways;

template <class Launch>
std::string fault_of(const ox::Stream& stream, Launch launch) {
  try {
    launch();
    stream.synchronize();
  } catch (const ox::KernelFault& fault) {
    return fault.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("options and results in native control flow, with their bytes as on the host") {
  using O = ox::Option<float>;
  using R = ox::Result<float, std::uint32_t>;
  static_assert(std::is_standard_layout_v<O> && std::is_trivially_copyable_v<O> && std::is_standard_layout_v<R> && sizeof(R) == 8);
  constexpr auto k =
      ox::kernel("options", [](ox::Span<const float> in, ox::Span<const O> options, ox::Value<O> one, ox::DisjointSpan<float> out,
                               ox::DisjointSpan<R> results, ox::DisjointSpan<ox::Option<Box>> boxes) {
        auto i = ox::thread::index_1d();
        auto e = out.get_mut(i);
        if (!e) return;
        const ox::f32 x = in[i];
        ox::f32 sum = 0;
        if (auto v = root(x)) sum += *v;
        else sum -= 1;
        sum += ox::Value<O>(options[i]).value_or(100);
        sum += root(x).map([](const ox::f32& r) { return r + 1; }).value_or(0);
        sum += root(x).and_then([](const ox::f32& r) { return root(r - 2); }).or_else([] { return ox::some(ox::f32(1000)); }).unwrap();
        if (options[i] == one) sum += 5000;
        ox::Value<O> left = ox::some(3.0f);
        while (left) {  // a loop on an option
          sum += *left;
          if (*left > 1) left = *left - 1;
          else left = ox::none;
        }
        auto result = inverse(x).map([](const ox::f32& y) { return y * 2; }).and_then([](const ox::f32& y) { return inverse(y); });
        if (result) sum += *result;
        else sum += ox::cast<float>(result.error()) * 10000;
        sum += inverse(x).value_or(50000.0f);
        if (auto r = results.get_mut(i)) *r = result;
        if (auto b = boxes.get_mut(i)) {
          ox::Value<ox::Option<Box>> box;
          if (x > 1) box = ox::Value<Box>{2.0, x};
          *b = box;
        }
        *e = sum;
      });
  std::vector<float> host, expected;
  std::vector<O> options;
  const auto host_root = [](float x) { return x < 0 ? O() : O(std::sqrt(x)); };
  const auto host_inverse = [](float x) {
    return x == 0 ? R(ox::Err<std::uint32_t>{7}) : x > 100 ? R(ox::Err<std::uint32_t>{static_cast<std::uint32_t>(x)}) : R(1 / x);
  };
  std::vector<R> results;
  for (int i = 0; i != 40; ++i) {
    const float x = i == 3 ? 0.0f : i == 5 ? 128.0f : static_cast<float>(i - 8) * 0.25f;
    host.push_back(x);
    options.push_back(i % 3 == 0 ? O() : O(static_cast<float>(i % 4)));
    float sum = 0;
    if (host_root(x)) sum += *host_root(x);
    else sum -= 1;
    sum += options.back().value_or(100);
    sum += host_root(x) ? *host_root(x) + 1 : 0;
    const O second = host_root(x) ? host_root(*host_root(x) - 2) : O();
    sum += second.value_or(1000);
    if (options.back() == O(2.0f)) sum += 5000;
    sum += 3, sum += 2, sum += 1;
    const R first = host_inverse(x);
    const R result = first ? host_inverse(first.unwrap() * 2) : first;
    if (result) sum += result.unwrap();
    else sum += static_cast<float>(result.error()) * 10000;
    sum += host_inverse(x).value_or(50000.0f);
    results.push_back(result);
    expected.push_back(sum);
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<float>::from_host(stream, host);
    const auto os = ox::DeviceBuffer<O>::from_host(stream, options);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, host.size());
    auto rs = ox::DeviceBuffer<R>::zeroed(stream, host.size());
    auto bs = ox::DeviceBuffer<ox::Option<Box>>::zeroed(stream, host.size());
    k(stream, ox::LaunchConfig::for_num_elems(host.size()), in, os, O(2.0f), out, rs, bs);
    const auto got = out.to_host(stream);
    const auto got_results = rs.to_host(stream);
    const auto got_boxes = bs.to_host(stream);
    for (std::size_t i = 0; i != host.size(); ++i) {
      INFO(i << ", " << host[i]);
      CHECK(got[i] == Approx(expected[i]));
      CHECK(got_results[i].is_ok() == results[i].is_ok());
      if (results[i].is_ok()) CHECK(got_results[i].unwrap() == Approx(results[i].unwrap()));
      else CHECK(got_results[i].error() == results[i].error());
      CHECK(got_boxes[i].has_value() == (host[i] > 1));
      if (got_boxes[i]) CHECK((*got_boxes[i]).height == host[i]);
    }
  });
}

TEST_CASE("unwrap and expect of nothing end the thread and name the line", "[fault]") {
  constexpr unsigned line = __LINE__ + 3;
  constexpr auto k = ox::kernel("unwraps", [](ox::Span<const ox::Option<float>> in, ox::DisjointSpan<float> out) {
    auto i = ox::thread::index_1d();
    const ox::f32 v = ox::Value<ox::Option<float>>(in[i]).expect("a reading");
    if (auto e = out.get_mut(i)) *e = v;
  });
  on_every_device([&](const ox::Stream& stream) {
    const auto in = ox::DeviceBuffer<ox::Option<float>>::from_host(stream, std::vector<ox::Option<float>>{2.0f, ox::none, 3.0f});
    auto out = ox::DeviceBuffer<float>::zeroed(stream, 3);
    CHECK_THAT(fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 3}, in, out); }),
               Catch::Contains("a reading") && Catch::Contains("choices.cpp:" + std::to_string(line)));
    CHECK(out.to_host(stream) == std::vector<float>{2, 0, 3});
  });
  const auto untested = ox::kernel("untested", [](ox::Span<const ox::Option<float>> in, ox::DisjointSpan<float> out) {
    const ox::Value<ox::Option<float>> v = in[0];
    out.unchecked_mut(0) = *v;
  });
  CHECK_THROWS_WITH(untested.graph(), Catch::Contains("used where it was not tested"));
}

TEST_CASE("match takes one way, by integers, enumerators, options, results and variants", "[fault]") {
  constexpr auto k = ox::kernel("matches", [](ox::Span<const std::int32_t> numbers, ox::Span<const Kind> kinds,
                                              ox::Span<const Shape> shapes, ox::DisjointSpan<double> out, ox::DisjointSpan<Shape> changed) {
    auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::f64 sum = ox::match(ox::i32(numbers[i]))
                      .case_(1, [] { return ox::f64(1); })
                      .case_(2, 3, [] { return ox::f64(23); })
                      .case_(-4, [&] { return ox::cast<double>(i.value()); })
                      .default_([] { return ox::f64(0.5); });
    sum += ox::match(ox::Value<Kind>(kinds[i]))
               .case_<Kind::square>([] { return ox::f64(100); })
               .case_<Kind::circle>([] { return ox::f64(200); })
               .case_<Kind::line>([] { return ox::f64(300); })
               .exhaustive();
    ox::match(ox::Value<Kind>(kinds[i])).case_(Kind::square, Kind::line, [&] { sum += 1000; }).default_([] {});
    const ox::Value<Shape> shape = shapes[i];
    sum += ox::match(shape)
               .case_([](const ox::f32& side) { return ox::f64(side); })
               .case_([](const ox::Value<Box>& box) { return box.width * ox::f64(box.height); })
               .case_<std::uint8_t>([] { return ox::f64(10000); })
               .exhaustive();
    sum += ox::match(root(ox::cast<float>(ox::i32(numbers[i])))).some([](const ox::f32& r) { return ox::f64(r); }).none([] {
      return ox::f64(-7);
    });
    sum += ox::match(inverse(ox::cast<float>(ox::i32(numbers[i]))))
               .error([](const ox::u32& code) { return ox::cast<double>(code); })
               .ok([](const ox::f32& r) { return ox::f64(r); });
    ox::Value<Shape> next = shape;
    if (shape.holds<Box>()) next = shape.get<Box>().height;
    else if (shape.holds<float>()) next = ox::Value<Box>{ox::f64(shape.get<float>()), 2.0f};
    if (auto c = changed.get_mut(i)) *c = next;
    *e = sum;
  });
  std::vector<std::int32_t> numbers;
  std::vector<Kind> kinds;
  std::vector<Shape> all;
  std::vector<double> expected;
  for (int i = 0; i != 36; ++i) {
    const std::int32_t number = i % 7 - 4;
    const Kind kind = std::array{Kind::square, Kind::circle, Kind::line}[static_cast<std::size_t>(i % 3)];
    numbers.push_back(number);
    kinds.push_back(kind);
    all.push_back(i % 4 == 0   ? Shape(static_cast<float>(i))
                  : i % 4 == 1 ? Shape(Box{static_cast<double>(i), 0.5f})
                               : Shape(std::uint8_t{9}));
    double sum = number == 1 ? 1 : number == 2 || number == 3 ? 23 : number == -4 ? i : 0.5;
    sum += kind == Kind::square ? 100 : kind == Kind::circle ? 200 : 300;
    if (kind != Kind::circle) sum += 1000;
    sum += i % 4 == 0 ? i : i % 4 == 1 ? i * 0.5 : 10000;
    sum += number >= 0 ? static_cast<double>(std::sqrt(static_cast<float>(number))) : -7;
    sum += number == 0 ? 7 : static_cast<double>(1 / static_cast<float>(number));
    expected.push_back(sum);
  }
  on_every_device([&](const ox::Stream& stream) {
    const auto dn = ox::DeviceBuffer<std::int32_t>::from_host(stream, numbers);
    const auto dk = ox::DeviceBuffer<Kind>::from_host(stream, kinds);
    const auto ds = ox::DeviceBuffer<Shape>::from_host(stream, all);
    auto out = ox::DeviceBuffer<double>::zeroed(stream, numbers.size());
    auto changed = ox::DeviceBuffer<Shape>::zeroed(stream, numbers.size());
    k(stream, ox::LaunchConfig::for_num_elems(numbers.size()), dn, dk, ds, out, changed);
    const auto got = out.to_host(stream);
    const auto got_shapes = changed.to_host(stream);
    for (std::size_t i = 0; i != numbers.size(); ++i) {
      INFO(i);
      CHECK(got[i] == Approx(expected[i]));
      REQUIRE(got_shapes[i].index() == (i % 4 == 0 ? 1u : i % 4 == 1 ? 0u : 2u));
      if (i % 4 == 0) CHECK(got_shapes[i].get<Box>().width == static_cast<double>(i));
      if (i % 4 == 1) CHECK(got_shapes[i].get<float>() == 0.5f);
      if (i % 4 > 1) CHECK(got_shapes[i].get<std::uint8_t>() == 9);
    }
    kinds[5] = static_cast<Kind>(77);
    const auto bad = ox::DeviceBuffer<Kind>::from_host(stream, kinds);
    CHECK_THAT(fault_of(stream, [&] { k(stream, ox::LaunchConfig::for_num_elems(numbers.size()), dn, bad, ds, out, changed); }),
               Catch::Contains("none of its cases"));
    kinds[5] = Kind::line;
  });
}

namespace {

using Nested = ox::Option<ox::Option<std::int16_t>>;
using Answer = ox::Result<Box, Kind>;
bool same(const Box& a, const Box& b) { return a.width == b.width && a.height == b.height; }

const ox::Function<ox::Option<ox::f32>(ox::f32)> root_of("root_of", [](ox::f32 x) -> ox::Option<ox::f32> { return root(x); });
const ox::Function<ox::Result<ox::f32, ox::u32>(ox::f32)> inverse_of("inverse_of",
                                                                     [](ox::f32 x) -> ox::Result<ox::f32, ox::u32> { return inverse(x); });
// Goes through the alternatives by calling itself, and takes the state along as its parameter.
const ox::Function<ox::Value<Shape>(ox::Value<Shape>, ox::u32)> next_shape(
    "next_shape", [](ox::Value<Shape> shape, ox::u32 steps) -> ox::Value<Shape> {
      if (steps == 0) return shape;
      ox::match(ox::Value<Shape>(shape))
          .case_([&](const ox::f32& side) { shape = ox::Value<Box>{ox::f64(side), 0.5f}; })
          .case_([&](const ox::Value<Box>& box) { shape = ox::cast<std::uint8_t>(box.width); })
          .case_([&](const ox::u8& n) { shape = ox::cast<float>(n) + 1; })
          .exhaustive();
      return next_shape(shape, steps - 1);
    });

}  // namespace

TEST_CASE("options, results and variants are results of functions, hold each other, and compare") {
  constexpr auto k = ox::kernel("choices", [](ox::Span<const float> in, ox::Span<Nested> nested, ox::Span<const Answer> answers,
                                              ox::Span<const Shape> shapes, ox::DisjointSpan<float> out, ox::DisjointSpan<Shape> next) {
    const auto i = ox::thread::index_1d();
    auto e = out.get_mut(i);
    if (!e) return;
    ox::f32 sum = 0;
    if (auto v = root_of(in[i])) sum += *v;
    else sum -= 1;
    const auto r = inverse_of(in[i]);
    if (r) sum += *r;
    else sum += ox::cast<float>(r.error()) * 100;
    const ox::Value<Nested> outer = nested[i];
    if (outer) {
      const ox::Value<ox::Option<std::int16_t>> inner = *outer;
      if (inner) nested.unchecked_mut(i) = ox::none;
      else nested.unchecked_mut(i) = ox::Value<ox::Option<std::int16_t>>(ox::i16(std::int16_t{4}));
    }
    const ox::Value<Answer> answer = answers[i];
    if (answer == answers[0]) sum += 1000;
    if (answer != answers[1]) sum += 2000;
    const ox::Value<Shape> shape = shapes[i];
    if (shape == shapes[0]) sum += 10000;
    if (shape != shapes[1]) sum += 20000;
    if (auto n = next.get_mut(i)) *n = next_shape(shape, ox::cast<std::uint32_t>(i));
    *e = sum;
  });
  const std::vector<float> in{4, -1, 0, 0.25f, 200, 16};
  const ox::Option<std::int16_t> inner(std::int16_t{3});
  const std::vector<Nested> nested{Nested(inner), Nested(ox::Option<std::int16_t>()), Nested(), Nested(inner), Nested(), Nested()};
  const std::vector<Answer> answers{Answer(Box{1, 2}), ox::Err<Kind>{Kind::line}, Answer(Box{1, 2}),
                                    Answer(Box{1, 3}), ox::Err<Kind>{Kind::line}, ox::Err<Kind>{Kind::circle}};
  const std::vector<Shape> shapes{2.0f, Box{3, 4}, Box{3, 4}, 2.0f, std::uint8_t{5}, Box{3, 4.5f}};
  on_every_device([&](const ox::Stream& stream) {
    const auto di = ox::DeviceBuffer<float>::from_host(stream, in);
    auto dn = ox::DeviceBuffer<Nested>::from_host(stream, nested);
    const auto da = ox::DeviceBuffer<Answer>::from_host(stream, answers);
    const auto ds = ox::DeviceBuffer<Shape>::from_host(stream, shapes);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, in.size());
    auto next = ox::DeviceBuffer<Shape>::zeroed(stream, in.size());
    k(stream, ox::LaunchConfig{1, 32}, di, dn, da, ds, out, next);
    const std::vector<float> got = out.to_host(stream);
    const float of_answers[] = {3000, 0, 3000, 2000, 0, 2000}, of_shapes[] = {30000, 0, 0, 30000, 20000, 20000};
    for (std::size_t i = 0; i != in.size(); ++i) {
      const float x = in[i];
      const float sum = (x < 0 ? -1 : std::sqrt(x)) + (x == 0 ? 700 : x > 100 ? 100 * x : 1 / x);
      INFO(i);
      CHECK(got[i] == Approx(sum + of_answers[i] + of_shapes[i]));
      Shape shape = shapes[i];
      for (std::size_t step = 0; step != i; ++step) {
        if (shape.holds<float>()) shape = Box{static_cast<double>(shape.get<float>()), 0.5f};
        else if (shape.holds<Box>()) shape = static_cast<std::uint8_t>(shape.get<Box>().width);
        else shape = static_cast<float>(shape.get<std::uint8_t>()) + 1;
      }
      const Shape reached = next.to_host(stream)[i];
      REQUIRE(reached.index() == shape.index());
      if (shape.holds<float>()) CHECK(reached.get<float>() == shape.get<float>());
      if (shape.holds<Box>()) CHECK(same(reached.get<Box>(), shape.get<Box>()));
      if (shape.holds<std::uint8_t>()) CHECK(reached.get<std::uint8_t>() == shape.get<std::uint8_t>());
    }
    const std::vector<Nested> after = dn.to_host(stream);
    CHECK(!after[0]);
    REQUIRE((after[1] && *after[1]));
    CHECK(**after[1] == 4);
    CHECK(!after[2]);
  });
  using Code = ox::Result<int, std::uint8_t>;
  using Either = ox::Variant<int, float>;
  CHECK(Code(3) == Code(3));
  CHECK(!(Code(3) == Code(ox::Err<std::uint8_t>{3})));
  CHECK(Either(3) == Either(3));
  CHECK(!(Either(3) == Either(3.0f)));
  CHECK(!(Either(3.0f) == Either(4.0f)));
}

TEST_CASE("what is not there ends the thread with its line: of results, errors and variants", "[fault]") {
  constexpr unsigned line = __LINE__ + 5;
  constexpr auto k = ox::kernel("missing", [](ox::i32 which, ox::Span<int> out) {
    const ox::Result<ox::i32, ox::u32> bad = ox::err(5u), good = ox::i32(5);
    const ox::Value<ox::Variant<int, float>> number = ox::f32(2);
    const ox::Value<ox::Option<int>> nothing;
    if (which == 0) out.unchecked_mut(0) = bad.unwrap();
    if (which == 1) out.unchecked_mut(0) = ox::cast<int>(good.error());
    if (which == 2) out.unchecked_mut(0) = number.get<int>();
    if (which == 3) out.unchecked_mut(0) = nothing.unwrap();
    if (which == 4) out.unchecked_mut(0) = bad.expect("a number");
    out.unchecked_mut(1) = 1;
  });
  const char* messages[] = {"unwrap of a result that is an error", "the error of a result that is ok",
                            "the variant holds another alternative", "unwrap of an option that is none", "a number"};
  on_every_device([&](const ox::Stream& stream) {
    auto out = ox::DeviceBuffer<int>::zeroed(stream, 2);
    for (unsigned which = 0; which != 5; ++which)
      CHECK_THAT(fault_of(stream, [&] { k(stream, ox::LaunchConfig{1, 1}, which, out); }),
                 Catch::Contains(messages[which]) && Catch::Contains("choices.cpp:" + std::to_string(line + which)));
    CHECK(out.to_host(stream) == std::vector<int>{0, 0});
  });
}
