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
        sum += inverse(x).value_or(0.5f);
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
    sum += host_inverse(x).value_or(0.5f);
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
