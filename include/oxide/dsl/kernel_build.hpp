// From a kernel lambda to a program on a device, and the call-site cache of programs. Declarations; see kernel_implementation.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/dsl/parameter.hpp>
#include <oxide/ir/attributes.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/local_array.hpp>
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
  Counted<const ir::Graph> graph;
  Counted<const runtime::Program> program;
  std::size_t trace_runs = 0;  // of the lambda
  double trace_ms = 0;
};

// What a kernel takes of its device. Zero where it is not known: without a GPU only the sizes of the code and of local memory are.
struct KernelResources {
  std::uint32_t registers = 0;              // of a thread
  std::uint64_t local_bytes = 0;            // of a thread: arrays and spilled registers; without a GPU arrays only
  std::uint64_t spilled_bytes = 0;          // of a thread: local memory beyond all its arrays: spilled registers, and what calls save
  std::uint64_t shared_bytes = 0;           // of a block, without what a launch adds
  std::uint64_t constant_bytes = 0;
  std::uint32_t max_threads_per_block = 0;  // that its registers and launch bounds allow
  std::uint32_t binary_version = 0;         // the architecture of its machine code, 10 * major + minor
  std::uint64_t ptx_bytes = 0;              // of text
  std::uint64_t code_bytes = 0;             // GPUs: the cubin; the CPU: not known
  std::vector<ArrayInLocalMemory> local_arrays;  // GPUs: what the compiler could not keep in registers
};

namespace detail {

// What a kernel is asked to be, besides its lambda.
struct KernelOptions {
  FpMode fp_mode = FpMode::contract;
  bool line_info = false;
  ir::Attributes attributes;

  friend constexpr bool operator==(const KernelOptions&, const KernelOptions&) = default;
};

// A kernel lambda without its types: what parameters it makes, and one run of it on them.
struct TracedLambda {
  std::string_view name;
  KernelOptions options;
  const void* lambda;
  void (*describe)(ParameterTable& table);
  void (*run)(const void* lambda, ParameterTable& table);
};

// The programs of one lambda with one list of argument types, by device and options. A hit takes no lock. Entries are never taken
// back: programs stay until the process ends.
class CallSiteCache {
 public:
  static constexpr std::uint32_t devices = 16;  // others are found by their graphs

  const KernelBuild* find(std::uint32_t device, const KernelOptions& options) const {
    if (device >= devices) return nullptr;
    for (const Entry* entry = __atomic_load_n(&newest_[device], __ATOMIC_ACQUIRE); entry != nullptr; entry = entry->older)
      if (entry->options == options) return &entry->build;
    return nullptr;
  }
  OXIDE_INLINE void keep(std::uint32_t device, const KernelOptions& options, const KernelBuild& build);

 private:
  struct Entry {
    KernelBuild build;
    KernelOptions options;
    const Entry* older;  // a kernel is rarely asked to be more than one or two things
  };
  const Entry* newest_[devices]{};  // changed by atomic operations only; <atomic> weighs much in every file of a user
};

// Where a launch goes and where it is written.
struct LaunchStream {
  LaunchStream(const Stream& s, Where place = Where::current()) : stream(s), where(place) {}
  const Stream& stream;
  Where where;
};

struct Launch {
  std::string_view kernel;
  LaunchStream on;
  const LaunchConfig& config;
  const runtime::Argument* arguments;
  std::size_t argument_count;
};

struct KernelText {
  std::string llvm_ir, ptx, assembly;
};

OXIDE_INLINE void launch_kernel(const KernelBuild& build, const Launch& launch);
// Builds first. `cache` is null for a lambda that is traced at every launch; `said` whether that was said, by an atomic operation.
OXIDE_INLINE void build_and_launch(const TracedLambda& kernel, const Launch& launch, CallSiteCache* cache, bool* said);
OXIDE_INLINE Counted<const KernelBuild> build_kernel(const TracedLambda& kernel, std::uint32_t device, CallSiteCache* cache);
OXIDE_INLINE Counted<const ir::Graph> trace_graph(const TracedLambda& kernel);
OXIDE_INLINE std::string graph_text(const ir::Graph& graph);
// Throws Error when the attributes make no sense.
OXIDE_INLINE void wrong_attributes(std::string_view kernel, std::string_view why);
OXIDE_INLINE KernelResources kernel_resources(const KernelBuild& build);
OXIDE_INLINE KernelResources kernel_resources(const jit::Target& target, const ir::Graph& graph, KernelOptions options);
OXIDE_INLINE KernelText kernel_text(const jit::Target& target, const ir::Graph& graph, KernelOptions options);
[[noreturn]] OXIDE_INLINE void not_a_kernel_name(std::string_view name);

// One for each lambda type and list of argument types: the address of a variable is their identity.
template <class... Key>
inline constinit CallSiteCache call_site_cache{};
template <class Key>
inline constinit bool traced_again_said = false;

constexpr bool is_kernel_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

}  // namespace detail
}  // namespace oxide
