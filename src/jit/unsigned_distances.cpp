#include "unsigned_distances.hpp"

#include <llvm/IR/PatternMatch.h>

namespace oxide::jit {

namespace {

using llvm::Value;

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

}  // namespace

void keep_unsigned_distances(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!may_be_expanded(i.getType())) continue;
      const std::optional<Distance> d = distance_of(i);
      if (!d) continue;
      llvm::IRBuilder<> b(&i);
      const auto less = [&](Value* from, Value* what) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, from, what); };
      i.replaceAllUsesWith(b.CreateOr(less(d->a, d->b), less(d->b, d->a)));
      i.eraseFromParent();
    }
}

}  // namespace oxide::jit
