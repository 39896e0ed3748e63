// What the assembler of PTX (CUDA 13.0's, and the driver's of that time) makes of correct code, gone around.
#pragma once

#include <string>
#include <string_view>

#include "llvm.hpp"

namespace oxide::jit {

// `x << k` with `x >> 64 - k` is taken for a rotation of 64 bits, also where the right shift is arithmetic or one is subtracted from the
// other. So such right shifts are made of operations on halves. Real rotations are LLVM's own by now. What is shifted and by how much has
// to be seen, as it is of values that are not in memory.
void avoid_false_rotations(llvm::Module& module);

// Of 16-bit integers, -x, 0 - x and abs(x) of the least one give 32768 in a register of 32 bits, and what reads it (a shift, a
// comparison, a conversion) does not take the lower 16 bits first; and max(x, c) == c is taken for x >= c. So these operations are made
// in 32 bits and cut off.
// Of 64 bits, an absolute value of 0 that is subtracted from a wider number left a borrow; as a choice of two it does not.
std::string with_wide_operations(std::string_view ptx);

}  // namespace oxide::jit
