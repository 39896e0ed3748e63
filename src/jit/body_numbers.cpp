#include "body_lowering.hpp"

#include "lower_math.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Value* BodyLowering::number(const ir::Operation& op, const Operands& x) {
  using enum ir::Opcode;
  switch (op.opcode) {
    case cast:
      return numbers_.cast(x[0], operand_type(op), op.type);
    case bit_cast:
      return b_.CreateBitCast(numbers_.renamed(x[0]), value_type(context_, op.type));
    case div:
    case rem:
      if (ir::is_integer(op.type)) return integer_division(op, x[0], x[1]);
      [[fallthrough]];
    case add:
    case sub:
    case mul:
    case neg:
    case abs:
    case min:
    case max:
    case fma:
    case bit_and:
    case bit_or:
    case bit_xor:
    case bit_not:
    case shift_left:
    case shift_right:
    case equal:
    case not_equal:
    case less:
    case less_equal:
    case sqrt:
    case floor:
    case ceil:
    case trunc:
    case round_even:
      return numbers_.operation(op.opcode, operand_type(op), llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));
    case popcount:
    case leading_zeros:
    case trailing_zeros:
    case bit_reverse:
    case funnel_left:
    case funnel_right:
    case mul_high:
    case add_saturating:
    case sub_saturating:
    case byte_permute:
    case dot4:
    case dot2:
      return numbers_.bits(op, operand_type(op), operand_type(op, ir::row_of(op.opcode).operands == 1 ? 0 : 1), x);
    case make_pair:
      return numbers_.make_pair(x[0], x[1]);
    case pair_element:
      return numbers_.element(x[0], op.immediate != 0);
    case cast_unsaturated:
      return numbers_.cast(x[0], operand_type(op), op.type, false);
    case pack_float8:
      return numbers_.pack_float8(x[0], x[1], op.immediate != 0 ? ir::Type::e5m2 : ir::Type::e4m3);
    case unpack_float8:
      return numbers_.unpack_float8(x[0], op.immediate != 0 ? ir::Type::e5m2 : ir::Type::e4m3);
    case round_tf32:
      return numbers_.round_tf32(x[0], static_cast<unsigned>(op.immediate));
    case add_rounded:
    case sub_rounded:
    case mul_rounded:
    case div_rounded:
    case fma_rounded:
    case sqrt_rounded:
      return numbers_.rounded(op.opcode, op.type, static_cast<unsigned>(op.immediate),
                              llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));
    case cast_rounded:
      return numbers_.cast_rounded(x[0], operand_type(op), op.type, static_cast<unsigned>(op.immediate));
    case math1:
    case math2:
    case math3: {
      const ir::Math f = ir::math_function(op.immediate);
      const ir::Type type = operand_type(op, ir::floating_operand(f));
      return mathematics(f, type, llvm::ArrayRef(x).take_front(ir::operand_count(f)))[ir::math_result(op.immediate)];
    }
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' is not of numbers"};
  }
}

MathResults BodyLowering::mathematics(ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) {
  if (ir::result_count(f) == 1) return lower_math(b_, around_, f, type, operands);
  if (last_math_.block != block_number_ || last_math_.function != f || llvm::ArrayRef(last_math_.operands) != operands)
    last_math_ = {block_number_, f, llvm::SmallVector<Value*, 3>(operands), lower_math(b_, around_, f, type, operands)};
  return last_math_.results;
}

Value* BodyLowering::integer_division(const ir::Operation& op, Value* dividend, Value* divisor) {
  const bool is_signed = ir::is_signed_integer(op.type), checked = op.immediate != 0;
  llvm::Type* type = dividend->getType();
  Value* zero = llvm::ConstantInt::get(type, 0);
  Value* by_zero = b_.CreateICmpEQ(divisor, zero);
  Value* replace = nullptr;
  if (checked) guard(by_zero, b_.CreateZExtOrTrunc(dividend, b_.getInt64Ty()), b_.getInt64(0));
  else replace = by_zero;
  if (is_signed) {
    Value* least = llvm::ConstantInt::get(context_, llvm::APInt::getSignedMinValue(ir::bits_of(op.type)));
    Value* overflows = b_.CreateAnd(b_.CreateICmpEQ(dividend, least), b_.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
    replace = replace != nullptr ? b_.CreateOr(replace, overflows) : overflows;
  }
  if (replace != nullptr) divisor = b_.CreateSelect(replace, llvm::ConstantInt::get(type, 1), divisor);
  if (op.opcode == ir::Opcode::rem) return is_signed ? b_.CreateSRem(dividend, divisor) : b_.CreateURem(dividend, divisor);
  Value* quotient = is_signed ? b_.CreateSDiv(dividend, divisor) : b_.CreateUDiv(dividend, divisor);
  return checked ? quotient : b_.CreateSelect(by_zero, zero, quotient);
}

}  // namespace oxide::jit
