#include <oxide/ir/print.hpp>

#include <catch2/catch.hpp>

#include "support/graph_builder.hpp"

using namespace oxide;
using oxide::testing::GraphBuilder;

TEST_CASE("a printed graph is one line an operation, its source line behind it") {
  CHECK(ir::print(testing::vecadd_graph()) == R"(kernel vecadd(span f32 read, span f32 read, span f32 disjoint)
block 0:
  v0: u32 = block_index x                 ; kernel.cpp:11:3
  v1: u64 = cast v0                       ; kernel.cpp:12:3
  v2: u32 = block_dim x                   ; kernel.cpp:13:3
  v3: u64 = cast v2                       ; kernel.cpp:14:3
  v4: u32 = thread_index x                ; kernel.cpp:15:3
  v5: u64 = cast v4                       ; kernel.cpp:16:3
  v6: u64 = mul v1, v3                    ; kernel.cpp:17:3
  v7: u64 = add v6, v5                    ; kernel.cpp:18:3
  v8: u64 = length p2                     ; kernel.cpp:19:3
  v9: boolean = less v7, v8               ; kernel.cpp:20:3
  branch v9, block 1, block 2             ; kernel.cpp:21:3
block 1:
  check_bounds p0, v7                     ; kernel.cpp:22:3
  v10: f32 = load p0[v7]                  ; kernel.cpp:23:3
  check_bounds p1, v7                     ; kernel.cpp:24:3
  v11: f32 = load p1[v7]                  ; kernel.cpp:25:3
  v12: f32 = add v10, v11                 ; kernel.cpp:26:3
  store p2[v7], v12                       ; kernel.cpp:27:3
  jump block 2                            ; kernel.cpp:28:3
block 2:
  exit                                    ; kernel.cpp:29:3
)");
}

TEST_CASE("constants print as their type reads them") {
  GraphBuilder b;
  b.lines = false;
  b.constant(true);
  b.constant(std::int8_t{-5});
  b.constant(std::uint8_t{251});
  b.constant(std::int64_t{-9223372036854775807 - 1});
  b.constant(~std::uint64_t{0});
  b.constant(0.1f);
  b.constant(0.1);
  b.constant(-0.0);
  b.op(ir::Opcode::constant, {}, 0x7fc00001, ir::Type::f32);
  b.exit();
  CHECK(ir::print(b.graph) == R"(kernel kernel()
block 0:
  v0: boolean = constant true
  v1: i8 = constant -5
  v2: u8 = constant 251
  v3: i64 = constant -9223372036854775808
  v4: u64 = constant 18446744073709551615
  v5: f32 = constant 0.1
  v6: f64 = constant 0.1
  v7: f64 = constant -0
  v8: f32 = constant nan(0x7fc00001)
  exit
)");
}

TEST_CASE("spaces, modes, checked divisions and value parameters print") {
  GraphBuilder b("strict_kernel");
  b.lines = false;
  b.graph.fp_mode = ir::FpMode::strict;
  b.graph.files = {"folder/image.cpp"};
  b.graph.spaces = {{ir::SpaceKind::linear, 0, {0, 3, 1}}, {ir::SpaceKind::grid_2d, 640, {}}};
  const ir::Variable n = b.parameter(b.value(ir::Type::i32));
  const ir::Variable total = b.variable(ir::Type::i32);
  b.assign(total, n);
  b.op(ir::Opcode::div, {n, total}, 1);
  b.op(ir::Opcode::rem, {n, total}, 0);
  b.op(ir::Opcode::select, {b.op(ir::Opcode::less, {n, total}), n, total}, 0, ir::Type::i32);
  b.exit();
  CHECK(ir::print(b.graph) == R"(kernel strict_kernel(i32) strict
space linear                              ; image.cpp:3:1
space grid_2d, rows of 640
block 0:
  v0: i32 = parameter p0
  assign v1, v0
  v2: i32 = div checked v0, v1
  v3: i32 = rem v0, v1
  v4: boolean = less v0, v1
  v5: i32 = select v4, v0, v1
  exit
)");
}

TEST_CASE("a damaged graph prints too") {
  GraphBuilder b;
  b.lines = false;
  const ir::Variable v = b.constant(1u);
  b.op(ir::Opcode::add, {v, v});
  b.op(ir::Opcode::load, {ir::no_variable}, 7, ir::Type::f32);
  b.graph.blocks[0].operations[1].location = {9, 4, 0};
  CHECK_THAT(ir::print(b.graph), Catch::Matches("(.|\n)*add v0, v0 +; \\?:4\n(.|\n)*"));
  CHECK_THAT(ir::print(b.graph), Catch::Contains("load p?[v?]"));
}

TEST_CASE("functions print behind the kernel, and attributes behind its parameters") {
  ir::Graph graph = testing::factorial_graph();
  graph.attributes = {
      .max_threads = 256, .min_blocks = 2, .cluster = {2, 1, 1}, .max_registers = 32, .stack_size = 4096, .cooperative = true};
  for (std::size_t f = 0; f != ir::body_count(graph); ++f) {
    ir::Body& body = f == 0 ? static_cast<ir::Body&>(graph) : graph.functions[f - 1];
    for (ir::Block& block : body.blocks) {
      for (ir::Operation& op : block.operations) op.location = {};
      block.terminator.location = {};
    }
  }
  const std::string text = ir::print(graph);
  CHECK(text.substr(0, text.find('\n')) ==
        "kernel factorials(span u64 read, span u64 disjoint) launch_bounds(256, 2) cluster(2, 1, 1) max_registers(32) stack_size(4096) "
        "cooperative");
  CHECK_THAT(text, Catch::Contains(R"(  argument #0, v8
  call factorial$0
  v9: u64 = call_result #0
  store p1[v7], v9
  exit
function factorial$0(u64) -> u64
block 0:
)"));
  CHECK_THAT(text, Catch::Contains(R"(function step$1(u64, u64) -> u64, boolean
block 0:
  v0: u64 = parameter p0
  v1: u64 = parameter p1
  v2: u64 = mul v0, v1
  v3: u64 = constant 0
  v4: boolean = not_equal v0, v3
  return_value #0, v2
  return_value #1, v4
  exit
)"));
}
