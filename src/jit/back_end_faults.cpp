#include "back_end_faults.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/PatternMatch.h>

namespace oxide::jit {

namespace {

using llvm::Value;

// ---- distances of unsigned numbers
//
// max(a, b) - min(a, b), and a > b ? a - b : b - a, are taken for an absolute difference; where the machine has none for the type and it is
// known which number is larger, that is made the absolute value of a - b as a signed number (TargetLowering::expandABD), and distances
// from half the range on come out negated. So they are told as two saturating differences, of which one is 0, for the types that no
// machine here compares in one instruction: wider than 64 bits, and vectors.

bool may_be_expanded(llvm::Type* type) {
  return type->isVectorTy() ? type->isIntOrIntVectorTy() : type->isIntegerTy() && type->getIntegerBitWidth() > 64;
}

struct Distance {
  Value *a = nullptr, *b = nullptr;
};

std::optional<Distance> distance_of(llvm::Instruction& i) {
  using namespace llvm::PatternMatch;
  Distance d;
  if (match(&i, m_Sub(m_UMax(m_Value(d.a), m_Value(d.b)), m_c_UMin(m_Deferred(d.a), m_Deferred(d.b))))) return d;
  llvm::CmpPredicate order;
  if (match(&i, m_Select(m_ICmp(order, m_Value(d.a), m_Value(d.b)), m_Sub(m_Deferred(d.a), m_Deferred(d.b)),
                         m_Sub(m_Deferred(d.b), m_Deferred(d.a)))) &&
      (order == llvm::CmpInst::ICMP_UGT || order == llvm::CmpInst::ICMP_UGE))
    return d;
  if (match(&i, m_Select(m_ICmp(order, m_Value(d.a), m_Value(d.b)), m_Sub(m_Deferred(d.b), m_Deferred(d.a)),
                         m_Sub(m_Deferred(d.a), m_Deferred(d.b)))) &&
      (order == llvm::CmpInst::ICMP_ULT || order == llvm::CmpInst::ICMP_ULE))
    return d;
  return std::nullopt;
}

void tell_distance(llvm::Instruction& i) {
  if (!may_be_expanded(i.getType())) return;
  const std::optional<Distance> d = distance_of(i);
  if (!d) return;
  llvm::IRBuilder<> b(&i);
  const auto less = [&](Value* from, Value* what) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, from, what); };
  i.replaceAllUsesWith(b.CreateOr(less(d->a, d->b), less(d->b, d->a)));
  i.eraseFromParent();
}

// ---- minimumnum and maximumnum of a number and what may be a NaN
//
// With AVX512DQ, where one side is known to be no NaN and the other is not, the sides of a scalar are ordered as `minimum` and `maximum`
// need it (X86's LowerFMINIMUM_FMAXIMUM), and a NaN beats the number. A literal is no such side: it has a way of its own. Behind a fence
// nothing is known of a number.

void hide_numbers(llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr || call->getType()->isVectorTy()) return;
  if (call->getIntrinsicID() != llvm::Intrinsic::minimumnum && call->getIntrinsicID() != llvm::Intrinsic::maximumnum) return;
  const llvm::SimplifyQuery query(i.getDataLayout());
  const auto is_number = [&](Value* v) { return llvm::isKnownNeverNaN(v, query); };
  if (is_number(i.getOperand(0)) && is_number(i.getOperand(1))) return;
  llvm::IRBuilder<> b(&i);
  for (unsigned k = 0; k != 2; ++k)
    if (Value* v = i.getOperand(k); !llvm::isa<llvm::Constant>(v))
      i.setOperand(k, b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {v->getType()}, {v}));
}

// ---- the upper bits of products of 16-bit numbers
//
// On x86 the 16 bits from the shift on, at least 16, of a product of signed 16-bit numbers become those of `pmulhw`, shifted further by
// zeros (combinePMULH). Of a product of more than 32 bits, copies of the sign should come in. As a product of 32 bits that is told so.

// Whether it was one; it is gone then.
bool tell_upper_bits(llvm::Instruction& i) {
  using namespace llvm::PatternMatch;
  if (!i.getType()->isVectorTy() || i.getType()->getScalarSizeInBits() != 16) return false;
  Value *product, *x, *y;
  const llvm::APInt* shift;
  if (!match(&i, m_Trunc(m_LShr(m_CombineAnd(m_Mul(m_Value(x), m_Value(y)), m_Value(product)), m_APInt(shift))))) return false;
  const unsigned width = product->getType()->getScalarSizeInBits();
  if (width <= 32 || shift->ule(16) || shift->uge(width)) return false;
  const auto is_short = [&](Value* v) { return llvm::ComputeMaxSignificantBits(v, i.getDataLayout()) <= 16; };
  if (!is_short(x) || !is_short(y)) return false;
  llvm::IRBuilder<> b(&i);
  const auto by = static_cast<unsigned>(shift->getZExtValue());
  Value* word = b.CreateTrunc(product, product->getType()->getWithNewBitWidth(32));
  Value* upper = b.CreateTrunc(b.CreateAShr(word, std::min(by, 31u)), i.getType());
  if (by > width - 16) upper = b.CreateAnd(upper, (std::uint64_t{1} << (width - by)) - 1);
  i.replaceAllUsesWith(upper);
  i.eraseFromParent();
  return true;
}

}  // namespace

void avoid_back_end_faults(llvm::Module& module, const llvm::TargetMachine& machine) {
  const bool x86 = machine.getTargetTriple().isX86();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const bool classifies = x86 && machine.getSubtargetImpl(function)->checkFeatures("+avx512dq");
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (classifies) hide_numbers(i);
      if (x86 && tell_upper_bits(i)) continue;
      tell_distance(i);
    }
  }
}

}  // namespace oxide::jit
