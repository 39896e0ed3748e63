// The interpreter's operations on numbers of one type.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "support/interpreter_math.hpp"
#include "support/interpreter_state.hpp"

namespace oxide::testing {

class InterpreterArithmetic : protected InterpreterState {
 protected:
#define OXIDE_UNARY(expression)               \
  return [](Frame& f, const Instruction& i) { \
    const C x = get<T>(f, i.a);               \
    set<T>(f, i, static_cast<T>(expression)); \
  }
#define OXIDE_BINARY(result, expression)                \
  return [](Frame& f, const Instruction& i) {           \
    const C x = get<T>(f, i.a), y = get<T>(f, i.b);     \
    set<result>(f, i, static_cast<result>(expression)); \
  }

  static Run run_of_boolean(ir::Opcode opcode) {
    using T = bool;
    using C = bool;
    switch (opcode) {
      case ir::Opcode::bit_and:
        OXIDE_BINARY(T, x && y);
      case ir::Opcode::bit_or:
        OXIDE_BINARY(T, x || y);
      case ir::Opcode::bit_xor:
        OXIDE_BINARY(T, x != y);
      case ir::Opcode::bit_not:
        OXIDE_UNARY(!x);
      default:
        return nullptr;
    }
  }

  template <class T>
  static Run run_of_integer(ir::Opcode opcode) {
    using enum ir::Opcode;
    using C = T;
    using Wide = Word;
    using U = rules::Unsigned<T>;
    switch (opcode) {
      case add:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) + static_cast<Wide>(y)));
      case sub:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) - static_cast<Wide>(y)));
      case mul:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) * static_cast<Wide>(y)));
      case div:
      case rem:
        if (opcode == div)
          return [](Frame& f, const Instruction& i) {
            const T x = get<T>(f, i.a), y = get<T>(f, i.b);
            if (y == 0 && i.immediate != 0) return f.fail(i.site, static_cast<std::uint64_t>(to_bits(x)), 0);
            set<T>(f, i, rules::divide(x, y));
          };
        return [](Frame& f, const Instruction& i) {
          const T x = get<T>(f, i.a), y = get<T>(f, i.b);
          if (y == 0 && i.immediate != 0) return f.fail(i.site, static_cast<std::uint64_t>(to_bits(x)), 0);
          set<T>(f, i, rules::remainder(x, y));
        };
      case neg:
        OXIDE_UNARY(rules::wrapped<T>(0 - static_cast<Wide>(x)));
      case abs:
        OXIDE_UNARY(x < T{0} ? rules::wrapped<T>(0 - static_cast<Wide>(x)) : x);
      case min:
        OXIDE_BINARY(T, x < y ? x : y);
      case max:
        OXIDE_BINARY(T, x > y ? x : y);
      case bit_and:
        OXIDE_BINARY(T, x & y);
      case bit_or:
        OXIDE_BINARY(T, x | y);
      case bit_xor:
        OXIDE_BINARY(T, x ^ y);
      case bit_not:
        OXIDE_UNARY(~x);
      case shift_left:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(static_cast<U>(x)) << rules::shift_amount(y)));
      case shift_right:
        OXIDE_BINARY(T, x >> rules::shift_amount(y));
      case popcount:
        OXIDE_UNARY(rules::popcount(static_cast<U>(x)));
      case leading_zeros:
        OXIDE_UNARY(rules::leading_zeros(static_cast<U>(x), 8 * sizeof(T)));
      case trailing_zeros:
        OXIDE_UNARY(rules::trailing_zeros(static_cast<U>(x), 8 * sizeof(T)));
      case bit_reverse:
        OXIDE_UNARY(rules::wrapped<T>(rules::reversed(static_cast<U>(x), 8 * sizeof(T))));
      case funnel_left:
      case funnel_right:
        return [](Frame& f, const Instruction& i) {
          f.registers[i.result] =
              rules::funnel(i.opcode == ir::Opcode::funnel_left, f.registers[i.a], f.registers[i.b], f.registers[i.c], 8 * sizeof(T));
        };
      case mul_high:
        if constexpr (sizeof(T) > 8) return nullptr;
        else
          OXIDE_BINARY(
              T, rules::wrapped<T>(static_cast<Wide>(static_cast<rules::Wide<T>>(x) * static_cast<rules::Wide<T>>(y)) >> 8 * sizeof(T)));
      case add_saturating:
        OXIDE_BINARY(T, rules::add_saturating(x, y));
      case sub_saturating:
        OXIDE_BINARY(T, rules::sub_saturating(x, y));
      case byte_permute:
        return [](Frame& f, const Instruction& i) {
          f.registers[i.result] = rules::byte_permute(get<std::uint32_t>(f, i.a), get<std::uint32_t>(f, i.b), get<std::uint32_t>(f, i.c),
                                                      static_cast<unsigned>(i.immediate));
        };
      case less:
        OXIDE_BINARY(bool, x < y);
      case less_equal:
        OXIDE_BINARY(bool, x <= y);
      default:
        return nullptr;
    }
  }

  template <class T>
  static void sum(Frame& f, const Instruction& i, T x, T y) {
    switch (i.fusion) {
      case Fusion::none:
        return set<T>(f, i, static_cast<T>(static_cast<rules::Computed<T>>(x) + y));
      case Fusion::left:
        return set<T>(f, i, rules::fused<T>(from_bits<T>(f.left_factor[i.a]), from_bits<T>(f.right_factor[i.a]), y));
      case Fusion::right:
        return set<T>(f, i, rules::fused<T>(from_bits<T>(f.left_factor[i.b]), from_bits<T>(f.right_factor[i.b]), x));
    }
  }

  template <class T>
  static Run run_of_float(ir::Opcode opcode) {
    using enum ir::Opcode;
    using C = rules::Computed<T>;
    switch (opcode) {
      case add:
        return [](Frame& f, const Instruction& i) { sum<T>(f, i, get<T>(f, i.a), get<T>(f, i.b)); };
      case sub:
        return [](Frame& f, const Instruction& i) {
          const T x = get<T>(f, i.a), y = get<T>(f, i.b);
          if (i.fusion == Fusion::right)
            return set<T>(f, i, rules::fused<T>(-from_bits<T>(f.left_factor[i.b]), from_bits<T>(f.right_factor[i.b]), x));
          if (i.fusion == Fusion::left) return sum<T>(f, i, x, -y);
          set<T>(f, i, static_cast<T>(static_cast<C>(x) - y));
        };
      case mul:
        return [](Frame& f, const Instruction& i) {
          const Word x = f.registers[i.a], y = f.registers[i.b];
          f.left_factor[i.result] = static_cast<std::uint64_t>(x);
          f.right_factor[i.result] = static_cast<std::uint64_t>(y);
          set<T>(f, i, static_cast<T>(static_cast<C>(from_bits<T>(x)) * from_bits<T>(y)));
        };
      case div:
        OXIDE_BINARY(T, x / y);
      case rem:
        OXIDE_BINARY(T, std::fmod(x, y));
      case neg:
        OXIDE_UNARY(-x);
      case abs:
        OXIDE_UNARY(std::fabs(x));
      case min:
        OXIDE_BINARY(T, rules::minimum_number(x, y));
      case max:
        OXIDE_BINARY(T, rules::maximum_number(x, y));
      case fma:
        return [](Frame& f, const Instruction& i) { set<T>(f, i, rules::fused<T>(get<T>(f, i.a), get<T>(f, i.b), get<T>(f, i.c))); };
      case less:
        OXIDE_BINARY(bool, x < y);
      case less_equal:
        OXIDE_BINARY(bool, x <= y);
      case sqrt:
        OXIDE_UNARY(std::sqrt(x));
      case floor:
        OXIDE_UNARY(std::floor(x));
      case ceil:
        OXIDE_UNARY(std::ceil(x));
      case trunc:
        OXIDE_UNARY(std::trunc(x));
      case round_even:
        OXIDE_UNARY(std::nearbyint(x));
      case round_tf32:
        if constexpr (std::is_same_v<T, float>)
          return [](Frame& f, const Instruction& i) { set<T>(f, i, rules::tf32(get<T>(f, i.a), i.immediate)); };
        else return nullptr;
      case add_rounded:
      case sub_rounded:
      case mul_rounded:
      case div_rounded:
      case fma_rounded:
      case sqrt_rounded:
        return [](Frame& f, const Instruction& i) {
          const auto operand = [&](std::uint32_t v) { return v == ir::no_variable ? T{} : get<T>(f, v); };
          const T x = get<T>(f, i.a), y = operand(i.b), z = operand(i.c);
          if constexpr (std::is_same_v<C, T>) {
            set<T>(f, i, rules::rounded<T>(i.opcode, i.immediate, x, y, z));
          } else if (i.opcode == fma_rounded && i.immediate == 0) {
            set<T>(f, i, rules::fused(x, y, z));
          } else {  // rounded twice to the same side, or to nearest from twice the bits
            set<T>(f, i, rules::half_in_mode<T>(i.immediate, rules::rounded<double>(i.opcode, i.immediate, C(x), C(y), C(z))));
          }
        };
      case math1:
      case math2:
      case math3:
        if constexpr (!std::is_same_v<C, T>) return nullptr;
        else
          return [](Frame& f, const Instruction& i) {
            const ir::Math function = ir::math_function(i.immediate);
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            MathOperands<T> in;
            for (std::size_t k = 0; k != ir::operand_count(function); ++k) {
              if (ir::operand_type(function, k, ir::type_for<T>()) == ir::Type::i32) in.n = get<std::int32_t>(f, operands[k]);
              else in.x[in.count++] = get<T>(f, operands[k]);
            }
            const MathResult<T> out = math_model(function, ir::math_result(i.immediate), in);
            if (out.whole) set<std::int32_t>(f, i, out.n);
            else set<T>(f, i, out.x);
          };
      default:
        return nullptr;
    }
  }
#undef OXIDE_UNARY
#undef OXIDE_BINARY

  // Of pairs: what their elements do, one after the other.
  template <class P>
  static Run run_of_pair(ir::Opcode opcode) {
    using T = decltype(P{}.x);
#define OXIDE_PAIR(opcode_name) \
  case ir::Opcode::opcode_name: \
    return [](Frame& f, const Instruction& i) { by_element<P>(f, i, run_of_float<T>(ir::Opcode::opcode_name)); };
    switch (opcode) {
      OXIDE_PAIR(add)
      OXIDE_PAIR(sub)
      OXIDE_PAIR(mul)
      OXIDE_PAIR(neg)
      OXIDE_PAIR(abs)
      OXIDE_PAIR(min)
      OXIDE_PAIR(max)
      OXIDE_PAIR(fma)
      OXIDE_PAIR(add_rounded)
      OXIDE_PAIR(sub_rounded)
      OXIDE_PAIR(mul_rounded)
      default:
        return nullptr;
    }
#undef OXIDE_PAIR
  }
  template <class P>
  static void by_element(Frame& f, const Instruction& i, Run run) {
    Frame element;
    element.registers.resize(4);
    element.left_factor.resize(4);
    element.right_factor.resize(4);
    Instruction of_element = i;
    of_element.result = 0, of_element.a = 1, of_element.b = 2, of_element.c = 3;
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    Word result = 0;
    for (unsigned k = 0; k != 2; ++k) {
      for (unsigned o = 0; o != 3; ++o) {
        if (operands[o] == ir::no_variable) continue;
        element.registers[1 + o] = f.registers[operands[o]] >> 16 * k & 0xffff;
        element.left_factor[1 + o] = f.left_factor[operands[o]] >> 16 * k & 0xffff;
        element.right_factor[1 + o] = f.right_factor[operands[o]] >> 16 * k & 0xffff;
      }
      run(element, of_element);
      result |= element.registers[0] << 16 * k;
    }
    if (i.opcode == ir::Opcode::mul) {
      f.left_factor[i.result] = static_cast<std::uint64_t>(f.registers[i.a]);
      f.right_factor[i.result] = static_cast<std::uint64_t>(f.registers[i.b]);
    }
    f.registers[i.result] = result;
  }
};

}  // namespace oxide::testing
