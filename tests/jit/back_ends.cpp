// What LLVM compiles wrongly when it is left to it (src/jit/back_end_faults.cpp, loop_predicates.cpp), on host code.
#include <catch2/catch.hpp>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

// Host code at every level against the interpreter: `compute` makes a number of `result` of elements of `first` and `second`.
template <class Compute>
void check_everywhere(ir::Type first, ir::Type second, ir::Type result, Compute compute) {
  using enum ir::Opcode;
  constexpr std::uint32_t n = 150;
  GraphBuilder b;
  const auto a = b.span(first), c = b.span(second), out = b.span(result, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.store(out, i, compute(b, b.load(a, i), b.load(c, i)));
  b.exit();
  std::mt19937_64 random(1);
  Elements x(first, n), y(second, n), wanted(result, n), got(result, n);
  for (std::size_t k = 0; k != n; ++k) {
    x.set(k, interesting_word(first, random));
    y.set(k, interesting_word(second, random));
  }
  const Shape shape{{1, 1, 1}, {n, 1, 1}};
  Interpreter(b.graph, host_fuses()).run(shape, {x.argument(), y.argument(), wanted.argument()});
  for (unsigned level = 0; level != 4; ++level) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = level;
    const Compiled code = compile(request, b.graph);
    REQUIRE(text_of(code->message) == "");
    run_host(*code, b.graph, shape, {x.argument(), y.argument(), got.argument()});
    for (std::size_t k = 0; k != n; ++k) {
      INFO("level " << level << ", operands " << hex(x.bits(k)) << ' ' << hex(y.bits(k)) << ", wanted " << hex(wanted.bits(k)) << ", got "
                    << hex(got.bits(k)));
      CHECK(same_number(result, wanted.bits(k), got.bits(k)));
    }
  }
}

}  // namespace

TEST_CASE("a number that cannot be a NaN beats a NaN") {
  using enum ir::Opcode;
  for (const ir::Type type : {ir::Type::f32, ir::Type::f64})
    for (const ir::Type whole : {ir::Type::i32, ir::Type::u64})
      for (const ir::Opcode op : {min, max})
        for (const bool left : {true, false}) {
          INFO(ir::name_of(op) << ' ' << ir::name_of(type) << ' ' << ir::name_of(whole) << ' ' << left);
          check_everywhere(whole, type, type, [&](GraphBuilder& b, ir::Variable n, ir::Variable x) {
            const ir::Variable number = b.cast(n, type);
            return left ? b.op(op, {number, x}) : b.op(op, {x, number});
          });
        }
}

TEST_CASE("the upper bits of a product of short numbers are copies of its sign") {
  using enum ir::Opcode;
  for (const ir::Type wide : {ir::Type::i32, ir::Type::i64})
    for (const std::uint64_t shift : {16u, 17u, 20u, 30u, 31u, 32u, 33u, 47u, 48u, 49u, 60u, 63u}) {
      if (shift >= ir::bits_of(wide)) continue;
      INFO(ir::name_of(wide) << " by " << shift);
      check_everywhere(ir::Type::i16, ir::Type::i16, ir::Type::i16, [&](GraphBuilder& b, ir::Variable x, ir::Variable y) {
        const ir::Variable product = b.op(mul, {b.cast(x, wide), b.cast(y, wide)});
        return b.cast(b.op(shift_right, {product, b.op(constant, {}, shift, wide)}), ir::Type::i16);
      });
    }
}

// sum of in[k] ^ key[k % few], k counted in fewer bits than it is compared in.
TEST_CASE("a loop over all elements reads a few over and over") {
  using enum ir::Opcode;
  constexpr std::uint32_t n = 5, elements = 61, few = 16;
  std::mt19937_64 random(1);
  for (const ir::Type type : {ir::Type::u8, ir::Type::u16, ir::Type::u32, ir::Type::u64})
    for (const ir::Type counts : {ir::Type::u16, ir::Type::u32, ir::Type::i32})
      for (const std::uint64_t last : {1u, 3u, 7u, 15u}) {
        GraphBuilder b;
        const auto in = b.span(type), key = b.span(type), out = b.span(type, ir::Access::disjoint);
        const ir::Variable i = b.linear_index(), k = b.variable(counts), sum = b.variable(type);
        b.assign(k, b.op(constant, {}, 0, counts));
        b.assign(sum, b.op(constant, {}, 0, type));
        const auto head = b.block(), inside = b.block(), after = b.block();
        b.jump(head);
        b.at(head);
        const ir::Variable at = b.cast(k, ir::Type::u64);
        b.branch(b.op(less, {at, b.length(in)}), inside, after);
        b.at(inside);
        const ir::Variable again = b.load(key, b.op(bit_and, {at, b.constant(last)}));
        b.assign(sum, b.op(add, {sum, b.op(bit_xor, {b.load(in, at), again})}));
        b.assign(k, b.op(add, {k, b.op(constant, {}, 1, counts)}));
        b.jump(head);
        b.at(after).store(out, i, sum);
        b.exit();
        Elements x(type, elements), y(type, few), wanted(type, n), got(type, n);
        for (std::size_t e = 0; e != elements; ++e) x.set(e, random());
        for (std::size_t e = 0; e != few; ++e) y.set(e, random());
        const Shape shape{{1, 1, 1}, {n, 1, 1}};
        Interpreter(b.graph).run(shape, {x.argument(), y.argument(), wanted.argument()});
        const Compiled code = compile(request_for(OXIDE_JIT_HOST), b.graph);
        REQUIRE(text_of(code->message) == "");
        run_host(*code, b.graph, shape, {x.argument(), y.argument(), got.argument()});
        INFO(ir::name_of(type) << ", counted in " << ir::name_of(counts) << ", last " << last);
        CHECK(wanted.bytes == got.bytes);
      }
}
