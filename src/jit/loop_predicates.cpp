#include "loop_predicates.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace oxide::jit {

namespace {

// The widths of what counts in a loop and is extended.
class ExtendedWidths {
 public:
  ExtendedWidths(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) : loop_(loop), evolution_(evolution) {}

  bool are_several() {
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& i : *block) {
        if (!evolution_.isSCEVable(i.getType())) continue;
        visitAll(evolution_.getSCEV(const_cast<llvm::Instruction*>(&i)), *this);
        if (several_) return true;
      }
    return false;
  }

  // ---- what visitAll asks for

  bool follow(const llvm::SCEV* expression) {
    const auto* cast = llvm::dyn_cast<llvm::SCEVCastExpr>(expression);
    if (cast == nullptr || llvm::isa<llvm::SCEVTruncateExpr>(cast)) return true;
    const llvm::SCEV* narrow = cast->getOperand();
    if (!narrow->getType()->isIntegerTy() || !llvm::SCEVExprContains(narrow, [&](const llvm::SCEV* s) { return counts(s); })) return true;
    const unsigned width = narrow->getType()->getIntegerBitWidth();
    several_ |= width_ != 0 && width != width_;
    width_ = width;
    return true;
  }
  bool isDone() const { return several_; }

 private:
  bool counts(const llvm::SCEV* expression) const {
    if (const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(expression)) return counter->getLoop() == &loop_;
    const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(expression);
    const auto* phi = unknown == nullptr ? nullptr : llvm::dyn_cast<llvm::PHINode>(unknown->getValue());
    return phi != nullptr && phi->getParent() == loop_.getHeader();  // it may count, with casts on the way
  }

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  unsigned width_ = 0;
  bool several_ = false;
};

bool has_wide_integers(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& i : *block)
      if (i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() > 64) return true;
  return false;
}

}  // namespace

llvm::PreservedAnalyses ScalarLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::ScalarEvolution& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && (has_wide_integers(*loop) || ExtendedWidths(*loop, evolution).are_several()))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

}  // namespace oxide::jit
