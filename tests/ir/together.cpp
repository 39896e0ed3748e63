// Operations of threads and blocks together: what a well-formed one is, how it prints, survives the encoding, and asks for a launch.
#include <oxide/ir/analysis/cooperation.hpp>
#include <oxide/ir/encode.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/ir/verify.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

#include "support/graph_builder.hpp"

using namespace oxide;
using oxide::testing::GraphBuilder;

namespace {

struct Sample {
  GraphBuilder b{"together"};
  std::uint64_t tile = 0, cells = 0, structs = 0, read_only = 0;
  ir::Variable rank{}, index{}, address{}, word{}, wide{}, half{};

  Sample() {
    using enum ir::Opcode;
    cells = b.span(ir::Type::u32, ir::Access::write);
    structs = b.span(ir::Layout{16, 16}, ir::Access::write);
    read_only = b.span(ir::Type::u32);
    tile = b.graph.memories.size();
    ir::Memory shared;
    shared.kind = ir::MemoryKind::shared;
    shared.element = ir::Type::u32;
    shared.access = ir::Access::write;
    shared.elements = 64;
    b.graph.memories.push_back(shared);
    b.graph.attributes.cluster = {2, 1, 1};
    index = b.constant(std::uint64_t{3});
    word = b.constant(7u);
    wide = b.op(cast, {word}, 0, ir::Type::u128);
    half = b.op(cast, {b.constant(2.0f)}, 0, ir::Type::f16);
    rank = b.op(cluster_rank, {}, 0, ir::Type::u32);
    b.op(cluster_dim, {}, 1, ir::Type::u32);
    b.op(check_rank, {rank});
    address = b.op(shared_address, {rank, index}, tile, ir::Type::address);
    b.op(grid_barrier);
    b.op(cluster_arrive, {}, 1);
    b.op(cluster_wait);
    b.op(atomic_load_at, {address}, at(), ir::Type::u32);
    b.op(atomic_store_at, {address, word}, at());
    b.op(atomic_rmw_at, {address, word}, at(ir::AtomicKind::add), ir::Type::u32);
    b.op(atomic_cas_at, {address, word, word}, at(), ir::Type::u32);
    b.op(atomic_cas, {index, wide, wide}, on(structs), ir::Type::u128);
    b.op(atomic_load, {index}, on(read_only), ir::Type::u32);
  }
  static std::uint64_t at(ir::AtomicKind kind = ir::AtomicKind::exchange) {
    return ir::AtomicAccess{0, kind, ir::MemoryOrder::relaxed, ir::Scope::cluster}.immediate();
  }
  static std::uint64_t on(std::uint64_t memory, ir::AtomicKind kind = ir::AtomicKind::exchange) {
    return ir::AtomicAccess{static_cast<std::uint32_t>(memory), kind, ir::MemoryOrder::relaxed, ir::Scope::device}.immediate();
  }
  std::string defect() {
    GraphBuilder whole = b;
    whole.exit();
    const auto found = ir::verify(whole.graph);
    return found ? found->text() : "";
  }
};

}  // namespace

TEST_CASE("operations of blocks together verify, print and survive the encoding") {
  Sample s;
  CHECK(s.defect() == "");
  s.b.exit();
  const std::string text = ir::print(s.b.graph);
  for (const char* line :
       {"cluster_dim y", "check_rank v5", "shared_address shared3, v5, v0", "grid_barrier", "cluster_arrive #1", "cluster_wait",
        "atomic_load_at relaxed cluster, v7", "atomic_rmw_at add relaxed cluster, v7, v1", "atomic_cas relaxed device, p1[v0], v2, v2"})
    CHECK_THAT(text, Catch::Contains(line));
  std::string why;
  const std::vector<std::uint8_t> bytes = ir::encode(s.b.graph);
  const auto again = ir::decode(bytes, why);
  REQUIRE(again);
  CHECK(ir::encode(*again) == bytes);
}

TEST_CASE("operations of blocks together that are malformed are found") {
  using enum ir::Opcode;
  const auto with = [](const std::function<void(Sample&)>& add) {
    Sample s;
    add(s);
    return s.defect();
  };
  CHECK_THAT(with([](Sample& s) { s.b.op(check_rank, {s.index}); }), Catch::Contains("needs the rank of a block of type u32, has u64"));
  CHECK_THAT(with([](Sample& s) { s.b.op(shared_address, {s.rank, s.rank}, s.tile, ir::Type::address); }),
             Catch::Contains("needs an index of type u64, has u32"));
  CHECK_THAT(with([](Sample& s) { s.b.op(shared_address, {s.rank, s.index}, s.cells, ir::Type::address); }),
             Catch::Contains("is of memory that is no shared array"));
  CHECK_THAT(with([](Sample& s) { s.b.op(shared_address, {s.rank, s.index}, s.tile, ir::Type::u64); }),
             Catch::Contains("gives an address"));
  CHECK_THAT(with([](Sample& s) { s.b.op(shared_address, {s.rank, s.index}, 99, ir::Type::address); }),
             Catch::Contains("names a memory that is not there"));
  CHECK_THAT(with([](Sample& s) { s.b.op(cluster_arrive, {}, 2); }), Catch::Contains("arrives in a way that is not there"));
  CHECK_THAT(with([](Sample& s) { s.b.op(cluster_rank, {}, 0, ir::Type::u64); }), Catch::Contains("gives a u32"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_load_at, {s.index}, Sample::at(), ir::Type::u32); }),
             Catch::Contains("needs an address, has u64"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_load_at, {s.address}, Sample::on(1), ir::Type::u32); }),
             Catch::Contains("has no atomic access's kind, order and scope"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_cas_at, {s.address, s.word, s.index}, Sample::at(), ir::Type::u32); }),
             Catch::Contains("has operands of several types"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_store_at, {s.address, s.address}, Sample::at()); }),
             Catch::Contains("is an access to what is no number"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_cas, {s.index, s.wide, s.wide}, Sample::on(s.cells), ir::Type::u128); }),
             Catch::Contains("accesses another type than the memory's elements"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_load, {s.index}, Sample::on(s.structs), ir::Type::i128); }),
             Catch::Contains("accesses another type than the memory's elements"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_store, {s.index, s.word}, Sample::on(s.read_only)); }),
             Catch::Contains("writes memory that is only read"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_rmw_at, {s.address, s.wide}, Sample::at(ir::AtomicKind::add), ir::Type::u128); }),
             Catch::Contains("is arithmetic on u128"));
  CHECK_THAT(with([](Sample& s) { s.b.op(atomic_rmw_at, {s.address, s.half}, Sample::at(ir::AtomicKind::bit_or), ir::Type::f16); }),
             Catch::Contains("is a bit operation on floating-point numbers"));
  CHECK(with([](Sample& s) { s.b.op(atomic_rmw_at, {s.address, s.half}, Sample::at(ir::AtomicKind::max), ir::Type::f16); }) == "");
}

TEST_CASE("what blocks do together is known of a graph") {
  Sample s;
  const ir::Cooperation together(s.b.graph);
  REQUIRE(together.grid != nullptr);
  CHECK(together.grid->opcode == ir::Opcode::grid_barrier);
  REQUIRE(together.cluster != nullptr);
  CHECK(together.cluster->opcode == ir::Opcode::cluster_rank);
  CHECK(together.clusters_meet);
  CHECK(together.grid_in_recursion == nullptr);

  GraphBuilder alone;
  alone.op(ir::Opcode::cluster_dim, {}, 0, ir::Type::u32);
  alone.exit();
  alone.function("f", {}, {});
  alone.op(ir::Opcode::grid_barrier);
  alone.exit();
  const ir::Cooperation apart(alone.graph);
  CHECK_FALSE(apart.clusters_meet);
  CHECK(apart.grid != nullptr);
  CHECK(apart.grid_in_recursion == nullptr);
  alone.function("g", {}, {});
  alone.op(ir::Opcode::call, {}, 0);
  alone.op(ir::Opcode::call, {}, 1);
  alone.exit();
  const ir::Cooperation recursive(alone.graph);
  CHECK(recursive.grid_in_recursion == recursive.grid);
}
