// What kernels do besides computing: output.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// The record of a print: its number of words, its key, and the arguments' bits.
std::vector<llvm::Value*> print_record(Builder& b, std::uint64_t key, llvm::ArrayRef<llvm::Value*> arguments);

// Writes a record to an oxide_print_buffer, which is in global memory. The builder goes on in a new block.
void write_record(Builder& b, llvm::Value* buffer, llvm::ArrayRef<llvm::Value*> record);

// Gives a record to an oxide_print_sink.
void pass_record(Builder& b, llvm::Value* sink, llvm::ArrayRef<llvm::Value*> record);

}  // namespace oxide::jit
