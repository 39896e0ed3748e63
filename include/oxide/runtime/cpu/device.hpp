// The CPU as a device: launches, copies and fills happen in the call, in order, on the calling thread with the pool's help.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/analysis/cooperation.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>
#include <oxide/runtime/cpu/block_pool.hpp>
#include <oxide/runtime/cpu/floating_environment.hpp>
#include <oxide/runtime/cpu/resident_blocks.hpp>
#include <oxide/runtime/cpu/stack.hpp>
#include <oxide/runtime/fault.hpp>
#include <oxide/runtime/hidden.hpp>
#include <oxide/runtime/print_implementation.hpp>

namespace oxide::runtime::cpu {

inline constexpr std::size_t memory_alignment = 64;  // a cache line and the widest vector

class CpuStream final : public StreamState {
 public:
  void* allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    if (posix_memalign(&pointer, memory_alignment, bytes) != 0)
      throw DeviceError("allocating " + std::to_string(bytes) + " bytes on the CPU", "out of memory");
    return pointer;
  }
  void free(void* pointer) noexcept override { ::free(pointer); }
  void zero(void* to, std::size_t bytes) override {
    const std::lock_guard lock(mutex);
    std::memset(to, 0, bytes);
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy_on_device(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  // Everything that was put into a stream has run when the call that put it there returns; what another thread is putting in now
  // holds the mutex.
  void wait_for(StreamState& other) override { other.synchronize(); }
  void synchronize() override { const std::lock_guard lock(mutex); }
  void* raw() const override { return nullptr; }

  std::mutex mutex;  // held while work of this stream runs, so that launches of several threads do not overlap

 private:
  void copy(void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    std::memmove(to, from, bytes);
  }
};

class CpuKernel final : public LoadedKernel {
 public:
  CpuKernel(DeviceState& device, Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph)
      : kernel_(std::move(kernel)), graph_(std::move(graph)), entry_(kernel_->code.entry()), hidden_(storage_pointers(*graph_, device)),
        stack_bytes_(stack_bytes(*graph_)) {
    const oxide_host_needs& needs = kernel_->code.needs();
    waits_for_grid_ = needs.waits_for_grid != 0;
    if (needs.cluster_blocks > 1) cluster_ = needs.cluster_blocks;
    if (!prints(*graph_)) return;
    Printer::get().learn(*graph_);
    hidden_.push_back(&CpuPrintSink::get());
  }

  void launch(StreamState& stream, const LaunchConfig& config, void** arguments, std::size_t count, SharedPlaces& shared) override {
    for (void*& pointer : hidden_) arguments[count++] = &pointer;
    shared.append(arguments, count);
    oxide_fault_record fault{};
    Run run{entry_,
            {arguments,
             &fault,
             {config.grid.x, config.grid.y, config.grid.z},
             {config.block.x, config.block.y, config.block.z},
             shared.bytes,
             0,
             nullptr},
            stack_bytes_};
    const std::uint64_t units = config.grid.count() / cluster_;
    const double threads = static_cast<double>(config.threads_per_block()) * static_cast<double>(cluster_);
    {
      const std::lock_guard lock(static_cast<CpuStream&>(stream).mutex);
      const FloatingEnvironment environment;
      if (!waits_for_grid_) {
        run_blocks(run, units, threads);
      } else {
        ResidentBlocks blocks(*graph_, kernel_->code.needs(), config, shared.bytes);
        run.launch.resident = &blocks.state;
        do {
          blocks.open_round();
          run_blocks(run, units, threads);
        } while (blocks.close_round(fault));
      }
    }
    if (prints(*graph_)) CpuPrintSink::get().rethrow();
    if (fault.claimed != 0) [[unlikely]]
      throw kernel_fault(*graph_, kernel_->code.sites(), fault);
  }

 private:
  struct Run {
    oxide_host_kernel entry;
    oxide_host_launch launch;
    std::size_t stack_bytes;
  };
  // Units are blocks, or clusters of blocks that meet.
  void run_blocks(Run& run, std::uint64_t units, double threads) {
    const double cost = BlockPool::get().run(
        units,
        [](void* context, std::uint64_t first, std::uint64_t end) {
          const Run& r = *static_cast<const Run*>(context);
          if (r.stack_bytes == 0) return r.entry(&r.launch, first, end);
          with_stack(r.stack_bytes, [&](std::uintptr_t limit) {
            oxide_host_launch launch = r.launch;
            launch.stack_limit = limit;
            r.entry(&launch, first, end);
          });
        },
        &run, &run.launch.fault->claimed, thread_cost_.load(std::memory_order_relaxed) * threads);
    thread_cost_.store(cost / threads, std::memory_order_relaxed);
  }

  Counted<const CompiledKernel> kernel_;
  Counted<const ir::Graph> graph_;
  oxide_host_kernel entry_;
  std::vector<void*> hidden_;  // what the graph's hidden parameters point to
  std::size_t stack_bytes_;    // that its calls may use; 0 when they are few
  bool waits_for_grid_ = false;
  std::uint64_t cluster_ = 1;  // blocks that meet
  std::atomic<double> thread_cost_{0};  // as the last launch found it; see BlockPool::run
};

namespace detail {

// "model name : ..." of /proc/cpuinfo, where there is one.
inline std::string processor_name() {
  std::string name = "CPU";
  if (FILE* file = fopen("/proc/cpuinfo", "r"); file != nullptr) {
    char line[256];
    while (fgets(line, sizeof line, file) != nullptr) {
      if (std::strncmp(line, "model name", 10) != 0) continue;
      if (const char* colon = std::strchr(line, ':'); colon != nullptr) {
        name = colon + 1;
        name.erase(0, name.find_first_not_of(' '));
        while (!name.empty() && (name.back() == '\n' || name.back() == ' ')) name.pop_back();
      }
      break;
    }
    fclose(file);
  }
  return name;
}

}  // namespace detail

class CpuDevice final : public DeviceState {
 public:
  CpuDevice() : stream_(make_counted<CpuStream>()) {
    stream_->device = this;
    id = 0;
    properties.name = detail::processor_name();
    properties.kind = DeviceKind::cpu;
    properties.multiprocessors = BlockPool::get().threads();
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) properties.memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
    properties.shared_memory_per_block = 48 * 1024;  // as every GPU has, so that what fits here fits there
    properties.most_shared_memory_per_block = 227 * 1024;  // of compute capability 9.0
  }

  jit::Target target() const override { return jit::Target::host(); }
  Counted<StreamState> default_stream() override { return stream_; }
  Counted<StreamState> new_stream() override {
    Counted<StreamState> stream = make_counted<CpuStream>();
    stream->device = this;
    return stream;
  }
  void synchronize() override {}  // no call returns before its work is done
  void reset() override {}
  void link(CompiledKernel&, const ir::Graph&) override {}
  Counted<LoadedKernel> load(Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph) override {
    return make_counted<CpuKernel>(*this, std::move(kernel), std::move(graph));
  }

 private:
  Counted<StreamState> stream_;
};

}  // namespace oxide::runtime::cpu
