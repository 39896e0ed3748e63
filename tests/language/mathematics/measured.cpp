// How exact the mathematical functions are, measured against MPFR on every device, and on GPUs with each device library.
//
// OXIDE_MATH_SAMPLES is how many random numbers each function is tried with; dense runs take 100000 and more.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include <oxide/oxide.hpp>
#include <oxide/runtime/launch.hpp>

#include "bounds.hpp"
#include "samples.hpp"
#include "support/graph_builder.hpp"
#include "support/skip.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

std::size_t sample_count() {
  const char* asked = std::getenv("OXIDE_MATH_SAMPLES");
  return asked == nullptr ? 600 : static_cast<std::size_t>(std::atoll(asked));
}

// out_r[i] = result r of f(x[i], y[i], z[i], n[i]). `variant` makes graphs different that would else be compiled once.
oxide::Counted<const ir::Graph> graph_of(ir::Math f, ir::Type type, unsigned variant) {
  GraphBuilder b("measure_" + std::string(ir::name_of(f)));
  const std::uint64_t x = b.span(type), y = b.span(type), z = b.span(type), n = b.span(ir::Type::i32);
  std::uint64_t out[2] = {};
  for (unsigned r = 0; r != ir::result_count(f); ++r) out[r] = b.span(ir::result_type(f, r, type), ir::Access::disjoint);
  for (unsigned i = 0; i != variant; ++i) b.value(ir::Type::i32);
  const std::uint32_t work = b.block(), done = b.block();
  const ir::Variable i = b.linear_index();
  b.branch(b.op(ir::Opcode::less, {i, b.length(x)}), work, done);
  b.at(work);
  std::vector<ir::Variable> operands;
  std::uint64_t next = x;
  for (std::size_t k = 0; k != ir::operand_count(f); ++k) {
    if (ir::operand_type(f, k, type) == ir::Type::i32) operands.push_back(b.load(n, i));
    else operands.push_back(b.load(next, i)), next = next == x ? y : z;
  }
  for (unsigned r = 0; r != ir::result_count(f); ++r) {
    ir::Variable v{};
    if (operands.size() == 1) v = b.math(f, {operands[0]}, r);
    else if (operands.size() == 2) v = b.math(f, {operands[0], operands[1]}, r);
    else v = b.math(f, {operands[0], operands[1], operands[2]}, r);
    b.store(out[r], i, v);
  }
  b.jump(done);
  b.at(done).exit();
  return oxide::make_counted<const ir::Graph>(std::move(b.graph));
}

// All results, one vector for each, as doubles.
template <class T>
std::vector<std::vector<double>> results_of(const Device& device, unsigned variant, ir::Math f, const std::vector<Sample>& samples) {
  const Stream stream = device.default_stream();
  std::vector<T> numbers[3];
  std::vector<std::int32_t> whole;
  for (const Sample& s : samples) {
    numbers[0].push_back(static_cast<T>(s.x));
    numbers[1].push_back(static_cast<T>(s.y));
    numbers[2].push_back(static_cast<T>(s.z));
    whole.push_back(s.n);
  }
  const auto program = runtime::load_program(device, graph_of(f, ir::type_for<T>(), variant));
  std::vector<DeviceBuffer<T>> in;
  for (const auto& v : numbers) in.push_back(DeviceBuffer<T>::from_host(stream, v));
  const auto n = DeviceBuffer<std::int32_t>::from_host(stream, whole);
  std::vector<runtime::Argument> arguments{in[0].argument(), in[1].argument(), in[2].argument(), n.argument()};
  std::vector<DeviceBuffer<T>> floats;
  std::vector<DeviceBuffer<std::int32_t>> integers;
  for (unsigned r = 0; r != ir::result_count(f); ++r) {
    if (ir::result_type(f, r, ir::type_for<T>()) == ir::Type::i32) {
      integers.push_back(DeviceBuffer<std::int32_t>::zeroed(stream, samples.size()));
      arguments.push_back(integers.back().argument());
    } else {
      floats.push_back(DeviceBuffer<T>::zeroed(stream, samples.size()));
      arguments.push_back(floats.back().argument());
    }
  }
  const std::int32_t nothing = 0;
  for (unsigned i = 0; i != variant; ++i) arguments.push_back(runtime::Argument::of_value(&nothing));
  runtime::launch(*program, stream, LaunchConfig::for_num_elems(samples.size()), arguments);
  std::vector<std::vector<double>> results;
  std::size_t next_float = 0, next_integer = 0;
  for (unsigned r = 0; r != ir::result_count(f); ++r) {
    std::vector<double>& result = results.emplace_back();
    if (ir::result_type(f, r, ir::type_for<T>()) == ir::Type::i32)
      for (const std::int32_t v : integers[next_integer++].to_host(stream)) result.push_back(v);
    else
      for (const T v : floats[next_float++].to_host(stream)) result.push_back(static_cast<double>(v));
  }
  return results;
}

struct Route {
  Device device;
  Library library;
  const char* name;
  unsigned variant;
  const char* environment;  // OXIDE_LIBDEVICE
};

std::vector<Route> routes() {
  std::vector<Route> all;
  for (const Device& device : Device::all()) {
    if (!device.is_gpu()) {
      all.push_back({device, Library::cpu, "cpu", 0, ""});
      continue;
    }
    all.push_back({device, Library::libclc, "libclc", 1, "builtin"});
    // The one that is found, if there is one.
    setenv("OXIDE_LIBDEVICE", "", 1);
    if (library_of(device) == Library::libdevice) all.push_back({device, Library::libdevice, "libdevice", 2, ""});
  }
  return all;
}

template <class T>
void measure(const Route& route, const Bounds& bounds) {
  setenv("OXIDE_LIBDEVICE", route.environment, 1);
  const bool single = sizeof(T) == 4;
  const ir::Math f = bounds.function;
  const Samples<T> samples(f, sample_count(), static_cast<unsigned>(sample_count()));
  const double ulps = bounds.ulps[static_cast<int>(route.library)][single ? 0 : 1], absolute = bounds.absolute(route.library, single);
  const auto results = results_of<T>(route.device, route.variant, f, samples.all());
  for (unsigned r = 0; r != results.size(); ++r) {
    Deviation worst;
    Sample worst_at;
    double worst_got = 0, near_zero = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i != samples.all().size(); ++i) {
      const Sample& s = samples.all()[i];
      const double got = results[r][i];
      const Deviation error = error_of<T>(f, r, s, got);
      if (absolute > 0 && error.ulps > ulps && error.absolute <= absolute) {
        near_zero = std::max(near_zero, error.absolute);
        continue;
      }
      if (error.ulps > worst.ulps) worst = error, worst_at = s, worst_got = got;
      if (error.ulps > ulps && ++wrong <= 3)
        UNSCOPED_INFO(ir::name_of(f) << '(' << s.x << ", " << s.y << ", " << s.z << ", " << s.n << ") gave " << got << ", " << error.ulps
                                     << " ulps off");
    }
    std::printf("%s %s %s%s: %.3g ulps of %g", route.name, single ? "f32" : "f64", std::string(ir::name_of(f)).c_str(), r == 0 ? "" : ".1",
                worst.ulps, ulps);
    if (near_zero > 0) std::printf(", near zero %.2g of %.2g", near_zero, absolute);
    std::printf(" (at %.17g, %.17g, %.17g, %d: %.17g; %zu wrong)\n", worst_at.x, worst_at.y, worst_at.z, worst_at.n, worst_got, wrong);
    INFO(route.name << " on " << route.device.name() << ", " << (single ? "f32 " : "f64 ") << ir::name_of(f) << ", result " << r
                    << ", bound " << ulps);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("mathematical functions of f32 are within their documented bounds") {
  for (const Route& route : routes())
    for (const Bounds& bounds : math_bounds) measure<float>(route, bounds);
}

TEST_CASE("mathematical functions of f64 are within their documented bounds") {
  for (const Route& route : routes())
    for (const Bounds& bounds : math_bounds) measure<double>(route, bounds);
}

TEST_CASE("approximate functions are within their documented bounds") {
  for (const Route& route : routes()) {
    if (route.library == Library::libclc) continue;  // the same instructions
    for (const ApproximateBounds& bounds : approximate_bounds) {
      std::mt19937 random(3);
      std::uniform_real_distribution<float> x(static_cast<float>(bounds.low), static_cast<float>(bounds.high));
      std::vector<Sample> samples;
      for (std::size_t i = 0; i != sample_count(); ++i) samples.push_back({x(random), x(random), 0, 0});
      const auto results = results_of<float>(route.device, route.variant, bounds.function, samples);
      double worst = 0, worst_absolute = 0;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i != samples.size(); ++i) {
        const Deviation error = error_of<float>(bounds.function, 0, samples[i], results[0][i]);
        worst = std::max(worst, error.ulps);
        worst_absolute = std::max(worst_absolute, error.absolute);
        if (error.ulps > std::max(bounds.ulps, 3.0) && error.absolute > bounds.absolute) ++wrong;
      }
      std::printf("%s %s: %.3g ulps, absolute %.2g (%zu wrong)\n", route.name, std::string(ir::name_of(bounds.function)).c_str(), worst,
                  worst_absolute, wrong);
      INFO(route.name << ' ' << ir::name_of(bounds.function));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("every function of the table has bounds, and docs/math.md gives them") {
  std::set<ir::Math> bounded;
  for (const Bounds& bounds : math_bounds) bounded.insert(bounds.function);
  for (const ApproximateBounds& bounds : approximate_bounds) bounded.insert(bounds.function);
  CHECK(bounded.size() == ir::math_count);
  std::ifstream page(OXIDE_MATH_PAGE);
  if (!page) OXIDE_SKIP("docs/math.md is not here");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  for (const Bounds& bounds : math_bounds) CHECK_THAT(text, Catch::Contains('\n' + documented(bounds)));
}
