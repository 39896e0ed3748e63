#include <oxide/ir/encode.hpp>

#include <catch2/catch.hpp>

#include <random>

#include <oxide/ir/hash.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/ir/verify.hpp>

#include "support/graph_builder.hpp"
#include "support/random_graph.hpp"

using namespace oxide;

TEST_CASE("a graph decodes to itself") {
  for (std::uint64_t seed = 0; seed != 200; ++seed) {
    ir::Graph graph = testing::RandomGraph(seed).graph();
    graph.name = "name" + std::to_string(seed);
    graph.fp_mode = seed % 2 == 0 ? ir::FpMode::contract : ir::FpMode::strict;
    graph.files = {"a.cpp", "folder/b.cpp", ""};
    graph.spaces = {{ir::SpaceKind::grid_2d, 640, {1, 2, 3}}, {ir::SpaceKind::linear, 0, {}}};
    const std::vector<std::uint8_t> bytes = ir::encode(graph);
    std::string why;
    const auto again = ir::decode(bytes, why);
    REQUIRE(again);
    CHECK(again->name == graph.name);
    CHECK(ir::hash(*again, ir::HashLines::include) == ir::hash(graph, ir::HashLines::include));
    CHECK(ir::print(*again) == ir::print(graph));
    CHECK(ir::encode(*again) == bytes);
  }
}

TEST_CASE("large numbers survive") {
  testing::GraphBuilder b;
  b.constant(~std::uint64_t{0});
  b.constant(std::uint64_t{1} << 63);
  b.exit();
  b.graph.blocks[0].operations[0].location = {0, 0xffffffff, 0xffffffff};
  std::string why;
  const auto again = ir::decode(ir::encode(b.graph), why);
  REQUIRE(again);
  CHECK(ir::print(*again) == ir::print(b.graph));
}

TEST_CASE("bytes that are no graph are refused with a reason") {
  std::string why;
  CHECK_FALSE(ir::decode({}, why));
  CHECK(why == "the bytes end too early");
  const std::uint8_t text[] = "not a graph at all";
  CHECK_FALSE(ir::decode(text, why));
  CHECK(why == "the bytes are not a graph");
  std::vector<std::uint8_t> bytes = ir::encode(testing::vecadd_graph());
  bytes.push_back(0);
  CHECK_FALSE(ir::decode(bytes, why));
  CHECK(why == "there are bytes after the graph");
  bytes.pop_back();
  ++bytes[4];
  CHECK_FALSE(ir::decode(bytes, why));
  CHECK_THAT(why, Catch::Contains("encoding version " + std::to_string(ir::encoding_version + 1) + ", needed " +
                                  std::to_string(ir::encoding_version)));
}

TEST_CASE("every truncation is refused") {
  const std::vector<std::uint8_t> bytes = ir::encode(testing::vecadd_graph());
  for (std::size_t n = 0; n != bytes.size(); ++n) {
    std::string why;
    CHECK_FALSE(ir::decode(std::span(bytes).first(n), why));
    CHECK(why != "");
  }
}

// What decodes is printed and verified too: nothing may crash, whatever the bytes were.
TEST_CASE("garbage never crashes the decoder, and never makes it allocate much") {
  std::mt19937_64 random(7);
  unsigned decoded = 0;
  for (unsigned round = 0; round != 20000; ++round) {
    std::vector<std::uint8_t> bytes;
    if (round % 4 == 0) {  // noise behind a right start
      bytes = {'o', 'x', 'g', 'r', ir::encoding_version};
      for (std::uint64_t n = random() % 200; n != 0; --n) bytes.push_back(static_cast<std::uint8_t>(random() % (round % 8 == 0 ? 4 : 256)));
    } else {  // a graph with some bytes changed
      static const std::vector<std::uint8_t> good = ir::encode(testing::RandomGraph(1, 5).graph());
      bytes = good;
      for (std::uint64_t n = 1 + random() % 3; n != 0; --n) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
      if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    }
    std::string why;
    const auto graph = ir::decode(bytes, why);
    if (!graph) continue;
    ++decoded;
    std::size_t size = graph->blocks.capacity() + graph->variables.capacity() + graph->files.capacity();
    for (const ir::Block& block : graph->blocks) size += block.operations.capacity();
    REQUIRE(size <= 4 * bytes.size());
    if (!ir::verify(*graph)) ir::print(*graph);
  }
  CHECK(decoded > 100);
}

TEST_CASE("a list's length is checked against the bytes before anything is allocated") {
  std::vector<std::uint8_t> bytes = {'o', 'x', 'g', 'r', ir::encoding_version, 0, 0};
  bytes.insert(bytes.end(), 11, 0);             // attributes
  for (int i = 0; i != 5; ++i) bytes.push_back(0xff);  // 2^35 - 1 and more files
  bytes.push_back(0x7f);
  std::string why;
  CHECK_FALSE(ir::decode(bytes, why));
  CHECK(why == "a list is longer than the bytes");
}
