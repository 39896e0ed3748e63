// A fault record, as the exception that tells about it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <oxide/error.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>

namespace oxide::runtime {

// The exception for a record that a kernel claimed. `sites` are the compiler's for this graph.
KernelFault kernel_fault(const ir::Graph& graph, std::span<const oxide_fault_site> sites, const oxide_fault_record& record);

namespace detail {

inline SourceLine source_line(const ir::Graph& graph, const ir::Location& location) {
  if (location.line == 0 || location.file >= graph.files.size()) return {};
  return {graph.files[location.file], location.line, location.column};
}

inline const ir::Operation* operation_at(const ir::Graph& graph, const oxide_fault_site& site) {
  if (site.function >= ir::body_count(graph)) return nullptr;
  const ir::Body& body = ir::body_of(graph, site.function);
  if (site.block >= body.blocks.size() || site.operation >= body.blocks[site.block].operations.size()) return nullptr;
  return &body.blocks[site.block].operations[site.operation];
}

inline std::string integer_text(ir::Type type, std::uint64_t bits) {
  if (!ir::is_signed_integer(type)) return std::to_string(bits);
  const unsigned unused = 64 - ir::bits_of(type);
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

// No array has half of all numbers of elements: what is beyond was negative.
inline std::string index_text(std::uint64_t index) { return "index " + std::to_string(static_cast<std::int64_t>(index)); }

inline std::string coordinates(const std::uint32_t (&c)[3]) {
  return '(' + std::to_string(c[0]) + ", " + std::to_string(c[1]) + ", " + std::to_string(c[2]) + ')';
}

inline std::string memory_text(const ir::Graph& graph, std::uint32_t memory) {
  if (memory >= graph.memories.size()) return "a span";
  const ir::Memory& m = graph.memories[memory];
  if (m.kind == ir::MemoryKind::span) return "parameter " + std::to_string(ir::argument_number(graph, m.parameter) + 1);
  if (m.kind == ir::MemoryKind::table) return "a constant table";
  if (m.kind == ir::MemoryKind::storage) return m.access == ir::Access::read ? "an ox::Constant" : "an ox::Global";
  return m.location.line == 0 ? "a shared array" : "the shared array of " + source_line(graph, m.location).text();
}

// What a kernel's author calls a collective operation.
inline std::string_view collective_name(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::barrier:
      return "sync_threads";
    case ir::Opcode::barrier_and:
      return "sync_threads_and";
    case ir::Opcode::barrier_or:
      return "sync_threads_or";
    case ir::Opcode::barrier_count:
      return "sync_threads_count";
    case ir::Opcode::warp_barrier:
      return "warp::sync";
    case ir::Opcode::shuffle:
      return "warp::shfl";
    case ir::Opcode::vote_all:
      return "warp::all";
    case ir::Opcode::vote_any:
      return "warp::any";
    case ir::Opcode::vote_ballot:
      return "warp::ballot";
    case ir::Opcode::match_any:
      return "warp::match_any";
    case ir::Opcode::match_all:
      return "warp::match_all";
    case ir::Opcode::warp_reduce:
      return "a reduction of the warp";
    case ir::Opcode::grid_barrier:
      return "this_grid().sync";
    case ir::Opcode::cluster_arrive:
      return "this_cluster().arrive";
    case ir::Opcode::cluster_wait:
      return "this_cluster().wait";
    default:
      return ir::name_of(opcode);
  }
}

// Whose threads come to it.
inline std::string_view collective_group(ir::Opcode opcode) {
  if (opcode == ir::Opcode::grid_barrier) return "grid";
  if (opcode == ir::Opcode::cluster_arrive || opcode == ir::Opcode::cluster_wait) return "cluster";
  return ir::row_of(opcode).effect == ir::Effect::block_collective ? "block" : "warp that its mask names";
}

// The function that a site is in, and the calls that led to it where they are known.
inline std::string function_text(const ir::Graph& graph, std::span<const oxide_fault_site> sites, const oxide_fault_site& site) {
  if (site.function == 0 || site.function > graph.functions.size()) return {};
  std::string text = ", in function '" + graph.functions[site.function - 1].name + "'";
  if (site.call == 0 || site.call > sites.size()) return text;
  const oxide_fault_site& call = sites[site.call - 1];
  if (const ir::Operation* op = operation_at(graph, call); op != nullptr && op->location.line != 0)
    text += " called at " + source_line(graph, op->location).text();
  return text + function_text(graph, sites, call);
}

inline std::string collective_text(const ir::Graph& graph, std::span<const oxide_fault_site> sites, const ir::Operation& op,
                                   const oxide_fault_record& record) {
  const std::string name(collective_name(op.opcode));
  if (record.values[0] == OXIDE_COLLECTIVE_NOT_NAMED) return "the mask of " + name + " does not name the lane that calls it";
  if (record.values[0] == OXIDE_COLLECTIVE_OUT_OF_TURN)
    return op.opcode == ir::Opcode::cluster_wait ? name + " without an arrive before it" : name + " a second time without a wait between";
  std::string text = name + " was not reached by all threads of the " + std::string(collective_group(op.opcode));
  if (record.values[1] == ~std::uint64_t{0}) return text + "; others have ended";
  const ir::Operation* other = record.values[1] < sites.size() ? operation_at(graph, sites[record.values[1]]) : nullptr;
  if (other == nullptr) return text;
  text += "; others wait at " + std::string(collective_name(other->opcode));
  const SourceLine line = source_line(graph, other->location);
  if (line.line != 0) text += " at " + line.text();
  return text + function_text(graph, sites, sites[record.values[1]]);
}

inline std::string fault_text(const ir::Graph& graph, std::span<const oxide_fault_site> sites, const oxide_fault_record& record) {
  const oxide_fault_site& site = sites[record.site];
  const ir::Operation* operation = operation_at(graph, site);
  switch (site.kind) {
    case OXIDE_FAULT_BOUNDS: {
      return index_text(record.values[0]) + " is outside of " + memory_text(graph, site.memory) + ", which has " +
             std::to_string(record.values[1]) + " elements";
    }
    case OXIDE_FAULT_INDEX:
      return index_text(record.values[0]) + " is outside of an array of " +
             (operation == nullptr ? std::string("fewer") : std::to_string(operation->immediate)) + " elements";
    case OXIDE_FAULT_VECTORS: {
      const std::string count = operation == nullptr ? "n" : std::to_string(operation->immediate >> 32);
      std::string text = "as_vectors<" + count + "> of ";
      if (site.memory < graph.memories.size())
        text += "parameter " + std::to_string(ir::argument_number(graph, graph.memories[site.memory].parameter) + 1);
      else text += "a span";
      return text + " needs a multiple of " + count + " elements and an address aligned to the vector; it has " +
             std::to_string(record.values[1]) + " elements, and its address is " + std::to_string(record.values[0] % 16) +
             " above a multiple of 16";
    }
    case OXIDE_FAULT_COLLECTIVE:
      if (operation != nullptr) return collective_text(graph, sites, *operation, record);
      return "a collective operation was not reached by all of its threads";
    case OXIDE_FAULT_RANK:
      return "rank " + std::to_string(record.values[0]) + " is outside of the cluster, which has " + std::to_string(record.values[1]) +
             " blocks";
    case OXIDE_FAULT_DIVISION:
      return integer_text(operation == nullptr ? ir::Type::u64 : operation->type, record.values[0]) + " divided by zero";
    case OXIDE_FAULT_STACK:
      return "calls of function '" + (site.memory < graph.functions.size() ? graph.functions[site.memory].name : "?") +
             "' go deeper than the stack of a thread (stack_size " + std::to_string(ir::stack_size(graph.attributes)) +
             "); .stack_size(bytes) of the kernel gives more";
    case OXIDE_FAULT_CHECK:
      if (operation != nullptr && operation->immediate < graph.strings.size())
        return graph.strings[static_cast<std::size_t>(operation->immediate)];
      [[fallthrough]];
    default:
      return "a check failed";
  }
}

}  // namespace detail

inline KernelFault kernel_fault(const ir::Graph& graph, std::span<const oxide_fault_site> sites, const oxide_fault_record& record) {
  // A record that is claimed and not ready: the device stopped before the thread had filled it in.
  if (record.ready == 0 || record.site >= sites.size())
    return KernelFault(graph.name, {}, "a check failed, and the device stopped before it said which");
  const oxide_fault_site& site = sites[record.site];
  const ir::Operation* operation = detail::operation_at(graph, site);
  KernelFault fault(graph.name, operation == nullptr ? SourceLine{} : detail::source_line(graph, operation->location),
                    detail::fault_text(graph, sites, record) + detail::function_text(graph, sites, site) + ", in block " +
                        detail::coordinates(record.block) + ", thread " + detail::coordinates(record.thread));
  for (int axis = 0; axis != 3; ++axis) {
    fault.block[axis] = record.block[axis];
    fault.thread[axis] = record.thread[axis];
  }
  return fault;
}

}  // namespace oxide::runtime
