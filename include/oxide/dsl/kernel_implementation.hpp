// How kernels are traced, built and launched: the part that is the same for all of them.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <oxide/dsl/kernel_build.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>
#include <oxide/trace/to_graph.hpp>

namespace oxide::detail {

OXIDE_INLINE KernelBuild traced_kernel(const TracedLambda& kernel) {
  KernelBuild build;
  trace::Statistics statistics;
  const double start = runtime::detail::now_ms();
  auto run = [&] { kernel.run(kernel.object); };
  const auto describe = [&](ir::Graph& graph) {
    graph.fp_mode = kernel.options.fp_mode;
    graph.parameters = kernel.table.parameters;
    graph.memories = kernel.table.memories;
  };
  build.graph = std::make_shared<const ir::Graph>(trace::trace(kernel.name, run, describe, &statistics));
  build.trace_runs = statistics.runs;
  build.trace_ms = runtime::detail::now_ms() - start;
  return build;
}

OXIDE_INLINE std::shared_ptr<const ir::Graph> trace_graph(const TracedLambda& kernel) { return traced_kernel(kernel).graph; }

OXIDE_INLINE std::shared_ptr<const KernelBuild> build_kernel(const TracedLambda& kernel, std::uint32_t device) {
  KernelBuild build = traced_kernel(kernel);
  const Device on = device == 0 ? Device::cpu() : Device::gpu(device - 1);
  build.program = runtime::load_program(on, build.graph, {.line_info = kernel.options.line_info});
  return std::make_shared<const KernelBuild>(std::move(build));
}

OXIDE_INLINE void launch_kernel(const KernelBuild& build, const Stream& stream, const LaunchConfig& config,
                                std::span<const runtime::Argument> arguments) {
  runtime::launch(*build.program, stream, config, arguments);
}

OXIDE_INLINE std::string graph_text(const ir::Graph& graph) { return ir::print(graph); }

OXIDE_INLINE KernelText kernel_text(const jit::Target& target, const ir::Graph& graph, KernelOptions options) {
  runtime::CompiledText text = runtime::compile_text(target, graph, {.line_info = options.line_info});
  return {std::move(text.llvm_ir), std::move(text.ptx), std::move(text.assembly)};
}

OXIDE_INLINE std::shared_ptr<const KernelBuild> CallSiteCache::build(const TracedLambda& kernel, std::uint32_t device) {
  std::shared_ptr<const KernelBuild> made = build_kernel(kernel, device);
  if (device >= devices) return made;
  const KernelBuild* entry = new KernelBuild(*made);
  const KernelBuild* known = nullptr;
  if (!slots_[kernel.options.index()][device].compare_exchange_strong(known, entry, std::memory_order_acq_rel))
    delete entry;  // another thread was first
  return made;
}

OXIDE_INLINE void say_traced_again(std::atomic<bool>& said, std::string_view name) {
  if (said.exchange(true)) return;
  std::fprintf(stderr,
               "oxide: kernel '%.*s' captures host values (or is a function pointer), so it is traced at every launch; "
               "ox::bind(value, lambda) passes values without that\n",
               static_cast<int>(name.size()), name.data());
}

OXIDE_INLINE void launched_in_kernel(std::string_view name, Where where) {
  refuse(where, "kernel '" + std::string(name) +
                    "' was launched inside a kernel lambda; kernels are launched by the host, and a kernel's helpers are plain functions");
}

OXIDE_INLINE void not_a_kernel_name(std::string_view name) {
  throw Error("a kernel's name is made of letters, digits and underscores, and does not start with a digit: '" + std::string(name) + "'");
}

}  // namespace oxide::detail
