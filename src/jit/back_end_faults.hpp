// What LLVM 22's back ends compile wrongly, told in a way that they compile rightly.
#pragma once

#include "llvm.hpp"

namespace oxide::jit {

// Call it last, before code is emitted.
void avoid_back_end_faults(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace oxide::jit
