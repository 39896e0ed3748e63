// PTX that LLVM has no operations for: special registers, cache hints, the user's own.
#pragma once

#include "body.hpp"

namespace oxide::jit {

llvm::Value* read_register(Builder& b, ir::SpecialRegister which);
void sleep_for(Builder& b, llvm::Value* nanoseconds);
void stop_in_debugger(Builder& b);

// What a machine has of cache hints: its architecture and the version of PTX that is written, as numbers.
struct PtxLevel {
  unsigned sm, version;
};

// An access to global memory. nullptr and false: the hint is unknown there, or the access is not one instruction, so a plain one does.
llvm::Value* load_with_hint(Builder& b, llvm::Type* type, llvm::Value* pointer, llvm::Align alignment, ir::CacheHint hint, bool read_only,
                            PtxLevel level);
bool store_with_hint(Builder& b, llvm::Value* value, llvm::Value* pointer, llvm::Align alignment, ir::CacheHint hint, PtxLevel level);
void prefetch_global(Builder& b, llvm::Value* pointer, ir::CacheHint into);

// Inline PTX as ir/inline_ptx.hpp has it: its results, one value, several in a struct, or none. `number` tells it from others in the text
// that is written. Throws Failure.
llvm::Value* call_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace oxide::jit
