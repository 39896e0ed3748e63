// Verifier: the types of operands and results, and what operations on numbers ask for beyond them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/ir/math.hpp>
#include <oxide/ir/verify_state.hpp>

namespace oxide::ir::detail {

class TypeVerifier : protected VerifierState {
 protected:
  using VerifierState::VerifierState;

  void operands(const Operation& op, const OpcodeRow& row) {
    if (row.operands == 0) return;
    const Type first = type_of(op.operands[0]);
    const auto all_equal = [&](std::size_t from) {
      for (std::size_t i = from + 1; i < row.operands; ++i)
        if (type_of(op.operands[i]) != type_of(op.operands[from])) return fail(op, "has operands of different types");
    };
    switch (row.rule) {
      case OperandRule::any:
      case OperandRule::arguments:
        return;
      case OperandRule::equal:
        return all_equal(0);
      case OperandRule::cast:
        if (!can_cast(first, op.type)) fail(op, "goes between types that do not convert into each other");
        return;
      case OperandRule::number:
        if (!is_arithmetic(first)) return fail(op, "needs numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::arithmetic:
        if (!is_arithmetic(first) && !is_pair(first)) return fail(op, "needs numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::integer:
        if (!is_integer(first)) return fail(op, "needs integers, has " + name(first));
        return all_equal(0);
      case OperandRule::floating:
        if (!is_floating(first)) return fail(op, "needs floating-point numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::floating_pair:
        if (!is_floating(first) && !is_pair(first)) return fail(op, "needs floating-point numbers, has " + name(first));
        return all_equal(0);
      case OperandRule::bits:
        if (!is_integer(first) && !is_boolean(first)) return fail(op, "needs integers or booleans, has " + name(first));
        return all_equal(0);
      case OperandRule::boolean:
        if (!is_boolean(first)) return fail(op, "needs a boolean, has " + name(first));
        return all_equal(0);
      case OperandRule::select:
        if (!is_boolean(first)) return fail(op, "selects by a boolean, has " + name(first));
        if (type_of(op.operands[1]) != op.type || type_of(op.operands[2]) != op.type) fail(op, "selects between other types than its own");
        return;
      case OperandRule::nanoseconds:
        if (first != Type::u32) return fail(op, "needs nanoseconds of type u32, has " + name(first));
        return;
      case OperandRule::indices:
        if (first != Type::u64) return fail(op, "needs indices of type u64, has " + name(first));
        return all_equal(0);
      case OperandRule::index:
        if (first != Type::u64) return fail(op, "needs an index of type u64, has " + name(first));
        return;
      case OperandRule::mask:
        if (first != Type::u32) fail(op, "needs a mask of type u32, has " + name(first));
        return;
      case OperandRule::boolean_mask:
        if (!is_boolean(first) || type_of(op.operands[1]) != Type::u32) fail(op, "needs a boolean and a mask of type u32");
        return;
      case OperandRule::value_mask:
        if (!is_number(first)) return fail(op, "needs a number, has " + name(first));
        for (std::size_t i = 1; i != row.operands; ++i)
          if (type_of(op.operands[i]) != Type::u32) return fail(op, "needs a value, then a lane and a mask of type u32");
        return;
      case OperandRule::math:
        return mathematics(op, row);
      case OperandRule::rank:
        if (first != Type::u32) return fail(op, "needs the rank of a block of type u32, has " + name(first));
        if (row.operands == 2 && type_of(op.operands[1]) != Type::u64)
          fail(op, "needs an index of type u64, has " + name(type_of(op.operands[1])));
        return;
      case OperandRule::pointed:
        if (!is_address(first)) fail(op, "needs an address, has " + name(first));
        return;
      case OperandRule::address:
        if (!is_address(first)) return fail(op, "needs an address, has " + name(first));
        if (const Type index = type_of(op.operands[1]); index != Type::u64) fail(op, "needs an index of type u64, has " + name(index));
        return;
      case OperandRule::addresses:
        if (!is_address(first)) return fail(op, "needs addresses, has " + name(first));
        return all_equal(0);
    }
    fail(op, "has an operand rule that the verifier does not know");
  }

  void result(const Operation& op, const OpcodeRow& row) {
    if (row.result == ResultRule::none) {
      if (op.result != no_variable || op.type != Type::none) fail(op, "has no result, so it may have no result variable and no type");
      return;
    }
    if (!is_variable(op.result)) return fail(op, "has a result that is no variable");
    if (type_of(op.result) != op.type) return fail(op, "has a result of another type than its variable's");
    if (row.result == ResultRule::same && op.type != type_of(op.operands[0])) fail(op, "has another type than its operands");
    if (row.result == ResultRule::boolean && op.type != Type::boolean) fail(op, "gives a boolean");
  }

  void mathematics(const Operation& op, const OpcodeRow& row) {
    if (!is_math_immediate(op.immediate)) return fail(op, "names a mathematical function, or a result of one, that is not there");
    const Math f = math_function(op.immediate);
    const std::string function(name_of(f));
    if (operand_count(f) != row.operands) return fail(op, "gives " + function + " another number of operands than it takes");
    const Type floating = type_of(op.operands[floating_operand(f)]);
    if (floating != Type::f32 && floating != Type::f64) return fail(op, "needs f32 or f64, has " + name(floating));
    if (is_approximate(f) && floating != Type::f32) return fail(op, "needs f32, has " + name(floating));
    for (std::size_t i = 0; i != row.operands; ++i)
      if (type_of(op.operands[i]) != operand_type(f, i, floating))
        return fail(op, "has operand " + std::to_string(i) + " of another type than " + function + " takes");
    if (op.type != result_type(f, math_result(op.immediate), floating)) fail(op, "gives another type than " + function);
  }

  // Of the operations on numbers whose immediate is a choice, and of others that take only some types of their rule.
  void numbers(const Operation& op) {
    const auto type = [&](std::size_t i) { return type_of(op.operands[i]); };
    const auto is_word = [](Type t) { return t == Type::i32 || t == Type::u32; };
    std::uint64_t choices = 1;
    bool fits = true;
    switch (op.opcode) {
      case Opcode::mul_high:
        fits = bits_of(op.type) <= 64;
        break;
      case Opcode::byte_permute:
        choices = 7;
        fits = op.type == Type::u32;
        break;
      case Opcode::dot4:
      case Opcode::dot2:
        if (op.opcode == Opcode::dot2) choices = 2;
        fits = is_word(type(0)) && is_word(type(1)) && type(2) == op.type &&
               op.type == (type(0) == Type::u32 && type(1) == Type::u32 ? Type::u32 : Type::i32);
        break;
      case Opcode::make_pair:
        fits = is_half(type(0)) && is_pair(op.type) && element_of(op.type) == type(0);
        break;
      case Opcode::pair_element:
        choices = 2;
        fits = is_pair(type(0)) && op.type == element_of(type(0));
        break;
      case Opcode::cast_unsaturated:
        fits = is_storage(op.type) && is_floating(type(0));
        break;
      case Opcode::pack_float8:
        choices = 2;
        fits = type(0) == Type::f32 && op.type == Type::u16;
        break;
      case Opcode::unpack_float8:
        choices = 2;
        fits = type(0) == Type::u16 && op.type == Type::f16x2;
        break;
      case Opcode::round_tf32:
        choices = 3;
        fits = op.type == Type::f32;
        break;
      case Opcode::add_rounded:
      case Opcode::sub_rounded:
      case Opcode::mul_rounded:
      case Opcode::div_rounded:
      case Opcode::fma_rounded:
      case Opcode::sqrt_rounded:
        choices = is_pair(op.type) ? 1 : 4;
        break;
      case Opcode::cast_rounded: {
        choices = 4;
        const auto is_integer64 = [](Type t) { return is_integer(t) && bits_of(t) <= 64; };
        fits = (is_floating(type(0)) && (is_floating(op.type) || is_integer64(op.type))) || (is_integer64(type(0)) && is_floating(op.type));
        break;
      }
      default:
        return;
    }
    if (!fits) fail(op, "is not there for these types");
    else if (op.immediate >= choices) fail(op, "has a choice that is not there");
  }

  // What the table's columns cannot say.
};

}  // namespace oxide::ir::detail
