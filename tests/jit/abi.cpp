// What comes back through the C ABI, for good requests and bad ones.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "jit/operations.hpp"
#include "support/skip.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) output.append(buffer, n);
  pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("the library says what it is") {
  const oxide_jit_info* info = Compiler::get().info();
  REQUIRE(info != nullptr);
  CHECK(info->abi_version == OXIDE_JIT_ABI_VERSION);
  CHECK_THAT(info->llvm_version, Catch::StartsWith("22."));
  CHECK(std::strlen(info->oxide_version) != 0);
  CHECK(std::strlen(info->host_cpu) != 0);
}

TEST_CASE("a good request gives code, sites and times, and no message") {
  for (const oxide_jit_target target : {OXIDE_JIT_NVPTX, OXIDE_JIT_HOST}) {
    const Compiled result = compile(request_for(target), vecadd_graph());
    REQUIRE(result->status == OXIDE_JIT_OK);
    CHECK(text_of(result->message) == "");
    CHECK((result->ptx.data != nullptr) == (target == OXIDE_JIT_NVPTX));
    CHECK((result->entry != nullptr) == (target == OXIDE_JIT_HOST));
    CHECK(result->llvm_ir.data == nullptr);
    CHECK(result->assembly.data == nullptr);
    REQUIRE(result->site_count == 2);
    CHECK(result->timing.decode_ms > 0);
    CHECK(result->timing.build_ms > 0);
    CHECK(result->timing.optimize_ms > 0);
    CHECK(result->timing.emit_ms > 0);
  }
}

TEST_CASE("LLVM IR and assembly come when asked for") {
  oxide_jit_request request = request_for(OXIDE_JIT_HOST);
  request.flags = OXIDE_JIT_KEEP_LLVM | OXIDE_JIT_KEEP_ASM;
  Compiled result = compile(request, vecadd_graph());
  CHECK_THAT(text_of(result->llvm_ir), Catch::Contains("define"));
  CHECK_THAT(text_of(result->assembly), Catch::Contains("oxide_host_entry:"));
  request = request_for(OXIDE_JIT_NVPTX);
  request.flags = OXIDE_JIT_KEEP_LLVM;
  result = compile(request, vecadd_graph());
  CHECK_THAT(text_of(result->llvm_ir), Catch::Contains("ptx_kernel void @vecadd"));
}

TEST_CASE("bad requests are refused with a reason") {
  struct Bad {
    const char* expected;
    void (*damage)(oxide_jit_request&);
  };
  const Bad cases[] = {
      {"the program speaks ABI version 77", [](oxide_jit_request& r) { r.abi_version = 77; }},
      {"unknown target 9", [](oxide_jit_request& r) { r.target = 9; }},
      {"given 4", [](oxide_jit_request& r) { r.opt_level = 4; }},
      {"unknown flags", [](oxide_jit_request& r) { r.flags = 128; }},
  };
  for (const Bad& bad : cases) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    bad.damage(request);
    const Compiled result = compile(request, vecadd_graph());
    CHECK(result->status == OXIDE_JIT_BAD_REQUEST);
    CHECK_THAT(text_of(result->message), Catch::Contains(bad.expected));
  }
  const Compiled none(Compiler::get().compile(nullptr));
  CHECK(none->status == OXIDE_JIT_BAD_REQUEST);
  oxide_jit_request request = request_for(OXIDE_JIT_HOST);
  request.graph_size = 100;
  CHECK(Compiled(Compiler::get().compile(&request))->status == OXIDE_JIT_BAD_REQUEST);
  Compiler::get().release(nullptr);
}

TEST_CASE("bytes that are no graph, and graphs that do not verify, are refused with a reason") {
  const Compiled garbage = compile(request_for(OXIDE_JIT_HOST), std::vector<std::uint8_t>{1, 2, 3});
  CHECK(garbage->status == OXIDE_JIT_BAD_GRAPH);
  CHECK_THAT(text_of(garbage->message), Catch::Contains("does not decode"));
  ir::Graph graph = vecadd_graph();
  graph.blocks[0].operations[7].operands[1] = 0;  // a u32 among u64s
  const Compiled wrong = compile(request_for(OXIDE_JIT_HOST), graph);
  CHECK(wrong->status == OXIDE_JIT_BAD_GRAPH);
  CHECK_THAT(text_of(wrong->message), Catch::Contains("block 0, operation 7"));
}

TEST_CASE("damaged bytes never crash the compiler") {
  const std::vector<std::uint8_t> good = ir::encode(RandomGraph(3, 6).graph());
  std::mt19937_64 random(11);
  unsigned compiled = 0;
  for (unsigned round = 0; round != 3000; ++round) {
    std::vector<std::uint8_t> bytes = good;
    for (std::uint64_t n = 1 + random() % 3; n != 0; --n) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
    request.opt_level = 0;
    const Compiled result = compile(request, bytes);
    CHECK((result->status == OXIDE_JIT_OK || result->status == OXIDE_JIT_BAD_GRAPH));
    if (result->status == OXIDE_JIT_OK && ++compiled == 40) break;
  }
  CHECK(compiled > 0);
}

TEST_CASE("architectures that LLVM does not know, or that are too old, are named") {
  for (const auto& [sm, expected] : {std::pair(60u, "sm_60 is too old"),
                                     {70u, "sm_70 is too old"},
                                     {77u, "sm_77 is not an architecture"},
                                     {0u, "sm_0"},
                                     {999u, "sm_999 is not an architecture"}}) {
    oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
    request.sm = sm;
    const Compiled result = compile(request, vecadd_graph());
    CHECK(result->status == OXIDE_JIT_UNSUPPORTED);
    CHECK_THAT(text_of(result->message), Catch::Contains(expected));
  }
}

TEST_CASE("the library exports its C ABI and nothing else") {
  const std::string symbols = output_of("nm -D --defined-only " + compiler_path());
  if (symbols.empty()) OXIDE_SKIP("nm is not installed");
  std::istringstream lines(symbols);
  std::vector<std::string> names;
  for (std::string address, kind, name; lines >> address >> kind >> name;) names.push_back(name);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"oxide_jit_compile", "oxide_jit_get_info", "oxide_jit_prepare", "oxide_jit_release"});
}

TEST_CASE("the library needs the C library and nothing else, and is small") {
  const std::string dynamic = output_of("readelf -dW " + compiler_path());
  if (dynamic.empty()) OXIDE_SKIP("readelf is not installed");
  if (output_of("readelf -SW " + compiler_path()).find(".symtab") == std::string::npos) {  // stripped, as it is shipped
    std::ifstream file(compiler_path(), std::ios::binary | std::ios::ate);
    CHECK(file.tellg() <= std::streamoff{48} << 20);
  }
  std::istringstream lines(dynamic);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    INFO(line);
    CHECK((line.find("[libc.so.6]") != std::string::npos || line.find("[libm.so.6]") != std::string::npos ||
           line.find("[ld-linux-x86-64.so.2]") != std::string::npos));
  }
}

TEST_CASE("threads compile at once, and all get what one gets alone") {
  std::vector<ir::Graph> graphs{vecadd_graph()};
  for (std::uint64_t seed = 0; seed != 3; ++seed) graphs.push_back(RandomGraph(seed, 12).graph());
  std::vector<std::string> expected;
  for (const ir::Graph& g : graphs) expected.push_back(text_of(compile(request_for(OXIDE_JIT_NVPTX), g)->ptx));
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned round = 0; round != 6; ++round) {
        const std::size_t which = (t + round) % graphs.size();
        if (text_of(compile(request_for(OXIDE_JIT_NVPTX), graphs[which])->ptx) != expected[which]) ++wrong;
        const Compiled host = compile(request_for(OXIDE_JIT_HOST), graphs[0]);
        std::vector<float> a(50, 1.5f), b(50, 2.0f), c(50);
        run_host(*host, graphs[0], {{2, 1, 1}, {32, 1, 1}}, {span_argument(a), span_argument(b), span_argument(c)});
        if (c != std::vector<float>(50, 3.5f)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}
