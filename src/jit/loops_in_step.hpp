// Loops that the threads of a block make pass by pass together, though nothing in them makes threads wait.
//
// In a loop that strides over memory, as that of grid_stride does, neighbours among the threads read neighbours in memory, and what one
// thread reads is far apart. So each pass is made by all threads before the next: the loop's head starts a region, and so does what follows
// the loop.
#pragma once

#include <oxide/ir/graph.hpp>

#include <cstdint>
#include <vector>

namespace oxide::jit {

// Marks the blocks that are to start regions. `order` is that of the blocks, definitions before uses; `maker` says what makes a variable
// that is a little arithmetic on coordinates, parameters and constants, else null.
void find_loops_in_step(const ir::Graph& graph, const std::vector<std::uint32_t>& order, const std::vector<const ir::Operation*>& maker,
                        std::vector<bool>& starts);

}  // namespace oxide::jit
