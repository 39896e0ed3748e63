// Checks of a kernel that need not be made: the index is below the bound whatever the launch, or a check that passed before says so.
#pragma once

#include <oxide/ir/graph.hpp>

#include <vector>

namespace oxide::jit {

// Of each site of the kernel's own body (fault_sites, the first ones of which are its own): whether it is a check that always passes.
std::vector<bool> proved_sites(const ir::Graph& graph);

}  // namespace oxide::jit
