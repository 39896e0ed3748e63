// Stores of a part of a floating-point number's bits.
#pragma once

#include "llvm.hpp"

namespace oxide::jit {

// To be called before PTX is written. A PTX store may be narrower than its register, and then takes the low bits (PTX ISA, "Operand Size
// Exceeding Instruction-Type Size"). The rule is for registers of untyped bits, which LLVM makes all of them; but the assembler takes a
// register that a floating-point instruction wrote for a floating-point one, and converts its value to an integer of the store's size.
// (Seen in ptxas 13.0 and driver 580, for every architecture.) An instruction on bits between the two keeps them.
void keep_bits_of_floats(llvm::Module& module);

}  // namespace oxide::jit
