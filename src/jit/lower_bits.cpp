// Numbers: the bits of integers, and sums of products of their bytes. See lower_numbers.hpp.
#include "body.hpp"
#include "failure.hpp"
#include "lower_numbers.hpp"

namespace oxide::jit {

using llvm::Value;

Value* Numbers::bits(const ir::Operation& op, ir::Type first, ir::Type second, const std::array<Value*, ir::max_operands>& x) {
  using enum ir::Opcode;
  using namespace llvm::Intrinsic;
  const bool is_signed = ir::is_signed_integer(first);
  switch (op.opcode) {
    case popcount:
      return intrinsic(ctpop, {x[0]});
    case leading_zeros:
    case trailing_zeros:
      return b_.CreateIntrinsic(op.opcode == leading_zeros ? ctlz : cttz, {x[0]->getType()}, {x[0], b_.getFalse()});
    case bit_reverse:
      return intrinsic(bitreverse, {x[0]});
    case funnel_left:
      return intrinsic(fshl, {x[0], x[1], x[2]});
    case funnel_right:
      return intrinsic(fshr, {x[0], x[1], x[2]});
    case add_saturating:
      return intrinsic(is_signed ? sadd_sat : uadd_sat, {x[0], x[1]});
    case sub_saturating:
      return intrinsic(is_signed ? ssub_sat : usub_sat, {x[0], x[1]});
    case mul_high: {
      const unsigned width = ir::bits_of(first);
      llvm::Type* wide = b_.getIntNTy(2 * width);
      const auto extend = [&](Value* v) { return b_.CreateIntCast(v, wide, is_signed); };
      Value* product = b_.CreateMul(extend(x[0]), extend(x[1]));
      return b_.CreateTrunc(b_.CreateLShr(product, integer_like(product, width)), x[0]->getType());
    }
    case byte_permute:
      return byte_permuted(x[0], x[1], x[2], static_cast<unsigned>(op.immediate));
    case dot4:
    case dot2: {
      const bool second_signed = ir::is_signed_integer(second);
      const unsigned half = static_cast<unsigned>(op.immediate);
      if (is_gpu()) {  // dp4a and dp2a, on every architecture that oxide knows (PTX ISA: sm_61)
        static constexpr ID four[2][2] = {{nvvm_idp4a_u_u, nvvm_idp4a_u_s}, {nvvm_idp4a_s_u, nvvm_idp4a_s_s}};
        static constexpr ID two[2][2] = {{nvvm_idp2a_u_u, nvvm_idp2a_u_s}, {nvvm_idp2a_s_u, nvvm_idp2a_s_s}};
        const llvm::ArrayRef<llvm::Type*> none;
        if (op.opcode == dot4) return b_.CreateIntrinsic(four[is_signed][second_signed], none, {x[0], x[1], x[2]});
        return b_.CreateIntrinsic(two[is_signed][second_signed], none, {x[0], x[1], b_.getInt1(half != 0), x[2]});
      }
      if (op.opcode == dot4) return dot(x[0], is_signed, x[1], second_signed, 4, 0, x[2]);
      return dot(x[0], is_signed, x[1], second_signed, 2, 2 * half, x[2]);
    }
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' is not one on bits"};
  }
}

// c and `count` products: of the bytes of a and b, or (2) of the halfwords of a and the bytes of b from `first` on.
Value* Numbers::dot(Value* a, bool a_signed, Value* b, bool b_signed, unsigned count, unsigned first, Value* c) {
  const auto part = [&](Value* v, unsigned width, unsigned index, bool is_signed) {
    Value* at_top = b_.CreateShl(v, b_.getInt32(32 - width * (index + 1)));
    return is_signed ? b_.CreateAShr(at_top, b_.getInt32(32 - width)) : b_.CreateLShr(at_top, b_.getInt32(32 - width));
  };
  for (unsigned i = 0; i != count; ++i)
    c = b_.CreateAdd(c, b_.CreateMul(part(a, 32 / count, i, a_signed), part(b, 8, first + i, b_signed)));
  return c;
}

// PTX ISA, "prmt": bytes 0 to 3 are x's, 4 to 7 y's. By the default mode each nibble of the selector picks a byte, or (bit 3) its sign in
// all bits; the other modes go by the selector's two last bits.
Value* Numbers::byte_permuted(Value* x, Value* y, Value* selector, unsigned mode) {
  using namespace llvm::Intrinsic;
  const llvm::ArrayRef<llvm::Type*> none;
  static constexpr ID modes[] = {nvvm_prmt, nvvm_prmt_f4e, nvvm_prmt_b4e, nvvm_prmt_rc8, nvvm_prmt_ecl, nvvm_prmt_ecr, nvvm_prmt_rc16};
  if (is_gpu()) {
    if (mode <= 2) return b_.CreateIntrinsic(modes[mode], none, {x, y, selector});
    return b_.CreateIntrinsic(modes[mode], none, {x, selector});
  }
  const auto n = [&](std::uint64_t value) { return b_.getInt64(value); };
  Value* both = b_.CreateOr(b_.CreateZExt(x, b_.getInt64Ty()), b_.CreateShl(b_.CreateZExt(y, b_.getInt64Ty()), n(32)));
  Value* s = b_.CreateZExt(selector, b_.getInt64Ty());
  Value* low = b_.CreateAnd(s, n(3));
  Value* result = n(0);
  for (unsigned i = 0; i != 4; ++i) {
    Value* index = nullptr;
    Value* sign = nullptr;
    const std::uint64_t k = i;
    switch (mode) {
      case 0: {
        Value* nibble = b_.CreateLShr(s, n(4 * k));
        index = b_.CreateAnd(nibble, n(7));
        sign = b_.CreateICmpNE(b_.CreateAnd(nibble, n(8)), n(0));
        break;
      }
      case 1:  // forward 4 extract
        index = b_.CreateAdd(low, n(k));
        break;
      case 2:  // backward 4 extract
        index = b_.CreateAnd(b_.CreateSub(low, n(k)), n(7));
        break;
      case 3:  // replicate 8
        index = low;
        break;
      case 4:  // edge clamp left
        index = b_.CreateIntrinsic(umax, {b_.getInt64Ty()}, {low, n(k)});
        break;
      case 5:  // edge clamp right
        index = b_.CreateIntrinsic(umin, {b_.getInt64Ty()}, {low, n(k)});
        break;
      default:  // replicate 16
        index = b_.CreateOr(b_.CreateShl(b_.CreateAnd(low, n(1)), n(1)), n(k & 1));
        break;
    }
    Value* byte = b_.CreateAnd(b_.CreateLShr(both, b_.CreateShl(index, n(3))), n(255));
    if (sign != nullptr) {
      Value* filled = b_.CreateSelect(b_.CreateICmpUGE(byte, n(128)), n(255), n(0));
      byte = b_.CreateSelect(sign, filled, byte);
    }
    result = b_.CreateOr(result, b_.CreateShl(byte, n(8 * k)));
  }
  return b_.CreateTrunc(result, b_.getInt32Ty());
}

}  // namespace oxide::jit
