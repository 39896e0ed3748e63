// What the compiler left in the local memory of a GPU's threads: arrays with indices that it does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>
#include <oxide/jit/local_array.hpp>

namespace oxide::jit {

inline std::vector<ArrayInLocalMemory> arrays_in_local_memory(const ir::Graph& graph, std::span<const oxide_local_array> arrays) {
  std::vector<ArrayInLocalMemory> all;
  for (const oxide_local_array& a : arrays) {
    if (a.function >= ir::body_count(graph)) continue;
    const ir::Body& body = ir::body_of(graph, a.function);
    if (a.block >= body.blocks.size() || a.operation >= body.blocks[a.block].operations.size()) continue;
    const ir::Location& at = body.blocks[a.block].operations[a.operation].location;
    SourceLine line;
    if (at.line != 0 && at.file < graph.files.size()) line = {graph.files[at.file], at.line, at.column};
    all.push_back({line, a.bytes});
  }
  return all;
}

// ptxas makes the stack frame of a function a multiple of this many bytes (seen with CUDA 13's, whatever the arrays' alignment).
inline constexpr std::uint64_t frame_multiple = 8;

// The bytes of `.local .align 8 .b8 __local_depot0[24];`, which LLVM declares in each function that has such arrays; of each function
// rounded up to `multiple`.
inline std::uint64_t local_depot_bytes(std::string_view ptx, std::uint64_t multiple = 1) {
  std::uint64_t bytes = 0;
  constexpr std::string_view depot = "__local_depot";
  for (std::size_t at = ptx.find(depot); at != std::string_view::npos; at = ptx.find(depot, at + 1)) {
    std::size_t open = at + depot.size();
    while (open < ptx.size() && ptx[open] >= '0' && ptx[open] <= '9') ++open;
    if (open >= ptx.size() || ptx[open] != '[') continue;
    std::uint64_t size = 0;
    for (++open; open < ptx.size() && ptx[open] >= '0' && ptx[open] <= '9'; ++open)
      size = 10 * size + static_cast<std::uint64_t>(ptx[open] - '0');
    bytes += (size + multiple - 1) / multiple * multiple;
  }
  return bytes;
}

// Lines for readers.
inline std::string local_memory_text(const ir::Graph& graph, std::span<const oxide_local_array> arrays, std::string_view ptx) {
  const std::uint64_t bytes = local_depot_bytes(ptx);
  std::string text = "local memory: " + (bytes == 0 ? "none" : std::to_string(bytes) + " bytes a thread, without spilled registers") + '\n';
  for (const ArrayInLocalMemory& a : arrays_in_local_memory(graph, arrays))
    text +=
        "  an array of " + std::to_string(a.bytes) + " bytes (" + a.line.text() + "): not all of its indices are known to the compiler\n";
  return text;
}

}  // namespace oxide::jit
