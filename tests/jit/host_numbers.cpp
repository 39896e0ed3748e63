// The number rules, on host code: first the rules as they are written down, then everything against the interpreter.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "jit/operations.hpp"

using namespace oxide;
using namespace oxide::testing;

namespace {

// op(a, b) computed by host code from run-time values, at every optimization level, by the interpreter, and from literals.
template <class R, class T>
std::vector<R> results_of(ir::Opcode op, T a, T b, ir::Type cast_to = ir::Type::none) {
  std::vector<R> results;
  for (const bool literal : {false, true}) {
    GraphBuilder builder;
    const auto in = builder.span(ir::type_for<T>()), out = builder.span(ir::type_for<R>(), ir::Access::write);
    const ir::Variable zero = builder.constant(std::uint64_t{0}), one = builder.constant(std::uint64_t{1});
    const ir::Variable x = literal ? builder.constant(a) : builder.load(in, zero),
                       y = literal ? builder.constant(b) : builder.load(in, one);
    ir::Variable result;
    if (op == ir::Opcode::cast) result = builder.cast(x, cast_to);
    else if (ir::row_of(op).operands == 1) result = builder.op(op, {x});
    else result = builder.op(op, {x, y});
    builder.store(out, zero, result);
    builder.exit();
    T input[2] = {a, b};
    R output{};
    const std::vector<Argument> arguments{{0, input, 2}, {0, &output, 1}};
    Interpreter(builder.graph).run({}, arguments);
    results.push_back(output);
    for (unsigned level = 0; level != 4; ++level) {
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, builder.graph);
      REQUIRE(code->status == OXIDE_JIT_OK);
      output = {};
      run_host(*code, builder.graph, {}, arguments);
      results.push_back(output);
    }
  }
  return results;
}

template <class T>
void check_rule(ir::Opcode op, T a, T b, T expected) {
  INFO(ir::name_of(op) << ' ' << +a << ' ' << +b);
  for (T result : results_of<T>(op, a, b)) {
    if constexpr (std::is_floating_point_v<T>) {
      CHECK(std::isnan(result) == std::isnan(expected));
      if (!std::isnan(expected)) CHECK(std::signbit(result) == std::signbit(expected));
      if (!std::isnan(expected)) CHECK(result == expected);
    } else {
      CHECK(+result == +expected);
    }
  }
}

template <class To, class From>
void check_cast(From value, To expected) {
  INFO("cast of " << value << " to " << ir::name_of(ir::type_for<To>()));
  for (To result : results_of<To>(ir::Opcode::cast, value, value, ir::type_for<To>())) CHECK(result == expected);
}

}  // namespace

TEST_CASE("integers wrap") {
  using enum ir::Opcode;
  check_rule<std::int32_t>(add, INT32_MAX, 1, INT32_MIN);
  check_rule<std::uint8_t>(add, 200, 100, 44);
  check_rule<std::int8_t>(mul, 16, 8, -128);
  check_rule<std::uint16_t>(mul, 65535, 65535, 1);
  check_rule<std::uint64_t>(sub, 0, 1, UINT64_MAX);
  check_rule<std::int64_t>(neg, INT64_MIN, 0, INT64_MIN);
  check_rule<std::int8_t>(abs, -128, 0, -128);
  check_rule<std::uint32_t>(abs, 0x80000000u, 0, 0x80000000u);
}

TEST_CASE("division by zero gives zero when it is not checked, and the least number over -1 wraps") {
  using enum ir::Opcode;
  check_rule<std::int32_t>(div, 7, 0, 0);
  check_rule<std::int32_t>(rem, 7, 0, 0);
  check_rule<std::uint64_t>(div, 7, 0, 0);
  check_rule<std::uint8_t>(rem, 7, 0, 0);
  check_rule<std::int8_t>(div, -128, -1, -128);
  check_rule<std::int8_t>(rem, -128, -1, 0);
  check_rule<std::int64_t>(div, INT64_MIN, -1, INT64_MIN);
  check_rule<std::int64_t>(rem, INT64_MIN, -1, 0);
  check_rule<std::int32_t>(div, -7, 2, -3);
  check_rule<std::int32_t>(rem, -7, 2, -1);
}

TEST_CASE("shifts take the amount modulo the width") {
  using enum ir::Opcode;
  check_rule<std::uint32_t>(shift_left, 1, 33, 2);
  check_rule<std::uint8_t>(shift_left, 1, 9, 2);
  check_rule<std::int32_t>(shift_left, 1, -1, INT32_MIN);
  check_rule<std::int16_t>(shift_right, -32768, 31, -1);
  check_rule<std::uint16_t>(shift_right, 32768, 31, 1);
  check_rule<std::uint64_t>(shift_right, UINT64_MAX, 64, UINT64_MAX);
}

TEST_CASE("the least and greatest of floats are numbers where there is one, and zeros have an order") {
  using enum ir::Opcode;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  check_rule<float>(min, nan, 1, 1);
  check_rule<float>(min, 1, nan, 1);
  check_rule<float>(max, nan, -1, -1);
  check_rule<float>(max, nan, nan, nan);
  check_rule<float>(min, 0.0f, -0.0f, -0.0f);
  check_rule<float>(min, -0.0f, 0.0f, -0.0f);
  check_rule<float>(max, 0.0f, -0.0f, 0.0f);
  check_rule<double>(max, -0.0, 0.0, 0.0);
}

TEST_CASE("floats keep subnormals and are rounded correctly") {
  using enum ir::Opcode;
  check_rule<float>(mul, 0x1p-126f, 0.5f, 0x1p-127f);
  check_rule<float>(add, 0x1p-149f, 0x1p-149f, 0x1p-148f);
  check_rule<float>(div, 1.0f, 3.0f, 0x1.555556p-2f);
  check_rule<float>(div, 1.0f, 0.0f, std::numeric_limits<float>::infinity());
  check_rule<float>(sqrt, 2.0f, 0, 0x1.6a09e6p+0f);
  check_rule<float>(round_even, 2.5f, 0, 2.0f);
  check_rule<float>(round_even, -3.5f, 0, -4.0f);
  check_rule<float>(round_even, -0.25f, 0, -0.0f);
  check_rule<double>(rem, -5.5, 2.0, -1.5);
  check_rule<float>(rem, 0x1p100f, 3.0f, 1.0f);
}

TEST_CASE("floats become integers by truncation, limits, and zero for a NaN") {
  check_cast<std::int32_t>(-1.9f, -1);
  check_cast<std::int32_t>(3e9f, INT32_MAX);
  check_cast<std::int32_t>(-3e9f, INT32_MIN);
  check_cast<std::int32_t>(std::numeric_limits<float>::quiet_NaN(), 0);
  check_cast<std::uint32_t>(-5.0f, 0u);
  check_cast<std::uint32_t>(4294967296.0, UINT32_MAX);
  check_cast<std::int8_t>(200.0f, std::int8_t{127});
  check_cast<std::uint8_t>(255.9f, std::uint8_t{255});
  check_cast<std::uint8_t>(std::numeric_limits<double>::infinity(), std::uint8_t{255});
  check_cast<std::int64_t>(std::numeric_limits<double>::quiet_NaN(), std::int64_t{0});
  check_cast<std::uint64_t>(1e30, UINT64_MAX);
  check_cast<std::int64_t>(9.3e18f, INT64_MAX);
  check_cast<float>(std::uint64_t{UINT64_MAX}, 0x1p64f);
  check_cast<float>(std::int64_t{16777217}, 16777216.0f);
  check_cast<float>(1e300, std::numeric_limits<float>::infinity());
  check_cast<bool>(std::numeric_limits<float>::quiet_NaN(), true);
  check_cast<bool>(0.25, true);
  check_cast<bool>(-0.0f, false);
  check_cast<std::int32_t>(true, 1);
  check_cast<std::uint8_t>(std::int32_t{-1}, std::uint8_t{255});
  check_cast<std::uint64_t>(std::int8_t{-1}, UINT64_MAX);
}

TEST_CASE("a product in a sum is fused in contract mode, and never in strict mode") {
  GraphBuilder b;
  const auto in = b.span(ir::Type::f32), out = b.span(ir::Type::f32, ir::Access::write);
  const ir::Variable zero = b.constant(std::uint64_t{0});
  const ir::Variable x = b.load(in, zero);
  b.store(out, zero, b.op(ir::Opcode::sub, {b.op(ir::Opcode::mul, {x, x}), b.constant(1.0f)}));
  b.exit();
  for (const ir::FpMode mode : {ir::FpMode::contract, ir::FpMode::strict})
    for (unsigned level = 0; level != 4; ++level) {
      b.graph.fp_mode = mode;
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      std::vector<float> input{1.0f + 0x1p-12f}, output{0};
      const Compiled code = compile(request, b.graph);
      run_host(*code, b.graph, {}, {span_argument(input), span_argument(output)});
      const bool fused = mode == ir::FpMode::contract && host_fuses();
      CHECK(output[0] == (fused ? 0x1p-11f + 0x1p-24f : 0x1p-11f));
    }
}

TEST_CASE("every operation on every type gives what the interpreter gives, at every optimization level") {
  constexpr std::size_t n = 700;
  const Shape shape{{6, 1, 1}, {128, 1, 1}};
  std::mt19937_64 random(5);
  for (const ir::Type type : all_types()) {
    const OperationsKernel kernel = operations_kernel(type);
    const auto defect = ir::verify(kernel.graph);
    REQUIRE((defect ? defect->text() : "") == "");
    std::vector<Elements> inputs(3, Elements(type, n));
    for (Elements& e : inputs)
      for (std::size_t i = 0; i != n; ++i) e.set(i, interesting_word(type, random));
    const auto run = [&](auto&& how) {
      std::vector<Elements> outputs;
      for (const Row& row : kernel.rows) outputs.emplace_back(row.type, n);
      std::vector<Argument> arguments;
      for (Elements& e : inputs) arguments.push_back(e.argument());
      for (Elements& e : outputs) arguments.push_back(e.argument());
      how(arguments);
      return outputs;
    };
    const std::vector<Elements> expected =
        run([&](const auto& arguments) { Interpreter(kernel.graph, host_fuses()).run(shape, arguments); });
    for (unsigned level = 0; level != 4; ++level) {
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, kernel.graph);
      INFO(ir::name_of(type));
      REQUIRE(text_of(code->message) == "");
      const std::vector<Elements> got = run([&](const auto& arguments) { run_host(*code, kernel.graph, shape, arguments); });
      for (std::size_t row = 0; row != kernel.rows.size(); ++row) {
        std::size_t wrong = 0, first = 0;
        for (std::size_t i = n; i-- != 0;)
          if (!same_number(kernel.rows[row].type, got[row].bits(i), expected[row].bits(i))) ++wrong, first = i;
        INFO(ir::name_of(type) << ' ' << kernel.rows[row].name << " at level " << level << ": first at " << first << ", from "
                               << hex(inputs[0].bits(first)) << ' ' << hex(inputs[1].bits(first)) << ' ' << hex(inputs[2].bits(first))
                               << ": got " << hex(got[row].bits(first)) << ", expected " << hex(expected[row].bits(first)));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("mathematics on the host is the C library's, from run-time values and from literals") {
  for (const ir::Type type : {ir::Type::f32, ir::Type::f64}) {
    GraphBuilder b;
    const auto in = b.span(type), out = b.span(type, ir::Access::write);
    std::vector<ir::Math> functions;
    for (std::size_t k = 0; k != ir::math_count; ++k) {
      const auto f = static_cast<ir::Math>(k);
      const bool floats_only = ir::signature_of(f) == "f_f" || ir::signature_of(f) == "f_ff";
      if (ir::row_of(f).host == ir::MathSource::libm && floats_only) functions.push_back(f);
    }
    REQUIRE(functions.size() > 30);
    const double values[] = {0.5, 1.0, 2.0, 3.7, 1e-30, 700.0, 12345.678};
    std::uint64_t at = 0;
    std::vector<double> inputs;
    for (double x : values)
      for (double y : {2.0, 0.3})
        for (ir::Math f : functions) {
          const auto literal = [&](double v) { return type == ir::Type::f32 ? b.constant(static_cast<float>(v)) : b.constant(v); };
          const ir::Variable i = b.constant(std::uint64_t{inputs.size()}), j = b.constant(std::uint64_t{inputs.size() + 1});
          inputs.push_back(x);
          inputs.push_back(y);
          const ir::Variable a = b.load(in, i), c = b.load(in, j);
          const bool unary = ir::operand_count(f) == 1;
          b.store(out, b.constant(at++), unary ? b.math(f, {a}) : b.math(f, {a, c}));
          b.store(out, b.constant(at++), unary ? b.math(f, {literal(x)}) : b.math(f, {literal(x), literal(y)}));
        }
    b.exit();
    Elements input(type, inputs.size()), expected(type, at), got(type, at);
    for (std::size_t i = 0; i != inputs.size(); ++i)
      input.set(
          i, type == ir::Type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(inputs[i])) : std::bit_cast<std::uint64_t>(inputs[i]));
    Interpreter(b.graph).run({}, {input.argument(), expected.argument()});
    for (const unsigned level : {0u, 3u}) {
      oxide_jit_request request = request_for(OXIDE_JIT_HOST);
      request.opt_level = level;
      const Compiled code = compile(request, b.graph);
      REQUIRE(text_of(code->message) == "");
      run_host(*code, b.graph, {}, {input.argument(), got.argument()});
      for (std::size_t i = 0; i != at; ++i) {
        INFO(ir::name_of(functions[i / 2 % functions.size()]) << " of " << inputs[i / 2 * 2] << ' ' << inputs[i / 2 * 2 + 1]);
        CHECK(same_number(type, got.bits(i), expected.bits(i)));
      }
    }
  }
}
