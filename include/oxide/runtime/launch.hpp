// A launch: checked, then started.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <oxide/error.hpp>
#include <oxide/runtime/argument.hpp>
#include <oxide/runtime/launch_checks.hpp>
#include <oxide/runtime/launch_config.hpp>
#include <oxide/runtime/program.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide::runtime {

// Starts a kernel. On a GPU it returns at once, and a failed check is thrown by a later call on the device; on the CPU the kernel has run
// when this returns. Takes no lock and allocates nothing on a GPU.
// Throws LaunchError when a check fails (nothing was started), KernelFault, DeviceError.
inline void launch(const Program& program, const Stream& stream, const LaunchConfig& config, std::span<const Argument> arguments) {
  const LaunchPlan& plan = program.plan();
  const ir::Graph& graph = program.graph();
  if (stream.device_id() != plan.device_id) [[unlikely]]
    throw LaunchError(graph.name, -1, "a stream of " + detail::device_text(plan.device_id) + ", which the kernel was loaded for",
                      "one of " + detail::device_text(stream.device_id()));
  check_shape(plan, graph, config);
  check_arguments(plan, graph, arguments);
  if (config.empty()) return;

  void* pointers[max_launch_arguments + 2 * SharedPlaces::most + 2];  // with room for hidden parameters, grid barrier and fault record
  std::size_t count = 0;
  for (const Argument& argument : arguments) {
    if (argument.kind == ir::ParameterKind::value) {
      pointers[count++] = const_cast<void*>(argument.value);
    } else {
      pointers[count++] = const_cast<void**>(&argument.pointer);
      pointers[count++] = const_cast<std::uint64_t*>(&argument.length);
    }
  }
  SharedPlaces shared;
  if (!plan.shared.empty() || plan.fixed_shared_bytes != 0) place_shared(plan, graph, config, shared);
  program.loaded().launch(stream.state(), config, pointers, count, shared);
}

}  // namespace oxide::runtime
