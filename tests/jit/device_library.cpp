// Mathematics on NVPTX: from libdevice, from the built-in library, or an explanation.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>

#include "jit/operations.hpp"
#include "support/skip.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

ir::Graph sine_graph() {
  GraphBuilder b("sine");
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.store(out, i, b.op(ir::Opcode::exp, {b.load(in, i)}));
  b.exit();
  return b.graph;
}

Compiled compile_with(const char* library, const ir::Graph& graph) {
  oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
  request.libdevice = library;
  return compile(request, graph);
}

bool has_built_in() { return compile_with("builtin", sine_graph())->status == OXIDE_JIT_OK; }

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
  const std::string text = text_of(compile(request, sine_graph())->llvm_ir);
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
  for (ir::Opcode op :
       {ir::Opcode::sqrt, ir::Opcode::rsqrt, ir::Opcode::floor, ir::Opcode::ceil, ir::Opcode::trunc, ir::Opcode::round_even})
    x = b.op(op, {x});
  b.store(out, i, x);
  b.exit();
  CHECK(compile_with("/nowhere/libdevice.bc", b.graph)->status == OXIDE_JIT_OK);
}

TEST_CASE("a library that is not there, or is none, is named") {
  const Compiled missing = compile_with("/nowhere/libdevice.bc", sine_graph());
  CHECK(missing->status == OXIDE_JIT_BAD_REQUEST);
  CHECK_THAT(text_of(missing->message), Catch::Contains("/nowhere/libdevice.bc"));
  const Compiled no_bitcode = compile_with("/proc/self/exe", sine_graph());
  CHECK(no_bitcode->status == OXIDE_JIT_BAD_REQUEST);
  CHECK_THAT(text_of(no_bitcode->message), Catch::Contains("no readable LLVM bitcode"));
}
