// Mathematics on NVPTX: from libdevice, from the built-in library, or an explanation.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "jit/operations.hpp"
#include "support/skip.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

ir::Graph exponential_graph() {
  GraphBuilder b("exponential");
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.store(out, i, b.math(ir::Math::exp, {b.load(in, i)}));
  b.exit();
  return b.graph;
}

Compiled compile_with(const char* library, const ir::Graph& graph) {
  oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
  request.libdevice = library;
  return compile(request, graph);
}

bool has_built_in() { return compile_with("builtin", exponential_graph())->status == OXIDE_JIT_OK; }

std::string found_libdevice() {
  const std::string name = Compiler::get().info()->device_library;
  return name.empty() || name[0] != '/' ? "" : name;
}

}  // namespace

TEST_CASE("every mathematical function links from each library there is, and nothing stays undefined") {
  std::vector<const char*> libraries;
  if (has_built_in()) libraries.push_back("builtin");
  if (!found_libdevice().empty()) libraries.push_back(nullptr);
  if (libraries.empty()) OXIDE_SKIP("no device library");
  for (const char* library : libraries)
    for (const ir::Type type : {ir::Type::f32, ir::Type::f64}) {
      const Compiled result = compile_with(library, operations_kernel(type, true).graph);
      INFO((library == nullptr ? "libdevice" : library) << ' ' << ir::name_of(type) << ' ' << text_of(result->message));
      REQUIRE(result->status == OXIDE_JIT_OK);
      CHECK(text_of(result->ptx).find(".extern") == std::string::npos);
      CHECK(text_of(result->ptx).find(".visible .func") == std::string::npos);
    }
}

TEST_CASE("only what is called is linked") {
  if (!has_built_in()) OXIDE_SKIP("no built-in device library");
  oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
  request.libdevice = "builtin";
  request.flags = OXIDE_JIT_KEEP_LLVM;
  request.opt_level = 0;
  const std::string text = text_of(compile(request, exponential_graph())->llvm_ir);
  std::size_t functions = 0;
  for (std::size_t at = text.find("\ndefine "); at != std::string::npos; at = text.find("\ndefine ", at + 1)) ++functions;
  CHECK(functions >= 2);
  CHECK(functions <= 4);
}

TEST_CASE("kernels without mathematics need no library") {
  CHECK(compile_with("/nowhere/libdevice.bc", vecadd_graph())->status == OXIDE_JIT_OK);
  // One instruction each.
  GraphBuilder b;
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  ir::Variable x = b.load(in, i);
  for (ir::Opcode op : {ir::Opcode::sqrt, ir::Opcode::floor, ir::Opcode::ceil, ir::Opcode::trunc, ir::Opcode::round_even})
    x = b.op(op, {x});
  x = b.math(ir::Math::rsqrt, {x});
  b.store(out, i, x);
  b.exit();
  CHECK(compile_with("/nowhere/libdevice.bc", b.graph)->status == OXIDE_JIT_OK);
}

TEST_CASE("approximate functions are a GPU's own instructions, and need no library") {
  GraphBuilder b("approximate");
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index(), x = b.load(in, i);
  ir::Variable y = x;
  for (std::size_t k = 0; k != ir::math_count; ++k) {
    const auto f = static_cast<ir::Math>(k);
    if (ir::is_approximate(f)) y = ir::operand_count(f) == 1 ? b.math(f, {y}) : b.math(f, {y, x});
  }
  b.store(out, i, y);
  b.exit();
  const Compiled result = compile_with("/nowhere/libdevice.bc", b.graph);
  REQUIRE(text_of(result->message) == "");
  const std::string ptx = text_of(result->ptx);
  for (const char* instruction : {"sin.approx.f32", "cos.approx.f32", "ex2.approx.f32", "lg2.approx.f32", "tanh.approx.f32",
                                  "sqrt.approx.f32", "rsqrt.approx.f32", "rcp.approx.f32", "div.approx.f32"})
    CHECK_THAT(ptx, Catch::Contains(instruction));
  CHECK(ptx.find(".ftz") == std::string::npos);
}

TEST_CASE("a kernel with functions of the library has them inlined, and no other functions") {
  for (const char* library : {"builtin", static_cast<const char*>(nullptr)}) {
    if (library == nullptr ? found_libdevice().empty() : !has_built_in()) continue;
    const std::string ptx = text_of(compile_with(library, exponential_graph())->ptx);
    INFO(ptx);
    CHECK(ptx.find(".entry") != std::string::npos);
    CHECK(ptx.find(".func") == std::string::npos);
    CHECK(ptx.find("call") == std::string::npos);
  }
}

TEST_CASE("a library that is not there, or is none, is named") {
  const Compiled missing = compile_with("/nowhere/libdevice.bc", exponential_graph());
  CHECK(missing->status == OXIDE_JIT_BAD_REQUEST);
  CHECK_THAT(text_of(missing->message), Catch::Contains("/nowhere/libdevice.bc"));
  const Compiled no_bitcode = compile_with("/proc/self/exe", exponential_graph());
  CHECK(no_bitcode->status == OXIDE_JIT_BAD_REQUEST);
  CHECK_THAT(text_of(no_bitcode->message), Catch::Contains("no readable LLVM bitcode"));
}

// A library whose function cannot be compiled for this target is the way to a fatal error inside LLVM that a test can take.
TEST_CASE("LLVM's fatal errors come back as errors, and compiling goes on") {
#ifdef OXIDE_LLVM_AS
  const std::string path = (std::filesystem::temp_directory_path() / ("oxide_fatal_" + std::to_string(getpid()))).string();
  std::ofstream(path + ".ll") << "define float @__nv_expf(float %x) {\n"
                                 "  %i = bitcast float %x to i32\n"
                                 "  %r = call i32 @llvm.x86.sse42.crc32.32.32(i32 %i, i32 %i)\n"
                                 "  %f = bitcast i32 %r to float\n"
                                 "  ret float %f\n"
                                 "}\n"
                                 "declare i32 @llvm.x86.sse42.crc32.32.32(i32, i32)\n";
  if (std::system((OXIDE_LLVM_AS " " + path + ".ll -o " + path + ".bc 2>/dev/null").c_str()) != 0) OXIDE_SKIP("llvm-as does not run here");
  const std::string before = text_of(compile(request_for(OXIDE_JIT_NVPTX), vecadd_graph())->ptx);
  for (unsigned round = 0; round != 3; ++round) {
    const Compiled result = compile_with((path + ".bc").c_str(), exponential_graph());
    CHECK(result->status == OXIDE_JIT_FAILED);
    CHECK_THAT(text_of(result->message), Catch::StartsWith("LLVM: "));
    CHECK(text_of(compile(request_for(OXIDE_JIT_NVPTX), vecadd_graph())->ptx) == before);
  }
  std::remove((path + ".ll").c_str());
  std::remove((path + ".bc").c_str());
#else
  OXIDE_SKIP("llvm-as is not installed");
#endif
}
