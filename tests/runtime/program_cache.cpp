// The process's cache of programs.
#include <oxide/runtime/program.hpp>

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

#include "support/fakes.hpp"
#include "support/graphs.hpp"

using namespace oxide;
using runtime::load_program;

static const fakes::Use use_fakes;

namespace {
const auto compiles = FAKE_JIT_CONTROL(fake_jit_compiles);
const auto alive = FAKE_JIT_CONTROL(fake_jit_alive);
const auto fail_next = FAKE_JIT_CONTROL(fake_jit_fail_next);
const auto set_delay = FAKE_JIT_CONTROL(fake_jit_delay);
}  // namespace

TEST_CASE("an equal graph is compiled once") {
  const int before = compiles();
  const auto first = load_program(Device::cpu(), graphs::vecadd("once", 10)),
             second = load_program(Device::cpu(), graphs::vecadd("once", 10));
  CHECK(first == second);
  CHECK(compiles() == before + 1);
}

TEST_CASE("another graph, target or option is another program") {
  const int before = compiles();
  load_program(Device::cpu(), graphs::vecadd("other", 11));
  load_program(Device::cpu(), graphs::vecadd("other", 12));
  load_program(Device::gpu(), graphs::vecadd("other", 11));
  load_program(Device::cpu(), graphs::vecadd("other", 11), {.opt_level = 1});
  load_program(Device::cpu(), graphs::vecadd("other", 11), {.line_info = true});
  CHECK(compiles() == before + 5);
}

TEST_CASE("kernels that differ in names and lines share code, and each tells its own") {
  const int before = compiles();
  const auto first = load_program(Device::cpu(), graphs::vecadd("first", 13, 10)),
             second = load_program(Device::cpu(), graphs::vecadd("second", 13, 10)),
             third = load_program(Device::cpu(), graphs::vecadd("first", 13, 50));
  CHECK(compiles() == before + 1);
  CHECK(first->graph().name == "first");
  CHECK(second->graph().name == "second");
  CHECK(third->graph().spaces[0].location.line == 50);
  load_program(Device::cpu(), graphs::vecadd("first", 13, 10), {.line_info = true});
  load_program(Device::cpu(), graphs::vecadd("first", 13, 50), {.line_info = true});  // the lines are in the code
  CHECK(compiles() == before + 3);
}

TEST_CASE("threads that want one program at once compile it once") {
  set_delay(20000);
  const int before = compiles();
  std::vector<Counted<const runtime::Program>> programs(8);
  std::vector<std::thread> threads;
  for (auto& program : programs) threads.emplace_back([&program] { program = load_program(Device::cpu(), graphs::vecadd("wanted", 14)); });
  for (std::thread& t : threads) t.join();
  set_delay(0);
  CHECK(compiles() == before + 1);
  for (const auto& program : programs) CHECK(program == programs[0]);
}

TEST_CASE("a failure is not kept") {
  const int before = alive();
  fail_next(OXIDE_JIT_FAILED);
  CHECK_THROWS_AS(load_program(Device::cpu(), graphs::vecadd("second_try", 15)), CompileError);
  CHECK(alive() == before);
  CHECK(load_program(Device::cpu(), graphs::vecadd("second_try", 15)) != nullptr);
}

TEST_CASE("text can be had for a target without a device") {
  CHECK(runtime::compile_text(jit::Target::nvptx(75, 80), *graphs::vecadd()).ptx == "vecadd for sm_75 in PTX 80");
  CHECK((FAKE_JIT_CONTROL(fake_jit_last_request)().flags & OXIDE_JIT_KEEP_LLVM) != 0);
}
