#include <oxide/ir/verify.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include "support/graph_builder.hpp"
#include "support/random_graph.hpp"

using namespace oxide;
using oxide::testing::GraphBuilder;

namespace {

// A graph with one of most things in it; `Places` says where.
struct Sample {
  ir::Graph graph;
  ir::Operation& at(ir::Opcode opcode) {
    for (ir::Block& block : graph.blocks)
      for (ir::Operation& op : block.operations)
        if (op.opcode == opcode) return op;
    throw std::logic_error("no such operation");
  }
  ir::Operation& of_struct() {  // the load of a part
    for (ir::Operation& op : graph.blocks[0].operations)
      if (op.opcode == ir::Opcode::load && ir::memory_number(op.immediate) == 2) return op;
    throw std::logic_error("no such operation");
  }
  ir::Variable of(ir::Type type) {
    for (ir::Block& block : graph.blocks)
      for (ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::constant && op.type == type) return op.result;
    throw std::logic_error("no such constant");
  }
};

Sample sample() {
  using enum ir::Opcode;
  GraphBuilder b("sample");
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::write);
  const auto count = b.value(ir::Type::i32);
  b.graph.spaces = {{ir::SpaceKind::grid_2d, 64, {}}};
  const ir::Variable index = b.constant(std::uint64_t{3});
  const ir::Variable small = b.constant(std::uint8_t{7});
  const ir::Variable number = b.constant(2.0f);
  const ir::Variable wide = b.constant(2.0);
  const ir::Variable integer = b.constant(std::int32_t{5});
  const ir::Variable truth = b.constant(true);
  const ir::Variable total = b.variable(ir::Type::f32);
  b.assign(total, number);
  b.parameter(count);
  b.length(out);
  b.coordinate(thread_index, 1);
  b.op(copy, {small});
  b.op(select, {truth, number, total}, 0, ir::Type::f32);
  b.cast(wide, ir::Type::i8);
  b.op(bit_cast, {number}, 0, ir::Type::i32);
  b.op(add, {number, total});
  b.op(div, {integer, integer}, 1);
  b.op(sqrt, {wide});
  b.op(fma, {wide, wide, wide});
  b.math(ir::Math::sincos, {wide}, 1);
  b.math(ir::Math::ldexp, {number, integer});
  b.op(bit_and, {truth, truth});
  b.op(shift_left, {small, small});
  b.op(equal, {truth, truth});
  b.op(less, {wide, wide});
  b.check(in, index);
  b.load(in, index);
  b.store(out, index, number);
  const auto structs = b.span(ir::Layout{12, 4}, ir::Access::write);
  b.load({static_cast<std::uint32_t>(structs), 8}, index, ir::Type::f32);
  b.op(check_vectors, {}, in | std::uint64_t{4} << 32);
  const ir::Variable array = b.local_array({12, 5});
  b.op(check_index, {index}, 5);
  b.load_at({12, 4, 4}, array, index, ir::Type::f32);
  b.store_at({12, 4, 4}, array, index, number);
  b.op(copy_array, {array, array}, 60);
  const std::uint32_t next = b.block(), last = b.block();
  b.branch(truth, next, last);
  b.at(next).jump(last);
  b.at(last).exit();
  return {std::move(b.graph)};
}

ir::Operation bare(ir::Opcode opcode) {
  ir::Operation op;
  op.opcode = opcode;
  return op;
}

std::string defect_of(const ir::Graph& graph) {
  const auto defect = ir::verify(graph);
  return defect ? defect->text() : "";
}

}  // namespace

TEST_CASE("a well-formed graph verifies") {
  CHECK(defect_of(sample().graph) == "");
  CHECK(defect_of(testing::vecadd_graph()) == "");
  for (std::uint64_t seed = 0; seed != 50; ++seed) CHECK(defect_of(testing::RandomGraph(seed).graph()) == "");
}

TEST_CASE("every kind of fault is found and named") {
  using enum ir::Opcode;
  using ir::Type;
  struct Mutation {
    const char* expected;  // part of the message
    std::function<void(Sample&)> damage;
  };
  const std::vector<Mutation> mutations = {
      // signature
      {"name", [](Sample& s) { s.graph.name = "a b"; }},
      {"floating-point mode", [](Sample& s) { s.graph.fp_mode = static_cast<ir::FpMode>(9); }},
      {"parameter 0 has no type", [](Sample& s) { s.graph.parameters[0].type = Type::none; }},
      {"parameter 2 has no type", [](Sample& s) { s.graph.parameters[2].type = static_cast<Type>(77); }},
      {"parameter 1 has no kind", [](Sample& s) { s.graph.parameters[1].kind = static_cast<ir::ParameterKind>(9); }},
      {"memory 0 has no access", [](Sample& s) { s.graph.memories[0].access = static_cast<ir::Access>(9); }},
      {"memory 0 has no kind", [](Sample& s) { s.graph.memories[0].kind = static_cast<ir::MemoryKind>(9); }},
      {"parameter that is not there", [](Sample& s) { s.graph.memories[1].parameter = 17; }},
      {"parameter that is no span", [](Sample& s) { s.graph.memories[1].parameter = 2; }},
      {"elements other than", [](Sample& s) { s.graph.memories[1].element = Type::u8; }},
      {"another memory has", [](Sample& s) { s.graph.memories[1].parameter = 0; }},
      {"index space has no kind", [](Sample& s) { s.graph.spaces[0].kind = static_cast<ir::SpaceKind>(8); }},
      {"rows of no elements", [](Sample& s) { s.graph.spaces[0].stride = 0; }},
      {"v2 has no type", [](Sample& s) { s.graph.variables[2] = Type::none; }},
      {"no block", [](Sample& s) { s.graph.blocks.clear(); }},
      // the table's columns
      {"opcode is out of range", [](Sample& s) { s.at(add).opcode = static_cast<ir::Opcode>(250); }},
      {"type is out of range", [](Sample& s) { s.at(add).type = static_cast<Type>(250); }},
      {"may stand in traces only", [](Sample& s) { s.at(check_bounds) = bare(loop_head); }},
      {"list of index spaces", [](Sample& s) { s.at(check_bounds) = bare(index_space); }},
      {"operand 1, which is no variable", [](Sample& s) { s.at(add).operands[1] = 1000; }},
      {"operand 0, which is no variable", [](Sample& s) { s.at(sqrt).operands[0] = ir::no_variable; }},
      {"more operands than 2", [](Sample& s) { s.at(add).operands[2] = 0; }},
      {"more operands than 0", [](Sample& s) { s.at(constant).operands[0] = 0; }},
      {"different types", [](Sample& s) { s.at(add).operands[1] = s.of(Type::f64); }},
      {"different types", [](Sample& s) { s.at(equal).operands[0] = s.of(Type::u8); }},
      {"different types", [](Sample& s) { s.at(assign).operands[1] = s.of(Type::f64); }},
      {"different types", [](Sample& s) { s.at(fma).operands[2] = s.of(Type::f32); }},
      {"needs numbers", [](Sample& s) { s.at(less).operands = {s.of(Type::boolean), s.of(Type::boolean), ir::no_variable}; }},
      {"needs integers", [](Sample& s) { s.at(shift_left).operands = {s.of(Type::f32), s.of(Type::f32), ir::no_variable}; }},
      {"needs floating-point", [](Sample& s) { s.at(sqrt).operands[0] = s.of(Type::i32); }},
      {"needs integers or booleans", [](Sample& s) { s.at(bit_and).operands = {s.of(Type::f64), s.of(Type::f64), ir::no_variable}; }},
      {"mathematical function, or a result of one, that is not there", [](Sample& s) { s.at(math1).immediate = 0xfff; }},
      {"mathematical function, or a result of one, that is not there",
       [](Sample& s) { s.at(math1).immediate = ir::math_immediate(ir::Math::sincos, 2); }},
      {"gives atan2 another number", [](Sample& s) { s.at(math1).immediate = ir::math_immediate(ir::Math::atan2); }},
      {"needs f32 or f64, has i32", [](Sample& s) { s.at(math1).operands[0] = s.of(Type::i32); }},
      {"needs f32, has f64", [](Sample& s) { s.at(math1).immediate = ir::math_immediate(ir::Math::approx_sin); }},
      {"of another type than ldexp takes", [](Sample& s) { s.at(math2).operands[1] = s.of(Type::f32); }},
      {"gives another type than ilogb", [](Sample& s) { s.at(math1).immediate = ir::math_immediate(ir::Math::ilogb); }},
      {"selects by a boolean", [](Sample& s) { s.at(select).operands[0] = s.of(Type::i32); }},
      {"selects between other types", [](Sample& s) { s.at(select).operands[2] = s.of(Type::i32); }},
      {"index of type u64", [](Sample& s) { s.at(check_bounds).operands[0] = s.of(Type::i32); }},
      {"index of type u64", [](Sample& s) { s.at(load).operands[0] = s.of(Type::f32); }},
      {"no result variable", [](Sample& s) { s.at(store).result = s.of(Type::f32); }},
      {"no type", [](Sample& s) { s.at(store).type = Type::f32; }},
      {"result that is no variable", [](Sample& s) { s.at(add).result = ir::no_variable; }},
      {"another type than its variable's", [](Sample& s) { s.at(add).result = s.of(Type::f64); }},
      {"another type than its operands", [](Sample& s) { s.at(add).type = Type::f64, s.at(add).result = s.of(Type::f64); }},
      {"gives a boolean", [](Sample& s) { s.at(less).type = Type::f64, s.at(less).result = s.of(Type::f64); }},
      {"immediate that means nothing", [](Sample& s) { s.at(add).immediate = 1; }},
      {"more bits than its type", [](Sample& s) { s.graph.blocks[0].operations[1].immediate = 256; }},
      {"parameter that is not there", [](Sample& s) { s.at(parameter).immediate = 99; }},
      {"memory that is not there", [](Sample& s) { s.at(load).immediate = 9; }},
      {"axis that is not there", [](Sample& s) { s.at(thread_index).immediate = 3; }},
      {"check that is not", [](Sample& s) { s.at(div).immediate = 2; }},
      {"check that is not",
       [](Sample& s) {
         s.at(div).operands = {s.of(Type::f32), s.of(Type::f32), ir::no_variable}, s.at(div).type = Type::f32,
         s.at(div).result = s.of(Type::f32);
       }},
      {"memory that is not there", [](Sample& s) { s.at(check_vectors).immediate = 7; }},
      {"array of no size", [](Sample& s) { s.at(local_array).immediate = 4; }},
      {"elements of no size", [](Sample& s) { s.at(load_at).immediate = 0; }},
      {"needs an address", [](Sample& s) { s.at(load_at).operands[0] = s.of(Type::u64); }},
      {"index of type u64", [](Sample& s) { s.at(store_at).operands[1] = s.of(Type::f32); }},
      {"needs addresses", [](Sample& s) { s.at(copy_array).operands[0] = s.of(Type::u64); }},
      {"different types", [](Sample& s) { s.at(copy_array).operands[1] = s.of(Type::u64); }},
      // what the columns cannot say
      {"its parameter is no value", [](Sample& s) { s.at(parameter).immediate = 0; }},
      {"parameter 3 has no type", [](Sample& s) { s.graph.parameters[3].layout.alignment = 3; }},
      {"elements other than", [](Sample& s) { s.graph.memories[2].layout.size = 16; }},
      {"more than one element", [](Sample& s) { s.of_struct().immediate += std::uint64_t{4} << 32; }},
      {"as something that is no number",
       [](Sample& s) { s.of_struct().type = Type::address, s.of_struct().result = s.at(local_array).result; }},
      {"vectors of no elements", [](Sample& s) { s.at(check_vectors).immediate = 0; }},
      {"gives an address", [](Sample& s) { s.at(local_array).type = Type::f32, s.at(local_array).result = s.of(Type::f32); }},
      {"gives a number", [](Sample& s) { s.at(load_at).type = Type::address, s.at(load_at).result = s.at(local_array).result; }},
      {"stores a number", [](Sample& s) { s.at(store_at).operands[2] = s.at(local_array).result; }},
      {"gives a u64", [](Sample& s) { s.at(length).type = Type::u8, s.at(length).result = s.of(Type::u8); }},
      {"gives a u32", [](Sample& s) { s.at(thread_index).type = Type::u8, s.at(thread_index).result = s.of(Type::u8); }},
      {"different size", [](Sample& s) { s.at(bit_cast).operands[0] = s.of(Type::f64); }},
      {"boolean",
       [](Sample& s) {
         s.at(bit_cast).type = Type::boolean, s.at(bit_cast).result = s.of(Type::boolean), s.at(bit_cast).operands[0] = s.of(Type::u8);
       }},
      {"memory's elements", [](Sample& s) { s.at(load).type = Type::f64, s.at(load).result = s.of(Type::f64); }},
      {"memory's elements", [](Sample& s) { s.at(store).operands[1] = s.of(Type::f64); }},
      {"only read", [](Sample& s) { s.at(store).immediate = 0; }},
      // control flow
      {"terminator has no kind", [](Sample& s) { s.graph.blocks[1].terminator.kind = static_cast<ir::TerminatorKind>(4); }},
      {"targets the entry", [](Sample& s) { s.graph.blocks[1].terminator.targets[0] = 0; }},
      {"targets block 3", [](Sample& s) { s.graph.blocks[0].terminator.targets[1] = 3; }},
      {"condition that is no variable", [](Sample& s) { s.graph.blocks[0].terminator.condition = ir::no_variable; }},
      {"condition of type f64", [](Sample& s) { s.graph.blocks[0].terminator.condition = s.of(Type::f64); }},
  };
  for (const Mutation& m : mutations) {
    Sample s = sample();
    m.damage(s);
    INFO("expected: " << m.expected);
    CHECK_THAT(defect_of(s.graph), Catch::Contains(m.expected));
  }
}

TEST_CASE("a defect says where it is") {
  Sample s = sample();
  s.graph.blocks[1].operations.push_back(bare(ir::Opcode::loop_head));
  const auto defect = ir::verify(s.graph);
  REQUIRE(defect);
  CHECK(defect->block == 1);
  CHECK(defect->operation == 0);
}

TEST_CASE("a use that some path reaches without a definition is found") {
  GraphBuilder b;
  const auto out = b.span(ir::Type::u32, ir::Access::write);
  const ir::Variable zero = b.constant(std::uint64_t{0});
  const ir::Variable x = b.variable(ir::Type::u32);
  const ir::Variable condition = b.constant(true);
  const std::uint32_t yes = b.block(), no = b.block(), after = b.block();
  b.branch(condition, yes, no);
  b.at(yes).assign(x, b.constant(1u));
  b.jump(after);
  b.at(no).jump(after);
  b.at(after).store(out, zero, x);
  b.exit();
  CHECK_THAT(defect_of(b.graph), Catch::Contains("v1 is used, and on some path nothing defines it before"));
  b.at(no).assign(x, b.constant(2u));
  CHECK(defect_of(b.graph) == "");
}

TEST_CASE("a loop may use what an earlier round defined, but the first round must have it too") {
  GraphBuilder b;
  const ir::Variable condition = b.constant(true);
  const ir::Variable x = b.variable(ir::Type::u32);
  const std::uint32_t head = b.block(), after = b.block();
  b.jump(head);
  b.at(head).op(ir::Opcode::add, {x, x});
  b.assign(x, b.constant(1u));
  b.branch(condition, head, after);
  b.at(after).exit();
  CHECK_THAT(defect_of(b.graph), Catch::Contains("v1 is used"));
  b.at(0).assign(x, b.constant(2u));
  CHECK(defect_of(b.graph) == "");
}

TEST_CASE("blocks that nothing reaches may use anything") {
  GraphBuilder b;
  b.exit();
  const ir::Variable x = b.variable(ir::Type::u32);
  b.at(b.block()).op(ir::Opcode::add, {x, x});
  b.exit();
  CHECK(defect_of(b.graph) == "");
}
