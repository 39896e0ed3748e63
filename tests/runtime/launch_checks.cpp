// What a launch refuses before it starts, on both kinds of device.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/launch.hpp>

#include <catch2/catch.hpp>

#include <vector>

#include "support/fakes.hpp"
#include "support/graphs.hpp"

using Catch::Matchers::Contains;
using namespace oxide;
using runtime::Argument;

static const fakes::Use use_fakes;

namespace {

namespace ir = oxide::ir;

// A launch that fits in every way, to be spoilt in one. Spans of floats: a and b are read, c is written.
struct Launch {
  explicit Launch(const Device& on, oxide::Counted<const ir::Graph> graph = graphs::vecadd())
      : device(on), stream(on.default_stream()), program(runtime::load_program(on, std::move(graph))),
        a(DeviceBuffer<float>::zeroed(stream, 64)), b(DeviceBuffer<float>::zeroed(stream, 64)), c(DeviceBuffer<float>::zeroed(stream, 64)),
        arguments{a.argument(), b.argument(), c.argument()} {}
  void operator()() const { runtime::launch(*program, stream, config, arguments); }
  Device device;
  Stream stream;
  oxide::Counted<const runtime::Program> program;
  DeviceBuffer<float> a, b, c;
  std::vector<Argument> arguments;
  LaunchConfig config{.grid = 1, .block = 64};
};

// What the launch is refused with.
LaunchError refusal(const Launch& launch) {
  try {
    launch();
  } catch (const LaunchError& e) {
    CHECK(e.kernel == launch.program->graph().name);
    return e;
  }
  return LaunchError("", -1, "nothing", "a launch");
}

oxide::Counted<const ir::Graph> grid_2d_kernel() {
  graphs::Builder b("rows");
  b.span(ir::Type::f32, ir::Access::read);
  b.span(ir::Type::f32, ir::Access::read);
  b.span(ir::Type::f32, ir::Access::disjoint);
  b.space(ir::SpaceKind::grid_2d, 100, 33);
  b.block();
  return b.done();
}

}  // namespace

#define ON_EVERY_DEVICE for (const Device& device : {Device::cpu(), Device::gpu()})

TEST_CASE("a launch that fits is not refused") {
  ON_EVERY_DEVICE { Launch{device}(); }
}

TEST_CASE("grid and block stay within the device's limits") {
  ON_EVERY_DEVICE {
    Launch launch(device, grid_2d_kernel());
    launch.config = {.grid = 1, .block = {0, 1, 1}};
    CHECK(refusal(launch).needed == "a block with threads");
    launch.config.block = {2048, 1, 1};
    CHECK(refusal(launch).needed == "a block of at most 1024 x 1024 x 64 threads");
    CHECK(refusal(launch).given == "2048 x 1 x 1");
    launch.config.block = {64, 32, 1};
    CHECK(refusal(launch).needed == "at most 1024 threads a block");
    CHECK(refusal(launch).given == "2048 (block 64 x 32 x 1)");
    launch.config = {.grid = {1, 65536, 1}, .block = 32};
    CHECK(refusal(launch).needed == "a grid of at most 2147483647 x 65535 x 65535 blocks");
    launch.config = {.grid = {0x80000000u, 1, 1}, .block = 32};
    CHECK(refusal(launch).given == "2147483648 x 1 x 1");
    CHECK(refusal(launch).parameter == -1);
    launch.config = {.grid = {4, 65535, 1}, .block = {32, 32, 1}};
    CHECK(refusal(launch).needed == "nothing");
  }
}

TEST_CASE("a kernel with 1-D indices takes one-dimensional launches only") {
  ON_EVERY_DEVICE {
    for (const LaunchConfig config :
         {LaunchConfig{{1, 2}, 32}, LaunchConfig{{1, 1, 2}, 32}, LaunchConfig{1, {32, 2}}, LaunchConfig{1, {32, 1, 2}}}) {
      Launch launch(device);
      launch.config = config;
      CHECK(refusal(launch).needed == "a one-dimensional launch, because the kernel uses thread::index_1d (kernel.cpp:10)");
      CHECK(refusal(launch).given == config.text());
    }
  }
}

TEST_CASE("a kernel with 2-D indices takes no third dimension") {
  ON_EVERY_DEVICE {
    for (const LaunchConfig config : {LaunchConfig{{1, 1, 2}, 32}, LaunchConfig{1, {32, 1, 2}}}) {
      Launch launch(device, grid_2d_kernel());
      launch.config = config;
      CHECK(refusal(launch).needed == "a launch without a third dimension, because the kernel uses thread::index_2d (kernel.cpp:33)");
    }
    // Columns beyond the row's end have no element, so the grid may be wider than the 100 elements of a row.
    Launch wide(device, grid_2d_kernel());
    wide.config = {.grid = {4, 3}, .block = {32, 4}};
    CHECK(refusal(wide).needed == "nothing");
  }
}

TEST_CASE("the number and kinds of arguments are the parameters'") {
  ON_EVERY_DEVICE {
    Launch launch(device);
    launch.arguments.pop_back();
    CHECK(std::string(refusal(launch).what()) == "kernel 'vecadd': needed 3 arguments, got 2");
    const float number = 1;
    launch.arguments.push_back(Argument::of_value(&number));
    CHECK(std::string(refusal(launch).what()) == "kernel 'vecadd', parameter 3: needed a span of f32, got a value");
  }
}

TEST_CASE("spans have memory, aligned, on the kernel's device") {
  ON_EVERY_DEVICE {
    Launch launch(device);
    launch.config.grid = 0;  // checked as any other, and nothing runs
    const Argument good = launch.arguments[1];
    const std::string here = device.is_gpu() ? "GPU 0" : "the CPU", elsewhere = device.is_gpu() ? "the CPU" : "GPU 0";
    launch.arguments[1].device = device.is_gpu() ? 0 : 1;
    CHECK(std::string(refusal(launch).what()) == "kernel 'vecadd', parameter 2: needed memory on " + here + ", got " + elsewhere);
    launch.arguments[1] = DeviceBuffer<float>().argument();
    CHECK(refusal(launch).given == "no device: a buffer that was moved from");
    launch.arguments[1] = good;
    launch.arguments[1].pointer = nullptr;
    CHECK(std::string(refusal(launch).what()) == "kernel 'vecadd', parameter 2: needed 64 elements of f32, got a null pointer");
    launch.arguments[1].length = 0;
    CHECK(refusal(launch).needed == "nothing");
    launch.arguments[1] = good;
    launch.arguments[1].pointer = static_cast<char*>(good.pointer) + 2;
    CHECK(refusal(launch).needed == "memory aligned to 4 bytes");
    launch.arguments[1] = good;
    launch.arguments[1].length = ~std::uint64_t{0} / 4 + 2;
    CHECK(refusal(launch).needed == "at most 2^64 bytes");
    launch.arguments[1].length = ~std::uint64_t{0} / 4;
    CHECK(refusal(launch).needed == "memory within the address space");
  }
}

TEST_CASE("a stream of another device is refused") {
  Launch launch(Device::gpu());
  launch.stream = Device::cpu().default_stream();
  CHECK(refusal(launch).needed == "a stream of GPU 0, which the kernel was loaded for");
  CHECK(refusal(launch).given == "one of the CPU");
}

TEST_CASE("what is written shares no byte with anything else, and what is read may be shared") {
  ON_EVERY_DEVICE {
    Launch launch(device);
    launch.config.grid = 0;  // checked as any other, and nothing runs
    const Argument a = launch.arguments[0], c = launch.arguments[2];
    const auto part = [](const Argument& whole, std::size_t first, std::size_t count) {
      Argument piece = whole;
      piece.pointer = static_cast<float*>(whole.pointer) + first;
      piece.length = count;
      return piece;
    };
    launch.arguments = {a, a, c};
    CHECK(refusal(launch).needed == "nothing");
    launch.arguments = {c, a, c};
    CHECK(refusal(launch).parameter == 2);
    CHECK(refusal(launch).needed == "memory that no other parameter uses, because the kernel writes it");
    CHECK(refusal(launch).given == "parameter 3 (256 bytes) that shares 256 bytes with parameter 1 (256 bytes)");
    launch.arguments = {a, part(c, 63, 1), c};
    CHECK(refusal(launch).given == "parameter 3 (256 bytes) that shares 4 bytes with parameter 2 (4 bytes)");
    launch.arguments = {a, part(c, 0, 32), part(c, 31, 33)};
    CHECK(refusal(launch).given == "parameter 3 (132 bytes) that shares 4 bytes with parameter 2 (128 bytes)");
    launch.arguments = {a, part(c, 0, 32), part(c, 32, 32)};
    CHECK(refusal(launch).needed == "nothing");
    launch.arguments = {a, part(c, 10, 0), c};
    CHECK(refusal(launch).needed == "nothing");
  }
}

TEST_CASE("two written spans may not overlap") {
  graphs::Builder b("two_outputs");
  b.span(ir::Type::f32, ir::Access::write);
  b.span(ir::Type::f32, ir::Access::read);
  b.span(ir::Type::f32, ir::Access::disjoint);
  b.block();
  const auto graph = b.done();
  ON_EVERY_DEVICE {
    Launch launch(device, graph);
    launch.arguments[2] = launch.arguments[0];
    CHECK(refusal(launch).parameter == 0);
    CHECK_THAT(refusal(launch).given, Contains("shares 256 bytes with parameter 3"));
  }
}

TEST_CASE("more parameters than a launch can pass are refused when the kernel is loaded") {
  graphs::Builder b("wide");
  for (int i = 0; i != 256; ++i) b.span(ir::Type::f32, ir::Access::read);
  b.block();
  CHECK_THROWS_WITH(runtime::load_program(Device::cpu(), b.done()),
                    Contains("kernel 'wide': needed at most 4088 bytes of arguments") && Contains("got 4096 bytes and 512"));
  graphs::Builder many("many");
  for (int i = 0; i != 513; ++i) many.value(ir::Type::u8);
  many.block();
  CHECK_THROWS_WITH(runtime::load_program(Device::cpu(), many.done()), Contains("513 bytes and 513"));
}

TEST_CASE("a kernel's attributes are held by each launch") {
  const auto with = [](const char* name, const ir::Attributes& attributes) {
    auto graph = oxide::make_counted<ir::Graph>(*graphs::vecadd(name));
    graph->attributes = attributes;
    return graph;
  };
  ON_EVERY_DEVICE {
    Launch bounded(device, with("bounded", {.max_threads = 32}));
    CHECK_THAT(refusal(bounded).what(), Contains("kernel 'bounded': needed at most 32 threads a block, got 64 (block 64 x 1 x 1)"));
    bounded.config = {2, 32};
    CHECK_NOTHROW(bounded());
    Launch fixed(device, with("fixed", {.block = {32, 1, 1}}));
    CHECK_THAT(refusal(fixed).what(), Contains("kernel 'fixed': needed a block of 32 x 1 x 1 threads, as its .block says, got 64 x 1 x 1"));
    fixed.config = {2, 32};
    CHECK_NOTHROW(fixed());
    Launch clustered(device, with("clustered", {.cluster = {2, 1, 1}}));
    clustered.config = {3, 32};
    CHECK_THAT(refusal(clustered).what(),
               Contains("kernel 'clustered': needed a grid of whole clusters of 2 x 1 x 1 blocks, got 3 x 1 x 1"));
    clustered.config = {2, 32};
    CHECK_NOTHROW(clustered());
  }
}

TEST_CASE("shared arrays whose size the launch decides start at multiples of 16 bytes, one behind the other") {
  runtime::LaunchPlan plan;
  plan.shared = {{1, 0, 0}, {8, 0, 1}, {12, 2, 0}, {4, 0, 2}};  // bytes of an element, elements a thread, place in the launch's list
  plan.shared_sizes = 3;
  plan.most_shared_bytes = 4096;
  const auto graph = graphs::vecadd();
  const LaunchConfig config{.grid = 1, .block = 33, .shared = {37, 5, 1}};
  runtime::SharedPlaces places;
  runtime::place_shared(plan, *graph, config, places);
  REQUIRE(places.count == 4);
  const std::uint32_t sizes[] = {37, 5, 66, 1}, element[] = {1, 8, 12, 4};
  std::uint32_t end = 0;
  for (std::size_t i = 0; i != 4; ++i) {
    CHECK(places.words[2 * i] % 16 == 0);
    CHECK(places.words[2 * i] >= end);
    CHECK(places.words[2 * i] < end + 16);
    CHECK(places.words[2 * i + 1] == sizes[i]);
    end = places.words[2 * i] + sizes[i] * element[i];
  }
  CHECK(places.bytes >= end);
  plan.most_shared_bytes = end - 1;
  CHECK_THROWS_WITH(runtime::place_shared(plan, *graph, config, places), Contains("bytes of shared memory a block"));
}
