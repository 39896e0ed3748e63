// A CUDA stream: asynchronous work on one GPU, in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/jit/abi.h>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/cuda/context.hpp>

namespace oxide::runtime::cuda {

inline DevicePointer device_pointer(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

class CudaStream final : public StreamState {
 public:
  // It waits for the legacy default stream and that one for it, so other libraries' work there keeps its order with oxide's.
  explicit CudaStream(Counted<Context> context, std::uint32_t id) : context_(std::move(context)) {
    device_id = id;
    const ContextScope current(usable("making a stream"));
    context_->check(driver().StreamCreate(&handle_, stream_default_flags), "making a stream (cuStreamCreate)");
  }
  // The driver gives the stream's resources back when its work is done.
  ~CudaStream() override {
    context_->quietly([&] {
      if (PrintBuffer* buffer = print_.load()) {
        try {
          flush_prints();
        } catch (...) {  // what the sink throws has nowhere to go
        }
        const std::lock_guard lock(buffer->mutex);
        buffer->stream = nullptr;
      }
      driver().StreamDestroy(handle_);
      if (grid_barrier_ != 0) driver().MemFree(grid_barrier_);  // waits for the kernels that use it
    });
  }

  // Whole words, because atomic accesses to bytes are to the words around them.
  void* allocate(std::size_t bytes) override {
    bytes = (bytes + 3) / 4 * 4;
    const ContextScope current(usable("allocating memory"));
    DevicePointer pointer = 0;
    const bool pooled = context_->pool() != nullptr;
    const Result result =
        pooled ? driver().MemAllocFromPoolAsync(&pointer, bytes, context_->pool(), handle_) : driver().MemAlloc(&pointer, bytes);
    if (result != SUCCESS) [[unlikely]]
      context_->check(
          result, ("allocating " + std::to_string(bytes) + (pooled ? " bytes (cuMemAllocFromPoolAsync)" : " bytes (cuMemAlloc)")).c_str());
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer));
  }
  // Without a pool the driver's free waits for the whole device, so the memory is not in use either way.
  void free(void* pointer) noexcept override {
    context_->quietly([&] {
      if (context_->pool() != nullptr) driver().MemFreeAsync(device_pointer(pointer), handle_);
      else driver().MemFree(device_pointer(pointer));
    });
  }
  void zero(void* to, std::size_t bytes) override {
    const ContextScope current(usable("filling memory with zeros"));
    context_->check(driver().MemsetD8Async(device_pointer(to), 0, bytes, handle_), "filling memory with zeros (cuMemsetD8Async)");
  }
  // From pinned memory the driver copies after the call returns, so both directions wait.
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    const ContextScope current(usable("copying to the device"));
    context_->check(driver().MemcpyHtoDAsync(device_pointer(to), from, bytes, handle_), "copying to the device (cuMemcpyHtoDAsync)");
    wait("copying to the device (cuStreamSynchronize)");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    const ContextScope current(usable("copying to the host"));
    context_->check(driver().MemcpyDtoHAsync(to, device_pointer(from), bytes, handle_), "copying to the host (cuMemcpyDtoHAsync)");
    wait("copying to the host (cuStreamSynchronize)");
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes) override {
    const ContextScope current(usable("copying on the device"));
    context_->check(driver().MemcpyAsync(device_pointer(to), device_pointer(from), bytes, handle_),
                    "copying on the device (cuMemcpyAsync)");
  }
  void wait_for(StreamState& other) override {
    if (&other == this) return;
    if (other.device_id == 0) return other.synchronize();  // the CPU
    auto& first = static_cast<CudaStream&>(other);
    const Event event(first);
    const ContextScope current(usable("ordering two streams"));
    context_->check(driver().StreamWaitEvent(handle_, event.handle, 0), "ordering two streams (cuStreamWaitEvent)");
  }
  void synchronize() override {
    const ContextScope current(usable("waiting for a stream"));
    wait("waiting for a stream (cuStreamSynchronize)");
  }
  void* raw() const override { return handle_; }

  Context& context() { return *context_; }
  const Counted<Context>& shared_context() const { return context_; }
  StreamHandle handle() const { return handle_; }

  // Where kernels in this stream print. With the context current. Throws DeviceError.
  PrintBuffer& print_buffer() {
    if (PrintBuffer* buffer = print_.load(std::memory_order_acquire)) return *buffer;
    const std::lock_guard lock(print_mutex_);
    if (print_.load() == nullptr) print_.store(&context_->take_print_buffer(handle_), std::memory_order_release);
    return *print_.load();
  }

  // Makes the stream's next kernel the only one that waits for its grid by `barrier`, an oxide_grid_barrier: it is launched while the lock
  // is held. With the context current. Throws DeviceError.
  std::unique_lock<std::mutex> open_grid_barrier(DevicePointer& barrier) {
    std::unique_lock lock(grid_mutex_);
    if (grid_barrier_ == 0)
      context_->check(driver().MemAlloc(&grid_barrier_, sizeof(oxide_grid_barrier)), "making the barrier of a grid (cuMemAlloc)");
    context_->check(driver().MemsetD8Async(grid_barrier_, 0, sizeof(oxide_grid_barrier), handle_),
                    "clearing the barrier of a grid (cuMemsetD8Async)");
    barrier = grid_barrier_;
    return lock;
  }

 private:
  // Waits; then shows what was printed, and throws what went wrong. What was printed before the context was lost is shown too.
  void wait(const char* doing) {
    const Result result = driver().StreamSynchronize(handle_);
    if (print_.load(std::memory_order_acquire) != nullptr) [[unlikely]] {
      if (result == SUCCESS) {
        flush_prints();
      } else {
        try {
          flush_prints();
        } catch (...) {  // the failure of the wait is what counts
        }
      }
    }
    context_->check(result, doing);
    context_->check_kernels();
  }
  void flush_prints() {
    PrintBuffer& buffer = *print_.load();
    std::string text;
    Result result;
    {
      const std::lock_guard lock(buffer.mutex);
      result = buffer.drain(driver(), text);
    }
    if (!text.empty()) Printer::get().write(text);
    if (result != SUCCESS) throw DeviceError("reading what kernels printed", driver().error_text(result), result);
  }

  const Driver& driver() const { return context_->driver(); }
  Context& usable(const char* doing) {
    context_->require_usable(doing);
    return *context_;
  }
  // Marks what is in a stream now. The driver keeps it until the waits for it are over.
  struct Event {
    explicit Event(CudaStream& stream) : context(stream.usable("ordering two streams")) {
      const ContextScope current(context);
      context.check(context.driver().EventCreate(&handle, event_disable_timing), "ordering two streams (cuEventCreate)");
      const Result recorded = context.driver().EventRecord(handle, stream.handle_);
      if (recorded == SUCCESS) return;
      context.driver().EventDestroy(handle);
      context.check(recorded, "ordering two streams (cuEventRecord)");
    }
    ~Event() {
      context.quietly([&] { context.driver().EventDestroy(handle); });
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    Context& context;
    EventHandle handle = nullptr;
  };

  Counted<Context> context_;
  StreamHandle handle_ = nullptr;
  std::atomic<PrintBuffer*> print_{nullptr};
  std::mutex print_mutex_;  // held while print_ is made
  std::mutex grid_mutex_;
  DevicePointer grid_barrier_ = 0;  // guarded by grid_mutex_
};

}  // namespace oxide::runtime::cuda
