// A kernel compiled and loaded for one device, and the process-wide cache of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/hash.hpp>
#include <oxide/jit/compile.hpp>
#include <oxide/jit/dump.hpp>
#include <oxide/jit/local_memory.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/cpu/floating_environment.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch_checks.hpp>

namespace oxide::runtime {

// Immutable; shared by every call of one kernel on one device.
class Program {
 public:
  Program(DeviceState& device, Counted<const ir::Graph> graph, Counted<const CompiledKernel> compiled);

  const ir::Graph& graph() const { return *graph_; }
  std::uint32_t device_id() const { return plan_.device_id; }
  // How long it took to make this; what was shared with an earlier program counts as it took then.
  const BuildTimes& times() const { return times_; }
  std::string_view ptx() const { return compiled_->code.ptx(); }  // empty on the CPU
  std::span<const oxide_local_array> local_arrays() const { return compiled_->code.local_arrays(); }
  const LaunchPlan& plan() const { return plan_; }
  LoadedKernel& loaded() const { return *loaded_; }

 private:
  Counted<const ir::Graph> graph_;
  Counted<const CompiledKernel> compiled_;
  BuildTimes times_;
  Counted<LoadedKernel> loaded_;
  LaunchPlan plan_;
};

// The program for a graph on a device: from the process's cache, or compiled, linked and loaded now. One thread compiles a key while the
// others that want it wait; a failure is not kept. Programs stay until the process ends.
// Throws CompileError when the compiler library is missing or the kernel does not compile, DeviceError, LaunchError when the kernel has
// more parameters than can be passed.
Counted<const Program> load_program(const Device& device, const Counted<const ir::Graph>& graph, const CompileOptions& options = {});

// What the compiler makes of a graph, as text, for a target that this machine need not have. Throws CompileError.
struct CompiledText {
  std::string llvm_ir, ptx, assembly;  // ptx for GPUs, assembly for the CPU
  std::vector<ArrayInLocalMemory> local_arrays;
};
CompiledText compile_text(const jit::Target& target, const ir::Graph& graph, const CompileOptions& options = {});

// ---- how

namespace detail {

// Values made once for each key. A key that is being made blocks only those who want it.
class OnceMap {
 public:
  struct Slot {
    ir::Hash key;
    std::mutex mutex;
    Counted<const void> value;  // guarded by mutex
    Slot* next;
  };
  // The value for a key, made by `make` when there is none. When that throws, the next one who wants the key tries again.
  template <class Make>
  Counted<const void> get(const ir::Hash& key, Make make) {
    Slot& slot = slot_of(key);
    const std::lock_guard lock(slot.mutex);
    if (slot.value == nullptr) slot.value = make();
    return slot.value;
  }

 private:
  Slot& slot_of(const ir::Hash& key) {
    const std::lock_guard lock(mutex_);
    Slot*& first = buckets_[key.low % std::size(buckets_)];
    for (Slot* slot = first; slot != nullptr; slot = slot->next)
      if (slot->key == key) return *slot;
    return *(first = new Slot{key, {}, nullptr, first});
  }
  std::mutex mutex_;
  Slot* buckets_[256] = {};  // guarded by mutex_; slots are never freed
};

class ProgramCache {
 public:
  static ProgramCache& get() {
    static ProgramCache& cache = *new ProgramCache;  // never freed: kernels may run until the process ends
    return cache;
  }
  Counted<const Program> program(const Device& device, const Counted<const ir::Graph>& graph, const CompileOptions& options);

 private:
  Counted<const CompiledKernel> compiled(DeviceState& device, const ir::Graph& graph, const CompileOptions& options);
  static Counted<const CompiledKernel> compile(DeviceState& device, const ir::Graph& graph, const CompileOptions& options,
                                               const ir::Hash& hash);
  OnceMap compiled_;  // by graph, target and options
  OnceMap programs_;  // by graph with its names and lines, device and options: what says the same about a fault
};

// A graph's hash with what else a key consists of.
inline ir::Hash key_of(const ir::Hash& hash, const CompileOptions& options, const jit::Target& target, std::uint32_t device,
                       std::string_view name, const ir::Graph* graph = nullptr) {
  ir::detail::Hasher out;
  out.word(hash.high);
  out.word(hash.low);
  out.word(std::uint64_t{options.opt_level} << 1 | (options.line_info ? 1 : 0));
  out.enumerator(target.kind);
  out.word(std::uint64_t{target.sm} << 32 | target.ptx_version);
  out.word(device);
  for (const char c : name) out.word(static_cast<unsigned char>(c));
  // A program keeps its storages, so that no other one ever has the address of one that is in a key.
  if (graph != nullptr)
    for (const auto& storage : graph->storages) out.word(reinterpret_cast<std::uintptr_t>(storage.get()));
  return out.finish();
}

inline jit::CompileRequest request_for(const jit::Target& target, const CompileOptions& options) {
  return {target, options.opt_level, options.line_info ? std::uint32_t{OXIDE_JIT_LINE_INFO} : 0};
}

inline Counted<const Program> ProgramCache::program(const Device& device, const Counted<const ir::Graph>& graph,
                                                    const CompileOptions& options) {
  const cpu::FloatingEnvironment environment;  // the compiler folds constants with the thread's rounding
  DeviceState& state = device.state();
  const ir::Hash key = key_of(ir::hash(*graph, ir::HashLines::include), options, state.target(), state.id, graph->name, graph.get());
  return Counted<const Program>::cast(
      programs_.get(key, [&] { return make_counted<const Program>(state, graph, compiled(state, *graph, options)); }));
}

inline Counted<const CompiledKernel> ProgramCache::compiled(DeviceState& device, const ir::Graph& graph, const CompileOptions& options) {
  const ir::Hash hash = ir::hash(graph, options.line_info ? ir::HashLines::include : ir::HashLines::ignore);
  return Counted<const CompiledKernel>::cast(
      compiled_.get(key_of(hash, options, device.target(), 0, {}), [&] { return compile(device, graph, options, hash); }));
}

inline Counted<const CompiledKernel> ProgramCache::compile(DeviceState& device, const ir::Graph& graph, const CompileOptions& options,
                                                           const ir::Hash& hash) {
  const jit::Dump& dump = jit::Dump::from_environment();
  BuildTimes times;
  {
    const Stopwatch time(times.library_ms);
    jit::detail::library_for(graph);
  }
  jit::CompileRequest request = request_for(device.target(), options);
  request.flags |= dump.compile_flags();
  const double start = now_ms();
  const auto kernel = make_counted<CompiledKernel>(CompiledKernel{jit::compile(graph, request), options.line_info, {}, times});
  kernel->times.compile_ms = now_ms() - start;
  kernel->times.stages = kernel->code.timing();
  if (dump.any()) dump.text(graph, hash.text(), kernel->code);
  device.link(*kernel, graph);
  if (dump.any()) dump.machine_code(graph, hash.text(), kernel->cubin);
  return kernel;
}

}  // namespace detail

inline Program::Program(DeviceState& device, Counted<const ir::Graph> graph, Counted<const CompiledKernel> compiled)
    : graph_(std::move(graph)), compiled_(std::move(compiled)), times_(compiled_->times) {
  make_launch_plan(*graph_, device, LaunchConfig::largest_block);  // refuses before anything is loaded
  {
    const detail::Stopwatch time(times_.load_ms);
    loaded_ = device.load(compiled_, graph_);
  }
  plan_ = make_launch_plan(*graph_, device, loaded_->max_threads_per_block);
}

inline Counted<const Program> load_program(const Device& device, const Counted<const ir::Graph>& graph, const CompileOptions& options) {
  return detail::ProgramCache::get().program(device, graph, options);
}

inline CompiledText compile_text(const jit::Target& target, const ir::Graph& graph, const CompileOptions& options) {
  const cpu::FloatingEnvironment environment;
  jit::CompileRequest request = detail::request_for(target, options);
  request.flags |= OXIDE_JIT_KEEP_LLVM | OXIDE_JIT_KEEP_ASM;
  const jit::CompiledCode code = jit::compile(graph, request);
  return {std::string(code.llvm_ir()), std::string(code.ptx()), std::string(code.assembly()),
          jit::arrays_in_local_memory(graph, code.local_arrays())};
}

}  // namespace oxide::runtime
