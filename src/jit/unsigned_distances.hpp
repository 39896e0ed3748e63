// What LLVM's back ends make of the distance of two unsigned numbers.
#pragma once

#include "llvm.hpp"

namespace oxide::jit {

// LLVM 22 takes max(a, b) - min(a, b), and a > b ? a - b : b - a, of unsigned numbers for an absolute difference; where the machine has
// none for the type and it is known which number is larger, it makes that the absolute value of a - b as a signed number
// (TargetLowering::expandABD), and distances from half the range on come out negated. So it is told as two saturating differences, of
// which one is 0, for the types that no machine here compares in one instruction: wider than 64 bits, and vectors. Call it last.
void keep_unsigned_distances(llvm::Module& module);

}  // namespace oxide::jit
