// A region's threads in parts: cut where its branches on a thread's place in the block go another way, so that each part is code without
// those branches. The rim of a tile is read by its own loop then, and what one half of a block does in a reduction, by that half alone.
#pragma once

#include <oxide/ir/graph.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace oxide::jit {

struct Region;

struct RowPart {
  static constexpr std::uint32_t no_end = std::uint32_t{1} << 30;  // beyond the largest block
  std::array<std::uint32_t, 2> from{0, 0}, end{no_end, no_end};    // of thread_index x and y
  // A few threads are no loop worth much code.
  bool few() const { return end[0] - from[0] < 8; }
  ir::Graph graph{};  // the region's, whose decided branches are jumps, without checks that pass; blocks keep their numbers
  std::vector<std::uint32_t> sites{};  // of each check of `graph`: its number in the kernel
};

// At least one part; together they are all threads.
std::vector<RowPart> cut_rows(const Region& region);

}  // namespace oxide::jit
