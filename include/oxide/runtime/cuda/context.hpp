// The primary context of one GPU, from its first use to its loss or reset; and what a failed call in it means.
//
// A thread whose check fails writes why into its kernel's fault record, which lies in host memory, and leaves the kernel. The
// next call that waits for the GPU throws what stands there as a KernelFault, and the device goes on. What the driver itself
// reports (a bad address in unchecked code, say) loses the context: the call that first meets it throws, later calls throw a
// DeviceError that names it, and Device::reset() makes a new context, if the driver lets this process have one; what was in the
// old one is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/cuda/print_buffer.hpp>
#include <oxide/runtime/fault.hpp>

namespace oxide::runtime::cuda {

// One kernel's fault record: where the host reads it and where the device writes it. Zero until a check fails.
struct FaultSlot {
  oxide_fault_record* host = nullptr;
  DevicePointer device = 0;
};

class Context {
 public:
  // Retains the device's primary context, which cuBLAS, NCCL and the CUDA runtime share. Throws DeviceError.
  Context(const Driver& driver, DeviceOrdinal device, int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  ContextHandle handle() const { return handle_; }
  PoolHandle pool() const { return pool_; }  // nullptr where the device has no memory pools
  std::string gpu() const { return "GPU " + std::to_string(ordinal_); }

  // Throws when the call failed: KernelFault when a kernel's check was the cause and this is the first call to meet it, else DeviceError.
  void check(Result result, const char* doing) {
    if (result != SUCCESS) [[unlikely]]
      fail(result, doing);
  }
  // After waiting: throws the KernelFault of a check that failed, once.
  void check_kernels();
  // Throws DeviceError when this context was lost or the device was reset.
  void require_usable(const char* doing) const {
    if (state_.load(std::memory_order_relaxed) != usable) [[unlikely]]
      unusable(doing);
  }
  bool is_usable() const { return state_.load(std::memory_order_relaxed) == usable; }

  // Calls that give something back, while the stack unwinds or at the program's end: an unusable context has nothing to give back to.
  template <class Call>
  void quietly(Call call) noexcept;

  // A buffer for the kernels of a stream that print, which stays the context's. Throws DeviceError.
  PrintBuffer& take_print_buffer(StreamHandle stream);
  // Gives what the kernels of all streams printed to the sink. The device is idle.
  void flush_prints();

  FaultSlot take_fault_slot(Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph);
  void give_back_fault_slot(const FaultSlot& slot);

  // Destroys the primary context and everything in it, for every library of the process that uses it.
  void destroy();

 private:
  friend class ContextScope;
  enum State : int { usable, lost, destroyed };
  struct SlotOwner {
    FaultSlot slot;
    Counted<const CompiledKernel> kernel;  // nullptr when the slot is free
    Counted<const ir::Graph> graph;
  };

  [[noreturn]] void fail(Result result, const char* doing);
  [[noreturn]] void unusable(const char* doing) const;
  std::unique_ptr<KernelFault> find_fault(bool complete);
  void create_pool();
  void add_fault_slots();

  const Driver& driver_;
  DeviceOrdinal device_;
  int ordinal_;
  ContextHandle handle_ = nullptr;
  PoolHandle pool_ = nullptr;
  std::atomic<int> state_{usable};
  mutable std::mutex mutex_;
  std::string lost_by_;  // guarded by mutex_
  std::vector<SlotOwner> slots_;  // guarded by mutex_
  std::vector<std::unique_ptr<PrintBuffer>> print_buffers_;  // guarded by mutex_; never freed before the context
};

// Makes a context current on this thread for a scope. A thread that had none keeps it, which makes the next scope free; a thread that
// had another one (the CUDA runtime's, for a second GPU) gets it back. What is current is asked of the driver each time, a read of
// thread-local storage, because other libraries change it behind a memo's back.
class ContextScope {
 public:
  explicit ContextScope(Context& context) {
    ContextHandle current = nullptr;
    if (context.driver_.CtxGetCurrent(&current) == SUCCESS && current == context.handle_) [[likely]]
      return;
    context.check(context.driver_.CtxSetCurrent(context.handle_), "making a GPU's context current (cuCtxSetCurrent)");
    if (current != nullptr) {
      driver_ = &context.driver_;
      before_ = current;
    }
  }
  ~ContextScope() {
    if (driver_ != nullptr) [[unlikely]]
      driver_->CtxSetCurrent(before_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver* driver_ = nullptr;
  ContextHandle before_ = nullptr;
};

namespace detail {
// The errors after which a context does not work any more (CUDA Driver API, CUresult: "the context cannot be used").
constexpr bool loses_context(Result result) {
  constexpr Result codes[] = {
      ECC_UNCORRECTABLE,    NVLINK_UNCORRECTABLE, ILLEGAL_ADDRESS,    LAUNCH_TIMEOUT,        CONTEXT_IS_DESTROYED, ASSERT,
      HARDWARE_STACK_ERROR, ILLEGAL_INSTRUCTION,  MISALIGNED_ADDRESS, INVALID_ADDRESS_SPACE, INVALID_PC,           LAUNCH_FAILED};
  for (const Result code : codes)
    if (code == result) return true;
  return false;
}
}  // namespace detail

inline Context::Context(const Driver& driver, DeviceOrdinal device, int ordinal) : driver_(driver), device_(device), ordinal_(ordinal) {
  driver_.check(driver_.DevicePrimaryCtxRetain(&handle_, device_), "taking a GPU's primary context (cuDevicePrimaryCtxRetain)");
  try {
    create_pool();
  } catch (...) {
    driver_.DevicePrimaryCtxRelease(device_);
    throw;
  }
}

inline Context::~Context() {
  // The primary context itself is released only by destroy(): other libraries count on its staying.
  if (pool_ != nullptr) quietly([&] { driver_.MemPoolTrimTo(pool_, 0); });
}

// A pool of oxide's own, so that the process's default pool keeps its settings. Freed memory stays in it: given back to the system
// at every synchronization, which is the driver's default, an allocation costs milliseconds.
inline void Context::create_pool() {
  int supported = 0;
  driver_.check(driver_.DeviceGetAttribute(&supported, DeviceAttribute::MEMORY_POOLS_SUPPORTED, device_),
                "asking for memory pools (cuDeviceGetAttribute)");
  if (supported == 0) return;
  PoolProperties properties;
  properties.location.id = device_;
  driver_.check(driver_.MemPoolCreate(&pool_, &properties), "making a memory pool (cuMemPoolCreate)");
  std::uint64_t keep = ~std::uint64_t{0};
  driver_.check(driver_.MemPoolSetAttribute(pool_, PoolAttribute::RELEASE_THRESHOLD, &keep),
                "setting up a memory pool (cuMemPoolSetAttribute)");
}

template <class Call>
void Context::quietly(Call call) noexcept {
  if (!is_usable()) return;
  try {
    const ContextScope current(*this);
    call();
  } catch (const Error&) {  // cuCtxSetCurrent at the program's end
  }
}

// Takes the first record, `complete` or just claimed (the kernel was ended before it was filled in), and clears it for the next.
inline std::unique_ptr<KernelFault> Context::find_fault(bool complete) {
  for (const SlotOwner& owner : slots_) {
    if (owner.kernel == nullptr) continue;
    if (__atomic_load_n(complete ? &owner.slot.host->ready : &owner.slot.host->claimed, __ATOMIC_ACQUIRE) == 0) continue;
    auto fault = std::unique_ptr<KernelFault>(new KernelFault(kernel_fault(*owner.graph, owner.kernel->code.sites(), *owner.slot.host)));
    __atomic_store_n(&owner.slot.host->ready, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&owner.slot.host->claimed, 0, __ATOMIC_RELEASE);
    return fault;
  }
  return nullptr;
}

inline void Context::check_kernels() {
  std::unique_ptr<KernelFault> fault;
  {
    const std::lock_guard lock(mutex_);
    fault = find_fault(true);
  }
  if (fault) throw *fault;
}

inline void Context::fail(Result result, const char* doing) {
  const std::string error = driver_.error_text(result);
  if (!detail::loses_context(result)) throw DeviceError(std::string(doing) + " on " + gpu(), error, result);
  std::unique_ptr<KernelFault> fault;
  {
    const std::lock_guard lock(mutex_);
    if (state_.load() == usable) {
      fault = find_fault(false);
      lost_by_ = fault ? std::string(fault->what()) : error + " while " + doing;
      state_.store(lost);
      if (!fault)
        throw DeviceError(std::string(doing) + " on " + gpu(), error + "; the GPU's context is lost, see Device::reset()", result);
    }
  }
  if (fault) throw *fault;
  unusable(doing);
}

inline void Context::unusable(const char* doing) const {
  const std::lock_guard lock(mutex_);
  if (state_.load() == destroyed)
    throw DeviceError(std::string(doing) + " on " + gpu(), "the device was reset after this stream or buffer was made; make new ones",
                      CONTEXT_IS_DESTROYED);
  throw DeviceError(std::string(doing) + " on " + gpu(),
                    "the GPU's context is lost since: " + lost_by_ + "; Device::reset() makes a new one", LAUNCH_FAILED);
}

// The driver is called without the lock: a call that fails takes it.
inline void Context::add_fault_slots() {
  // A cache line each, so that two kernels' records are never written by one transaction.
  constexpr std::size_t stride = 64, count = 64;
  static_assert(sizeof(oxide_fault_record) <= stride);
  void* host = nullptr;
  DevicePointer device = 0;
  check(driver_.MemHostAlloc(&host, stride * count, host_alloc_portable | host_alloc_device_map),
        "allocating fault records (cuMemHostAlloc)");
  check(driver_.MemHostGetDevicePointer(&device, host, 0), "mapping fault records (cuMemHostGetDevicePointer)");
  std::memset(host, 0, stride * count);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = count; i-- != 0;)
    slots_.push_back(
        {{reinterpret_cast<oxide_fault_record*>(static_cast<char*>(host) + i * stride), device + i * stride}, nullptr, nullptr});
}

inline FaultSlot Context::take_fault_slot(Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph) {
  for (;; add_fault_slots()) {
    const std::lock_guard lock(mutex_);
    for (SlotOwner& owner : slots_) {
      if (owner.kernel != nullptr) continue;
      owner.kernel = std::move(kernel);
      owner.graph = std::move(graph);
      return owner.slot;
    }
  }
}

inline void Context::give_back_fault_slot(const FaultSlot& slot) {
  const std::lock_guard lock(mutex_);
  for (SlotOwner& owner : slots_)
    if (owner.slot.host == slot.host) owner.kernel = nullptr, owner.graph = nullptr;
}

inline PrintBuffer& Context::take_print_buffer(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = Printer::get().buffer_bytes;
  const auto take = [&](PrintBuffer& buffer) {
    // The lock is held, so a failure is no business of `check`, which takes it.
    if (buffer.capacity() != PrintBuffer::rounded(bytes)) {
      buffer.free(driver_);
      driver_.check(buffer.create(driver_, bytes), "making a buffer for what kernels print (cuMemHostAlloc)");
    }
    buffer.stream = stream;
  };
  for (const std::unique_ptr<PrintBuffer>& buffer : print_buffers_) {
    const std::lock_guard buffer_lock(buffer->mutex);
    if (buffer->stream != nullptr) continue;
    take(*buffer);
    return *buffer;
  }
  print_buffers_.push_back(std::make_unique<PrintBuffer>());
  take(*print_buffers_.back());
  return *print_buffers_.back();
}

inline void Context::flush_prints() {
  std::string text;
  Result result = SUCCESS;
  {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<PrintBuffer>& buffer : print_buffers_) {
      const std::lock_guard buffer_lock(buffer->mutex);
      if (const Result drained = buffer->stream == nullptr ? Result{SUCCESS} : buffer->drain(driver_, text); drained != SUCCESS)
        result = drained;
    }
  }
  if (!text.empty()) Printer::get().write(text);
  check(result, "reading what kernels printed (cuMemcpyDtoHAsync)");
}

inline void Context::destroy() {
  {
    const std::lock_guard lock(mutex_);
    state_.store(destroyed);
    slots_.clear();  // their memory goes with the context
  }
  ContextHandle current = nullptr;  // the next use of the new context has to make it current, even if its handle is the same
  if (driver_.CtxGetCurrent(&current) == SUCCESS && current == handle_) driver_.CtxSetCurrent(nullptr);
  driver_.check(driver_.DevicePrimaryCtxReset(device_), "resetting a GPU (cuDevicePrimaryCtxReset)");
  driver_.check(driver_.DevicePrimaryCtxRelease(device_), "releasing a GPU's context (cuDevicePrimaryCtxRelease)");
}

}  // namespace oxide::runtime::cuda
