// From a kernel lambda to a program on a device, and the call-site cache of programs. Declarations; see kernel_implementation.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/parameter.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/target.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/argument.hpp>
#include <oxide/runtime/launch_config.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {

namespace runtime {
class Program;
}

using FpMode = ir::FpMode;

// What was made for one kernel on one device, and what tracing it took. The compiler's and the driver's times are in program->times()
// (<oxide/runtime/program.hpp>).
struct KernelBuild {
  std::shared_ptr<const ir::Graph> graph;
  std::shared_ptr<const runtime::Program> program;
  std::size_t trace_runs = 0;  // of the lambda
  double trace_ms = 0;
};

namespace detail {

// What a kernel is asked to be, besides its lambda.
struct KernelOptions {
  FpMode fp_mode = FpMode::contract;
  bool line_info = false;

  static constexpr std::size_t count = 4;
  constexpr std::size_t index() const { return (fp_mode == FpMode::strict ? 1u : 0u) + (line_info ? 2u : 0u); }
};

// A traced kernel lambda without its types. `run` makes one run: the parameters anew, and the lambda called on them.
struct TracedLambda {
  std::string_view name;
  KernelOptions options;
  ParameterTable& table;
  void* object;
  void (*run)(void* object);
};

struct KernelText {
  std::string llvm_ir, ptx, assembly;
};

OXIDE_INLINE std::shared_ptr<const ir::Graph> trace_graph(const TracedLambda& kernel);
OXIDE_INLINE std::shared_ptr<const KernelBuild> build_kernel(const TracedLambda& kernel, std::uint32_t device);
OXIDE_INLINE void launch_kernel(const KernelBuild& build, const Stream& stream, const LaunchConfig& config,
                                std::span<const runtime::Argument> arguments);
OXIDE_INLINE std::string graph_text(const ir::Graph& graph);
OXIDE_INLINE KernelText kernel_text(const jit::Target& target, const ir::Graph& graph, KernelOptions options);
// Says once, for each kernel that pays for it, that it is traced at every launch.
OXIDE_INLINE void say_traced_again(std::atomic<bool>& said, std::string_view name);
[[noreturn]] OXIDE_INLINE void launched_in_kernel(std::string_view name, Where where);
[[noreturn]] OXIDE_INLINE void not_a_kernel_name(std::string_view name);

// The programs of one lambda with one list of argument types, by device and options. A hit takes no lock. Entries are never taken
// back: programs stay until the process ends.
class CallSiteCache {
 public:
  static constexpr std::uint32_t devices = 16;  // others are found by their graphs

  const KernelBuild* find(std::uint32_t device, KernelOptions options) const {
    return device < devices ? slots_[options.index()][device].load(std::memory_order_acquire) : nullptr;
  }
  OXIDE_INLINE std::shared_ptr<const KernelBuild> build(const TracedLambda& kernel, std::uint32_t device);

 private:
  std::array<std::array<std::atomic<const KernelBuild*>, devices>, KernelOptions::count> slots_{};
};

// One for each lambda type and list of argument types: the address of a variable is their identity.
template <class... Key>
inline constinit CallSiteCache call_site_cache{};
template <class Key>
inline constinit std::atomic<bool> traced_again_said{false};

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
