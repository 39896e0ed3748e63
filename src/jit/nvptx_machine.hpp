// What a GPU's code is written for: architectures and versions of PTX.
#pragma once

#include "optimize.hpp"

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

// The PTX version to write; throws Failure for an architecture that is not known.
unsigned ptx_version_for(const oxide_jit_request& request, const ir::Graph& graph);

MachineKey machine_for(const oxide_jit_request& request, const ir::Graph& graph);

}  // namespace oxide::jit
