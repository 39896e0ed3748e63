// From a kernel lambda to a program on a device, and the call-site cache of programs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <oxide/dsl/parameter.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/runtime/program.hpp>
#include <oxide/trace/to_graph.hpp>

namespace oxide {

using FpMode = ir::FpMode;

// What was made for one kernel on one device, and what that took.
struct KernelBuild {
  std::shared_ptr<const ir::Graph> graph;
  std::shared_ptr<const runtime::Program> program;
  trace::Statistics trace;
  double trace_ms = 0;  // the compiler's and the driver's times are in program->times()
};

namespace detail {

// What a kernel is asked to be, besides its lambda.
struct KernelOptions {
  FpMode fp_mode = FpMode::contract;
  bool line_info = false;

  static constexpr std::size_t count = 4;
  constexpr std::size_t index() const { return (fp_mode == FpMode::strict ? 1u : 0u) + (line_info ? 2u : 0u); }
};

// A traced kernel lambda without its types.
struct TracedLambda {
  std::string_view name;
  KernelOptions options;
  trace::LambdaRef run;  // once: makes the parameters and calls the lambda
  ParameterTable& table;
};

inline KernelBuild trace_kernel(const TracedLambda& kernel) {
  KernelBuild build;
  trace::LambdaRef run = kernel.run;
  const double start = runtime::detail::now_ms();
  ir::Graph graph = trace::trace(kernel.name, run, [&](ir::Graph& g) {
    g.fp_mode = kernel.options.fp_mode;
    g.parameters = kernel.table.parameters;
    g.memories = kernel.table.memories;
  }, &build.trace);
  build.graph = std::make_shared<const ir::Graph>(std::move(graph));
  build.trace_ms = runtime::detail::now_ms() - start;
  return build;
}

inline Device device_of(std::uint32_t id) { return id == 0 ? Device::cpu() : Device::gpu(id - 1); }

inline std::shared_ptr<const KernelBuild> build_kernel(const TracedLambda& kernel, std::uint32_t device) {
  KernelBuild build = trace_kernel(kernel);
  build.program = runtime::load_program(device_of(device), build.graph, {.line_info = kernel.options.line_info});
  return std::make_shared<const KernelBuild>(std::move(build));
}

// The programs of one lambda with one list of argument types, by device and options. A hit takes no lock. Entries are never taken
// back: programs stay until the process ends.
class CallSiteCache {
 public:
  static constexpr std::uint32_t devices = 16;  // others are found by their graphs

  const std::shared_ptr<const KernelBuild>* find(std::uint32_t device, KernelOptions options) const {
    return device < devices ? slots_[options.index()][device].load(std::memory_order_acquire) : nullptr;
  }
  std::shared_ptr<const KernelBuild> build(const TracedLambda& kernel, std::uint32_t device) {
    std::shared_ptr<const KernelBuild> made = build_kernel(kernel, device);
    if (device >= devices) return made;
    auto* entry = new std::shared_ptr<const KernelBuild>(made);
    const std::shared_ptr<const KernelBuild>* known = nullptr;
    if (slots_[kernel.options.index()][device].compare_exchange_strong(known, entry, std::memory_order_acq_rel)) return made;
    delete entry;  // another thread was first
    return *known;
  }

 private:
  std::array<std::array<std::atomic<const std::shared_ptr<const KernelBuild>*>, devices>, KernelOptions::count> slots_{};
};

// One for each lambda type and list of argument types: the address of a variable is their identity.
template <class... Key>
inline constinit CallSiteCache call_site_cache{};

// Said once a process for each kernel that pays for it.
inline void say_traced_again(std::atomic<bool>& said, std::string_view name) {
  if (said.exchange(true)) return;
  std::fprintf(stderr,
               "oxide: kernel '%.*s' captures host values (or is a function pointer), so it is traced at every launch; "
               "ox::bind(value, lambda) passes values without that\n",
               static_cast<int>(name.size()), name.data());
}
template <class Key>
inline constinit std::atomic<bool> traced_again_said{false};

[[noreturn]] inline void launched_in_kernel(std::string_view name, Where where) {
  refuse(where, "kernel '" + std::string(name) + "' was launched inside a kernel lambda; a lambda is called as a helper, a kernel is launched by the host");
}

// Where a launch goes and where it is written.
struct LaunchStream {
  LaunchStream(const Stream& s, Where place = Where::current()) : stream(s), where(place) {}
  const Stream& stream;
  Where where;
};

constexpr bool is_kernel_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

}  // namespace detail
}  // namespace oxide
