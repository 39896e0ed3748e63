#include "nvptx_math.hpp"

namespace oxide::jit {

using llvm::Value;

// An instruction from f32 to f32 that LLVM has no intrinsic for.
static Value* instruction(Builder& b, llvm::StringRef name, Value* x) {
  llvm::FunctionType* type = llvm::FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
  return b.CreateCall(llvm::InlineAsm::get(type, (name + " $0, $1;").str(), "=f,f", /*hasSideEffects=*/false), {x});
}

Value* nvptx_approximate(Builder& b, ir::Math f, llvm::ArrayRef<Value*> x) {
  using namespace llvm::Intrinsic;
  const auto unary = [&](ID id, Value* v) -> Value* { return b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type*>(), {v}); };
  const auto scaled = [&](double factor, Value* v) { return b.CreateFMul(llvm::ConstantFP::get(b.getFloatTy(), factor), v); };
  const auto exp2 = [&](Value* v) -> Value* { return b.CreateIntrinsic(nvvm_ex2_approx, {b.getFloatTy()}, {v}); };
  const auto log2 = [&](Value* v) { return unary(nvvm_lg2_approx_f, v); };
  const auto divide = [&](Value* dividend, Value* divisor) -> Value* {
    return b.CreateIntrinsic(nvvm_div_approx_f, llvm::ArrayRef<llvm::Type*>(), {dividend, divisor});
  };
  switch (f) {
    case ir::Math::approx_sin:
      return unary(nvvm_sin_approx_f, x[0]);
    case ir::Math::approx_cos:
      return unary(nvvm_cos_approx_f, x[0]);
    case ir::Math::approx_tan:
      return divide(unary(nvvm_sin_approx_f, x[0]), unary(nvvm_cos_approx_f, x[0]));
    case ir::Math::approx_exp:
      return exp2(scaled(0x1.71547652b82fep+0, x[0]));  // log2(e)
    case ir::Math::approx_exp2:
      return exp2(x[0]);
    case ir::Math::approx_exp10:
      return exp2(scaled(0x1.a934f0979a371p+1, x[0]));  // log2(10)
    case ir::Math::approx_log:
      return scaled(0x1.62e42fefa39efp-1, log2(x[0]));  // ln(2)
    case ir::Math::approx_log2:
      return log2(x[0]);
    case ir::Math::approx_log10:
      return scaled(0x1.34413509f79ffp-2, log2(x[0]));  // log10(2)
    case ir::Math::approx_pow:
      return exp2(b.CreateFMul(x[1], log2(x[0])));
    case ir::Math::approx_tanh:
      return instruction(b, "tanh.approx.f32", x[0]);
    case ir::Math::approx_sqrt:
      return unary(nvvm_sqrt_approx_f, x[0]);
    case ir::Math::approx_rsqrt:
      return unary(nvvm_rsqrt_approx_f, x[0]);
    case ir::Math::approx_rcp:
      return instruction(b, "rcp.approx.f32", x[0]);
    default:
      return divide(x[0], x[1]);
  }
}

// `cvt.rzi` saturates, and makes 0 of a NaN where neither side has 64 bits (PTX ISA, "cvt"); LLVM's own lowering does it all by hand.
Value* nvptx_float_to_integer(Builder& b, Value* value, ir::Type from, ir::Type to) {
  using namespace llvm::Intrinsic;
  static constexpr ID conversions[2][2][2] = {{{nvvm_f2ui_rz, nvvm_f2i_rz}, {nvvm_f2ull_rz, nvvm_f2ll_rz}},
                                              {{nvvm_d2ui_rz, nvvm_d2i_rz}, {nvvm_d2ull_rz, nvvm_d2ll_rz}}};
  const bool is_signed = ir::is_signed_integer(to), from_double = from == ir::Type::f64, to_64_bits = ir::bits_of(to) == 64;
  Value* integer = b.CreateIntrinsic(conversions[from_double][to_64_bits][is_signed], llvm::ArrayRef<llvm::Type*>(), {value});
  if (from_double || to_64_bits) {
    Value* is_nan = b.CreateFCmpUNO(value, value);
    integer = b.CreateSelect(is_nan, llvm::ConstantInt::get(integer->getType(), 0), integer);
  }
  const unsigned bits = ir::bits_of(to);
  if (bits >= 32) return integer;
  const auto limit = [&](const llvm::APInt& value_of_limit, ID id) {
    integer = b.CreateIntrinsic(id, {b.getInt32Ty()}, {integer, llvm::ConstantInt::get(b.getContext(), value_of_limit)});
  };
  if (is_signed) {
    limit(llvm::APInt::getSignedMaxValue(bits).sext(32), smin);
    limit(llvm::APInt::getSignedMinValue(bits).sext(32), smax);
  } else {
    limit(llvm::APInt::getMaxValue(bits).zext(32), umin);
  }
  return b.CreateTrunc(integer, value_type(b.getContext(), to));
}

}  // namespace oxide::jit
