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

}  // namespace

void avoid_back_end_faults(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : module) {
    const bool classifies =
        machine.getTargetTriple().isX86() && !function.isDeclaration() && machine.getSubtargetImpl(function)->checkFeatures("+avx512dq");
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (classifies) hide_numbers(i);
      tell_distance(i);
    }
  }
}

}  // namespace oxide::jit
