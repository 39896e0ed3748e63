// Memory that is no parameter.
#pragma once

#include "llvm.hpp"

#include <oxide/ir/graph.hpp>

namespace oxide::jit {

// A table of the graph as a constant of the module.
llvm::GlobalVariable* make_table(llvm::Module& module, const ir::Graph& graph, std::size_t memory, unsigned address_space);

// The bytes of all tables of the graph.
std::uint64_t table_bytes(const ir::Graph& graph);

}  // namespace oxide::jit
