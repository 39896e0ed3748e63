// What a kind of device has to do. runtime/cuda and runtime/cpu each implement this; the rest of runtime/ is the same for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/counted.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/target.hpp>
#include <oxide/runtime/launch_config.hpp>

namespace oxide {

enum class DeviceKind : std::uint8_t { cpu, gpu };

// The largest launch that a device takes.
struct LaunchLimits {
  std::uint32_t threads_per_block = LaunchConfig::largest_block;
  Dim3 block{1024, 1024, 64};
  Dim3 grid{LaunchConfig::largest_grid_x, LaunchConfig::largest_grid_yz, LaunchConfig::largest_grid_yz};
};

struct DeviceProperties {
  std::string name;
  DeviceKind kind = DeviceKind::cpu;
  std::uint32_t sm = 0;                       // compute capability, 10 * major + minor; 0 for the CPU
  std::uint32_t multiprocessors = 0;          // the CPU: threads that run blocks
  std::uint32_t warp_size = 32;
  std::uint64_t memory = 0;                   // bytes
  std::uint32_t shared_memory_per_block = 0;  // bytes, without opting in to more
  std::uint32_t most_shared_memory_per_block = 0;  // bytes, of kernels whose launches give it
  std::uint32_t driver_version = 0;           // CUDA, 1000 * major + 10 * minor; 0 for the CPU
  LaunchLimits limits;
};

namespace runtime {

struct CompiledKernel;
class StreamState;
class DeviceState;

// The shared arrays whose size a launch decides: of each the launch arguments that say where it is.
struct SharedPlaces {
  static constexpr std::size_t most = 32;
  std::size_t count = 0;
  std::uint32_t words[2 * most];  // offset in bytes, elements
  std::uint32_t bytes = 0;        // that the launch gives each block

  void append(void** arguments, std::size_t& argument_count) {
    for (std::size_t i = 0; i != 2 * count; ++i) arguments[argument_count++] = &words[i];
  }
};

// What a loaded kernel takes, as far as its device says it.
struct KernelFigures {
  std::uint32_t registers = 0;
  std::uint64_t local_bytes = 0, shared_bytes = 0, constant_bytes = 0;
  std::uint32_t binary_version = 0;
  std::uint64_t code_bytes = 0;
};

// A kernel's code, loaded on one device and ready to launch.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  // `arguments` are pointers to the launch arguments, as jit/abi.h lays them out, with room at the end for those of the graph's hidden
  // parameters, of `shared`, and for two more. The launch was checked, and is not empty. Called from several threads at once.
  virtual void launch(StreamState& stream, const LaunchConfig& config, void** arguments, std::size_t count, SharedPlaces& shared) = 0;

  virtual KernelFigures figures() { return {}; }

  std::uint32_t max_threads_per_block = LaunchConfig::largest_block;  // that this kernel's registers allow
};

// Work on one device, in order. Memory belongs to the stream that made it, and is given back in that stream's order.
class StreamState {
 public:
  virtual ~StreamState() = default;
  virtual void* allocate(std::size_t bytes) = 0;  // at least 64-byte aligned; never for zero bytes
  virtual void free(void* pointer) noexcept = 0;
  virtual void zero(void* to, std::size_t bytes) = 0;
  // The host memory may be reused when these return.
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes) = 0;
  // What is put into this stream from now on starts after what is in `other` now, which may be of another device.
  virtual void wait_for(StreamState& other) = 0;
  virtual void synchronize() = 0;
  virtual void* raw() const = 0;  // CUstream; nullptr on the CPU

  std::uint32_t device_id = 0;
  DeviceState* device = nullptr;  // that made it
};

// One device of the machine. Lives until the process ends.
class DeviceState {
 public:
  virtual ~DeviceState() = default;
  virtual jit::Target target() const = 0;
  virtual Counted<StreamState> default_stream() = 0;
  virtual Counted<StreamState> new_stream() = 0;
  virtual void synchronize() = 0;
  virtual void reset() = 0;
  // Turns what the compiler gave into what `load` takes (the CPU: nothing to do). Fills in `kernel.cubin` and its time.
  virtual void link(CompiledKernel& kernel, const ir::Graph& graph) = 0;
  virtual Counted<LoadedKernel> load(Counted<const CompiledKernel> kernel, Counted<const ir::Graph> graph) = 0;

  std::uint32_t id = 0;
  DeviceProperties properties;
};

}  // namespace runtime
}  // namespace oxide
