// Memory whose elements are structs, and arrays of a thread's own, on host code and in PTX.
#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

struct Particle {  // what the graphs below call a layout of 24 bytes
  float mass;
  std::uint8_t kind;
  bool alive;
  double charge;
  std::uint16_t cells[2];
};
static_assert(sizeof(Particle) == 24 && alignof(Particle) == 8 && offsetof(Particle, alive) == 5 && offsetof(Particle, cells) == 16);

Argument structs(std::vector<Particle>& of) { return {0, of.data(), of.size()}; }

// out[i] = in[i] with every number changed, the cells by an index that is known at run time only.
ir::Graph change_parts() {
  using ir::Type;
  GraphBuilder b("change_parts");
  const auto in = static_cast<std::uint32_t>(b.span(ir::Layout{24, 8}));
  const auto out = static_cast<std::uint32_t>(b.span(ir::Layout{24, 8}, ir::Access::disjoint));
  const ir::Variable i = b.linear_index();
  b.check(in, i);
  b.check(out, i);
  const auto change = [&](std::uint32_t offset, Type type, ir::Opcode opcode, ir::Variable by) {
    b.store({out, offset}, i, b.op(opcode, {b.load({in, offset}, i, type), by}));
  };
  change(0, Type::f32, ir::Opcode::add, b.constant(0.5f));
  change(4, Type::u8, ir::Opcode::add, b.constant(std::uint8_t{3}));
  b.store({out, 5}, i, b.op(ir::Opcode::bit_not, {b.load({in, 5}, i, Type::boolean)}));
  change(8, Type::f64, ir::Opcode::mul, b.constant(3.0));
  const ir::Variable cell = b.op(ir::Opcode::rem, {i, b.constant(std::uint64_t{2})});
  b.op(ir::Opcode::check_index, {cell}, 2);
  const ir::Variable at = b.op(ir::Opcode::add, {b.op(ir::Opcode::mul, {i, b.constant(std::uint64_t{24})}),
                                                 b.op(ir::Opcode::mul, {cell, b.constant(std::uint64_t{2})})});
  b.store({out, 16, 2, true}, at, b.op(ir::Opcode::sub, {b.load({in, 16, 2, true}, at, Type::u16), b.constant(std::uint16_t{1})}));
  b.exit();
  return b.graph;
}

// out[i] = sum of the squares of a table that the thread fills, in an order that depends on i; sum = 0 + 1 + 4 ... when all is right.
ir::Graph table(std::uint32_t count, bool known_order) {
  using enum ir::Opcode;
  GraphBuilder b("table");
  const auto out = b.span(ir::Type::u32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index(), zero = b.constant(std::uint64_t{0}), one = b.constant(std::uint64_t{1});
  const ir::Variable n = b.constant(std::uint64_t{count});
  b.check(out, i);
  const ir::Variable array = b.local_array({8, count}), copied = b.local_array({8, count});
  const ir::Variable k = b.variable(ir::Type::u64), sum = b.variable(ir::Type::u32);
  b.assign(k, zero);
  const auto fill = b.block(), inside = b.block(), filled = b.block(), read = b.block(), again = b.block(), done = b.block();
  b.jump(fill);
  b.at(fill).branch(b.op(less, {k, n}), inside, filled);
  b.at(inside);
  const ir::Variable place = known_order ? k : b.op(rem, {b.op(add, {k, i}), n});
  b.op(check_index, {place}, count);
  b.store_at({8, 0, 4}, array, place, b.cast(b.op(mul, {place, place}), ir::Type::u32));
  b.store_at({8, 4, 4}, array, place, b.constant(7.0f));
  b.assign(k, b.op(add, {k, one}));
  b.jump(fill);
  b.at(filled);
  b.op(copy_array, {copied, array}, 8 * count);
  b.store_at({8, 0, 4}, array, zero, b.constant(1000u));  // the copy keeps its own
  b.assign(k, zero);
  b.assign(sum, b.constant(0u));
  b.jump(read);
  b.at(read).branch(b.op(less, {k, n}), again, done);
  b.at(again);
  b.assign(sum, b.op(add, {sum, b.load_at({8, 0, 4}, copied, k, ir::Type::u32)}));
  b.assign(k, b.op(add, {k, one}));
  b.jump(read);
  b.at(done).store(out, i, sum);
  b.exit();
  return b.graph;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

std::string ptx_of(const ir::Graph& graph) {
  const Compiled result = compile(request_for(OXIDE_JIT_NVPTX), graph);
  REQUIRE(text_of(result->message) == "");
  return text_of(result->ptx);
}

}  // namespace

TEST_CASE("parts of structs are read and written where they lie, and nothing between them") {
  const ir::Graph graph = change_parts();
  constexpr std::size_t n = 50;
  std::vector<Particle> in(n), expected(n), got(n);
  for (std::size_t i = 0; i != n; ++i) {
    std::memset(&in[i], static_cast<int>(i), sizeof(Particle));
    in[i].mass = static_cast<float>(i) * 0.25f;
    in[i].charge = static_cast<double>(i) - 7;
    in[i].alive = i % 3 == 0;
  }
  for (unsigned level = 0; level != 4; ++level) {
    std::memset(static_cast<void*>(expected.data()), 0x5a, n * sizeof(Particle));
    std::memset(static_cast<void*>(got.data()), 0x5a, n * sizeof(Particle));
    CHECK(!Interpreter(graph).run({{5, 1, 1}, {10, 1, 1}}, {structs(in), structs(expected)}).happened);
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const Compiled code = compile(request, graph);
    REQUIRE(text_of(code->message) == "");
    CHECK(!run_host(*code, graph, {{5, 1, 1}, {10, 1, 1}}, {structs(in), structs(got)}).happened);
    CHECK(std::memcmp(expected.data(), got.data(), n * sizeof(Particle)) == 0);
  }
  CHECK(got[9].mass == 9 * 0.25f + 0.5f);
  CHECK(got[9].charge == 6);
  CHECK(got[9].cells[1] == 9 * 257 - 1);
  CHECK(got[9].cells[0] == 0x5a5a);
  CHECK(!got[9].alive);
  CHECK(reinterpret_cast<unsigned char*>(&got[9])[6] == 0x5a);  // padding
}

TEST_CASE("arrays are zero when made, hold what is stored, and copy") {
  for (const std::uint32_t count : {1u, 4u, 33u}) {
    const ir::Graph graph = table(count, false);
    std::vector<std::uint32_t> expected(20), got(20);
    Interpreter(graph).run({{2, 1, 1}, {10, 1, 1}}, {span_argument(expected)});
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k != count; ++k) sum += k * k;
    CHECK(expected == std::vector<std::uint32_t>(20, sum));
    for (const unsigned level : {0u, 1u, 3u}) {
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, graph);
      REQUIRE(text_of(code->message) == "");
      run_host(*code, graph, {{2, 1, 1}, {10, 1, 1}}, {span_argument(got)});
      CHECK(got == expected);
    }
  }
}

TEST_CASE("an index beyond an array ends the thread and is reported; too much local memory is refused") {
  GraphBuilder b;
  const auto out = b.span(ir::Type::u32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index(), array = b.local_array({4, 6});
  b.op(ir::Opcode::check_index, {i}, 6);
  b.store_at({4, 0, 4}, array, i, b.constant(1u));
  b.store(out, i, b.load_at({4, 0, 4}, array, i, ir::Type::u32));
  b.exit();
  std::vector<std::uint32_t> expected(8), got(8);
  const Fault fault = Interpreter(b.graph).run({{1, 1, 1}, {8, 1, 1}}, {span_argument(expected)});
  CHECK(fault.happened);
  CHECK(fault.values[0] == 6);
  const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
  REQUIRE(code->site_count == 1);
  CHECK(code->sites[0].kind == OXIDE_FAULT_INDEX);
  CHECK(run_host(*code, b.graph, {{1, 1, 1}, {8, 1, 1}}, {span_argument(got)}) == fault);
  CHECK(got == std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 0, 0});

  b.at(0).local_array({1 << 20, 1});
  const Compiled refused = compile(request_for(OXIDE_JIT_HOST), b.graph);
  CHECK(refused->status == OXIDE_JIT_UNSUPPORTED);
  CHECK_THAT(text_of(refused->message), Catch::Contains("at most 512 KiB"));
}

TEST_CASE("an array whose indices are known lies in registers, another one in local memory") {
  CHECK(times(ptx_of(table(4, true)), ".local") == 0);
  CHECK(times(ptx_of(table(33, false)), ".local") > 0);
}

TEST_CASE("a struct of 16 aligned bytes is one access, one that is less aligned is several") {
  for (const std::uint32_t alignment : {16u, 4u}) {
    GraphBuilder b;
    const auto in = static_cast<std::uint32_t>(b.span(ir::Layout{16, alignment}));
    const auto out = static_cast<std::uint32_t>(b.span(ir::Layout{16, alignment}, ir::Access::disjoint));
    const ir::Variable i = b.linear_index();
    b.check(in, i);
    b.check(out, i);
    for (std::uint32_t k = 0; k != 4; ++k) b.store({out, 4 * k}, i, b.load({in, 4 * k}, i, ir::Type::f32));
    b.exit();
    const std::string ptx = ptx_of(b.graph);
    CHECK(times(ptx, "ld.global.nc.v4") == (alignment == 16 ? 1 : 0));
    CHECK(times(ptx, "st.global.v4") == (alignment == 16 ? 1 : 0));
  }
}

TEST_CASE("an array in a loop is zero again in each pass") {
  using enum ir::Opcode;
  GraphBuilder b;
  const auto out = b.span(ir::Type::u32, ir::Access::disjoint);
  const ir::Variable i = b.linear_index(), one = b.constant(1u), pass = b.variable(ir::Type::u32), sum = b.variable(ir::Type::u32);
  b.assign(pass, b.constant(0u));
  b.assign(sum, b.constant(0u));
  const auto head = b.block(), inside = b.block(), done = b.block();
  b.jump(head);
  b.at(head).branch(b.op(less, {pass, b.constant(5u)}), inside, done);
  b.at(inside);
  const ir::Variable array = b.local_array({4, 8}), at = b.op(rem, {i, b.constant(std::uint64_t{8})});
  b.assign(sum, b.op(add, {sum, b.load_at({4, 0, 4}, array, at, ir::Type::u32)}));
  b.store_at({4, 0, 4}, array, at, b.constant(9u));
  b.assign(sum, b.op(add, {sum, b.load_at({4, 0, 4}, array, at, ir::Type::u32)}));
  b.assign(pass, b.op(add, {pass, one}));
  b.jump(head);
  b.at(done);
  b.check(out, i);
  b.store(out, i, sum);
  b.exit();
  std::vector<std::uint32_t> got(8), expected(8, 45);
  run_host(*compile(request_for(OXIDE_JIT_HOST), b.graph), b.graph, {{1, 1, 1}, {8, 1, 1}}, {span_argument(got)});
  CHECK(got == expected);
}
