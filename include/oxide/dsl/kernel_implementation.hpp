// How kernels are traced, built and launched: the part that is the same for all of them.
#pragma once

#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/dsl/argument.hpp>
#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/flat_implementation.hpp>
#include <oxide/dsl/function.hpp>
#include <oxide/dsl/global.hpp>
#include <oxide/dsl/kernel_build.hpp>
#include <oxide/dsl/parameter.hpp>
#include <oxide/dsl/table.hpp>
#include <oxide/error.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/jit/local_memory.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>
#include <oxide/trace/to_graph.hpp>

namespace oxide::detail {

struct ParameterTable {
  std::vector<ir::Parameter> parameters;
  std::vector<ir::Memory> memories;
  std::vector<trace::Handle> values;  // of this run, by parameter
};

OXIDE_INLINE void add_value(ParameterTable& table, ir::Type type) { table.parameters.push_back({ir::ParameterKind::value, type}); }
OXIDE_INLINE void add_values(ParameterTable& table, const Leaf* leaves, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    add_value(table, leaves[i].type);
    table.parameters.back().continues = i != 0;
  }
}
OXIDE_INLINE void add_span(ParameterTable& table, const ElementLayout& element, ir::Access access) {
  ir::Memory memory{ir::MemoryKind::span, element.type, access, static_cast<std::uint32_t>(table.parameters.size())};
  memory.layout = element.layout;
  table.memories.push_back(memory);
  table.parameters.push_back({ir::ParameterKind::span, element.type, element.layout});
}
OXIDE_INLINE void too_many_elements(std::size_t given, std::size_t elements) {
  throw Error("an ox::Constant or ox::Global of " + std::to_string(elements) + " elements is to start with " + std::to_string(given));
}

OXIDE_INLINE void outside_of_table(Where where, HostInteger index, std::size_t elements) {
  const std::string what = "index " + text_of(index) + " is outside of an ox::Table of " + std::to_string(elements) + " elements";
  if (trace::Recorder::slot() != nullptr) refuse(where, what);
  throw Error(what + " (" + trace::Place(where).source_line().text() + ')');
}

OXIDE_INLINE std::uint32_t declare_table(const ElementLayout& element, const Leaf* leaves, std::size_t leaf_count, const void* first,
                                         std::uint64_t elements, Where where) {
  if (elements == 0) refuse(where, "a constant table has no elements");
  ir::Memory memory;
  memory.element = element.type;
  memory.layout = element.layout;
  // Only the numbers: what lies between them may be anything.
  const std::size_t size = ir::layout_of(memory).size;
  std::string bytes(static_cast<std::size_t>(elements) * size, '\0');
  for (std::size_t at = 0; at != bytes.size(); at += size)
    for (std::size_t i = 0; i != leaf_count; ++i)
      std::memcpy(bytes.data() + at + leaves[i].offset, static_cast<const char*>(first) + at + leaves[i].offset,
                  ir::size_of(leaves[i].type));
  memory.elements = elements;
  return trace::Recorder::current(where).declarations.table(memory, bytes);
}
OXIDE_INLINE std::uint32_t declare_storage(const ElementLayout& element, std::uint64_t elements, ir::Access access,
                                           const Counted<runtime::Storage>& storage, Where where) {
  ir::Memory memory;
  memory.element = element.type;
  memory.layout = element.layout;
  memory.elements = elements;
  memory.access = access;
  return trace::Recorder::current(where).declarations.storage(memory, storage);
}
OXIDE_INLINE const trace::Handle* value_at(const ParameterTable& table, std::size_t parameter) { return table.values.data() + parameter; }
OXIDE_INLINE ir::Access* access_at(ParameterTable& table, std::uint32_t memory) { return &table.memories[memory].access; }

// Records the values that are parameters, in order, so that a graph does not depend on the order in which a compiler makes arguments.
inline void start_run(ParameterTable& table) {
  table.values.resize(table.parameters.size());
  for (std::size_t i = 0; i != table.parameters.size(); ++i)
    if (table.parameters[i].kind == ir::ParameterKind::value)
      table.values[i] = emit(ir::Opcode::parameter, table.parameters[i].type, std::uint64_t{i}, Where());
}

inline KernelBuild traced_kernel(const TracedLambda& kernel) {
  KernelBuild build;
  trace::Statistics statistics;
  const double start = runtime::detail::now_ms();
  ParameterTable table;
  kernel.describe(table);
  auto run = [&] {
    start_run(table);
    kernel.run(kernel.lambda, table);
  };
  const auto describe = [&](ir::Graph& graph) {
    graph.fp_mode = kernel.options.fp_mode;
    graph.attributes = kernel.options.attributes;
    graph.parameters = table.parameters;
    graph.memories = table.memories;
  };
  build.graph = make_counted<const ir::Graph>(trace::trace(kernel.name, run, describe, &statistics));
  build.trace_runs = statistics.runs;
  build.trace_ms = runtime::detail::now_ms() - start;
  return build;
}

OXIDE_INLINE Counted<const ir::Graph> trace_graph(const TracedLambda& kernel) { return traced_kernel(kernel).graph; }

OXIDE_INLINE Counted<const KernelBuild> build_kernel(const TracedLambda& kernel, std::uint32_t device, CallSiteCache* cache) {
  KernelBuild build = traced_kernel(kernel);
  const Device on = device == 0 ? Device::cpu() : Device::gpu(device - 1);
  build.program = runtime::load_program(on, build.graph, {.line_info = kernel.options.line_info});
  if (cache != nullptr) cache->keep(device, kernel.options, build);
  return make_counted<const KernelBuild>(std::move(build));
}

OXIDE_INLINE void CallSiteCache::keep(std::uint32_t device, const KernelOptions& options, const KernelBuild& build) {
  if (device >= devices) return;
  Entry* entry = new Entry{build, options, __atomic_load_n(&newest_[device], __ATOMIC_ACQUIRE)};
  for (;;) {
    if (find(device, options) != nullptr) return delete entry;  // another thread was first
    const Entry* const made = entry;
    if (__atomic_compare_exchange_n(&newest_[device], &entry->older, made, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  }
}

// A launch inside a kernel lambda would run once for each time that the lambda is traced.
inline void must_be_on_host(const Launch& launch) {
  if (trace::Recorder::slot() != nullptr) [[unlikely]]
    refuse(launch.on.where,
           "kernel '" + std::string(launch.kernel) +
               "' was launched inside a kernel lambda; the host launches kernels, and a kernel's helpers are plain functions");
}

OXIDE_INLINE void launch_kernel(const KernelBuild& build, const Launch& launch) {
  must_be_on_host(launch);
  runtime::launch(*build.program, launch.on.stream, launch.config, {launch.arguments, launch.argument_count});
}

OXIDE_INLINE void build_and_launch(const TracedLambda& kernel, const Launch& launch, CallSiteCache* cache, bool* said) {
  must_be_on_host(launch);
  if (said != nullptr && !__atomic_exchange_n(said, true, __ATOMIC_RELAXED))
    std::fprintf(stderr,
                 "oxide: kernel '%.*s' captures host values (or is a function pointer), so it is traced at every launch; "
                 "ox::kernel<function>(name) takes a plain function, and "
                 "ox::bind(value, lambda) passes values without that\n",
                 static_cast<int>(kernel.name.size()), kernel.name.data());
  launch_kernel(*build_kernel(kernel, launch.on.stream.device_id(), cache), launch);
}

OXIDE_INLINE std::string graph_text(const ir::Graph& graph) { return ir::print(graph); }

OXIDE_INLINE void wrong_attributes(std::string_view kernel, std::string_view why) {
  throw Error("kernel '" + std::string(kernel) + "': " + std::string(why));
}

OXIDE_INLINE KernelResources kernel_resources(const KernelBuild& build) {
  const runtime::KernelFigures figures = build.program->loaded().figures();
  KernelResources r;
  r.registers = figures.registers;
  r.local_bytes = figures.local_bytes;
  const std::uint64_t arrays = jit::local_depot_bytes(build.program->ptx(), jit::frame_multiple);
  r.spilled_bytes = r.local_bytes > arrays ? r.local_bytes - arrays : 0;
  r.shared_bytes = figures.shared_bytes;
  r.constant_bytes = figures.constant_bytes;
  r.max_threads_per_block = build.program->plan().limits.threads_per_block;
  r.binary_version = figures.binary_version;
  r.ptx_bytes = build.program->ptx().size();
  r.code_bytes = figures.code_bytes;
  r.local_arrays = jit::arrays_in_local_memory(*build.graph, build.program->local_arrays());
  return r;
}

OXIDE_INLINE KernelResources kernel_resources(const jit::Target& target, const ir::Graph& graph, KernelOptions options) {
  KernelResources r;
  const runtime::CompiledText text = runtime::compile_text(target, graph, {.line_info = options.line_info});
  r.binary_version = target.sm;
  r.ptx_bytes = text.ptx.size();
  r.local_bytes = jit::local_depot_bytes(text.ptx);
  r.local_arrays = text.local_arrays;
  const ir::Attributes& a = options.attributes;
  r.max_threads_per_block = a.block[0] != 0      ? a.block[0] * a.block[1] * a.block[2]
                            : a.max_threads != 0 ? a.max_threads
                                                 : LaunchConfig::largest_block;
  return r;
}

OXIDE_INLINE KernelText kernel_text(const jit::Target& target, const ir::Graph& graph, KernelOptions options) {
  runtime::CompiledText text = runtime::compile_text(target, graph, {.line_info = options.line_info});
  return {std::move(text.llvm_ir), std::move(text.ptx), std::move(text.assembly)};
}

OXIDE_INLINE ArgumentBytes integer_argument(std::string_view kernel, std::size_t parameter, ir::Type type, HostInteger x) {
  if (!holds(type, x)) [[unlikely]]
    throw LaunchError(std::string(kernel), static_cast<int>(parameter), "a number that fits " + std::string(ir::name_of(type)), text_of(x));
  if (ir::bits_of(type) <= 64) return {bits_of_integer(type, x), 0};
  const uint128 bits = x.negative ? 0 - magnitude_of(x) : magnitude_of(x);
  return {static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits >> 64)};
}
OXIDE_INLINE ArgumentBytes floating_argument(ir::Type type, double x) { return {bits_of_double(type, x), 0}; }

OXIDE_INLINE void call_function(const trace::CalledFunction& function, const trace::Handle* arguments, trace::Handle* results,
                                Where where) {
  const std::uint32_t number = trace::Recorder::current(where).declarations.function(function);
  for (std::size_t i = 0; i != function.parameter_count; ++i) emit(ir::Opcode::argument, ir::Type::none, arguments[i], i, where);
  emit(ir::Opcode::call, ir::Type::none, number, where);
  for (std::size_t i = 0; i != function.result_count; ++i)
    results[i] = emit(ir::Opcode::call_result, function.results[i], std::uint64_t{i}, where);
}

OXIDE_INLINE void receive(const trace::CalledFunction& function, trace::Handle* parameters) {
  for (std::size_t i = 0; i != function.parameter_count; ++i)
    parameters[i] = emit(ir::Opcode::parameter, function.parameters[i], std::uint64_t{i}, Where());
}

// Copies first: ways through the function that return different values meet before they are given back.
OXIDE_INLINE void give_back(trace::Handle* results, const ir::Type* types, std::size_t count, Where where) {
  for (std::size_t i = 0; i != count; ++i) results[i] = emit(ir::Opcode::copy, types[i], results[i], 0, where);
  for (std::size_t i = 0; i != count; ++i) emit(ir::Opcode::return_value, ir::Type::none, results[i], i, where);
}

OXIDE_INLINE void not_a_function_name(std::string_view name) {
  throw Error("a function's name is made of letters, digits and underscores, and does not start with a digit: '" + std::string(name) + "'");
}

OXIDE_INLINE void not_a_kernel_name(std::string_view name) {
  throw Error("a kernel's name is made of letters, digits and underscores, and does not start with a digit: '" + std::string(name) + "'");
}

}  // namespace oxide::detail
