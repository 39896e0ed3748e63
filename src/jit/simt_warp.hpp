// What the lanes of a warp do together: shuffles, votes, matches, reductions.
#pragma once

#include "simt_operands.hpp"

namespace oxide::jit {

// Does the operation of a point for the lanes of the warp whose first thread is `first`.
void warp_operation(const SimtOperands& operands, const SimtPoint& point, ir::Opcode opcode, std::uint32_t lanes, std::uint32_t first);

}  // namespace oxide::jit
