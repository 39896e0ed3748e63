// PTX to cubin to a function on the device, and its launch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/analysis/cooperation.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/cuda/context.hpp>
#include <oxide/runtime/cuda/stream.hpp>
#include <oxide/runtime/hidden.hpp>

namespace oxide::runtime::cuda {

// Clusters of more blocks are not sure to run on every GPU that has clusters (CUDA C++ Programming Guide, "Thread Block Clusters").
inline constexpr std::uint32_t portable_cluster = 8;

// What a call may take of the stack before it is checked again: registers that it saves, and what the mathematics library needs.
inline constexpr std::size_t call_reserve = 1536;

// Assembles PTX for the context's device. Throws CompileError with the driver's logs when the PTX does not assemble.
std::string link_ptx(Context& context, const std::string& kernel, std::string_view ptx, bool line_info);

// A kernel on one GPU. It stays good after Device::reset(): a launch in a new context loads the cubin again.
class CudaKernel final : public LoadedKernel {
 public:
  CudaKernel(DeviceState& device, const Counted<Context>& context, Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph);
  void launch(StreamState& stream, const LaunchConfig& config, void** arguments, std::size_t count, SharedPlaces& shared) override;
  KernelFigures figures() override;

 private:
  // What a launch may give without asking first (CUDA Driver API, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), whatever else is used.
  static constexpr std::uint32_t default_shared_bytes = 16 * 1024;

  // The function in one context.
  struct Module {
    explicit Module(Counted<Context> in) : context(std::move(in)) {}
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    Counted<Context> context;
    ModuleHandle handle = nullptr;
    FunctionHandle function = nullptr;
    FaultSlot fault;
    bool waits_for_grid = false;
    std::vector<void*> hidden;  // what the graph's hidden parameters point to
    std::atomic<std::uint32_t> shared_bytes{default_shared_bytes};  // that a launch may give a block
    std::unique_ptr<Module> older;  // of the contexts before
  };

  std::unique_ptr<Module> load(const Counted<Context>& context);
  Module& module_for(const CudaStream& stream);
  void allow_shared_bytes(Module& module, std::uint32_t bytes);
  int attribute_of(const Module& module, FunctionAttribute attribute) const;
  void make_room_for_calls(const Module& module) const;
  void check_resident(const Module& module, const LaunchConfig& config, std::uint32_t shared_bytes) const;

  DeviceState& device_;
  Counted<const CompiledKernel> kernel_;
  Counted<const ir::Graph> graph_;
  std::atomic<Module*> current_{nullptr};
  std::mutex mutex_;
  std::unique_ptr<Module> newest_;  // guarded by mutex_; what current_ points to
};

namespace detail {
// The linker's options as it takes them: names, and values that are stored in pointers.
class LinkOptions {
 public:
  explicit LinkOptions(bool line_info) {
    add(JitOption::INFO_LOG_BUFFER, info_log);
    add(JitOption::INFO_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void*>(sizeof info_log));
    add(JitOption::ERROR_LOG_BUFFER, error_log);
    add(JitOption::ERROR_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void*>(sizeof error_log));
    if (line_info) add(JitOption::GENERATE_LINE_INFO, reinterpret_cast<void*>(std::uintptr_t{1}));
  }
  std::string logs() const {
    std::string text = error_log;
    if (info_log[0] != '\0') text.append(text.empty() ? "" : "\n").append(info_log);
    return text;
  }
  JitOption names[5];
  void* values[5];
  unsigned count = 0;
  char info_log[4096] = {}, error_log[8192] = {};

 private:
  void add(JitOption name, void* value) {
    names[count] = name;
    values[count++] = value;
  }
};
}  // namespace detail

inline std::string link_ptx(Context& context, const std::string& kernel, std::string_view ptx, bool line_info) {
  context.require_usable("assembling PTX");
  const ContextScope current(context);
  const Driver& driver = context.driver();
  detail::LinkOptions options(line_info);
  LinkHandle link = nullptr;
  context.check(driver.LinkCreate(options.count, options.names, options.values, &link), "assembling PTX (cuLinkCreate)");
  void* cubin = nullptr;
  std::size_t size = 0;
  const std::string text(ptx);  // the driver wants the NUL, and counts it
  const char* call = "cuLinkAddData";
  Result result =
      driver.LinkAddData(link, JitInput::PTX, const_cast<char*>(text.c_str()), text.size() + 1, kernel.c_str(), 0, nullptr, nullptr);
  if (result == SUCCESS) {
    call = "cuLinkComplete";
    result = driver.LinkComplete(link, &cubin, &size);
  }
  std::string out;
  if (result == SUCCESS) out.assign(static_cast<const char*>(cubin), size);  // the link owns the cubin
  driver.LinkDestroy(link);
  if (result == SUCCESS) return out;
  if (detail::loses_context(result)) context.check(result, "assembling PTX");
  const std::string logs = options.logs();
  throw CompileError(kernel, "the driver cannot assemble its PTX on " + context.gpu() + " (" + call + "): " + driver.error_text(result) +
                                 (logs.empty() ? std::string() : "\n" + logs));
}

inline CudaKernel::CudaKernel(DeviceState& device, const Counted<Context>& context, Counted<const CompiledKernel> kernel,
                              Counted<const ir::Graph> graph)
    : device_(device), kernel_(std::move(kernel)), graph_(std::move(graph)) {
  newest_ = load(context);
  int threads = 0;
  const Module& module = *newest_;
  const ContextScope current(*module.context);
  module.context->check(module.context->driver().FuncGetAttribute(&threads, FunctionAttribute::MAX_THREADS_PER_BLOCK, module.function),
                        "asking for a kernel's largest block (cuFuncGetAttribute)");
  max_threads_per_block = static_cast<std::uint32_t>(threads);
  current_.store(newest_.get(), std::memory_order_release);
}

inline std::unique_ptr<CudaKernel::Module> CudaKernel::load(const Counted<Context>& context) {
  context->require_usable("loading a kernel");
  const ContextScope current(*context);
  const Driver& driver = context->driver();
  std::unique_ptr<Module> module(new Module(context));
  context->check(driver.ModuleLoadData(&module->handle, kernel_->cubin.data()), "loading a kernel (cuModuleLoadData)");
  context->check(driver.ModuleGetFunction(&module->function, module->handle, kernel_->code.entry_name()),
                 "finding a kernel in its module (cuModuleGetFunction)");
  if (const auto& cluster = graph_->attributes.cluster; cluster[0] * cluster[1] * cluster[2] > portable_cluster)
    context->check(driver.FuncSetAttribute(module->function, FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                   "allowing a kernel large clusters (cuFuncSetAttribute)");
  make_room_for_calls(*module);
  module->hidden = storage_pointers(*graph_, device_);
  if (prints(*graph_)) Printer::get().learn(*graph_);
  module->waits_for_grid = ir::Cooperation(*graph_).grid != nullptr;
  module->fault = context->take_fault_slot(kernel_, graph_);
  return module;
}

inline int CudaKernel::attribute_of(const Module& module, FunctionAttribute attribute) const {
  int value = 0;
  module.context->check(module.context->driver().FuncGetAttribute(&value, attribute, module.function),
                        "asking for what a kernel takes (cuFuncGetAttribute)");
  return value;
}

inline KernelFigures CudaKernel::figures() {
  const std::lock_guard lock(mutex_);
  const ContextScope current(*newest_->context);
  const auto get = [&](FunctionAttribute attribute) { return static_cast<std::uint32_t>(attribute_of(*newest_, attribute)); };
  KernelFigures f;
  f.registers = get(FunctionAttribute::NUM_REGS);
  f.local_bytes = get(FunctionAttribute::LOCAL_SIZE_BYTES);
  f.shared_bytes = get(FunctionAttribute::SHARED_SIZE_BYTES);
  f.constant_bytes = get(FunctionAttribute::CONST_SIZE_BYTES);
  f.binary_version = get(FunctionAttribute::BINARY_VERSION);
  f.code_bytes = kernel_->cubin.size();
  return f;
}

// The context's stack for each thread, which only grows: what the kernel's calls may use before they are stopped, what the kernel itself
// and one more call take, and the arrays of all functions.
inline void CudaKernel::make_room_for_calls(const Module& module) const {
  if (graph_->functions.empty() || !ir::CallGraph(*graph_).reaches_recursion(0)) return;
  std::size_t needed = ir::stack_size(graph_->attributes) + call_reserve +
                       static_cast<std::size_t>(attribute_of(module, FunctionAttribute::LOCAL_SIZE_BYTES));
  for (const ir::Function& function : graph_->functions)
    for (const ir::Block& block : function.blocks)
      for (const ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::local_array) {
          const ir::ArrayShape shape = ir::array_shape(op.immediate);
          needed += std::size_t{shape.size} * shape.count + 16;
        }
  const Driver& driver = module.context->driver();
  std::size_t now = 0;
  module.context->check(driver.CtxGetLimit(&now, ContextLimit::STACK_SIZE), "asking for the stack of a GPU's threads (cuCtxGetLimit)");
  if (now < needed)
    module.context->check(
        driver.CtxSetLimit(ContextLimit::STACK_SIZE, needed),
        ("giving each thread " + std::to_string(needed) + " bytes of stack for kernel '" + graph_->name + "' (cuCtxSetLimit)").c_str());
}

inline void CudaKernel::check_resident(const Module& module, const LaunchConfig& config, std::uint32_t shared_bytes) const {
  int blocks = 0;
  const auto threads = static_cast<int>(config.threads_per_block());
  module.context->check(module.context->driver().OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, module.function, threads, shared_bytes),
                        "asking how many blocks fit (cuOccupancyMaxActiveBlocksPerMultiprocessor)");
  const std::uint64_t most = std::uint64_t{device_.properties.multiprocessors} * static_cast<unsigned>(blocks);
  if (config.grid.count() > most)
    throw LaunchError(graph_->name, -1,
                      "at most " + std::to_string(most) + " blocks of " + std::to_string(threads) +
                          " threads, because the kernel is cooperative and all of them run at once (" + std::to_string(blocks) +
                          " on each of " + std::to_string(device_.properties.multiprocessors) + " multiprocessors)",
                      std::to_string(config.grid.count()) + " (grid " + config.grid.text() + ")");
}

// The kernel may still run: its code and its fault record have to outlive it.
inline CudaKernel::Module::~Module() {
  context->quietly([&] {
    if (handle == nullptr) return;
    context->driver().CtxSynchronize();
    context->driver().ModuleUnload(handle);
    if (fault.host != nullptr) context->give_back_fault_slot(fault);
  });
}

inline CudaKernel::Module& CudaKernel::module_for(const CudaStream& stream) {
  const std::lock_guard lock(mutex_);
  for (Module* module = newest_.get(); module != nullptr; module = module->older.get())
    if (module->context == stream.shared_context()) return *module;
  std::unique_ptr<Module> module = load(stream.shared_context());
  module->older = std::move(newest_);
  newest_ = std::move(module);
  current_.store(newest_.get(), std::memory_order_release);
  return *newest_;
}

inline void CudaKernel::allow_shared_bytes(Module& module, std::uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes <= module.shared_bytes.load(std::memory_order_relaxed)) return;
  module.context->check(
      module.context->driver().FuncSetAttribute(module.function, FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)),
      ("asking for " + std::to_string(bytes) + " bytes of shared memory for kernel '" + graph_->name + "' (cuFuncSetAttribute)").c_str());
  module.shared_bytes.store(bytes, std::memory_order_release);
}

inline void CudaKernel::launch(StreamState& stream_state, const LaunchConfig& config, void** arguments, std::size_t count,
                               SharedPlaces& shared) {
  auto& stream = static_cast<CudaStream&>(stream_state);
  Context& context = stream.context();
  context.require_usable("launching a kernel");
  Module* module = current_.load(std::memory_order_acquire);
  if (module->context.get() != &context) [[unlikely]]
    module = &module_for(stream);
  const ContextScope current(context);
  for (void*& pointer : module->hidden) arguments[count++] = &pointer;
  std::unique_lock<std::mutex> printing;
  if (prints(*graph_)) {
    PrintBuffer& buffer = stream.print_buffer();
    printing = std::unique_lock(buffer.mutex);
    buffer.pending = true;
    arguments[count++] = &buffer.control;
  }
  shared.append(arguments, count);
  if (shared.bytes > module->shared_bytes.load(std::memory_order_acquire)) [[unlikely]]
    allow_shared_bytes(*module, shared.bytes);
  const bool cooperative = graph_->attributes.cooperative;
  if (cooperative) [[unlikely]]
    check_resident(*module, config, shared.bytes);
  DevicePointer barrier = 0;
  std::unique_lock<std::mutex> waiting;
  if (module->waits_for_grid) [[unlikely]] {
    waiting = stream.open_grid_barrier(barrier);
    arguments[count++] = &barrier;
  }
  arguments[count] = &module->fault.device;
  const Driver& driver = context.driver();
  const Dim3 &grid = config.grid, &block = config.block;
  const Result result = cooperative ? driver.LaunchCooperativeKernel(module->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                                     shared.bytes, stream.handle(), arguments)
                                    : driver.LaunchKernel(module->function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared.bytes,
                                                          stream.handle(), arguments, nullptr);
  if (printing) printing.unlock();
  if (result == COOPERATIVE_LAUNCH_TOO_LARGE) [[unlikely]]
    throw LaunchError(graph_->name, -1, "so many blocks, or clusters of them, that all run at once, because the kernel is cooperative",
                      std::to_string(grid.count()) + " (grid " + grid.text() + ")");
  if (result == INVALID_CLUSTER_SIZE) [[unlikely]]
    throw LaunchError(graph_->name, -1, "clusters whose blocks fit one part of the GPU together",
                      "blocks of " + std::to_string(config.threads_per_block()) + " threads and " + std::to_string(shared.bytes) +
                          " bytes of shared memory besides its arrays of a fixed size");
  if (result != SUCCESS) [[unlikely]]
    context.check(result, ("launching kernel '" + graph_->name + "' (cuLaunchKernel)").c_str());
}

}  // namespace oxide::runtime::cuda
