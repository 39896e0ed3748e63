// Functions of a graph: host code does what the interpreter does, PTX assembles, and calls that go too deep are reported.
#include <catch2/catch.hpp>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

TEST_CASE("functions that call themselves and each other run on the host as in the interpreter") {
  const ir::Graph graph = factorial_graph();
  REQUIRE_FALSE(ir::verify(graph));
  std::vector<std::uint64_t> in(70), expected(70), got(70);
  for (std::size_t i = 0; i != in.size(); ++i) in[i] = i % 30;
  const Shape shape{{7, 1, 1}, {10, 1, 1}};
  CHECK_FALSE(Interpreter(graph).run(shape, {span_argument(in), span_argument(expected)}).happened);
  CHECK(expected[20] == 2432902008176640000u);
  for (unsigned level = 0; level != 4; ++level) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const Compiled code = compile(request, graph);
    REQUIRE(text_of(code->message) == "");
    got.assign(got.size(), 0);
    CHECK_FALSE(run_host(*code, graph, shape, {span_argument(in), span_argument(got)}).happened);
    CHECK(got == expected);
  }
}

TEST_CASE("a check that fails in a function is reported with its site, and the other threads go on") {
  // out[i] = at(in[i] + 1), where at(n) checks n against in and gives in[n] / n with a checked division.
  GraphBuilder b;
  const auto in = b.span(ir::Type::u64), out = b.span(ir::Type::u64, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.check(in, i);
  b.store(out, i, b.call(0, {b.load(in, i)}, {ir::Type::u64})[0]);
  b.exit();
  b.function("at", {ir::Type::u64}, {ir::Type::u64});
  const ir::Variable n = b.parameter(0);
  b.check(in, n);
  b.give_back({b.op(ir::Opcode::div, {b.load(in, n), n}, 1)});
  const Shape shape{{1, 1, 1}, {6, 1, 1}};
  for (const std::vector<std::uint64_t>& input :
       {std::vector<std::uint64_t>{1, 2, 6, 3, 9, 1}, std::vector<std::uint64_t>{1, 2, 0, 3, 9, 1}}) {
    std::vector<std::uint64_t> values = input, expected(6), got(6);
    const Fault fault = Interpreter(b.graph).run(shape, {span_argument(values), span_argument(expected)});
    CHECK(fault.thread[0] == 2);
    for (unsigned level = 0; level != 4; ++level) {
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, b.graph);
      REQUIRE(code->site_count == 3);
      CHECK(code->sites[1].function == 1);
      got.assign(6, 0);
      CHECK(run_host(*code, b.graph, shape, {span_argument(values), span_argument(got)}) == fault);
      CHECK(got == expected);
    }
  }
}

TEST_CASE("calls that go too deep for the stack are reported, and nothing is overrun") {
  // down(n) = n == 0 ? 0 : down(n - 1) + n, not as a loop: the sum is rounded by a product.
  GraphBuilder b;
  const auto out = b.span(ir::Type::u64, ir::Access::disjoint);
  const auto depth = b.value(ir::Type::u64);
  const ir::Variable i = b.linear_index();
  b.store(out, i, b.call(0, {b.parameter(depth)}, {ir::Type::u64})[0]);
  b.exit();
  b.function("down", {ir::Type::u64}, {ir::Type::u64});
  const auto more = b.block(), done = b.block();
  const ir::Variable n = b.parameter(0), zero = b.constant(std::uint64_t{0});
  b.branch(b.op(ir::Opcode::equal, {n, zero}), done, more);
  b.at(done).give_back({zero});
  b.at(more);
  const ir::Variable rest = b.call(0, {b.op(ir::Opcode::sub, {n, b.constant(std::uint64_t{1})})}, {ir::Type::u64})[0];
  b.give_back({b.op(ir::Opcode::bit_xor, {b.op(ir::Opcode::mul, {rest, n}), n})});
  std::vector<std::uint64_t> output(64);
  for (const unsigned level : {0u, 3u}) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const Compiled code = compile(request, b.graph);
    REQUIRE(code->site_count == 2);
    CHECK(code->sites[0].kind == OXIDE_FAULT_STACK);
    CHECK_FALSE(run_host(*code, b.graph, {{4, 1, 1}, {16, 1, 1}}, {span_argument(output), value_argument(std::uint64_t{500})}).happened);
    const Fault fault = run_host(*code, b.graph, {{4, 1, 1}, {16, 1, 1}}, {span_argument(output), value_argument(std::uint64_t{1} << 40)});
    CHECK(fault.happened);
    CHECK(fault.site == 1);
  }
}
