// Launches on GPUs, through the fake driver.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/launch.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>
#include <vector>

#include "support/fakes.hpp"
#include "support/graphs.hpp"

using Catch::Matchers::Contains;
using namespace oxide;
using runtime::Argument;

static const fakes::Use use_fakes;

namespace {
const auto calls = FAKE_CUDA_CONTROL(fake_cuda_calls);
const auto clear_calls = FAKE_CUDA_CONTROL(fake_cuda_clear_calls);
const auto fail_next = FAKE_CUDA_CONTROL(fake_cuda_fail_next);
const auto errors = FAKE_CUDA_CONTROL(fake_cuda_errors);

struct Operands {
  Operands(const Stream& stream, std::size_t n)
      : a(DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 1.5f))),
        b(DeviceBuffer<float>::from_host(stream, std::vector<float>(n, 2.0f))), c(DeviceBuffer<float>::zeroed(stream, n)),
        arguments{a.argument(), b.argument(), c.argument()} {}
  DeviceBuffer<float> a, b, c;
  Argument arguments[3];
};

bool counting = false;
int heap_calls = 0;
}  // namespace

// Every allocation of this executable, to see that a launch makes none. The address sanitizer has its own.
#ifndef __SANITIZE_ADDRESS__
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting) ++heap_calls;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

TEST_CASE("a kernel goes from graph to result") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.default_stream();
  Operands operands(stream, 1000);
  const auto program = runtime::load_program(gpu, graphs::vecadd("whole_way", 1));
  CHECK(program->ptx() == "vecadd for sm_90 in PTX 87");
  CHECK(program->times().stages.emit_ms == 0.25);
  CHECK(program->times().link_ms > 0);
  CHECK(program->times().load_ms > 0);
  runtime::launch(*program, stream, LaunchConfig::for_num_elems(1000), operands.arguments);
  CHECK(operands.c.to_host(stream) == std::vector<float>(1000, 3.5f));
  CHECK(errors() == 0);
}

TEST_CASE("a launch is one driver call and no allocation") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.default_stream();
  Operands operands(stream, 100);
  const auto program = runtime::load_program(gpu, graphs::vecadd());
  const LaunchConfig config = LaunchConfig::for_num_elems(100);
  runtime::launch(*program, stream, config, operands.arguments);
  clear_calls();
  heap_calls = 0;
  counting = true;
  runtime::launch(*program, stream, config, operands.arguments);
  counting = false;
  CHECK(heap_calls == 0);  // with the address sanitizer, always
  CHECK(std::string(calls()) == "cuLaunchKernel\n");
}

TEST_CASE("an empty launch is checked and starts nothing") {
  for (const Device& device : {Device::cpu(), Device::gpu()}) {
    const Stream stream = device.default_stream();
    Operands operands(stream, 0);
    const auto program = runtime::load_program(device, graphs::vecadd());
    clear_calls();
    runtime::launch(*program, stream, LaunchConfig::for_num_elems(0), operands.arguments);
    CHECK(std::string(calls()).empty());
    CHECK_THROWS_AS(runtime::launch(*program, stream, LaunchConfig::for_num_elems(0), std::span(operands.arguments, 2)), LaunchError);
  }
}

TEST_CASE("PTX that the driver cannot assemble is an error with the driver's log") {
  FAKE_CUDA_CONTROL(fake_cuda_reject_ptx)("ptxas application ptx input, line 12; error: Unknown symbol");
  try {
    runtime::load_program(Device::gpu(), graphs::vecadd("rejected", 2));
    FAIL("no error");
  } catch (const CompileError& e) {
    CHECK(e.kernel == "rejected");
    CHECK_THAT(e.what(), Contains("cannot assemble its PTX on GPU 0 (cuLinkComplete): CUDA_ERROR_INVALID_VALUE") &&
                             Contains("line 12; error: Unknown symbol"));
  }
  runtime::load_program(Device::gpu(), graphs::vecadd("rejected", 2));  // the failure was not kept
}

TEST_CASE("every failed call while a kernel is loaded or launched is an error, and the next try works") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.default_stream();
  Operands operands(stream, 10);
  std::uint64_t salt = 100;
  for (const char* function : {"cuLinkCreate", "cuLinkAddData", "cuLinkComplete", "cuModuleLoadData", "cuModuleGetFunction",
                               "cuFuncGetAttribute", "cuLaunchKernel"}) {
    const auto graph = graphs::vecadd("failing", ++salt);
    const auto run = [&] {
      runtime::launch(*runtime::load_program(gpu, graph), stream, LaunchConfig::for_num_elems(10), operands.arguments);
    };
    fail_next(function, runtime::cuda::OUT_OF_MEMORY);
    CHECK_THROWS_WITH(run(), Contains(function) && Contains("CUDA_ERROR_OUT_OF_MEMORY") && Contains("GPU 0"));
    run();
  }
  CHECK(errors() == 0);
}

TEST_CASE("a kernel's own limit on the block is kept") {
  const auto set_limit = FAKE_CUDA_CONTROL(fake_cuda_block_limit);
  const Device gpu = Device::gpu();
  set_limit(128);
  const auto program = runtime::load_program(gpu, graphs::vecadd("many_registers", 3));
  set_limit(1024);
  Operands operands(gpu.default_stream(), 10);
  CHECK_THROWS_WITH(runtime::launch(*program, gpu.default_stream(), LaunchConfig::for_num_elems(10), operands.arguments),
                    "kernel 'many_registers': needed at most 128 threads a block, got 256 (block 256 x 1 x 1)");
}

TEST_CASE("GPUs of one target share what was compiled") {
  const auto compiles = FAKE_JIT_CONTROL(fake_jit_compiles);
  const auto graph = graphs::vecadd("shared_by_gpus", 4);
  const int before = compiles();
  const auto first = runtime::load_program(Device::gpu(0), graph), second = runtime::load_program(Device::gpu(1), graph);
  CHECK(compiles() == before + 1);
  CHECK(first != second);
  for (const Device& gpu : {Device::gpu(0), Device::gpu(1)}) {
    Operands operands(gpu.default_stream(), 10);
    runtime::launch(gpu.id() == 1 ? *first : *second, gpu.default_stream(), LaunchConfig::for_num_elems(10), operands.arguments);
    CHECK(operands.c.to_host(gpu.default_stream()) == std::vector<float>(10, 3.5f));
  }
  CHECK(errors() == 0);
}

TEST_CASE("a cooperative kernel is launched as one, if all of its blocks fit at once") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.default_stream();
  Operands operands(stream, 64);
  auto graph = make_counted<ir::Graph>(*graphs::vecadd("together"));
  graph->attributes.cooperative = true;
  const auto program = runtime::load_program(gpu, graph);
  clear_calls();
  runtime::launch(*program, stream, LaunchConfig{2, 32}, operands.arguments);
  CHECK_THAT(calls(), Contains("cuLaunchCooperativeKernel") && !Contains("cuLaunchKernel"));
  CHECK(operands.c.to_host(stream) == std::vector<float>(64, 3.5f));
  const std::uint64_t most = std::uint64_t{gpu.properties().multiprocessors} * (2048 / 512);
  CHECK_THROWS_WITH(runtime::launch(*program, stream, LaunchConfig{static_cast<std::uint32_t>(most) + 1, 512}, operands.arguments),
                    Contains("kernel 'together': needed at most " + std::to_string(most) +
                             " blocks of 512 threads, because the kernel is "
                             "cooperative"));
  CHECK(errors() == 0);
}

TEST_CASE("a kernel that waits for its grid gets a barrier of its stream's, clear at each launch") {
  const Device gpu = Device::gpu();
  const Stream stream = gpu.new_stream();
  Operands operands(stream, 64);
  auto graph = make_counted<ir::Graph>(*graphs::vecadd("waits"));
  graph->attributes.cooperative = true;
  ir::Operation barrier;
  barrier.opcode = ir::Opcode::grid_barrier;
  graph->blocks[0].operations.push_back(barrier);
  const auto program = runtime::load_program(gpu, graph);
  const auto run = [&] {
    clear_calls();
    runtime::launch(*program, stream, LaunchConfig{2, 32}, operands.arguments);
    return std::string(calls());
  };
  CHECK_THAT(run(), Contains("cuMemAlloc\ncuMemsetD8Async\ncuLaunchCooperativeKernel"));
  CHECK_THAT(run(), Contains("cuMemsetD8Async\ncuLaunchCooperativeKernel") && !Contains("cuMemAlloc"));
  fail_next("cuMemsetD8Async", runtime::cuda::INVALID_VALUE);
  CHECK_THROWS_WITH(run(), Contains("clearing the barrier of a grid") && Contains("CUDA_ERROR_INVALID_VALUE"));
  fail_next("cuLaunchCooperativeKernel", runtime::cuda::COOPERATIVE_LAUNCH_TOO_LARGE);
  CHECK_THROWS_WITH(
      run(), Contains("kernel 'waits': needed so many blocks, or clusters of them, that all run at once") && Contains("grid 2 x 1 x 1"));
  fail_next("cuLaunchCooperativeKernel", runtime::cuda::INVALID_CLUSTER_SIZE);
  CHECK_THROWS_WITH(run(),
                    Contains("kernel 'waits': needed clusters whose blocks fit one part of the GPU together, got blocks of 32 threads"));
  run();
  CHECK(operands.c.to_host(stream) == std::vector<float>(64, 3.5f));
  CHECK(errors() == 0);
}

TEST_CASE("threads get the stack that a kernel's calls need, and a larger one stays") {
  const Device gpu = Device::gpu();
  const auto recursive = [](const char* name, std::uint32_t stack_size) {
    auto graph = make_counted<ir::Graph>(*graphs::vecadd(name));
    ir::Function function;
    function.name = "f";
    function.blocks.resize(1);
    ir::Operation call;
    call.opcode = ir::Opcode::call;
    function.blocks[0].operations.push_back(call);
    graph->functions.push_back(function);
    graph->blocks[0].operations.push_back(call);
    graph->attributes.stack_size = stack_size;
    return graph;
  };
  clear_calls();
  runtime::load_program(gpu, recursive("deep", 16384));
  CHECK_THAT(calls(), Contains("cuCtxSetLimit"));
  clear_calls();
  runtime::load_program(gpu, recursive("less_deep", 8192));
  CHECK_THAT(calls(), Contains("cuCtxGetLimit") && !Contains("cuCtxSetLimit"));
  CHECK(errors() == 0);
}
