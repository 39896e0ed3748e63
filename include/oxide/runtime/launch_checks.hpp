// What must hold for a launch, checked before it starts. What a kernel needs is worked out once, when it is loaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/shared_memory.hpp>
#include <oxide/runtime/argument.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/fault.hpp>
#include <oxide/runtime/launch_config.hpp>

namespace oxide::runtime {

// CUDA passes at most 4 KiB of launch arguments (PTX ISA, "Kernel Function Parameters"); the fault record's pointer is one of them.
inline constexpr std::size_t max_argument_bytes = 4096 - sizeof(void*);
inline constexpr std::size_t max_launch_arguments = 512;

// What a kernel needs of its launches on one device.
struct LaunchPlan {
  struct Parameter {
    ir::ParameterKind kind = ir::ParameterKind::value;
    bool read = false, written = false;  // span
    std::uint32_t element_size = 0, alignment = 0;
  };
  LaunchLimits limits;
  std::uint32_t device_id = 0;
  bool one_dimensional = false;  // every thread with its own x, and no y or z
  bool flat = false;             // no z
  bool shaped = false;           // the graph's attributes ask for a block or clusters
  std::vector<Parameter> parameters;   // without the hidden ones
  std::vector<std::uint32_t> written;  // indices of the parameters that are written
  // Shared arrays whose size the launch decides, and the bytes of the others.
  struct SharedArray {
    std::uint32_t element_size = 0;
    std::uint64_t per_thread = 0;  // elements; 0: the launch's list says
    std::uint32_t size_index = 0;  // in that list
  };
  std::vector<SharedArray> shared;
  std::uint32_t shared_sizes = 0;  // how many sizes the launch's list has
  std::uint64_t fixed_shared_bytes = 0;
  bool launch_gives_fixed_bytes = false;
  std::uint64_t most_shared_bytes = 0;
};

// Throws LaunchError when the kernel has more parameters than a launch can pass.
LaunchPlan make_launch_plan(const ir::Graph& graph, const DeviceState& device, std::uint32_t max_threads_per_block);

// Throws LaunchError when a block would have more shared memory than the device gives.
void place_shared(const LaunchPlan& plan, const ir::Graph& graph, const LaunchConfig& config, SharedPlaces& places);

// Throw LaunchError with kernel, parameter, what was needed and what was given.
void check_shape(const LaunchPlan& plan, const ir::Graph& graph, const LaunchConfig& config);
void check_arguments(const LaunchPlan& plan, const ir::Graph& graph, std::span<const Argument> arguments);

namespace detail {

inline std::string device_text(std::uint32_t id) {
  if (id == no_device) return "no device: a buffer that was moved from";
  return id == 0 ? std::string("the CPU") : "GPU " + std::to_string(id - 1);
}
inline std::string_view kind_text(ir::ParameterKind kind) { return kind == ir::ParameterKind::span ? "a span" : "a value"; }

inline bool fits_attributes(const ir::Attributes& a, const LaunchConfig& config) {
  if (a.block[0] != 0 && !(config.block.x == a.block[0] && config.block.y == a.block[1] && config.block.z == a.block[2])) return false;
  return a.cluster[0] == 0 || (config.grid.x % a.cluster[0] == 0 && config.grid.y % a.cluster[1] == 0 && config.grid.z % a.cluster[2] == 0);
}

// Out of line and cold: the checks themselves must stay small.
[[noreturn]] [[gnu::cold]] inline void refuse_shape(const LaunchPlan& plan, const ir::Graph& graph, const LaunchConfig& config) {
  const LaunchLimits& most = plan.limits;
  const auto refuse = [&](const std::string& needed, const std::string& given) { return LaunchError(graph.name, -1, needed, given); };
  const auto within = [](const Dim3& given, const Dim3& limit) { return given.x <= limit.x && given.y <= limit.y && given.z <= limit.z; };
  const auto space = [&](ir::SpaceKind kind) {
    for (const ir::IndexSpace& s : graph.spaces)
      if (s.kind == kind && s.location.line != 0) return " (" + source_line(graph, s.location).text() + ')';
    return std::string();
  };
  if (config.threads_per_block() == 0) throw refuse("a block with threads", "block " + config.block.text());
  if (!within(config.block, most.block)) throw refuse("a block of at most " + most.block.text() + " threads", config.block.text());
  if (config.threads_per_block() > most.threads_per_block)
    throw refuse("at most " + std::to_string(most.threads_per_block) + " threads a block",
                 std::to_string(config.threads_per_block()) + " (block " + config.block.text() + ")");
  if (!within(config.grid, most.grid)) throw refuse("a grid of at most " + most.grid.text() + " blocks", config.grid.text());
  if (config.shared.count != plan.shared_sizes)
    throw refuse(std::to_string(plan.shared_sizes) +
                     " sizes of shared arrays (LaunchConfig::shared), one for each ox::DynamicShared without "
                     "a size of its own",
                 std::to_string(config.shared.count));
  const ir::Attributes& a = graph.attributes;
  const Dim3 fixed(a.block[0], a.block[1], a.block[2]), cluster(a.cluster[0], a.cluster[1], a.cluster[2]);
  if (a.block[0] != 0 && !(config.block == fixed))
    throw refuse("a block of " + fixed.text() + " threads, as its .block says", config.block.text());
  if (a.cluster[0] != 0 && (config.grid.x % cluster.x != 0 || config.grid.y % cluster.y != 0 || config.grid.z % cluster.z != 0))
    throw refuse("a grid of whole clusters of " + cluster.text() + " blocks", config.grid.text());
  if (plan.one_dimensional)
    throw refuse("a one-dimensional launch, because the kernel uses thread::index_1d" + space(ir::SpaceKind::linear), config.text());
  throw refuse("a launch without a third dimension, because the kernel uses thread::index_2d" + space(ir::SpaceKind::grid_2d),
               config.text());
}

inline std::string span_text(const LaunchPlan& plan, const ir::Graph& graph, std::span<const Argument> arguments, std::size_t i) {
  return "parameter " + std::to_string(ir::argument_number(graph, i) + 1) + " (" +
         std::to_string(arguments[i].length * plan.parameters[i].element_size) + " bytes)";
}

[[noreturn]] [[gnu::cold]] inline void refuse_overlap(const LaunchPlan& plan, const ir::Graph& graph, std::span<const Argument> arguments,
                                                      std::size_t written, std::size_t other) {
  const auto begin = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(arguments[i].pointer); };
  const auto end = [&](std::size_t i) { return begin(i) + arguments[i].length * plan.parameters[i].element_size; };
  const std::uint64_t common =
      (end(written) < end(other) ? end(written) : end(other)) - (begin(written) > begin(other) ? begin(written) : begin(other));
  throw LaunchError(graph.name, static_cast<int>(ir::argument_number(graph, written)),
                    "memory that no other parameter uses, because the kernel writes it",
                    span_text(plan, graph, arguments, written) + " that shares " + std::to_string(common) + " bytes with " +
                        span_text(plan, graph, arguments, other));
}

[[noreturn]] [[gnu::cold]] inline void refuse_argument(const LaunchPlan& plan, const ir::Graph& graph, const Argument& argument,
                                                       std::size_t index) {
  const LaunchPlan::Parameter& p = plan.parameters[index];
  const auto refuse = [&](const std::string& needed, const std::string& given) {
    return LaunchError(graph.name, static_cast<int>(ir::argument_number(graph, index)), needed, given);
  };
  const ir::Parameter& parameter = graph.parameters[index];
  const std::string type = parameter.type != ir::Type::none ? std::string(ir::name_of(parameter.type))
                                                            : "a struct of " + std::to_string(parameter.layout.size) + " bytes";
  if (argument.kind != p.kind) throw refuse(std::string(kind_text(p.kind)) + " of " + type, std::string(kind_text(argument.kind)));
  if (p.kind == ir::ParameterKind::value) throw refuse("a value of " + type, "a null pointer");
  if (argument.device != plan.device_id) throw refuse("memory on " + device_text(plan.device_id), device_text(argument.device));
  const std::string elements = std::to_string(argument.length) + " elements of " + type;
  if (argument.pointer == nullptr) throw refuse(elements, "a null pointer");
  if (argument.length > ~std::uint64_t{0} / p.element_size) throw refuse("at most 2^64 bytes", elements);
  const auto address = reinterpret_cast<std::uintptr_t>(argument.pointer);
  if (address % p.alignment != 0)
    throw refuse("memory aligned to " + std::to_string(p.alignment) + " bytes",
                 "an address that is " + std::to_string(address % p.alignment) + " off");
  throw refuse("memory within the address space", elements + " at address " + std::to_string(address));
}

[[noreturn]] [[gnu::cold]] inline void refuse_count(const ir::Graph& graph, std::size_t needed, std::size_t given) {
  throw LaunchError(graph.name, -1, std::to_string(needed) + " arguments", std::to_string(given));
}

inline bool argument_fits(const LaunchPlan& plan, const LaunchPlan::Parameter& p, const Argument& a) {
  if (a.kind != p.kind) return false;
  if (p.kind == ir::ParameterKind::value) return a.value != nullptr;
  if (a.device != plan.device_id) return false;
  if (a.length == 0) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(a.pointer);
  return address != 0 && (address & (p.alignment - 1)) == 0 && a.length <= (~std::uintptr_t{0} - address) / p.element_size;
}

}  // namespace detail

inline void plan_shared(LaunchPlan& plan, const ir::Graph& graph, const DeviceState& device) {
  const ir::SharedLayout layout = ir::shared_layout(graph);
  plan.fixed_shared_bytes = layout.fixed_bytes;
  plan.launch_gives_fixed_bytes = layout.all_dynamic();
  plan.most_shared_bytes = std::max(device.properties.most_shared_memory_per_block, device.properties.shared_memory_per_block);
  for (const std::uint32_t memory : layout.dynamic) {
    const ir::Memory& m = graph.memories[memory];
    plan.shared.push_back({static_cast<std::uint32_t>(ir::layout_of(m).size), m.elements, m.parameter});
    if (m.elements == 0) plan.shared_sizes = std::max(plan.shared_sizes, m.parameter + 1);
  }
  if (plan.shared.size() > SharedPlaces::most)
    throw LaunchError(graph.name, -1, "at most " + std::to_string(SharedPlaces::most) + " shared arrays whose size the launch decides",
                      std::to_string(plan.shared.size()));
}

inline LaunchPlan make_launch_plan(const ir::Graph& graph, const DeviceState& device, std::uint32_t max_threads_per_block) {
  LaunchPlan plan;
  plan.device_id = device.id;
  plan.limits = device.properties.limits;
  if (max_threads_per_block < plan.limits.threads_per_block) plan.limits.threads_per_block = max_threads_per_block;
  std::size_t bytes = 0, launch_arguments = 0;
  for (const ir::Parameter& p : graph.parameters) {
    if (ir::is_hidden(p.kind)) {
      bytes = (bytes + 7) / 8 * 8 + 8;
      ++launch_arguments;
      continue;
    }
    const auto [size, natural_alignment] = ir::layout_of(p);
    plan.parameters.push_back({p.kind, false, false, size, natural_alignment});
    const bool is_span = p.kind == ir::ParameterKind::span;
    const std::size_t alignment = is_span ? 8 : natural_alignment;
    bytes = (bytes + alignment - 1) / alignment * alignment + (is_span ? 16 : size);
    launch_arguments += is_span ? 2 : 1;
  }
  if (bytes > max_argument_bytes || launch_arguments > max_launch_arguments)
    throw LaunchError(graph.name, -1,
                      "at most " + std::to_string(max_argument_bytes) + " bytes of arguments and " + std::to_string(max_launch_arguments) +
                          " of them (a span is two)",
                      std::to_string(bytes) + " bytes and " + std::to_string(launch_arguments));
  for (const ir::Memory& memory : graph.memories) {
    if (memory.kind != ir::MemoryKind::span) continue;
    LaunchPlan::Parameter& p = plan.parameters.at(memory.parameter);
    if (memory.access == ir::Access::read) p.read = true;
    else p.written = true;
  }
  for (std::uint32_t i = 0; i != plan.parameters.size(); ++i)
    if (plan.parameters[i].written) plan.written.push_back(i);
  plan_shared(plan, graph, device);
  const ir::Attributes& a = graph.attributes;
  if (a.max_threads != 0 && a.max_threads < plan.limits.threads_per_block) plan.limits.threads_per_block = a.max_threads;
  plan.shaped = a.block[0] != 0 || a.cluster[0] != 0;
  if (a.cluster[0] != 0 && device.properties.kind == DeviceKind::gpu && device.properties.sm < 90)
    throw LaunchError(graph.name, -1, "a GPU of compute capability 9.0 or newer, because the kernel has clusters",
                      std::to_string(device.properties.sm / 10) + '.' + std::to_string(device.properties.sm % 10));
  for (const ir::IndexSpace& space : graph.spaces) {
    if (space.kind == ir::SpaceKind::linear) plan.one_dimensional = true;
    else plan.flat = true;
  }
  return plan;
}

// Two threads must never get the same element from a ThreadIndex:
//   linear   the index is block_index.x * block_dim.x + thread_index.x, so threads that differ in y or z alone would share one;
//   grid_2d  the index is row * stride + column. Threads that differ in z alone would share one. A column of `stride` or more would be
//            the next row's element; thread::index_2d gives such a thread no element, so widths need not be multiples of a block.
inline void check_shape(const LaunchPlan& plan, const ir::Graph& graph, const LaunchConfig& config) {
  const Dim3 &block = config.block, &grid = config.grid;
  const LaunchLimits& most = plan.limits;
  const std::uint64_t threads = config.threads_per_block();
  bool fits = threads != 0 && threads <= most.threads_per_block;
  fits &= block.x <= most.block.x && block.y <= most.block.y && block.z <= most.block.z;
  fits &= grid.x <= most.grid.x && grid.y <= most.grid.y && grid.z <= most.grid.z;
  fits &= config.shared.count == plan.shared_sizes;
  if (plan.flat || plan.one_dimensional) fits &= block.z == 1 && grid.z <= 1;
  if (plan.one_dimensional) fits &= block.y == 1 && grid.y <= 1;
  if (plan.shaped) [[unlikely]]
    fits &= detail::fits_attributes(graph.attributes, config);
  if (!fits) [[unlikely]]
    detail::refuse_shape(plan, graph, config);
}

inline void place_shared(const LaunchPlan& plan, const ir::Graph& graph, const LaunchConfig& config, SharedPlaces& places) {
  std::uint64_t bytes = 0;
  places.count = plan.shared.size();
  for (std::size_t i = 0; i != plan.shared.size(); ++i) {
    const LaunchPlan::SharedArray& a = plan.shared[i];
    const std::uint64_t elements = a.per_thread != 0 ? a.per_thread * config.threads_per_block() : config.shared.elements[a.size_index];
    places.words[2 * i] = static_cast<std::uint32_t>(bytes);
    places.words[2 * i + 1] = static_cast<std::uint32_t>(elements);
    bytes = ir::align_shared(bytes + elements * a.element_size);
    if (bytes > plan.most_shared_bytes) break;
  }
  if (bytes + plan.fixed_shared_bytes > plan.most_shared_bytes) [[unlikely]]
    throw LaunchError(graph.name, -1, "at most " + std::to_string(plan.most_shared_bytes) + " bytes of shared memory a block",
                      std::to_string(bytes + plan.fixed_shared_bytes) + " or more (" + std::to_string(plan.fixed_shared_bytes) +
                          " of arrays of a fixed size)");
  places.bytes = static_cast<std::uint32_t>(bytes + (plan.launch_gives_fixed_bytes ? plan.fixed_shared_bytes : 0));
}

inline void check_arguments(const LaunchPlan& plan, const ir::Graph& graph, std::span<const Argument> arguments) {
  const std::size_t count = plan.parameters.size();
  if (arguments.size() != count) [[unlikely]]
    detail::refuse_count(graph, count, arguments.size());
  for (std::size_t i = 0; i != count; ++i)
    if (!detail::argument_fits(plan, plan.parameters[i], arguments[i])) [[unlikely]]
      detail::refuse_argument(plan, graph, arguments[i], i);
  // What is written may share no byte with anything else that is read or written: reads go through caches that writes do not reach.
  for (const std::uint32_t w : plan.written) {
    const auto begin = reinterpret_cast<std::uintptr_t>(arguments[w].pointer);
    const std::uintptr_t end = begin + arguments[w].length * plan.parameters[w].element_size;
    for (std::size_t i = 0; i != count; ++i) {
      const LaunchPlan::Parameter& p = plan.parameters[i];
      if (i == w || !(p.read || (p.written && i > w))) continue;
      const auto other = reinterpret_cast<std::uintptr_t>(arguments[i].pointer);
      const std::uintptr_t other_end = other + arguments[i].length * p.element_size;
      if ((begin > other ? begin : other) < (end < other_end ? end : other_end)) [[unlikely]]
        detail::refuse_overlap(plan, graph, arguments, w, i);
    }
  }
}

}  // namespace oxide::runtime
