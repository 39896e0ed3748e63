// Numbers: arithmetic and conversions that are rounded otherwise than to nearest even. See lower_numbers.hpp.
//
// A GPU has an instruction for each. A CPU has one rounding mode for all: there they are calls of functions that set it, make one
// operation, and set it back (rounding.cpp).
#include "body.hpp"
#include "failure.hpp"
#include "lower_numbers.hpp"

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

}  // namespace

Value* Numbers::rounded(ir::Opcode op, ir::Type type, unsigned mode, llvm::ArrayRef<Value*> x) {
  using enum ir::Opcode;
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
    static constexpr ID whole[] = {roundeven, llvm::Intrinsic::trunc, llvm::Intrinsic::floor, llvm::Intrinsic::ceil};
    return cast(intrinsic(whole[mode], {x}), from, to);
  }
  if (mode == nearest || (from == ir::Type::f32 && ir::is_floating(to)) || from == to) return cast(x, from, to);
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

}  // namespace oxide::jit
