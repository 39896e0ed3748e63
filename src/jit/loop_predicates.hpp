// Loops that LLVM's vectorizer must leave alone.
#pragma once

#include "llvm.hpp"

namespace oxide::jit {

// The vectorizer takes `zext i32 k` and `k & 3` for numbers that go up by one in each pass, under the condition, looked at before the
// loop, that counters of 32 and of 2 bits do not wrap. LLVM 22 takes the condition of one width for that of another
// (SCEVWrapPredicate::implies), leaves the narrower one out, and reads consecutive elements where a few should be read over and over. So
// loops in which counters of several widths are extended are not made vectors of. Nor are those of integers of more than 64 bits: no
// machine has such vectors, and x86 takes wrong elements where it makes them of others. Just before the vectorizer.
class ScalarLoopsPass : public llvm::PassInfoMixin<ScalarLoopsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace oxide::jit
