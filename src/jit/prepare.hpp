// What makes the compiler ready for a target: its own code in memory, and a small kernel compiled.
#pragma once

#include <oxide/ir/graph.hpp>

namespace oxide::jit {

// A kernel with what most kernels have: a thread's index, checks, loads, arithmetic, a store, and a loop.
ir::Graph typical_graph();

// Maps this library's code, all at once. One page at a time, as the first compile comes to it, takes a tenth of that compile.
void map_code();

}  // namespace oxide::jit
