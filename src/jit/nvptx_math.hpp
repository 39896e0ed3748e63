// Mathematics by a GPU's own instructions.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// By the instructions that are named .approx, without .ftz: subnormals are kept (PTX ISA, "Floating Point Instructions").
llvm::Value* nvptx_approximate(Builder& b, ir::Math f, llvm::ArrayRef<llvm::Value*> x);

// Truncates, saturates, and makes 0 of a NaN.
llvm::Value* nvptx_float_to_integer(Builder& b, llvm::Value* value, ir::Type from, ir::Type to);

}  // namespace oxide::jit
