// Control flow, launch shapes and arguments, on host code.
#include <catch2/catch.hpp>

#include <cfenv>
#include <thread>

#include <oxide/ir/simplify.hpp>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

TEST_CASE("random programs do on the host what the interpreter does, unoptimized and optimized") {
  constexpr std::size_t n = 39;
  const Shape shape{{3, 1, 1}, {13, 1, 1}};
  unsigned faults = 0;
  for (std::uint64_t seed = 0; seed != 30; ++seed) {
    INFO("seed " << seed);
    ir::Graph graph = RandomGraph(seed, 10 + static_cast<unsigned>(seed)).graph();
    if (seed % 2 == 0) ir::simplify(graph);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> input(n), expected(n), got(n);
    std::vector<float> floats(n);
    for (std::uint64_t& x : input) x = interesting_bits(ir::Type::u64, random);
    for (float& x : floats) x = std::bit_cast<float>(static_cast<std::uint32_t>(interesting_bits(ir::Type::f32, random)));
    const auto arguments = [&](std::vector<std::uint64_t>& out) {
      return std::vector<Argument>{span_argument(input), span_argument(out), span_argument(floats), value_argument(1.5f)};
    };
    const Fault fault = Interpreter(graph, host_fuses()).run(shape, arguments(expected));
    if (fault.happened) ++faults;
    for (const unsigned level : {0u, 3u}) {
      INFO("level " << level);
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, graph);
      REQUIRE(text_of(code->message) == "");
      std::fill(got.begin(), got.end(), 0);
      CHECK(run_host(*code, graph, shape, arguments(got)) == fault);
      CHECK(got == expected);
    }
  }
  CHECK(faults > 5);
  CHECK(faults < 28);
}

TEST_CASE("every thread of a 3-D launch runs once, with its own coordinates, however the blocks are divided") {
  using enum ir::Opcode;
  GraphBuilder b;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const auto count = b.span(ir::Type::u32, ir::Access::write);
  ir::Variable place = b.constant(std::uint64_t{0}), digest = b.constant(0u);
  for (unsigned axis = 3; axis-- != 0;) {
    const ir::Variable block = b.coordinate(block_index, axis), size = b.coordinate(block_dim, axis),
                       thread = b.coordinate(thread_index, axis);
    const ir::Variable grid = b.coordinate(grid_dim, axis);
    const ir::Variable i = b.op(add, {b.op(mul, {block, size}), thread});
    place = b.op(add, {b.op(mul, {place, b.cast(b.op(mul, {size, grid}), ir::Type::u64)}), b.cast(i, ir::Type::u64)});
    for (ir::Variable v : {block, size, thread, grid}) digest = b.op(add, {b.op(mul, {digest, b.constant(31u)}), v});
  }
  b.store(out, place, digest);
  b.store(count, place, b.op(add, {b.load(count, place), b.constant(1u)}));
  b.exit();
  const Shape shape{{3, 2, 4}, {5, 3, 2}};
  constexpr std::size_t n = 3 * 2 * 4 * 5 * 3 * 2;
  std::vector<std::uint32_t> expected(n), expected_count(n), got(n), got_count(n);
  Interpreter(b.graph).run(shape, {span_argument(expected), span_argument(expected_count)});
  REQUIRE(expected_count == std::vector<std::uint32_t>(n, 1));
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
  const std::vector<Argument> arguments{span_argument(got), span_argument(got_count)};
  run_host(*code, b.graph, shape, arguments, 0, 7);
  std::thread rest([&] { run_host(*code, b.graph, shape, arguments, 7, 24); });
  rest.join();
  CHECK(got == expected);
  CHECK(got_count == expected_count);
}

TEST_CASE("rows longer than the compiler's own limit run whole") {
  const ir::Graph graph = vecadd_graph();
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), graph);
  std::vector<float> a(5000), b(5000, 1.0f), c(5000);
  for (std::size_t i = 0; i != a.size(); ++i) a[i] = static_cast<float>(i);
  CHECK_FALSE(run_host(*code, graph, {{1, 1, 1}, {5000, 1, 1}}, {span_argument(a), span_argument(b), span_argument(c)}).happened);
  CHECK(c[4999] == 5000.0f);
  b.resize(4321);
  const Fault fault = run_host(*code, graph, {{1, 1, 1}, {5000, 1, 1}}, {span_argument(a), span_argument(b), span_argument(c)});
  REQUIRE(fault.happened);
  CHECK(fault.thread == std::array<std::uint32_t, 3>{4321, 0, 0});
  CHECK(fault.values == std::array<std::uint64_t, 2>{4321, 4321});
}

TEST_CASE("value parameters of every type arrive") {
  for (const ir::Type type : all_types()) {
    GraphBuilder b;
    const auto first = b.value(ir::Type::boolean), out = b.span(type, ir::Access::write), value = b.value(type);
    const ir::Variable zero = b.constant(std::uint64_t{0});
    const ir::Variable x = b.op(ir::Opcode::select, {b.parameter(first), b.parameter(2), b.op(ir::Opcode::constant, {}, 0, type)}, 0, type);
    (void)value;
    b.store(out, zero, x);
    b.exit();
    std::mt19937_64 random(1);
    const Word bits = interesting_word(type, random) | 1;
    Elements result(type, 1);
    const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
    // The bytes behind a value are none of the code's business.
    const Word noise = ir::size_of(type) == 16 ? 0 : ~Word{0} << (8 * ir::size_of(type));
    run_host(*code, b.graph, {}, {{0xffffffffffffff01, nullptr, 0}, result.argument(), {bits | noise, nullptr, 0}});
    INFO(ir::name_of(type));
    CHECK((result.bits(0) == bits));
  }
}

TEST_CASE("any byte but 0 is true in memory, and true is written as 1") {
  GraphBuilder b;
  const auto in = b.span(ir::Type::boolean), out = b.span(ir::Type::boolean, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.store(out, i, b.op(ir::Opcode::bit_not, {b.load(in, i)}));
  b.exit();
  for (unsigned level = 0; level != 4; ++level) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const Compiled code = compile(request, b.graph);
    std::vector<std::uint8_t> input(64), output(64, 9);
    for (std::size_t k = 0; k != 64; ++k) input[k] = static_cast<std::uint8_t>(k % 4 == 0 ? 0 : k);
    run_host(*code, b.graph, {{1, 1, 1}, {64, 1, 1}}, {span_argument(input), span_argument(output)});
    for (std::size_t k = 0; k != 64; ++k) CHECK(+output[k] == (k % 4 == 0 ? 1 : 0));
  }
}

TEST_CASE("the work-item loop is vectorized, with its checks, and with a branch in it") {
  oxide_jit_request request = request_for(OXIDE_JIT_HOST);
  request.flags = OXIDE_JIT_KEEP_LLVM;
  const std::string text = text_of(compile(request, vecadd_graph())->llvm_ir);
  CHECK_THAT(text, Catch::Contains("vector.body"));
  CHECK_THAT(text, Catch::Contains("fadd <"));
}

TEST_CASE("host code keeps the floating-point environment") {
  const OperationsKernel kernel = operations_kernel(ir::Type::f32);
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), kernel.graph);
  std::vector<Elements> data;
  for (const ir::Parameter& p : kernel.graph.parameters) data.emplace_back(p.type, 64);
  std::vector<Argument> arguments;
  for (Elements& e : data) arguments.push_back(e.argument());
  const int rounding = std::fegetround();
  unsigned control_before, control_after;
  asm volatile("stmxcsr %0" : "=m"(control_before));
  run_host(*code, kernel.graph, {{1, 1, 1}, {64, 1, 1}}, arguments);
  asm volatile("stmxcsr %0" : "=m"(control_after));
  CHECK(std::fegetround() == rounding);
  CHECK((control_before & 0xffc0u) == (control_after & 0xffc0u));  // all but the sticky flags
}

TEST_CASE("a released kernel's code is gone, and others stay") {
  const ir::Graph graph = vecadd_graph();
  std::vector<float> a(32, 1.0f), b(32, 2.0f), c(32);
  const Compiled kept = compile(request_for(OXIDE_JIT_HOST), graph);
  for (unsigned round = 0; round != 20; ++round) {
    Compiled code = compile(request_for(OXIDE_JIT_HOST), graph);
    REQUIRE(code->entry != kept->entry);
    code.reset();
  }
  run_host(*kept, graph, {{1, 1, 1}, {32, 1, 1}}, {span_argument(a), span_argument(b), span_argument(c)});
  CHECK(c == std::vector<float>(32, 3.0f));
}
