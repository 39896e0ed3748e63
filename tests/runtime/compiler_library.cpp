// Finding and loading the compiler library, and what its failures look like.
#include <oxide/jit/compile.hpp>

#include <catch2/catch.hpp>

#include "support/fakes.hpp"
#include "support/graphs.hpp"
#include "support/probe.hpp"

using Catch::Matchers::Contains;
using oxide::CompileError;
using oxide::jit::Library;
using support::probe;

static const fakes::Use use_fakes;

TEST_CASE("the library that OXIDE_JIT names is used") {
  CHECK(Library::get().file() == FAKE_JIT);
  CHECK(&Library::get() == &Library::get());
  CHECK(probe("", "compile") == "vecadd compiled");
}

TEST_CASE("a file that OXIDE_JIT names and that is not there is an error with kernel, file and OXIDE_JIT") {
  const std::string text = probe("OXIDE_JIT=/nowhere/liboxide-jit.so", "compile");
  CHECK_THAT(text, Contains("threw: kernel 'vecadd': cannot load the compiler library '/nowhere/liboxide-jit.so'"));
  CHECK_THAT(text, Contains("No such file") && Contains("OXIDE_JIT"));
}

TEST_CASE("a library of another ABI version is refused with both versions") {
  CHECK_THROWS_WITH(Library::open(FAKE_JIT_OF_ANOTHER_VERSION), Contains(FAKE_JIT_OF_ANOTHER_VERSION) && Contains("ABI version 99") &&
                                                                    Contains("need " + std::to_string(OXIDE_JIT_ABI_VERSION)) &&
                                                                    Contains("OXIDE_JIT"));
}

TEST_CASE("a library without the compiler's functions is refused") {
  CHECK_THROWS_WITH(Library::open(FAKE_JIT_WITHOUT_COMPILE), Contains("has no function oxide_jit_compile"));
  CHECK_THROWS_WITH(Library::open(FAKE_CUDA), Contains("is not oxide's compiler library: it has no function oxide_jit_get_info"));
  CHECK_THROWS_AS(Library::open(FAKE_CUDA), CompileError);
}

TEST_CASE("without OXIDE_JIT the library beside the executable is used, and without any the error lists what was tried") {
  const std::string folder = support::output_of("mktemp -d");
  support::output_of("cp " RUNTIME_PROBE " " + folder + "/probe");
  const std::string run = "env -u OXIDE_JIT -u OXIDE_DEVICE " + folder + "/probe compile";
  const std::string text = support::output_of(run);
  CHECK_THAT(text, Contains("threw: kernel 'vecadd'") && Contains(folder + "/liboxide-jit.so") && Contains("OXIDE_JIT"));
  support::output_of("cp " FAKE_JIT " " + folder + "/liboxide-jit.so");
  CHECK(support::output_of(run) == "vecadd compiled");
  support::output_of("rm -r " + folder);
}

TEST_CASE("a failed compile names kernel, target and the compiler's reason, and is released") {
  const auto fail_next = FAKE_JIT_CONTROL(fake_jit_fail_next);
  const auto alive = FAKE_JIT_CONTROL(fake_jit_alive);
  const auto graph = graphs::vecadd("bad");
  const int before = alive();
  const std::pair<int, const char*> cases[] = {{OXIDE_JIT_BAD_REQUEST, "the compiler library refuses the request"},
                                               {OXIDE_JIT_BAD_GRAPH, "the graph is not valid"},
                                               {OXIDE_JIT_UNSUPPORTED, "the target cannot do this"},
                                               {OXIDE_JIT_FAILED, "the compiler failed"},
                                               {7, "the compiler failed"}};
  for (const auto& [status, reason] : cases) {
    fail_next(status);
    try {
      oxide::jit::compile(*graph, {oxide::jit::Target::nvptx(90), 3, 0});
      FAIL("no error");
    } catch (const CompileError& e) {
      CHECK(e.kernel == "bad");
      CHECK(std::string(e.what()) == "kernel 'bad': cannot compile for sm_90: " + std::string(reason) + ": asked to fail");
    }
  }
  CHECK(alive() == before);
}

TEST_CASE("the request carries target and options") {
  const auto last = FAKE_JIT_CONTROL(fake_jit_last_request);
  oxide::jit::compile(*graphs::vecadd(), {oxide::jit::Target::nvptx(89, 84), 1, OXIDE_JIT_LINE_INFO});
  CHECK(last().abi_version == OXIDE_JIT_ABI_VERSION);
  CHECK(last().target == OXIDE_JIT_NVPTX);
  CHECK(last().sm == 89);
  CHECK(last().ptx_version == 84);
  CHECK(last().opt_level == 1);
  CHECK(last().flags == OXIDE_JIT_LINE_INFO);
  CHECK(last().graph_size == oxide::ir::encode(*graphs::vecadd()).size());
}
