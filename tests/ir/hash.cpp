#include <oxide/ir/hash.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <vector>

#include "support/graph_builder.hpp"
#include "support/random_graph.hpp"

using namespace oxide;

TEST_CASE("the hash ignores names, lines and files") {
  const ir::Graph graph = testing::vecadd_graph();
  ir::Graph other = graph;
  other.name = "another";
  other.files = {"elsewhere.cpp", "more.cpp"};
  for (ir::Block& block : other.blocks) {
    for (ir::Operation& op : block.operations) op.location = {1, op.location.line + 100, 1};
    block.terminator.location = {};
  }
  CHECK(ir::hash(graph) == ir::hash(other));
  CHECK(ir::hash(graph, ir::HashLines::include) != ir::hash(other, ir::HashLines::include));
  CHECK(ir::hash(graph) != ir::hash(graph, ir::HashLines::include));
}

// The same in every process and on every machine: what a cache on disk relies on. It changes with ir::encoding_version.
TEST_CASE("the hash is stable") { CHECK(ir::hash(testing::vecadd_graph()).text() == "ff709ea4a218e31c01fc6f9acf08abe3"); }

TEST_CASE("the text of a hash is all of it") {
  CHECK(ir::Hash{0x0123456789abcdef, 0xfedcba9876543210}.text() == "0123456789abcdeffedcba9876543210");
}

TEST_CASE("every change of meaning changes the hash") {
  const std::vector<std::function<void(ir::Graph&)>> changes = {
      [](ir::Graph& g) { g.fp_mode = ir::FpMode::strict; },
      [](ir::Graph& g) { g.parameters[0].type = ir::Type::f64; },
      [](ir::Graph& g) { g.parameters[0].type = ir::Type::none, g.parameters[0].layout = {4, 4}; },
      [](ir::Graph& g) { g.memories[0].element = ir::Type::none, g.memories[0].layout = {8, 4}; },
      [](ir::Graph& g) { g.memories[0].element = ir::Type::none, g.memories[0].layout = {8, 8}; },
      [](ir::Graph& g) { g.parameters[1].kind = ir::ParameterKind::value; },
      [](ir::Graph& g) { g.parameters.push_back({}); },
      [](ir::Graph& g) { g.strings.push_back("a"); },
      [](ir::Graph& g) { g.strings.push_back("b"); },
      [](ir::Graph& g) { g.memories[0].access = ir::Access::write; },
      [](ir::Graph& g) { g.memories[0].element = ir::Type::f64; },
      [](ir::Graph& g) { g.memories[0].parameter = 1; },
      [](ir::Graph& g) { g.memories[0].elements = 1; },
      [](ir::Graph& g) { g.memories[0].data = 1; },
      [](ir::Graph& g) { g.memories.pop_back(); },
      [](ir::Graph& g) { g.spaces.push_back({ir::SpaceKind::linear, 0, {}}); },
      [](ir::Graph& g) { g.spaces.push_back({ir::SpaceKind::grid_2d, 0, {}}); },
      [](ir::Graph& g) { g.spaces.push_back({ir::SpaceKind::grid_2d, 8, {}}); },
      [](ir::Graph& g) { g.variables[3] = ir::Type::u16; },
      [](ir::Graph& g) { g.variables.push_back(ir::Type::u16); },
      [](ir::Graph& g) { g.blocks[0].operations[0].opcode = ir::Opcode::thread_index; },
      [](ir::Graph& g) { g.blocks[0].operations[0].type = ir::Type::u8; },
      [](ir::Graph& g) { g.blocks[0].operations[0].result = 4; },
      [](ir::Graph& g) { g.blocks[0].operations[0].immediate = 1; },
      [](ir::Graph& g) { g.blocks[0].operations[6].operands[0] = 2; },
      [](ir::Graph& g) { g.blocks[0].operations[6].operands[1] = 2; },
      [](ir::Graph& g) { g.blocks[0].operations[6].operands[2] = 2; },
      [](ir::Graph& g) { std::swap(g.blocks[0].operations[0], g.blocks[0].operations[2]); },
      [](ir::Graph& g) { g.blocks[0].operations.pop_back(); },
      [](ir::Graph& g) { g.blocks[0].terminator.condition = 4; },
      [](ir::Graph& g) { std::swap(g.blocks[0].terminator.targets[0], g.blocks[0].terminator.targets[1]); },
      [](ir::Graph& g) { g.blocks[1].terminator.kind = ir::TerminatorKind::exit; },
      [](ir::Graph& g) { g.blocks.emplace_back(); },
      // an operation moved over the border of two blocks
      [](ir::Graph& g) {
        g.blocks[0].operations.push_back(g.blocks[1].operations.front()), g.blocks[1].operations.erase(g.blocks[1].operations.begin());
      },
  };
  std::set<ir::Hash> hashes{ir::hash(testing::vecadd_graph())};
  for (std::size_t i = 0; i != changes.size(); ++i) {
    ir::Graph graph = testing::vecadd_graph();
    changes[i](graph);
    INFO("change " << i);
    CHECK(hashes.insert(ir::hash(graph)).second);
  }
}

TEST_CASE("the hash ignores what a terminator does not use") {
  ir::Graph graph = testing::vecadd_graph();
  const ir::Hash before = ir::hash(graph);
  graph.blocks[1].terminator.targets[1] = 7;
  graph.blocks[2].terminator.targets = {3, 4};
  CHECK(ir::hash(graph) == before);
}

TEST_CASE("random graphs and their single-bit changes do not collide") {
  std::set<ir::Hash> hashes;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed != 300; ++seed) {
    ir::Graph graph = testing::RandomGraph(seed).graph();
    ++count;
    hashes.insert(ir::hash(graph));
    for (unsigned bit = 0; bit != 32; ++bit) {
      graph.blocks[0].operations[0].immediate ^= std::uint64_t{1} << bit;
      hashes.insert(ir::hash(graph));
      graph.blocks[0].operations[0].immediate ^= std::uint64_t{1} << bit;
      ++count;
    }
  }
  CHECK(hashes.size() == count);
}
