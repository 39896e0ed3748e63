// What passes over a graph ask of its operations and blocks.
#pragma once

#include <oxide/ir/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oxide::jit {

// The variable that an operation changes, or no_variable.
inline ir::Variable defined_by(const ir::Operation& op) {
  const ir::OpcodeRow& row = ir::row_of(op.opcode);
  if (row.effect == ir::Effect::writes_variable) return op.operands[0];
  return row.result != ir::ResultRule::none ? op.result : ir::no_variable;
}

template <class F>
void each_use(const ir::Operation& op, F&& f) {
  const ir::OpcodeRow& row = ir::row_of(op.opcode);
  for (std::size_t i = row.effect == ir::Effect::writes_variable ? 1 : 0; i != row.operands; ++i) f(op.operands[i]);
}

inline unsigned target_count(const ir::Terminator& t) {
  return t.kind == ir::TerminatorKind::exit ? 0 : t.kind == ir::TerminatorKind::jump ? 1 : 2;
}

// Of each variable: 0, 1, or 2 for several.
inline std::vector<std::uint8_t> count_definitions(const ir::Body& body) {
  std::vector<std::uint8_t> count(body.variables.size(), 0);
  for (const ir::Block& block : body.blocks)
    for (const ir::Operation& op : block.operations)
      if (const ir::Variable v = defined_by(op); v != ir::no_variable && count[v] != 2) ++count[v];
  return count;
}

// Whether an operation is a constant, a coordinate or a little arithmetic, which costs less to do again than to keep.
inline bool is_cheap(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::constant:
    case ir::Opcode::parameter:
    case ir::Opcode::length:
    case ir::Opcode::copy:
    case ir::Opcode::select:
    case ir::Opcode::cast:
    case ir::Opcode::bit_cast:
    case ir::Opcode::thread_index:
    case ir::Opcode::block_index:
    case ir::Opcode::block_dim:
    case ir::Opcode::grid_dim:
    case ir::Opcode::lane_index:
    case ir::Opcode::warp_index:
    case ir::Opcode::cluster_rank:
    case ir::Opcode::cluster_dim:
    case ir::Opcode::add:
    case ir::Opcode::sub:
    case ir::Opcode::mul:
    case ir::Opcode::neg:
    case ir::Opcode::min:
    case ir::Opcode::max:
    case ir::Opcode::bit_and:
    case ir::Opcode::bit_or:
    case ir::Opcode::bit_xor:
    case ir::Opcode::bit_not:
    case ir::Opcode::shift_left:
    case ir::Opcode::shift_right:
    case ir::Opcode::equal:
    case ir::Opcode::not_equal:
    case ir::Opcode::less:
    case ir::Opcode::less_equal:
    case ir::Opcode::local_array:  // where it lies; it is made where it stands
      return true;
    default:
      return false;
  }
}

}  // namespace oxide::jit
