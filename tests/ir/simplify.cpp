#include <oxide/ir/simplify.hpp>

#include <catch2/catch.hpp>

#include <bit>
#include <random>

#include <oxide/ir/hash.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/ir/verify.hpp>

#include "support/graph_builder.hpp"
#include "support/interpreter.hpp"
#include "support/random_graph.hpp"

using namespace oxide;
using oxide::testing::GraphBuilder;

namespace {

std::string simplified(ir::Graph graph) {
  ir::simplify(graph);
  REQUIRE_FALSE(ir::verify(graph));
  return ir::print(graph);
}

}  // namespace

TEST_CASE("copies are propagated and dead operations dropped") {
  GraphBuilder b;
  b.lines = false;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  b.constant(1.0f);  // dead
  const ir::Variable zero = b.op(ir::Opcode::copy, {b.constant(std::uint64_t{0})});
  const ir::Variable x = b.op(ir::Opcode::copy, {b.op(ir::Opcode::copy, {b.coordinate(ir::Opcode::thread_index)})});
  const ir::Variable y = b.variable(ir::Type::u32);
  b.assign(y, x);
  b.op(ir::Opcode::div, {x, y}, 0);                     // dead: a zero divisor gives 0
  b.load(out, zero);                                    // dead
  b.op(ir::Opcode::add, {b.op(ir::Opcode::mul, {x, y}), y});  // dead, both
  b.store(out, zero, y);
  b.exit();
  CHECK(simplified(b.graph) == R"(kernel kernel(span u32 write)
block 0:
  v0: u64 = constant 0
  v1: u32 = thread_index x
  store p0[v0], v1
  exit
)");
}

TEST_CASE("what may trap stays") {
  GraphBuilder b;
  b.lines = false;
  const auto in = b.span(ir::Type::u32);
  const ir::Variable x = b.coordinate(ir::Opcode::thread_index);
  b.op(ir::Opcode::div, {x, x}, 1);
  b.check(in, b.cast(x, ir::Type::u64));
  b.exit();
  CHECK(simplified(b.graph) == R"(kernel kernel(span u32 read)
block 0:
  v0: u32 = thread_index x
  v1: u32 = div checked v0, v0
  v2: u64 = cast v0
  check_bounds p0, v2
  exit
)");
}

TEST_CASE("variables that feed only each other around a loop are dead") {
  GraphBuilder b;
  b.lines = false;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const ir::Variable zero = b.constant(std::uint64_t{0});
  const ir::Variable i = b.variable(ir::Type::u32), useless = b.variable(ir::Type::u32);
  b.assign(i, b.constant(0u));
  b.assign(useless, b.constant(5u));
  const std::uint32_t head = b.block(), body = b.block(), after = b.block();
  b.jump(head);
  b.at(head).branch(b.op(ir::Opcode::less, {i, b.constant(9u)}), body, after);
  b.at(body).assign(i, b.op(ir::Opcode::add, {i, b.constant(1u)}));
  b.assign(useless, b.op(ir::Opcode::mul, {useless, i}));
  b.jump(head);
  b.at(after).store(out, zero, i);
  b.exit();
  CHECK(simplified(b.graph) == R"(kernel kernel(span u32 write)
block 0:
  v0: u64 = constant 0
  v1: u32 = constant 0
  v2: u32 = copy v1
  jump block 1
block 1:
  v3: u32 = constant 9
  v4: boolean = less v2, v3
  branch v4, block 2, block 3
block 2:
  v5: u32 = constant 1
  v6: u32 = add v2, v5
  v2: u32 = copy v6
  jump block 1
block 3:
  store p0[v0], v2
  exit
)");
}

TEST_CASE("straight lines are merged, empty and unreachable blocks dropped, branches to one place are jumps") {
  GraphBuilder b;
  b.lines = false;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const std::uint32_t lost = b.block(), yes = b.block(), no = b.block(), joined = b.block(), last = b.block();
  const ir::Variable zero = b.constant(std::uint64_t{0});
  const ir::Variable x = b.coordinate(ir::Opcode::thread_index);
  b.branch(b.op(ir::Opcode::less, {x, b.constant(4u)}), yes, no);
  b.at(lost).jump(joined);
  b.at(yes).jump(joined);
  b.at(no).jump(joined);
  b.at(joined).jump(last);
  b.at(last).store(out, zero, x);
  b.exit();
  CHECK(simplified(b.graph) == R"(kernel kernel(span u32 write)
block 0:
  v0: u64 = constant 0
  v1: u32 = thread_index x
  store p0[v0], v1
  exit
)");
}

TEST_CASE("an endless loop stays, and the entry has no predecessor") {
  GraphBuilder b;
  b.lines = false;
  const std::uint32_t first = b.block(), second = b.block();
  b.jump(first);
  b.at(first).jump(second);
  b.at(second).jump(first);
  CHECK(simplified(b.graph) == "kernel kernel()\nblock 0:\n  jump block 1\nblock 1:\n  jump block 1\n");
}

TEST_CASE("copies of a variable that changes are not propagated") {
  GraphBuilder b;
  b.lines = false;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const ir::Variable zero = b.constant(std::uint64_t{0});
  const ir::Variable x = b.variable(ir::Type::u32);
  b.assign(x, b.coordinate(ir::Opcode::thread_index));
  const ir::Variable before = b.op(ir::Opcode::copy, {x});
  b.assign(x, b.constant(7u));
  b.store(out, zero, b.op(ir::Opcode::add, {before, x}));
  b.exit();
  ir::Graph graph = b.graph;
  ir::simplify(graph);
  std::vector<std::uint32_t> values(1);
  testing::Interpreter(graph).run({{1, 1, 1}, {4, 1, 1}}, {testing::span_argument(values)});
  CHECK(values[0] == 3 + 7);
}

TEST_CASE("graphs that differ in blocks' order, variables' numbers and copies become one") {
  const auto build = [](bool other) {
    GraphBuilder b;
    const auto out = b.span(ir::Type::u32, ir::Access::write);
    std::uint32_t yes = b.block(), no = b.block(), after = b.block();
    if (other) {
      std::swap(yes, after);
      for (int i = 0; i != 3; ++i) b.variable(ir::Type::f64);
    }
    const ir::Variable result = b.variable(ir::Type::u32);
    const ir::Variable zero = b.constant(std::uint64_t{0});
    ir::Variable x = b.coordinate(ir::Opcode::thread_index);
    if (other) x = b.op(ir::Opcode::copy, {x}), b.constant(5.0);
    b.branch(b.op(ir::Opcode::less, {x, b.constant(4u)}), yes, no);
    b.at(yes).assign(result, b.constant(1u));
    b.jump(after);
    b.at(no).assign(result, x);
    b.jump(after);
    b.at(after).store(out, zero, result);
    b.exit();
    return b.graph;
  };
  ir::Graph one = build(false), two = build(true);
  CHECK(ir::hash(one) != ir::hash(two));
  ir::simplify(one);
  ir::simplify(two);
  CHECK(ir::hash(one) == ir::hash(two));
  CHECK(ir::print(one) != "");
}

TEST_CASE("simplifying keeps what a graph does, verifies, and is done after once") {
  constexpr std::size_t n = 39;
  const testing::Shape shape{{3, 1, 1}, {13, 1, 1}};
  std::size_t operations_before = 0, operations_after = 0;
  for (std::uint64_t seed = 0; seed != 1000; ++seed) {
    INFO("seed " << seed);
    const ir::Graph graph = testing::RandomGraph(seed, 5 + static_cast<unsigned>(seed % 50)).graph();
    ir::Graph simple = graph;
    ir::simplify(simple);
    const auto defect = ir::verify(simple);
    REQUIRE((defect ? defect->text() : "") == "");
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> input(n), expected(n), got(n);
    std::vector<float> floats(n);
    for (std::uint64_t& x : input) x = testing::interesting_bits(ir::Type::u64, random);
    for (float& x : floats) x = std::bit_cast<float>(static_cast<std::uint32_t>(testing::interesting_bits(ir::Type::f32, random)));
    const auto run = [&](const ir::Graph& g, std::vector<std::uint64_t>& out) {
      return testing::Interpreter(g).run(shape, {testing::span_argument(input), testing::span_argument(out), testing::span_argument(floats),
                                                 testing::value_argument(1.5f)});
    };
    const testing::Fault fault = run(graph, expected), fault_after = run(simple, got);
    REQUIRE(got == expected);
    REQUIRE(fault.happened == fault_after.happened);
    REQUIRE(fault.values == fault_after.values);
    REQUIRE(fault.thread == fault_after.thread);
    ir::Graph again = simple;
    ir::simplify(again);
    REQUIRE(ir::hash(again) == ir::hash(simple));
    for (const ir::Block& block : graph.blocks) operations_before += block.operations.size();
    for (const ir::Block& block : simple.blocks) operations_after += block.operations.size();
  }
  CHECK(operations_after < operations_before);
}
