// Failed checks: what the record says, and that nothing else happens.
#include <catch2/catch.hpp>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

// out[i] = in[i] / by[i], everything checked: sites 0 (in), 1 (by), 2 (the division), 3 (out).
ir::Graph checked_division(ir::Type type) {
  GraphBuilder b("divide");
  const auto in = b.span(type), by = b.span(type), out = b.span(type, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.check(in, i);
  const ir::Variable x = b.load(in, i);
  b.check(by, i);
  const ir::Variable quotient = b.op(ir::Opcode::div, {x, b.load(by, i)}, 1);
  b.check(out, i);
  b.store(out, i, quotient);
  b.exit();
  return b.graph;
}

}  // namespace

TEST_CASE("sites are numbered in the order of the graph's checks, and say where they are") {
  for (const oxide_jit_target target : {OXIDE_JIT_NVPTX, OXIDE_JIT_HOST}) {
    const Compiled code = compile(request_for(target), checked_division(ir::Type::i32));
    REQUIRE(code->site_count == 4);
    const std::uint32_t expected[4][3] = {
        {OXIDE_FAULT_BOUNDS, 0, 8}, {OXIDE_FAULT_BOUNDS, 1, 10}, {OXIDE_FAULT_DIVISION, 0, 12}, {OXIDE_FAULT_BOUNDS, 2, 13}};
    for (std::size_t s = 0; s != 4; ++s) {
      CHECK(code->sites[s].kind == expected[s][0]);
      CHECK(code->sites[s].memory == expected[s][1]);
      CHECK(code->sites[s].block == 0);
      CHECK(code->sites[s].operation == expected[s][2]);
    }
  }
}

TEST_CASE("an index out of range is reported with index, length, block and thread, and the other threads go on") {
  for (unsigned level = 0; level != 4; ++level) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const ir::Graph graph = checked_division(ir::Type::i32);
    const Compiled code = compile(request, graph);
    std::vector<std::int32_t> in(128, 12), by(77, 4), out(128);
    const Fault fault = run_host(*code, graph, {{4, 1, 1}, {32, 1, 1}}, {span_argument(in), span_argument(by), span_argument(out)});
    REQUIRE(fault.happened);
    CHECK(fault.site == 1);
    CHECK(fault.values == std::array<std::uint64_t, 2>{77, 77});
    CHECK(fault.block == std::array<std::uint32_t, 3>{2, 0, 0});
    CHECK(fault.thread == std::array<std::uint32_t, 3>{13, 0, 0});
    for (std::size_t i = 0; i != 128; ++i) CHECK(out[i] == (i < 77 ? 3 : 0));
  }
}

TEST_CASE("a zero divisor is reported with the dividend's bits") {
  for (unsigned level = 0; level != 4; ++level) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const ir::Graph graph = checked_division(ir::Type::i16);
    const Compiled code = compile(request, graph);
    std::vector<std::int16_t> in(64, -32768), by(64, -1), out(64);
    by[40] = by[50] = 0;
    const Fault fault = run_host(*code, graph, {{1, 1, 1}, {64, 1, 1}}, {span_argument(in), span_argument(by), span_argument(out)});
    REQUIRE(fault.happened);
    CHECK(fault.site == 2);
    CHECK(fault.values == std::array<std::uint64_t, 2>{0x8000, 0});
    CHECK(fault.thread == std::array<std::uint32_t, 3>{40, 0, 0});
    for (std::size_t i = 0; i != 64; ++i) CHECK(out[i] == (i == 40 || i == 50 ? 0 : -32768));
  }
}

TEST_CASE("the coordinates of a fault are those of the thread, on every axis") {
  using enum ir::Opcode;
  GraphBuilder b;
  const auto in = b.span(ir::Type::u32);
  ir::Variable bad = b.constant(true);
  const std::uint32_t block[3] = {1, 2, 0}, thread[3] = {3, 1, 2};
  for (unsigned axis = 0; axis != 3; ++axis) {
    bad = b.op(bit_and, {bad, b.op(equal, {b.coordinate(block_index, axis), b.constant(block[axis])})});
    bad = b.op(bit_and, {bad, b.op(equal, {b.coordinate(thread_index, axis), b.constant(thread[axis])})});
  }
  b.check(in, b.op(select, {bad, b.constant(std::uint64_t{1000}), b.constant(std::uint64_t{0})}, 0, ir::Type::u64));
  b.exit();
  std::vector<std::uint32_t> data(9);
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
  const Fault fault = run_host(*code, b.graph, {{3, 4, 2}, {4, 3, 3}}, {span_argument(data)});
  REQUIRE(fault.happened);
  CHECK(fault.values == std::array<std::uint64_t, 2>{1000, 9});
  CHECK(fault.block == std::array<std::uint32_t, 3>{1, 2, 0});
  CHECK(fault.thread == std::array<std::uint32_t, 3>{3, 1, 2});
}

TEST_CASE("a record that was claimed before is left alone") {
  const ir::Graph graph = checked_division(ir::Type::i32);
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), graph);
  void* data = nullptr;
  std::uint64_t length = 0;
  const void* arguments[] = {&data, &length, &data, &length, &data, &length};
  oxide_fault_record record{};
  record.claimed = 1;
  record.site = 42;
  oxide_host_launch launch{arguments, &record, {1, 1, 1}, {8, 1, 1}, 0, 0, nullptr};
  code->entry(&launch, 0, 1);
  CHECK(record.site == 42);
  CHECK(record.ready == 0);
}
