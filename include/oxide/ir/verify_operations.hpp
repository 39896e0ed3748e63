// Verifier: single operations, what they name, and what stands beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/ir/inline_ptx.hpp>
#include <oxide/ir/verify_types.hpp>

namespace oxide::ir::detail {

class OperationVerifier : protected TypeVerifier {
 protected:
  using TypeVerifier::TypeVerifier;

  void operation(const Operation& op) {
    if (static_cast<std::size_t>(op.opcode) >= opcode_count) return fail("an opcode is out of range");
    if (static_cast<std::size_t>(op.type) >= type_count) return fail("a type is out of range");
    const OpcodeRow& row = row_of(op.opcode);
    if (row.effect == Effect::trace) return fail(op, "may stand in traces only");
    if (row.effect == Effect::requires_launch) return fail(op, "belongs to the graph's list of index spaces, not to its blocks");
    for (std::size_t i = 0; i != max_operands; ++i) {
      if (i < row.operands && !is_variable(op.operands[i])) return fail(op, "has operand " + std::to_string(i) + ", which is no variable");
      if (i >= row.operands && op.operands[i] != no_variable) return fail(op, "has more operands than " + std::to_string(row.operands));
    }
    operands(op, row);
    if (!defect_) result(op, row);
    if (!defect_) immediate(op, row);
    if (!defect_) neighbours(op, row);
    if (!defect_) special(op);
  }

  void immediate(const Operation& op, const OpcodeRow& row) {
    const auto below = [&](std::size_t limit, std::string_view what) {
      if (op.immediate >= limit) fail(op, "names a " + std::string(what) + " that is not there");
    };
    switch (row.immediate) {
      case Immediate::none:
        if (op.immediate != 0) fail(op, "has an immediate that means nothing");
        return;
      case Immediate::bits:
        if (bits_of(op.type) < 64 && op.immediate >> bits_of(op.type) != 0) fail(op, "has a constant of more bits than its type");
        return;
      case Immediate::parameter:
        return below(function_ == nullptr ? graph_.parameters.size() : function_->parameters.size(), "parameter");
      case Immediate::memory:
        return below(graph_.memories.size(), "memory");
      case Immediate::special:
        return below(special_register_count, "register");
      case Immediate::factor:
        if (op.immediate >= 1u << 16) fail(op, "makes one pass of too many");
        return;
      case Immediate::two_memories:
        if (op.immediate >> 32 != 0) return fail(op, "has an immediate that means nothing");
        if (memory_number(op.immediate) >= graph_.memories.size() || second_memory(op.immediate) >= graph_.memories.size())
          fail(op, "names a memory that is not there");
        return;
      case Immediate::access:
      case Immediate::vectors:
        if (memory_number(op.immediate) >= graph_.memories.size()) fail(op, "names a memory that is not there");
        return;
      case Immediate::array: {
        const ArrayShape shape = array_shape(op.immediate);
        if (shape.size == 0 || shape.size >= 1u << 24 || shape.count == 0) fail(op, "makes an array of no size");
        return;
      }
      case Immediate::count:
        return;
      case Immediate::address:
        if (address_access(op.immediate).size == 0) fail(op, "has elements of no size");
        return;
      case Immediate::axis:
        return below(3, "axis");
      case Immediate::space:
        return below(graph_.spaces.size(), "space");
      case Immediate::check:
        if (op.immediate > (is_integer(op.type) ? 1u : 0u)) fail(op, "has a check that is not 0 or (integers) 1");
        return;
      case Immediate::answer:
        return below(2, "answer");
      case Immediate::choice:
        return;  // looked at with the operands
      case Immediate::string:
        return below(graph_.strings.size(), "string");
      case Immediate::index:
        return below(max_arguments, "argument or result");
      case Immediate::function:
        return below(graph_.functions.size(), "function");
      case Immediate::math:
        return;  // looked at with the operands
      case Immediate::scope:
        return below(scope_count, "scope");
      case Immediate::shuffle:
        if (!valid_shuffle(op.immediate)) fail(op, "has no shuffle's mode and width");
        return;
      case Immediate::reduction:
        return below(reduction_kind_count, "reduction");
      case Immediate::atomic_at:
        if (!AtomicAccess::valid(op.immediate) || AtomicAccess::from(op.immediate).memory != 0)
          fail(op, "has no atomic access's kind, order and scope");
        return;
      case Immediate::atomic:
        if (!AtomicAccess::valid(op.immediate)) return fail(op, "has no atomic access's kind, order and scope");
        if (memory_number(op.immediate) >= graph_.memories.size()) fail(op, "names a memory that is not there");
        return;
    }
  }

  // Arguments stand directly before the operation that takes them, numbered from 0, and its results directly behind it.
  void neighbours(const Operation& op, const OpcodeRow& row) {
    if (row.effect == Effect::argument) {
      if (op.immediate != arguments_.size()) fail(op, "is not numbered after the argument before it");
      arguments_.push_back(type_of(op.operands[0]));
    } else if (row.rule != OperandRule::arguments && !arguments_.empty()) {
      fail(op, "stands between arguments and the operation that takes them");
    }
    if (op.opcode == Opcode::call) {
      const Function& callee = graph_.functions[static_cast<std::size_t>(op.immediate)];
      if (arguments_ != callee.parameters)
        fail(op, "has other arguments than the function's parameters: " + (arguments_.empty() ? "none" : print_types(arguments_)) +
                     " for " + print_types(callee.parameters));
    }
    if (op.opcode == Opcode::inline_ptx) {
      const InlinePtx ptx(graph_.strings[static_cast<std::size_t>(op.immediate)]);
      if (!ptx.valid) return fail(op, "is no inline PTX");
      if (ptx.inputs != arguments_.size()) return fail(op, "has other arguments than its constraints");
    }
    if (row.effect != Effect::argument) arguments_.clear();
    if (row.effect == Effect::call_result) return call_result(op);
    source_ = row.rule == OperandRule::arguments ? &op : nullptr;
  }

  void call_result(const Operation& op) {
    if (source_ == nullptr) return fail(op, "does not follow an operation that has several results");
    if (source_->opcode == Opcode::inline_ptx) {
      const InlinePtx ptx(graph_.strings[static_cast<std::size_t>(source_->immediate)]);
      if (op.immediate >= ptx.outputs) return fail(op, "names a result that is not there");
      if (ptx.output(static_cast<std::size_t>(op.immediate)) != ptx_register(op.type)) fail(op, "has a type of another register");
      return;
    }
    if (source_->opcode != Opcode::call) return fail(op, "does not follow an operation that has several results");
    const Function& callee = graph_.functions[static_cast<std::size_t>(source_->immediate)];
    if (op.immediate >= callee.results.size()) return fail(op, "names a result that is not there");
    if (op.type != callee.results[static_cast<std::size_t>(op.immediate)]) fail(op, "has another type than the function's result");
  }

  void special(const Operation& op) {
    numbers(op);
    if (defect_) return;
    switch (op.opcode) {
      case Opcode::parameter: {
        if (function_ != nullptr) {
          if (function_->parameters[static_cast<std::size_t>(op.immediate)] != op.type) fail(op, "has another type than its parameter");
          return;
        }
        const Parameter& p = graph_.parameters[static_cast<std::size_t>(op.immediate)];
        if (p.kind != ParameterKind::value || p.type != op.type)
          fail(op, "has another type than its parameter, or its parameter is no value");
        return;
      }
      case Opcode::print:
        if (graph_.parameters.empty() || graph_.parameters.back().kind != ParameterKind::printer) fail(op, "has no printer to write to");
        return;
      case Opcode::special:
        if (op.type != register_type(static_cast<SpecialRegister>(op.immediate))) fail(op, "gives another type than the register's");
        return;
      case Opcode::on_gpu:
        if (op.type != Type::boolean) fail(op, "gives a boolean");
        return;
      case Opcode::prefetch:
        if (!fits_prefetch(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a prefetch");
        return;
      case Opcode::copy_elements:
        if (layout_of(memory(op)) != layout_of(graph_.memories[second_memory(op.immediate)])) fail(op, "copies elements of another size");
        else if (memory(op).access == Access::read) fail(op, "writes memory that is only read");
        return;
      case Opcode::length:
        if (op.type != Type::u64) fail(op, "gives a u64");
        return;
      case Opcode::thread_index:
      case Opcode::block_index:
      case Opcode::block_dim:
      case Opcode::grid_dim:
      case Opcode::lane_index:
      case Opcode::warp_index:
      case Opcode::cluster_rank:
      case Opcode::cluster_dim:
      case Opcode::barrier_count:
      case Opcode::active_mask:
      case Opcode::vote_ballot:
      case Opcode::match_any:
      case Opcode::match_all:
        if (op.type != Type::u32) fail(op, "gives a u32");
        return;
      case Opcode::warp_reduce:
        if (op.type != Type::u32 && op.type != Type::i32) fail(op, "reduces u32 or i32");
        return;
      case Opcode::cluster_arrive:
        if (op.immediate > 1) fail(op, "arrives in a way that is not there");
        return;
      case Opcode::shared_address:
        if (!is_address(op.type)) fail(op, "gives an address");
        else if (!is_shared(memory(op))) fail(op, "is of memory that is no shared array");
        return;
      case Opcode::atomic_load:
      case Opcode::atomic_store:
      case Opcode::atomic_rmw:
      case Opcode::atomic_cas:
      case Opcode::atomic_load_at:
      case Opcode::atomic_store_at:
      case Opcode::atomic_rmw_at:
      case Opcode::atomic_cas_at:
        return atomic(op);
      case Opcode::bit_cast: {
        const Type from = type_of(op.operands[0]);
        if (size_of(from) != size_of(op.type) || is_boolean(from) != is_boolean(op.type))
          fail(op, "goes between types of different size, or to or from a boolean");
        return;
      }
      case Opcode::load:
        access(op, op.type);
        if (!fits_load(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a load");
        return;
      case Opcode::store:
        access(op, type_of(op.operands[1]));
        if (memory(op).access == Access::read) fail(op, "writes memory that is only read");
        if (!fits_store(cache_hint(op.immediate))) fail(op, "has a cache hint that is none of a store");
        return;
      case Opcode::check_vectors:
        if (op.immediate >> 32 == 0) fail(op, "makes vectors of no elements");
        return;
      case Opcode::local_array:
        if (!is_address(op.type)) fail(op, "gives an address");
        return;
      case Opcode::load_at:
        if (!is_number(op.type)) fail(op, "gives a number");
        return;
      case Opcode::store_at:
        if (!is_number(type_of(op.operands[2]))) fail(op, "stores a number");
        return;
      case Opcode::return_value:
        if (function_ == nullptr) return fail(op, "stands outside of a function");
        if (op.immediate >= function_->results.size()) return fail(op, "names a result that is not there");
        if (type_of(op.operands[0]) != function_->results[static_cast<std::size_t>(op.immediate)])
          fail(op, "returns another type than the function's result");
        return;
      default:
        return;
    }
  }

  const Memory& memory(const Operation& op) const { return graph_.memories[memory_number(op.immediate)]; }

  // Elements that are numbers are accessed as what they are, those that are structs in any part.
  void access(const Operation& op, Type type) {
    const Memory& m = memory(op);
    const MemoryAccess a = memory_access(op.immediate);
    if (!is_number(type)) return fail(op, "accesses memory as something that is no number");
    if (m.element != Type::none && type != m.element) return fail(op, "accesses another type than the memory's elements");
    if (a.alignment == 0 && !a.in_bytes && std::uint64_t{a.offset} + size_of(type) > layout_of(m).size)
      fail(op, "accesses more than one element");
  }

  // Loads may not release, stores may not acquire (C++ [atomics.types.operations]); arithmetic is for numbers.
  // Structs are accessed as unsigned integers of their size, and lie as those do.
  static bool fits_atomic(const Memory& m, Type type) {
    if (m.element == type) return true;
    const Layout layout = layout_of(m);
    return is_integer(type) && !is_signed_integer(type) && m.element == Type::none && layout.size == size_of(type) &&
           layout.alignment >= layout.size;
  }
  void atomic(const Operation& op) {
    const OpcodeRow& row = row_of(op.opcode);
    const AtomicAccess a = AtomicAccess::from(op.immediate);
    const bool loads = op.opcode == Opcode::atomic_load || op.opcode == Opcode::atomic_load_at;
    const bool stores = op.opcode == Opcode::atomic_store || op.opcode == Opcode::atomic_store_at;
    const Type type = stores ? type_of(op.operands[1]) : op.type;
    if (!is_number(type)) return fail(op, "is an access to what is no number");
    for (std::size_t i = 1; i != row.operands; ++i)
      if (type_of(op.operands[i]) != type) return fail(op, "has operands of several types");
    if (row.immediate == Immediate::atomic) {
      const Memory& m = graph_.memories[a.memory];
      if (!fits_atomic(m, type)) return fail(op, "accesses another type than the memory's elements");
      if (!loads && m.access == Access::read) return fail(op, "writes memory that is only read");
    }
    if (loads && (a.order == MemoryOrder::release || a.order == MemoryOrder::acq_rel)) return fail(op, "is a load, which cannot release");
    if (stores && (a.order == MemoryOrder::acquire || a.order == MemoryOrder::acq_rel)) return fail(op, "is a store, which cannot acquire");
    if (op.opcode != Opcode::atomic_rmw && op.opcode != Opcode::atomic_rmw_at) {
      if (a.kind != AtomicKind::exchange) fail(op, "is no read-modify-write, so it has no kind");
      return;
    }
    const bool bits = a.kind >= AtomicKind::bit_and, counts = a.kind >= AtomicKind::inc, floats = is_floating(type) || is_pair(type);
    if (a.kind != AtomicKind::exchange && is_boolean(type) && (!bits || counts)) return fail(op, "is arithmetic on booleans");
    const bool known = floats || is_boolean(type) || (is_integer(type) && size_of(type) <= 8);
    if (a.kind != AtomicKind::exchange && !known) return fail(op, "is arithmetic on " + name(type));
    if (bits && floats) return fail(op, "is a bit operation on floating-point numbers");
    if (counts && type != Type::u32) fail(op, "counts in u32 only");
  }
};

}  // namespace oxide::ir::detail
