// Elements of arrays that are values: each is compared with the index.
#pragma once

#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/position.hpp>

namespace oxide::detail {

OXIDE_INLINE trace::Handle load_register(const Position& p, ir::Type type) {
  const RegisterArray& a = p.registers;
  trace::Handle found = a.at(a.elements, 0, p.offset, type);
  for (std::size_t k = 1; k != a.count; ++k) {
    const trace::Handle here = emit(ir::Opcode::equal, ir::Type::boolean, p.index, constant(ir::Type::u64, k, p.where), 0, p.where);
    found = emit(ir::Opcode::select, type, here, a.at(a.elements, k, p.offset, type), found, p.where);
  }
  return a.count == 1 ? emit(ir::Opcode::copy, type, found, 0, p.where) : found;
}

OXIDE_INLINE void store_register(const Position& p, ir::Type type, trace::Handle value, Where where) {
  const RegisterArray& a = p.registers;
  for (std::size_t k = 0; k != a.count; ++k) {
    const trace::Handle old = a.at(a.elements, k, p.offset, type);
    const trace::Handle here = emit(ir::Opcode::equal, ir::Type::boolean, p.index, constant(ir::Type::u64, k, where), 0, where);
    assign(old, emit(ir::Opcode::select, type, here, value, old, where), where);
  }
}

}  // namespace oxide::detail
