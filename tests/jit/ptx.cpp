// The shape of PTX, and that it assembles for every architecture.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <oxide/ir/simplify.hpp>

#include "jit/operations.hpp"
#include "support/skip.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

constexpr unsigned architectures[] = {75, 80, 86, 89, 90, 100, 120};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

std::string ptx_of(const ir::Graph& graph, unsigned flags = 0, unsigned opt_level = 3, const char* library = nullptr, unsigned sm = 80) {
  oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
  request.flags = flags;
  request.opt_level = opt_level;
  request.libdevice = library;
  request.sm = sm;
  const Compiled result = compile(request, graph);
  REQUIRE(text_of(result->message) == "");
  REQUIRE(result->status == OXIDE_JIT_OK);
  return text_of(result->ptx);
}

std::string ptxas() {
  for (const std::string path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas", "/opt/cuda/bin/ptxas"})
    if (access(path.c_str(), X_OK) == 0) return path;
  if (std::system("ptxas --version >/dev/null 2>&1") == 0) return "ptxas";
  return {};
}

// What ptxas says, with its report on registers and memory; "" before it when it failed.
struct Assembled {
  bool ok;
  std::string output;
};
Assembled assemble(const std::string& assembler, const std::string& ptx, unsigned sm) {
  std::string path = (std::filesystem::temp_directory_path() / "oxide_ptx_XXXXXX").string();
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0);
  REQUIRE(write(file, ptx.data(), ptx.size()) == static_cast<ssize_t>(ptx.size()));
  close(file);
  const std::string command = assembler + " -v -arch=sm_" + std::to_string(sm) + " " + path + " -o /dev/null 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Assembled result{false, {}};
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) result.output.append(buffer, n);
  result.ok = pclose(pipe) == 0;
  std::remove(path.c_str());
  return result;
}

// A grid-stride loop, a branch, a helper's early return: what control flow lowers to.
ir::Graph loop_graph() {
  using enum ir::Opcode;
  GraphBuilder b("sum_rows");
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const auto width = b.value(ir::Type::u32);
  const ir::Variable row = b.linear_index(), total = b.variable(ir::Type::f32), column = b.variable(ir::Type::u32);
  const ir::Variable n = b.parameter(width);
  b.assign(total, b.constant(0.0f));
  b.assign(column, b.constant(0u));
  const std::uint32_t head = b.block(), body = b.block(), negative = b.block(), next = b.block(), after = b.block();
  b.jump(head);
  b.at(head).branch(b.op(less, {column, n}), body, after);
  b.at(body);
  const ir::Variable i = b.op(add, {b.op(mul, {row, b.cast(n, ir::Type::u64)}), b.cast(column, ir::Type::u64)});
  b.check(in, i);
  const ir::Variable x = b.load(in, i);
  b.branch(b.op(less, {x, b.constant(0.0f)}), negative, next);
  b.at(negative).assign(total, b.op(sub, {total, b.op(mul, {x, x})}));
  b.jump(next);
  b.at(next).assign(total, b.op(add, {b.op(mul, {x, b.constant(0.5f)}), total}));
  b.assign(column, b.op(add, {column, b.constant(1u)}));
  b.jump(head);
  b.at(after).check(out, row);
  b.store(out, row, total);
  b.exit();
  return b.graph;
}

}  // namespace

TEST_CASE("read-only spans are read through the read-only cache, written ones are not") {
  const std::string ptx = ptx_of(vecadd_graph());
  CHECK(count(ptx, "ld.global.nc.") == 2);
  CHECK(count(ptx, "ld.global.") == 2);
  CHECK(count(ptx, "st.global.") == 1 + count(ptx.substr(ptx.find("\n.func oxide_fault(")), "st.global."));
  CHECK_THAT(ptx, Catch::Contains(".visible .entry vecadd("));
  CHECK(count(ptx, ".ptr .global .align 4") == 3);
  GraphBuilder b;
  const auto data = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.store(data, i, b.op(ir::Opcode::add, {b.load(data, i), b.constant(1.0f)}));
  b.exit();
  CHECK(count(ptx_of(b.graph), ".nc") == 0);
}

TEST_CASE("optimized kernels use no local memory and no generic addresses") {
  for (const ir::Graph& graph : {vecadd_graph(), loop_graph(), RandomGraph(4, 30).graph()}) {
    const std::string ptx = ptx_of(graph);
    CHECK(count(ptx, ".local") == 0);
    CHECK(count(ptx, "cvta") == 0);
    CHECK(count(ptx, "ld.b32") + count(ptx, "st.b32") + count(ptx, "ld.u32") == 0);
  }
}

TEST_CASE("all checks share one function, out of line, in which the first thread reports and none traps") {
  const std::string ptx = ptx_of(loop_graph());
  const std::size_t kernel = ptx.find(".entry"), fault = ptx.find("\n.func oxide_fault(");
  REQUIRE(kernel != std::string::npos);
  REQUIRE(fault != std::string::npos);
  CHECK(count(ptx, "\n.func oxide_fault(") == 1);
  CHECK(count(ptx, "oxide_fault, (") == 2);
  // In the kernel the calls stand behind the last return, that is, off the path of threads that pass.
  const std::string body = ptx.substr(kernel, fault - kernel);
  CHECK(body.find("oxide_fault, (") > body.rfind("ret;"));
  const std::string shared = ptx.substr(fault);
  CHECK(count(shared, "atom.relaxed.gpu.global.cas.b32") == 1);
  CHECK(count(shared, "fence.sc.sys") == 1);
  const std::size_t store = shared.find("st.relaxed.sys.global.b32");
  REQUIRE(store != std::string::npos);
  CHECK(shared.find("fence.sc.sys") < store);
  CHECK(shared.find("trap;") == std::string::npos);
}

TEST_CASE("arithmetic is correctly rounded and keeps subnormals; contraction follows the mode") {
  using enum ir::Opcode;
  GraphBuilder b;
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index(), x = b.load(in, i);
  b.store(out, i, b.op(min, {b.op(div, {b.op(sqrt, {x}), b.op(add, {x, b.constant(1.0f)})}), x}));
  b.exit();
  const std::string text = ptx_of(b.graph);
  CHECK_THAT(text, Catch::Contains("div.rn.f32"));
  CHECK_THAT(text, Catch::Contains("sqrt.rn.f32"));
  CHECK_THAT(text, Catch::Contains("min.f32"));
  CHECK(count(text, ".ftz") == 0);
  CHECK(count(text, ".approx") == 0);
  ir::Graph sum = loop_graph();
  CHECK(count(ptx_of(sum), "fma.rn.f32") == 2);
  sum.fp_mode = ir::FpMode::strict;
  for (const unsigned level : {0u, 3u}) CHECK(count(ptx_of(sum, 0, level), "fma.rn.f32") == 0);
  CHECK(count(ptx_of(sum), "mul.rn.f32") == 2);
}

TEST_CASE("pairs of halves, bits of integers and 8-bit floats are instructions of the GPU that has them") {
  using enum ir::Opcode;
  const auto of_type = [](ir::Type type, unsigned sm, unsigned ptx_version, auto body) {
    GraphBuilder b;
    const auto in = b.span(type), out = b.span(type, ir::Access::disjoint);
    const ir::Variable i = b.linear_index();
    b.store(out, i, body(b, b.load(in, i)));
    b.exit();
    oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
    request.sm = sm;
    request.ptx_version = ptx_version;
    const Compiled result = compile(request, b.graph);
    REQUIRE(text_of(result->message) == "");
    return text_of(result->ptx);
  };
  const auto sum = [](GraphBuilder& b, ir::Variable x) { return b.op(add, {x, x}); };
  const auto fused = [](GraphBuilder& b, ir::Variable x) { return b.op(fma, {x, x, x}); };
  CHECK(count(of_type(ir::Type::f16x2, 75, 0, sum), "add.rn.f16x2") == 1);
  CHECK(count(of_type(ir::Type::f16x2, 75, 0, fused), "fma.rn.f16x2") == 1);
  CHECK(count(of_type(ir::Type::bf16x2, 90, 0, sum), "add.rn.bf16x2") == 1);
  CHECK(count(of_type(ir::Type::bf16x2, 80, 0, fused), "fma.rn.bf16x2") == 1);
  CHECK(count(of_type(ir::Type::f16, 75, 0, fused), "fma.rn.f16 ") == 1);
  // Without the instruction a bf16 is not fused by way of f32, which would round twice.
  CHECK(count(of_type(ir::Type::bf16, 75, 0, fused), "fma.rn.f32") == 0);
  const auto bits = [](GraphBuilder& b, ir::Variable x) {
    const ir::Variable dot = b.op(dot4, {x, x, x}, 0, ir::Type::u32), shifted = b.op(funnel_left, {dot, x, x});
    return b.op(byte_permute, {b.op(bit_reverse, {shifted}), b.op(popcount, {x}), b.op(leading_zeros, {x})}, 0);
  };
  const std::string text = of_type(ir::Type::u32, 75, 0, bits);
  for (const char* instruction : {"dp4a.u32.u32", "shf.l.wrap.b32", "prmt.b32", "brev.b32", "popc.b32", "clz.b32"})
    CHECK_THAT(text, Catch::Contains(instruction));
  const auto packed = [](GraphBuilder& b, ir::Variable x) { return b.cast(b.op(pack_float8, {x, x}, 0, ir::Type::u16), ir::Type::f32); };
  CHECK(count(of_type(ir::Type::f32, 90, 81, packed), "cvt.rn.satfinite.e4m3x2.f32") == 1);
  CHECK(count(of_type(ir::Type::f32, 80, 81, packed), "e4m3x2") == 0);
  const auto directed = [](GraphBuilder& b, ir::Variable x) { return b.op(div_rounded, {b.op(add_rounded, {x, x}, 1), x}, 2); };
  CHECK(count(of_type(ir::Type::f32, 75, 0, directed), "add.rz.f32") == 1);
  CHECK(count(of_type(ir::Type::f64, 75, 0, directed), "div.rm.f64") == 1);
}

TEST_CASE("lines are in the PTX when asked for, and change nothing else") {
  const std::string plain = ptx_of(vecadd_graph()), with_lines = ptx_of(vecadd_graph(), OXIDE_JIT_LINE_INFO);
  CHECK(count(plain, ".loc") == 0);
  CHECK(count(plain, ".file") == 0);
  CHECK_THAT(with_lines, Catch::Contains("kernel.cpp\""));
  CHECK_THAT(with_lines, Catch::Contains("1 26 3"));  // the addition
  CHECK(count(with_lines, ".debug_info") == 0);
  CHECK(count(with_lines, "ld.global.nc.") == 2);
}

TEST_CASE("several source files each have their name in the lines") {
  GraphBuilder b;
  b.graph.files = {"main.cpp", "include/helper.hpp"};
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const ir::Variable zero = b.constant(std::uint64_t{0});
  b.store(out, zero, b.op(ir::Opcode::mul, {b.coordinate(ir::Opcode::thread_index), b.coordinate(ir::Opcode::block_dim)}));
  b.exit();
  for (ir::Operation& op : b.graph.blocks[0].operations)
    if (op.opcode == ir::Opcode::mul) op.location = {1, 77, 9};
  const std::string ptx = ptx_of(b.graph, OXIDE_JIT_LINE_INFO);
  CHECK_THAT(ptx, Catch::Contains("helper.hpp\""));
  CHECK_THAT(ptx, Catch::Contains("2 77 9"));
}

TEST_CASE("names that PTX does not take as they are still make an entry") {
  for (const char* name : {"3d", "add", "", "trap", "oxide_fault", "__nv_expf", "entry", "ret"}) {
    ir::Graph graph = vecadd_graph();
    graph.name = name;
    const Compiled result = compile(request_for(OXIDE_JIT_NVPTX), graph);
    REQUIRE(result->status == OXIDE_JIT_OK);
    CHECK_THAT(text_of(result->ptx), Catch::Contains(".entry " + std::string(result->entry_name) + "("));
    const std::string assembler = ptxas();
    if (!assembler.empty()) CHECK(assemble(assembler, text_of(result->ptx), 80).output.find("error") == std::string::npos);
  }
}

TEST_CASE("the PTX version is what the architecture needs, or what the driver takes if LLVM writes it") {
  const auto version = [](unsigned sm, unsigned driver) {
    oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
    request.sm = sm;
    request.ptx_version = driver;
    const std::string ptx = text_of(compile(request, vecadd_graph())->ptx);
    const std::size_t at = ptx.find(".version ");
    return ptx.substr(at + 9, ptx.find('\n', at) - at - 9);
  };
  CHECK(version(80, 0) == "7.0");
  CHECK(version(80, 78) == "7.8");
  CHECK(version(80, 79) == "7.8");
  CHECK(version(80, 60) == "7.0");
  CHECK(version(80, 999) == "9.0");
  CHECK(version(90, 0) == "7.8");
  CHECK(version(100, 0) == "8.6");
  CHECK(version(120, 88) == "8.8");
}

TEST_CASE("all PTX assembles for every architecture, without stack frames or spills where it is optimized") {
  const std::string assembler = ptxas();
  if (assembler.empty()) OXIDE_SKIP("ptxas is not installed");
  struct Kernel {
    ir::Graph graph;
    bool lean;  // no local memory
  };
  std::vector<Kernel> kernels{{vecadd_graph(), true}, {vecadd_graph(ir::Type::f64), true}, {loop_graph(), true}};
  for (const ir::Type type : all_types()) kernels.push_back({operations_kernel(type).graph, false});
  for (std::uint64_t seed = 0; seed != 3; ++seed) kernels.push_back({RandomGraph(seed, 25).graph(), false});
  for (const Kernel& kernel : kernels)
    for (const unsigned sm : architectures) {
      const Assembled result =
          assemble(assembler, ptx_of(kernel.graph, sm == 90 ? OXIDE_JIT_LINE_INFO : 0, sm == 86 ? 0 : 3, nullptr, sm), sm);
      INFO(kernel.graph.name << " for sm_" << sm << ": " << result.output);
      CHECK(result.ok);
      if (kernel.lean && sm != 86) {
        CHECK(count(result.output, "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") >= 1);
        CHECK(count(result.output, " stack frame") == count(result.output, "0 bytes stack frame, 0 bytes spill stores"));
      }
    }
}

TEST_CASE("mathematics of each library assembles") {
  const std::string assembler = ptxas();
  if (assembler.empty()) OXIDE_SKIP("ptxas is not installed");
  const std::string found = Compiler::get().info()->device_library;
  for (const ir::Type type : {ir::Type::f32, ir::Type::f64}) {
    const Compiled built_in = [&] {
      oxide_jit_request request = request_for(OXIDE_JIT_NVPTX);
      request.libdevice = "builtin";
      request.sm = 75;
      return compile(request, operations_kernel(type, true).graph);
    }();
    if (built_in->status == OXIDE_JIT_OK) {
      const Assembled result = assemble(assembler, text_of(built_in->ptx), 75);
      INFO(result.output);
      CHECK(result.ok);
    }
    if (found.empty() || found[0] != '/') continue;
    const Assembled result = assemble(assembler, ptx_of(operations_kernel(type, true).graph, 0, 3, nullptr, 90), 90);
    INFO(result.output);
    CHECK(result.ok);
  }
}

TEST_CASE("functions become device functions, with a stack that is checked where they call themselves") {
  const std::string assembler = ptxas();
  for (const unsigned sm : {75u, 90u})
    for (const unsigned level : {0u, 3u}) {
      const std::string ptx = ptx_of(factorial_graph(), 0, level, nullptr, sm);
      // As they are without optimization; else one may be inlined, and a call at the end may become a loop.
      if (level == 0) CHECK(count(ptx, ".func  (.param .b64 func_retval0) factorial$0") >= 1);
      CHECK(count(ptx, "stacksave") >= 2);
      if (level != 0) CHECK(count(ptx, "step$1") == 0);
      if (assembler.empty()) continue;
      const Assembled result = assemble(assembler, ptx, sm);
      INFO(result.output);
      CHECK(result.ok);
    }
}
