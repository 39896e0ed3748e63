// What the runtime passes for the hidden parameters of a kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/storage.hpp>

namespace oxide::runtime {

// The storages' pointers for one device, in the order of the parameters. Throws DeviceError.
inline std::vector<void*> storage_pointers(const ir::Graph& graph, DeviceState& device) {
  std::vector<void*> pointers;
  std::size_t storages = 0;
  for (const ir::Parameter& p : graph.parameters) {
    if (p.kind != ir::ParameterKind::storage) continue;
    if (storages == graph.storages.size())
      throw Error("kernel '" + graph.name + "' was not traced by this program: its storages are not known");
    const auto* storage = static_cast<const Storage*>(graph.storages[storages++].get());
    pointers.push_back(const_cast<Storage*>(storage)->on(device));
  }
  return pointers;
}

// Whether the last parameter is where the kernel prints.
inline bool prints(const ir::Graph& graph) {
  return !graph.parameters.empty() && graph.parameters.back().kind == ir::ParameterKind::printer;
}

}  // namespace oxide::runtime
