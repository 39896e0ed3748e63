// a*b + c as one operation, decided before a graph is cut into regions: a value from another region does not say how it was made.
#pragma once

#include <oxide/ir/graph.hpp>

namespace oxide::jit {

// By the rule of the body's lowering. The graph's mode is strict behind it: no other product is to be fused.
void fuse_products(ir::Graph& graph);

}  // namespace oxide::jit
