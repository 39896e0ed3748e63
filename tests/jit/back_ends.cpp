// What LLVM's back ends compile wrongly when it is left to them (src/jit/back_end_faults.cpp), on host code.
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
