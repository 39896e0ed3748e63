// Where a block's shared arrays lie. The compiler and the launch agree by this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// Arrays start at multiples of this, so that 16-byte accesses and asynchronous copies fit.
inline constexpr std::uint64_t shared_alignment = 16;

// What PTX takes as arrays of a fixed size; a kernel with more has all of them in the memory that the launch asks for (CUDA C++
// Programming Guide, "Technical Specifications").
inline constexpr std::uint64_t max_static_shared_bytes = std::uint64_t{48} * 1024;

constexpr std::uint64_t align_shared(std::uint64_t bytes) { return (bytes + shared_alignment - 1) / shared_alignment * shared_alignment; }

struct SharedLayout {
  std::vector<std::uint64_t> offsets;       // of each memory of the graph; only of arrays of a fixed size
  std::uint64_t fixed_bytes = 0;            // of all of those
  std::vector<std::uint32_t> dynamic;       // the memories whose size the launch decides, in order
  bool all_dynamic() const { return fixed_bytes > max_static_shared_bytes; }
  bool any() const { return fixed_bytes != 0 || !dynamic.empty(); }
};

inline SharedLayout shared_layout(const Graph& graph) {
  SharedLayout layout;
  layout.offsets.resize(graph.memories.size(), 0);
  for (std::size_t i = 0; i != graph.memories.size(); ++i) {
    const Memory& m = graph.memories[i];
    if (m.kind == MemoryKind::dynamic_shared) layout.dynamic.push_back(static_cast<std::uint32_t>(i));
    if (m.kind != MemoryKind::shared) continue;
    layout.offsets[i] = layout.fixed_bytes;
    layout.fixed_bytes = align_shared(layout.fixed_bytes + m.elements * layout_of(m).size);
  }
  return layout;
}

// Whether threads see what other threads of the kernel write while it runs.
inline bool synchronizes(const Body& body) {
  for (const Block& block : body.blocks)
    for (const Operation& op : block.operations) {
      const Effect effect = row_of(op.opcode).effect;
      if (effect == Effect::block_collective || effect == Effect::warp_collective || effect == Effect::fences || effect == Effect::atomic)
        return true;
    }
  return false;
}
inline bool synchronizes(const Graph& graph) {
  for (const Function& function : graph.functions)
    if (synchronizes(static_cast<const Body&>(function))) return true;
  return synchronizes(static_cast<const Body&>(graph));
}

}  // namespace oxide::ir
