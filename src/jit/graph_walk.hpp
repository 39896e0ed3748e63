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

}  // namespace oxide::jit
