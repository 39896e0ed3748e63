// Numbers: arithmetic and conversions that are rounded otherwise than to nearest even. See lower_numbers.hpp.
//
// Of f32 and f64, a GPU has an instruction for each. A CPU has one rounding mode for all: there they are calls of functions that set it,
// make one operation, and set it back (rounding.cpp). Halves are computed in f32 in the same mode, and rounded again in that mode: what is
// rounded toward one side twice, to a format and then to one whose numbers are among that one's, is rounded right.
#include "body.hpp"
#include "failure.hpp"
#include "lower_numbers.hpp"

#include <cmath>

namespace oxide::jit {

using llvm::Value;
using namespace llvm::Intrinsic;

namespace {

constexpr unsigned nearest = 0;

// By mode (rn, rz, rm, rp), f32 and f64.
constexpr ID add_ids[4][2] = {
    {nvvm_add_rn_f, nvvm_add_rn_d}, {nvvm_add_rz_f, nvvm_add_rz_d}, {nvvm_add_rm_f, nvvm_add_rm_d}, {nvvm_add_rp_f, nvvm_add_rp_d}};
constexpr ID mul_ids[4][2] = {
    {nvvm_mul_rn_f, nvvm_mul_rn_d}, {nvvm_mul_rz_f, nvvm_mul_rz_d}, {nvvm_mul_rm_f, nvvm_mul_rm_d}, {nvvm_mul_rp_f, nvvm_mul_rp_d}};
constexpr ID div_ids[4][2] = {
    {nvvm_div_rn_f, nvvm_div_rn_d}, {nvvm_div_rz_f, nvvm_div_rz_d}, {nvvm_div_rm_f, nvvm_div_rm_d}, {nvvm_div_rp_f, nvvm_div_rp_d}};
constexpr ID fma_ids[4][2] = {
    {nvvm_fma_rn_f, nvvm_fma_rn_d}, {nvvm_fma_rz_f, nvvm_fma_rz_d}, {nvvm_fma_rm_f, nvvm_fma_rm_d}, {nvvm_fma_rp_f, nvvm_fma_rp_d}};
constexpr ID sqrt_ids[4][2] = {
    {nvvm_sqrt_rn_f, nvvm_sqrt_rn_d}, {nvvm_sqrt_rz_f, nvvm_sqrt_rz_d}, {nvvm_sqrt_rm_f, nvvm_sqrt_rm_d}, {nvvm_sqrt_rp_f, nvvm_sqrt_rp_d}};
constexpr ID narrow_ids[4] = {nvvm_d2f_rn, nvvm_d2f_rz, nvvm_d2f_rm, nvvm_d2f_rp};
// From i64 and u64.
constexpr ID long_ids[4][2][2] = {{{nvvm_ll2f_rn, nvvm_ll2d_rn}, {nvvm_ull2f_rn, nvvm_ull2d_rn}},
                                  {{nvvm_ll2f_rz, nvvm_ll2d_rz}, {nvvm_ull2f_rz, nvvm_ull2d_rz}},
                                  {{nvvm_ll2f_rm, nvvm_ll2d_rm}, {nvvm_ull2f_rm, nvvm_ull2d_rm}},
                                  {{nvvm_ll2f_rp, nvvm_ll2d_rp}, {nvvm_ull2f_rp, nvvm_ull2d_rp}}};

// Calls oxide_NAME_f32 or oxide_NAME_f64 of rounding.cpp: the operands, then the mode.
Value* call_rounded(Builder& b, const std::string& name, llvm::Type* result, llvm::ArrayRef<Value*> x, unsigned mode) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type*, 4> types;
  llvm::SmallVector<Value*, 4> operands(x);
  operands.push_back(b.getInt32(mode));
  for (Value* v : operands) types.push_back(v->getType());
  const std::string symbol = "oxide_" + name + (result->isDoubleTy() ? "_f64" : "_f32");
  llvm::FunctionCallee callee = module.getOrInsertFunction(symbol, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotFreeMemory();
  function->setDoesNotAccessMemory();  // the rounding mode is as before when it returns
  return b.CreateCall(callee, operands);
}

ir::Opcode plain(ir::Opcode op) {
  using enum ir::Opcode;
  switch (op) {
    case add_rounded:
      return add;
    case sub_rounded:
      return sub;
    case mul_rounded:
      return mul;
    case div_rounded:
      return ir::Opcode::div;
    case fma_rounded:
      return fma;
    default:
      return sqrt;
  }
}

}  // namespace

Value* Numbers::rounded(ir::Opcode op, ir::Type type, unsigned mode, llvm::ArrayRef<Value*> x) {
  using enum ir::Opcode;
  if (ir::is_half(type) || ir::is_pair(type)) {
    if (mode == nearest) return half_operation(plain(op), type, x);
    llvm::SmallVector<Value*, 3> wide;
    for (Value* v : x) wide.push_back(widen(type, v));
    return narrow_toward(type, rounded(op, ir::Type::f32, mode, wide), mode);
  }
  const bool is_double = type == ir::Type::f64;
  const auto gpu = [&](const ID(&ids)[4][2], llvm::ArrayRef<Value*> operands) {
    return b_.CreateIntrinsic(ids[mode][is_double], llvm::ArrayRef<llvm::Type*>(), operands);
  };
  llvm::Type* t = x[0]->getType();
  switch (op) {
    case add_rounded:
      if (is_gpu()) return gpu(add_ids, x);
      return mode == nearest ? b_.CreateFAdd(x[0], x[1]) : call_rounded(b_, "add", t, x, mode);
    case sub_rounded:  // the sum with the negated number, which is exact
      if (is_gpu()) return gpu(add_ids, {x[0], b_.CreateFNeg(x[1])});
      return mode == nearest ? b_.CreateFSub(x[0], x[1]) : call_rounded(b_, "sub", t, x, mode);
    case mul_rounded:
      if (is_gpu()) return gpu(mul_ids, x);
      return mode == nearest ? b_.CreateFMul(x[0], x[1]) : call_rounded(b_, "mul", t, x, mode);
    case div_rounded:
      if (is_gpu()) return gpu(div_ids, x);
      return mode == nearest ? b_.CreateFDiv(x[0], x[1]) : call_rounded(b_, "div", t, x, mode);
    case fma_rounded:
      if (is_gpu()) return gpu(fma_ids, x);
      return mode == nearest ? intrinsic(llvm::Intrinsic::fma, x) : call_rounded(b_, "fma", t, x, mode);
    default:
      if (is_gpu()) return gpu(sqrt_ids, x);
      return mode == nearest ? intrinsic(llvm::Intrinsic::sqrt, x) : call_rounded(b_, "sqrt", t, x, mode);
  }
}

Value* Numbers::cast_rounded(Value* x, ir::Type from, ir::Type to, unsigned mode) {
  if (ir::is_floating(from) && !ir::is_floating(to)) {  // to a whole number first, which is exact
    static constexpr ID whole[] = {llvm::Intrinsic::roundeven, llvm::Intrinsic::trunc, llvm::Intrinsic::floor, llvm::Intrinsic::ceil};
    const bool half = ir::is_half(from);
    return cast(intrinsic(whole[mode], {half ? widen(from, x) : x}), half ? ir::Type::f32 : from, to);
  }
  if (mode == nearest || from == to) return cast(x, from, to);
  if (ir::is_half(to)) return narrow_toward(to, cast_rounded(x, from, ir::Type::f32, mode), mode);
  if (ir::is_half(from) || (from == ir::Type::f32 && ir::is_floating(to))) return cast(x, from, to);  // exact
  llvm::Type* type = value_type(context_, to);
  if (ir::is_floating(from)) {
    if (is_gpu()) return b_.CreateIntrinsic(narrow_ids[mode], llvm::ArrayRef<llvm::Type*>(), {x});
    return call_rounded(b_, "from_double", type, {x}, mode);
  }
  const bool is_unsigned = !ir::is_signed_integer(from);
  Value* wide = b_.CreateIntCast(x, b_.getInt64Ty(), !is_unsigned);
  if (is_gpu()) return b_.CreateIntrinsic(long_ids[mode][is_unsigned][to == ir::Type::f64], llvm::ArrayRef<llvm::Type*>(), {wide});
  return call_rounded(b_, is_unsigned ? "from_unsigned" : "from_signed", type, {wide}, mode);
}

// An f32 as a half, rounded toward zero, down or up.
Value* Numbers::narrow_toward(ir::Type to, Value* x, unsigned mode) {
  // PTX ISA, "cvt": to f16 in every mode; to bf16 toward zero from sm_80 on.
  if (is_gpu() && (to == ir::Type::f16 || (mode == 1 && around_.gpu_architecture() >= 80))) {
    static constexpr const char* suffixes[] = {"rn", "rz", "rm", "rp"};
    const std::string text = std::string("cvt.") + suffixes[mode] + (to == ir::Type::f16 ? ".f16" : ".bf16") + ".f32 $0, $1;";
    llvm::FunctionType* type = llvm::FunctionType::get(b_.getInt16Ty(), {b_.getFloatTy()}, false);
    return b_.CreateCall(llvm::InlineAsm::get(type, text, "=h,f", /*hasSideEffects=*/false), {x});
  }
  const ir::FloatFormat format = ir::format_of(to);
  Value* bits = as_integer(x);
  const auto number = [&](std::uint64_t n) { return integer_like(bits, n); };
  Value* magnitude = b_.CreateAnd(bits, number(0x7fffffff));
  Value* negative = b_.CreateICmpSLT(bits, number(0));
  // Away from zero: below it when rounding down, above it when rounding up.
  Value* away = mode == 1 ? b_.getFalse() : mode == 2 ? negative : b_.CreateNot(negative);
  // Normal numbers, and subnormal ones of a format with f32's exponents: drop bits of the significand, with a carry into the exponent.
  const unsigned dropped = 23 - format.mantissa;
  Value* carry = b_.CreateSelect(away, number((std::uint64_t{1} << dropped) - 1), number(0));
  const auto rebias = static_cast<std::uint64_t>(127 - format.bias) << format.mantissa;
  Value* result = b_.CreateSub(b_.CreateLShr(b_.CreateAdd(magnitude, carry), number(dropped)), number(rebias));
  if (format.bias != 127) {  // smaller ones: a number of the smallest steps
    const int least = 1 - format.bias;
    llvm::Type* f32 = x->getType();
    Value* steps = b_.CreateFMul(b_.CreateBitCast(magnitude, f32),
                                 llvm::ConstantFP::get(f32, std::ldexp(1.0, static_cast<int>(format.mantissa) - least)));
    steps = b_.CreateSelect(away, intrinsic(llvm::Intrinsic::ceil, {steps}), intrinsic(llvm::Intrinsic::floor, {steps}));
    Value* small = b_.CreateICmpULT(magnitude, number(static_cast<std::uint64_t>(least + 127) << 23));
    // Of a larger number, whatever it is: saturated, so that it is no undefined value.
    Value* below = b_.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {bits->getType(), f32}, {steps});
    result = b_.CreateSelect(small, below, result);
  }
  Value* infinite = b_.CreateICmpEQ(magnitude, number(0x7f800000));
  Value* most = b_.CreateSelect(b_.CreateOr(away, infinite), number(format.overflow()), number(format.largest()));
  result = intrinsic(umin, {result, most});
  result = b_.CreateOr(result, b_.CreateSelect(negative, number(format.sign()), number(0)));
  result = b_.CreateSelect(b_.CreateFCmpUNO(x, x), number(format.nan()), result);
  return b_.CreateTrunc(result, b_.getInt16Ty());
}

}  // namespace oxide::jit
