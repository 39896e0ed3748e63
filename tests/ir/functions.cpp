// Functions and attributes of graphs: verified, encoded, hashed and put in order.
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <oxide/ir/encode.hpp>
#include <oxide/ir/hash.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/ir/simplify.hpp>
#include <oxide/ir/verify.hpp>

#include "support/graph_builder.hpp"

using namespace oxide;
using oxide::testing::factorial_graph;
using oxide::testing::GraphBuilder;

namespace {

std::string defect_of(const ir::Graph& graph) {
  const auto defect = ir::verify(graph);
  return defect ? defect->text() : "";
}

std::vector<ir::Operation>& operations(ir::Body& body, std::size_t block = 0) { return body.blocks[block].operations; }

ir::Operation& find(ir::Body& body, ir::Opcode opcode) {
  for (ir::Block& block : body.blocks)
    for (ir::Operation& op : block.operations)
      if (op.opcode == opcode) return op;
  throw std::logic_error("no such operation");
}

}  // namespace

TEST_CASE("a graph with functions verifies, and what is wrong with one is named") {
  using enum ir::Opcode;
  CHECK(defect_of(factorial_graph()) == "");
  struct Mutation {
    const char* expected;
    std::function<void(ir::Graph&)> damage;
  };
  const std::vector<Mutation> mutations = {
      {"function 1, its name", [](ir::Graph& g) { g.functions[1].name = "a b"; }},
      {"function 0, it has no block", [](ir::Graph& g) { g.functions[0].blocks.clear(); }},
      {"function 1, parameter 1 has no type", [](ir::Graph& g) { g.functions[1].parameters[1] = ir::Type::none; }},
      {"function 1, result 0 has no type", [](ir::Graph& g) { g.functions[1].results[0] = ir::Type::none; }},
      {"function 1, has more than 256 results", [](ir::Graph& g) { g.functions[1].results.resize(257, ir::Type::u8); }},
      {"function 0, v0 has no type", [](ir::Graph& g) { g.functions[0].variables[0] = ir::Type::none; }},
      {"more than 1024 functions", [](ir::Graph& g) { g.functions.resize(1025, g.functions[1]); }},
      {"names a function that is not there", [](ir::Graph& g) { find(g, call).immediate = 2; }},
      {"is not numbered after", [](ir::Graph& g) { find(g, argument).immediate = 1; }},
      {"other arguments than the function's parameters: none for u64, u64",
       [](ir::Graph& g) {
         operations(g.functions[0], 1).erase(operations(g.functions[0], 1).begin() + 4, operations(g.functions[0], 1).begin() + 6);
       }},
      {"other arguments than the function's parameters: u64 for u64, u64", [](ir::Graph& g) { find(g, call).immediate = 1; }},
      {"stands between arguments", [](ir::Graph& g) { find(g, call) = operations(g)[1], find(g, call_result); }},
      {"function 0, block 1, operation 11: 'v",
       [](ir::Graph& g) {
         operations(g.functions[0], 1).push_back(find(g.functions[0], parameter)), operations(g.functions[0], 1).back().immediate = 1;
       }},
      {"does not follow", [](ir::Graph& g) { std::swap(find(g.functions[0], call_result), operations(g.functions[0], 1)[0]); }},
      {"names a result that is not there", [](ir::Graph& g) { find(g, call_result).immediate = 1; }},
      {"another type than the function's result",
       [](ir::Graph& g) { find(g.functions[0], call).immediate = 0, g.functions[0].results[0] = ir::Type::i64; }},
      {"stands outside of a function", [](ir::Graph& g) { operations(g).push_back(find(g.functions[0], return_value)); }},
      {"names a result that is not there", [](ir::Graph& g) { find(g.functions[0], return_value).immediate = 3; }},
      {"returns another type than", [](ir::Graph& g) { find(g.functions[1], return_value).immediate = 1; }},
      {"result 0 is returned, and on some path nothing defines it before", [](ir::Graph& g) { operations(g.functions[0], 2).clear(); }},
      {"another type than its parameter",
       [](ir::Graph& g) { find(g.functions[1], parameter).type = ir::Type::i64, g.functions[1].variables[0] = ir::Type::i64; }},
      {"launch_bounds", [](ir::Graph& g) { g.attributes.max_threads = 1025; }},
      {"launch_bounds", [](ir::Graph& g) { g.attributes.min_blocks = 2; }},
      {"a block has", [](ir::Graph& g) { g.attributes.block = {64, 32, 1}; }},
      {"a block has", [](ir::Graph& g) { g.attributes.block = {64, 0, 1}; }},
      {"larger than the launch_bounds", [](ir::Graph& g) { g.attributes.block = {64, 2, 1}, g.attributes.max_threads = 64; }},
      {"a cluster has", [](ir::Graph& g) { g.attributes.cluster = {17, 1, 1}; }},
      {"max_registers", [](ir::Graph& g) { g.attributes.max_registers = 256; }},
      {"stack_size", [](ir::Graph& g) { g.attributes.stack_size = 1 << 20; }},
  };
  for (const Mutation& m : mutations) {
    ir::Graph graph = factorial_graph();
    m.damage(graph);
    INFO("expected: " << m.expected);
    CHECK_THAT(defect_of(graph), Catch::Contains(m.expected));
  }
}

TEST_CASE("functions and attributes survive encoding, and each counts in the hash") {
  ir::Graph graph = factorial_graph();
  graph.attributes = {128, 3, {32, 4, 1}, {4, 2, 1}, 64, 8192, true};
  std::string why;
  const auto again = ir::decode(ir::encode(graph), why);
  REQUIRE(again);
  CHECK(again->attributes == graph.attributes);
  CHECK(ir::print(*again) == ir::print(graph));
  CHECK(ir::hash(*again, ir::HashLines::include) == ir::hash(graph, ir::HashLines::include));
  const std::vector<std::function<void(ir::Graph&)>> changes = {
      [](ir::Graph& g) { ++g.attributes.max_threads; },
      [](ir::Graph& g) { ++g.attributes.min_blocks; },
      [](ir::Graph& g) { ++g.attributes.block[2]; },
      [](ir::Graph& g) { ++g.attributes.cluster[1]; },
      [](ir::Graph& g) { ++g.attributes.max_registers; },
      [](ir::Graph& g) { ++g.attributes.stack_size; },
      [](ir::Graph& g) { g.attributes.cooperative = false; },
      [](ir::Graph& g) { g.functions[1].parameters[0] = ir::Type::u32; },
      [](ir::Graph& g) { g.functions[1].results.pop_back(); },
      [](ir::Graph& g) { g.functions[0].variables.push_back(ir::Type::u8); },
      [](ir::Graph& g) { ++find(g.functions[0], ir::Opcode::return_value).operands[0]; },
      [](ir::Graph& g) { std::swap(g.functions[0], g.functions[1]); },
      [](ir::Graph& g) { g.functions.pop_back(); },
  };
  std::set<ir::Hash> hashes{ir::hash(graph)};
  for (std::size_t i = 0; i != changes.size(); ++i) {
    ir::Graph other = graph;
    changes[i](other);
    INFO("change " << i);
    CHECK(hashes.insert(ir::hash(other)).second);
  }
  ir::Graph renamed = graph;
  renamed.functions[0].name = "another";
  CHECK(ir::hash(renamed) == ir::hash(graph));
  CHECK(ir::hash(renamed, ir::HashLines::include) != ir::hash(graph, ir::HashLines::include));
}

TEST_CASE("functions are put in the order of their calls, and those that nothing calls are dropped") {
  ir::Graph graph = factorial_graph(), expected = graph;
  ir::simplify(expected);
  REQUIRE(expected.functions.size() == 2);
  // The same program, with an unused function in front and the others swapped.
  const auto moved = [](std::uint64_t f) { return 2 - f; };
  for (std::size_t k = 0; k != 3; ++k) {
    ir::Body& body = k == 0 ? static_cast<ir::Body&>(graph) : graph.functions[k - 1];
    for (ir::Block& block : body.blocks)
      for (ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::call) op.immediate = moved(op.immediate);
  }
  std::swap(graph.functions[0], graph.functions[1]);
  graph.functions.insert(graph.functions.begin(), graph.functions[0]);
  REQUIRE(defect_of(graph) == "");
  ir::simplify(graph);
  CHECK(defect_of(graph) == "");
  CHECK(ir::print(graph) == ir::print(expected));
}

TEST_CASE("results that nobody uses are dropped, and their call stays") {
  GraphBuilder b;
  b.call(0, {}, {ir::Type::u32, ir::Type::f32});
  b.exit();
  b.function("f", {}, {ir::Type::u32, ir::Type::f32});
  b.give_back({b.constant(1u), b.constant(2.0f)});
  ir::simplify(b.graph);
  CHECK(defect_of(b.graph) == "");
  REQUIRE(operations(b.graph).size() == 1);
  CHECK(operations(b.graph)[0].opcode == ir::Opcode::call);
}
