// Random expressions of every operation that gives the same bits wherever it is computed, so none of the functions with an error. Idioms
// that optimizers look for are among them, and operands are often literals, so that much is known of the bits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/graph_builder.hpp"
#include "support/random_numbers.hpp"

namespace oxide::testing {

class RandomExpressions {
 protected:
  using Type = ir::Type;
  using Op = ir::Opcode;
  using Variable = ir::Variable;

  // `types` are what any_type() gives; a boolean and what an operation needs come in besides.
  RandomExpressions(std::uint64_t seed, std::string name, std::vector<Type> types)
      : random_(seed), b_(std::move(name)), types_(std::move(types)) {}

  static std::vector<Type> every_type() {
    std::vector<Type> types;
    for (std::size_t t = ir::first_number; t != ir::type_count; ++t) types.push_back(static_cast<Type>(t));
    return types;
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  Type any_type() { return types_[below(types_.size())]; }
  // Of those for which `fits` says yes; `otherwise` where there are none.
  template <class Fits>
  Type any_type(Type otherwise, Fits fits) {
    std::vector<Type> fitting;
    for (const Type t : types_)
      if (fits(t)) fitting.push_back(t);
    return fitting.empty() ? otherwise : fitting[below(fitting.size())];
  }

  // ---- operands

  Variable constant(Type type, std::uint64_t bits) {
    return b_.op(Op::constant, {}, ir::bits_of(type) < 64 ? bits & ((std::uint64_t{1} << ir::bits_of(type)) - 1) : bits, type);
  }
  Variable literal(Type type) {
    if (!ir::is_integer(type)) return constant(type, interesting_bits(type, random_));
    const unsigned bits = ir::bits_of(type);
    const auto narrow = [&] { return one_in(2) ? interesting_bits(type, random_) : mask(bits); };
    if (bits != 128 || one_in(2)) return constant(type, narrow());
    const Variable high = b_.op(Op::shift_left, {constant(type, narrow()), constant(type, 64)});  // as wide ones are made in the language
    return b_.op(Op::bit_or, {high, b_.cast(constant(Type::u64, narrow()), type)});
  }
  // A power of two, or a run of ones, or all but those.
  std::uint64_t mask(unsigned bits) {
    const std::uint64_t first = std::uint64_t{1} << below(bits < 64 ? bits : 64);
    const std::uint64_t length = below(64), run = ((std::uint64_t{1} << length) - 1) * first;
    switch (below(4)) {
      case 0:
        return first;
      case 1:
        return first - 1;
      case 2:
        return run;
      default:
        return ~run;
    }
  }
  Variable pick(Type type) {
    if (one_in(5)) return literal(type);
    std::vector<Variable> fitting;
    for (const Variable v : pool_)
      if (b_.type_of(v) == type) fitting.push_back(v);
    if (!fitting.empty()) return fitting[below(fitting.size())];
    for (unsigned k = 0; k != 8 && !pool_.empty(); ++k) {
      const Variable v = pool_[below(pool_.size())];
      if (ir::can_cast(b_.type_of(v), type)) return b_.cast(v, type);
    }
    return literal(type);
  }
  // A variable, a literal, or an expression of them.
  Variable operand(Type type) {
    if (depth_ >= 3 || !one_in(3)) return pick(type);
    ++depth_;
    const Variable v = expression(type);
    --depth_;
    return v;
  }
  // How far to shift: often a literal below the width.
  Variable count(Type type) { return one_in(2) ? constant(type, below(ir::bits_of(type))) : operand(type); }

  Variable binary(Op op, Variable x, Variable y, std::uint64_t immediate = 0) { return b_.op(op, {x, y}, immediate); }
  Variable select(Variable condition, Variable x, Variable y) { return b_.op(Op::select, {condition, x, y}, 0, b_.type_of(x)); }
  Variable compared(Type type) {
    const Variable x = operand(type), y = one_in(3) ? literal(type) : operand(type);
    return binary(one_of({Op::equal, Op::not_equal, Op::less, Op::less_equal}), x, y);
  }
  // Not a NaN: the bits of a NaN are not certain, so none may become visible.
  Variable number(Variable x) { return select(binary(Op::equal, x, x), x, constant(b_.type_of(x), 0)); }

  static Type integer(unsigned bits, bool is_signed) {
    switch (bits) {
      case 8:
        return is_signed ? Type::i8 : Type::u8;
      case 16:
        return is_signed ? Type::i16 : Type::u16;
      case 32:
        return is_signed ? Type::i32 : Type::u32;
      case 64:
        return is_signed ? Type::i64 : Type::u64;
      default:
        return is_signed ? Type::i128 : Type::u128;
    }
  }

  // ---- expressions

  Variable expression(Type type) {
    switch (below(7)) {
      case 0:
        return select(condition(), operand(type), operand(type));
      case 1:
        return b_.cast(operand(any_type(type, [&](Type from) { return ir::can_cast(from, type); })), type);
      case 2:
        return reinterpreted(type);
      default:
        break;
    }
    if (ir::is_boolean(type)) return condition();
    if (ir::is_storage(type)) return b_.op(one_in(3) ? Op::cast_unsaturated : Op::cast, {operand(any_floating())}, 0, type);
    if (ir::is_pair(type)) return of_pairs(type);
    if (ir::is_floating(type)) return one_in(3) ? floating_idiom(type) : of_floats(type);
    return one_in(2) ? integer_idiom(type) : of_integers(type);
  }

  Variable condition() {
    switch (below(6)) {
      case 0:
        return b_.op(Op::bit_not, {operand(Type::boolean)});
      case 1:
        return binary(one_of({Op::bit_and, Op::bit_or, Op::bit_xor}), operand(Type::boolean), operand(Type::boolean));
      case 2: {  // some of its bits
        const Type type = any_integer();
        const Variable bits = constant(type, mask(ir::bits_of(type))), some = binary(Op::bit_and, operand(type), bits);
        return binary(one_of({Op::equal, Op::not_equal}), some, one_in(2) ? bits : constant(type, 0));
      }
      case 3: {  // a sum or a difference that wraps
        const Type type = any_integer();
        const Variable x = operand(type), y = operand(type);
        return one_in(2) ? binary(Op::less, binary(Op::add, x, y), x) : binary(Op::less, x, binary(Op::sub, x, y));
      }
      default: {
        const Type type = any_type();
        if (ir::is_storage(type)) return compared(Type::f32);
        if (ir::is_arithmetic(type)) return compared(type);
        return binary(one_of({Op::equal, Op::not_equal}), operand(type), operand(type));
      }
    }
  }

  Variable reinterpreted(Type type) {
    const Type from = any_type(type, [&](Type t) {
      return ir::size_of(t) == ir::size_of(type) && ir::is_boolean(t) == ir::is_boolean(type) && !ir::is_storage(t) && !ir::is_pair(t);
    });
    if (from == type) return pick(type);
    const Variable x = operand(from);
    return b_.op(Op::bit_cast, {ir::is_floating(from) ? number(x) : x}, 0, type);
  }

  Type any_floating() { return any_type(one_of({Type::f32, Type::f64}), ir::is_floating); }
  Type any_integer() { return any_type(one_of({Type::u32, Type::u64}), ir::is_integer); }

  Variable of_pairs(Type type) {
    const Type element = ir::element_of(type);
    switch (below(7)) {
      case 0:
        return b_.op(one_of({Op::neg, Op::abs}), {operand(type)});
      case 1:
        return b_.op(Op::fma, {operand(type), operand(type), operand(type)});
      case 2:
        return binary(one_of({Op::add, Op::sub}), binary(Op::mul, operand(type), operand(type)), operand(type));
      case 3:
        return b_.op(Op::make_pair, {operand(element), operand(element)}, 0, type);
      case 4:
        if (type == Type::f16x2) return b_.op(Op::unpack_float8, {operand(Type::u16)}, below(2), type);
        return binary(one_of({Op::add_rounded, Op::sub_rounded, Op::mul_rounded}), operand(type), operand(type));
      default:
        return binary(one_of({Op::add, Op::sub, Op::mul, Op::min, Op::max}), operand(type), operand(type));
    }
  }

  Variable of_floats(Type type) {
    switch (below(9)) {
      case 0:
      case 1:
        return b_.op(one_of({Op::sqrt, Op::floor, Op::ceil, Op::trunc, Op::round_even, Op::neg, Op::abs}), {operand(type)});
      case 2:
        return b_.op(Op::fma, {operand(type), operand(type), operand(type)});
      case 3:
        if (type == Type::f32 && one_in(3)) return b_.op(Op::round_tf32, {operand(type)}, below(3));
        if (!ir::is_half(type)) return exact_function(type);
        if (one_in(2)) return b_.op(Op::pair_element, {operand(type == Type::f16 ? Type::f16x2 : Type::bf16x2)}, below(2), type);
        break;
      case 4:
        if (!one_in(3)) break;
        return rounded(type);
      default:
        break;
    }
    return binary(one_of({Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::min, Op::max}), operand(type), operand(type));
  }
  Variable rounded(Type type) {
    const std::uint64_t mode = below(4);
    switch (below(5)) {
      case 0:
        return b_.op(Op::sqrt_rounded, {operand(type)}, mode);
      case 1:
        return b_.op(Op::fma_rounded, {operand(type), operand(type), operand(type)}, mode);
      case 2:
        return b_.op(Op::cast_rounded, {operand(any_type(type, [](Type t) { return ir::is_arithmetic(t) && ir::bits_of(t) <= 64; }))}, mode,
                     type);
      default:
        return binary(one_of({Op::add_rounded, Op::sub_rounded, Op::mul_rounded, Op::div_rounded}), operand(type), operand(type), mode);
    }
  }
  // Of f32 and f64.
  Variable exact_function(Type type) {
    const auto math = [&](ir::Math f, std::initializer_list<Variable> operands, unsigned result = 0) {
      const auto opcode = static_cast<Op>(static_cast<std::size_t>(Op::math1) + operands.size() - 1);
      return b_.op(opcode, operands, ir::math_immediate(f, result), ir::result_type(f, result, type));
    };
    switch (below(5)) {
      case 0:
        return math(one_of({ir::Math::fmod, ir::Math::remainder, ir::Math::remquo, ir::Math::fdim, ir::Math::nextafter}),
                    {operand(type), operand(type)});
      case 1:
        return math(ir::Math::copysign, {operand(type), number(operand(type))});
      case 2:
        return math(ir::Math::modf, {operand(type)}, static_cast<unsigned>(below(2)));
      case 3:
        return math(ir::Math::ldexp, {operand(type), one_in(2) ? constant(Type::i32, below(600) - 300) : operand(Type::i32)});
      default:
        return math(one_of({ir::Math::round, ir::Math::logb, ir::Math::frexp}), {operand(type)});
    }
  }

  Variable floating_idiom(Type type) {
    const Variable x = operand(type), y = one_in(2) ? literal(type) : operand(type), zero = constant(type, 0);
    const auto order = [&](Variable a, Variable c) { return binary(one_of({Op::less, Op::less_equal}), a, c); };
    switch (below(10)) {
      case 0:  // the lesser, the greater, or nearly
        return select(order(x, y), one_in(2) ? x : y, one_in(2) ? x : y);
      case 1:  // an absolute value, but for -0
        return select(order(x, zero), b_.op(Op::neg, {x}), x);
      case 2:
        return select(order(zero, x), x, b_.op(Op::neg, {x}));
      case 3:  // products in a sum
        return binary(one_of({Op::add, Op::sub}), binary(Op::mul, x, y), binary(Op::mul, operand(type), x));
      case 4: {
        const Variable product = binary(Op::mul, x, y), z = operand(type);
        return one_in(2) ? binary(one_of({Op::add, Op::sub}), product, z) : binary(one_of({Op::add, Op::sub}), z, product);
      }
      case 5:  // by way of another type
        return b_.cast(b_.cast(x, any_type(Type::f32, [&](Type t) { return ir::can_cast(type, t) && ir::can_cast(t, type); })), type);
      case 6:  // between limits
        return binary(Op::min, binary(Op::max, x, y), literal(type));
      case 7:  // nothing, or nearly
        return binary(one_of({Op::add, Op::sub, Op::mul, Op::div}), one_in(2) ? x : zero, one_in(2) ? x : zero);
      case 8:
        return binary(Op::sub, x, b_.op(one_of({Op::floor, Op::trunc, Op::round_even}), {x}));
      default:
        return b_.op(one_of({Op::neg, Op::abs}), {binary(one_of({Op::add, Op::sub, Op::mul, Op::div}), b_.op(Op::neg, {x}), y)});
    }
  }

  Variable of_integers(Type type) {
    const bool word = type == Type::i32 || type == Type::u32;
    switch (below(11)) {
      case 0:
        return b_.op(one_of({Op::neg, Op::abs, Op::bit_not}), {operand(type)});
      case 1:
        return binary(one_of({Op::div, Op::rem}), operand(type), one_in(2) ? literal(type) : operand(type), traps_ && one_in(4) ? 1 : 0);
      case 2:
        return b_.op(one_of({Op::popcount, Op::leading_zeros, Op::trailing_zeros, Op::bit_reverse}), {operand(type)});
      case 3:
        return b_.op(one_of({Op::funnel_left, Op::funnel_right}), {operand(type), operand(type), count(type)});
      case 4:
        return binary(one_of({Op::add_saturating, Op::sub_saturating}), operand(type), operand(type));
      case 5:
        if (ir::bits_of(type) <= 64) return binary(Op::mul_high, operand(type), operand(type));
        return b_.cast(operand(any_floating()), type);
      case 6:
        return binary(one_of({Op::shift_left, Op::shift_right}), operand(type), count(type));
      case 7:
        if (type == Type::u16) return b_.op(Op::pack_float8, {operand(Type::f32), operand(Type::f32)}, below(2), type);
        if (ir::bits_of(type) <= 64 && one_in(3)) return b_.op(Op::cast_rounded, {operand(any_floating())}, below(4), type);
        if (!word) break;
        if (type == Type::u32 && one_in(2)) return b_.op(Op::byte_permute, {operand(type), operand(type), operand(type)}, below(7));
        return dot(type);
      default:
        break;
    }
    return binary(one_of({Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor}), operand(type),
                  one_in(3) ? literal(type) : operand(type));
  }
  Variable dot(Type type) {
    const Type x = type == Type::u32 ? type : one_of({Type::i32, Type::u32});
    const Type y = type == Type::u32 ? type : x == Type::u32 ? Type::i32 : one_of({Type::i32, Type::u32});
    const bool four = one_in(2);
    return b_.op(four ? Op::dot4 : Op::dot2, {operand(x), operand(y), operand(type)}, four ? 0 : below(2), type);
  }

  Variable integer_idiom(Type type) {
    const unsigned bits = ir::bits_of(type);
    const bool is_signed = ir::is_signed_integer(type);
    const Variable x = operand(type), y = one_in(3) ? literal(type) : operand(type);
    const auto n = [&](std::uint64_t value) { return constant(type, value); };
    const Variable lesser = binary(one_of({Op::less, Op::less_equal}), x, y);
    switch (below(19)) {
      case 0:  // distances
        return binary(Op::sub, binary(Op::max, x, y), binary(Op::min, x, y));
      case 1:
        return select(lesser, binary(Op::sub, y, x), binary(Op::sub, x, y));
      case 2:
        return b_.op(Op::abs, {binary(Op::sub, x, y)});
      case 3: {  // a rotation
        const Variable by = count(type), rest = binary(Op::sub, n(bits), by);
        return binary(one_of({Op::bit_or, Op::add, Op::bit_xor}), binary(Op::shift_left, x, by),
                      binary(Op::shift_right, one_in(2) ? x : y, rest));
      }
      case 4:  // a field of bits, and one with its sign
        return binary(Op::bit_and, binary(Op::shift_right, x, count(type)), n(mask(bits)));
      case 5: {
        const Variable by = count(type);
        return binary(Op::shift_right, binary(Op::shift_left, x, by), one_in(2) ? by : count(type));
      }
      case 6: {  // a field put in
        const Variable at = n(mask(bits));
        return binary(one_of({Op::bit_or, Op::add, Op::bit_xor}), binary(Op::bit_and, x, at),
                      binary(Op::bit_and, y, b_.op(Op::bit_not, {at})));
      }
      case 7: {  // saturating by hand
        const Variable sum = binary(one_of({Op::add, Op::sub}), x, y);
        return select(binary(Op::less, sum, one_in(2) ? x : y), literal(type), sum);
      }
      case 8:  // an average, rounded down or up
        if (one_in(2)) return binary(Op::add, binary(Op::bit_and, x, y), binary(Op::shift_right, binary(Op::bit_xor, x, y), n(1)));
        return binary(Op::sub, binary(Op::bit_or, x, y), binary(Op::shift_right, binary(Op::bit_xor, x, y), n(1)));
      case 9: {  // between limits, and then narrower
        const Variable limited = binary(Op::min, binary(Op::max, x, literal(type)), literal(type));
        return b_.cast(b_.cast(limited, any_integer()), type);
      }
      case 10: {  // in a wider or narrower type, and back
        const Type other = integer(one_of({8u, 16u, 32u, 64u, 128u}), one_in(2));
        const Op op = one_of({Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::shift_right, Op::shift_left, Op::bit_xor, Op::div, Op::rem});
        const Variable wide = binary(op, b_.cast(x, other), b_.cast(y, other));
        return b_.cast(one_in(2) ? wide : binary(Op::shift_right, wide, count(other)), type);
      }
      case 11:  // by a number that is known
        return binary(one_of({Op::div, Op::rem, Op::mul}), x, literal(type));
      case 12: {  // what is left of a division
        const Variable by = literal(type);
        return binary(Op::sub, x, binary(Op::mul, binary(Op::div, x, by), by));
      }
      case 13:  // the lowest bit, all below it, all but it
        return binary(one_of({Op::bit_and, Op::bit_xor}), x, one_in(2) ? b_.op(Op::neg, {x}) : binary(Op::sub, x, n(1)));
      case 14: {  // the sign in all bits
        const Variable sign = binary(Op::shift_right, x, n(bits - 1));
        return one_in(2) ? sign : binary(Op::sub, binary(Op::bit_xor, x, sign), sign);
      }
      case 15:  // a truth value as a number
        return binary(one_of({Op::add, Op::sub, Op::mul, Op::bit_and, Op::bit_xor, Op::shift_left}), x, b_.cast(lesser, type));
      case 16:  // two halves
        if (bits > 8) {
          const Type half = integer(bits / 2, is_signed && one_in(2));
          const Variable high = binary(Op::shift_left, b_.cast(operand(half), type), n(bits / 2));
          return binary(one_of({Op::bit_or, Op::add}), high, b_.cast(operand(integer(bits / 2, false)), type));
        }
        [[fallthrough]];
      case 17:  // the lesser, the greater, or nearly
        return select(lesser, one_in(2) ? x : y, one_in(2) ? y : x);
      default:  // by way of a floating type
        return b_.cast(b_.cast(x, any_floating()), type);
    }
  }

  std::mt19937_64 random_;
  GraphBuilder b_;
  std::vector<Type> types_;
  std::vector<Variable> pool_;  // what operands are picked from
  bool traps_ = true;  // whether divisions may check their divisor
  unsigned depth_ = 0;
};

}  // namespace oxide::testing
