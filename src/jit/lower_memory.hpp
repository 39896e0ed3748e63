// Memory that is no parameter, and what is done with memory and loops as a whole.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// A table of the graph as a constant of the module.
llvm::GlobalVariable* make_table(llvm::Module& module, const ir::Graph& graph, std::size_t memory, unsigned address_space);

// Copies bytes between ranges that are apart and aligned to `alignment`: 16 at a time where both addresses and the count allow, which is
// found out when the code runs. The builder goes on in a new block. `accesses` is called for each load and store.
void copy_bytes(Builder& b, llvm::Value* to, llvm::Value* from, llvm::Value* count, std::uint32_t alignment,
                llvm::function_ref<void(llvm::Instruction&, bool writes)> accesses);

// What a loop's back edge says: that `passes` passes become one, 0 for all, 1 for none.
llvm::MDNode* unroll_metadata(llvm::LLVMContext& context, unsigned passes);

// The bytes of all tables of the graph.
std::uint64_t table_bytes(const ir::Graph& graph);

}  // namespace oxide::jit
