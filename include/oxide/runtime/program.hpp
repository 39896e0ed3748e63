// A kernel compiled and loaded for one device, and the process-wide cache of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/hash.hpp>
#include <oxide/jit/compile.hpp>
#include <oxide/jit/dump.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch_checks.hpp>

namespace oxide::runtime {

// Immutable; shared by every call of one kernel on one device.
class Program {
 public:
  Program(DeviceState& device, std::shared_ptr<const ir::Graph> graph, std::shared_ptr<const CompiledKernel> compiled);

  const ir::Graph& graph() const { return *graph_; }
  std::uint32_t device_id() const { return plan_.device_id; }
  // How long it took to make this; what was shared with an earlier program counts as it took then.
  const BuildTimes& times() const { return times_; }
  std::string_view ptx() const { return compiled_->code.ptx(); }  // empty on the CPU
  const LaunchPlan& plan() const { return plan_; }
  LoadedKernel& loaded() const { return *loaded_; }

 private:
  std::shared_ptr<const ir::Graph> graph_;
  std::shared_ptr<const CompiledKernel> compiled_;
  BuildTimes times_;
  std::unique_ptr<LoadedKernel> loaded_;
  LaunchPlan plan_;
};

// The program for a graph on a device: from the process's cache, or compiled, linked and loaded now. One thread compiles a key while the
// others that want it wait; a failure is not kept. Programs stay until the process ends.
// Throws CompileError when the compiler library is missing or the kernel does not compile, DeviceError, LaunchError when the kernel has
// more parameters than can be passed.
std::shared_ptr<const Program> load_program(const Device& device, std::shared_ptr<const ir::Graph> graph, const CompileOptions& options = {});

// What the compiler makes of a graph, as text, for a target that this machine need not have. Throws CompileError.
struct CompiledText {
  std::string llvm_ir, ptx, assembly;  // ptx for GPUs, assembly for the CPU
};
CompiledText compile_text(const jit::Target& target, const ir::Graph& graph, const CompileOptions& options = {});

// ---- how

namespace detail {

// Values made once for each key. A key that is being made blocks only those who want it.
template <class Key, class Value>
class OnceMap {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    const std::shared_ptr<Slot> slot = slot_of(key);
    const std::lock_guard lock(slot->mutex);
    if (slot->value == nullptr) slot->value = make();  // when this throws, the next one who wants the key tries again
    return slot->value;
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const Value> value;
  };
  std::shared_ptr<Slot> slot_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& slot = slots_[key];
    if (slot == nullptr) slot = std::make_shared<Slot>();
    return slot;
  }
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Slot>> slots_;
};

// Graphs of equal hash do the same; those that also have equal names and lines say the same about a fault.
ir::Hash identity(const ir::Graph& graph);

inline ir::Hash identity(const ir::Graph& graph) {
  ir::Hash hash = ir::hash(graph, ir::HashLines::include);
  for (const char c : graph.name) hash.low = (hash.low ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

class ProgramCache {
 public:
  static ProgramCache& get() {
    static ProgramCache& cache = *new ProgramCache;  // never freed: kernels may run until the process ends
    return cache;
  }
  std::shared_ptr<const Program> program(const Device& device, std::shared_ptr<const ir::Graph> graph, const CompileOptions& options);

 private:
  using CompiledKey = std::tuple<ir::Hash, jit::Target, CompileOptions>;
  using ProgramKey = std::tuple<ir::Hash, std::uint32_t, CompileOptions>;
  std::shared_ptr<const CompiledKernel> compiled(DeviceState& device, const ir::Graph& graph, const CompileOptions& options);
  OnceMap<CompiledKey, CompiledKernel> compiled_;
  OnceMap<ProgramKey, Program> programs_;
};

inline jit::CompileRequest request_for(const jit::Target& target, const CompileOptions& options) {
  return {target, options.opt_level, options.line_info ? std::uint32_t{OXIDE_JIT_LINE_INFO} : 0};
}

inline std::shared_ptr<const Program> ProgramCache::program(const Device& device, std::shared_ptr<const ir::Graph> graph,
                                                            const CompileOptions& options) {
  return programs_.get(ProgramKey{identity(*graph), device.id(), options}, [&] {
    return std::make_shared<const Program>(device.state(), graph, compiled(device.state(), *graph, options));
  });
}

inline std::shared_ptr<const CompiledKernel> ProgramCache::compiled(DeviceState& device, const ir::Graph& graph, const CompileOptions& options) {
  const jit::Target target = device.target();
  const ir::Hash hash = ir::hash(graph, options.line_info ? ir::HashLines::include : ir::HashLines::ignore);
  return compiled_.get(CompiledKey{hash, target, options}, [&] {
    const jit::Dump& dump = jit::Dump::from_environment();
    BuildTimes times;
    {
      const Stopwatch time(times.library_ms);
      jit::detail::library_for(graph);
    }
    jit::CompileRequest request = request_for(target, options);
    request.flags |= dump.compile_flags();
    const double start = now_ms();
    auto kernel = std::make_shared<CompiledKernel>(CompiledKernel{jit::compile(graph, request), options.line_info, {}, times});
    kernel->times.compile_ms = now_ms() - start;
    kernel->times.stages = kernel->code.timing();
    if (dump.any()) dump.text(graph, hash.text(), kernel->code);
    device.link(*kernel, graph);
    if (dump.any()) dump.machine_code(graph, hash.text(), kernel->cubin);
    return kernel;
  });
}

}  // namespace detail

inline Program::Program(DeviceState& device, std::shared_ptr<const ir::Graph> graph, std::shared_ptr<const CompiledKernel> compiled)
    : graph_(std::move(graph)), compiled_(std::move(compiled)), times_(compiled_->times) {
  make_launch_plan(*graph_, device, LaunchConfig::largest_block);  // refuses before anything is loaded
  {
    const detail::Stopwatch time(times_.load_ms);
    loaded_ = device.load(compiled_, graph_);
  }
  plan_ = make_launch_plan(*graph_, device, loaded_->max_threads_per_block);
}

inline std::shared_ptr<const Program> load_program(const Device& device, std::shared_ptr<const ir::Graph> graph, const CompileOptions& options) {
  return detail::ProgramCache::get().program(device, std::move(graph), options);
}

inline CompiledText compile_text(const jit::Target& target, const ir::Graph& graph, const CompileOptions& options) {
  jit::CompileRequest request = detail::request_for(target, options);
  request.flags |= OXIDE_JIT_KEEP_LLVM | OXIDE_JIT_KEEP_ASM;
  const jit::CompiledCode code = jit::compile(graph, request);
  return {std::string(code.llvm_ir()), std::string(code.ptx()), std::string(code.assembly())};
}

}  // namespace oxide::runtime
