// The mathematical functions of ir/math.hpp as LLVM IR.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// The results of a function of operands of the types in its row: in a few instructions that are the same for every target, or as the
// surroundings have it.
MathResults lower_math(Builder& b, Surroundings& around, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands);

// A call of a library's function, which the module then declares. Of several results the library's function writes all through pointers
// at its end (sincos), or returns the first and writes the second (remquo), as the C library's do.
MathResults call_math_function(Builder& b, const std::string& name, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands);

}  // namespace oxide::jit
