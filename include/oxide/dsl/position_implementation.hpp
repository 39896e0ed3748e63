// Elements of arrays that are values: each is compared with the index.
#pragma once

#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/position.hpp>

namespace oxide::detail {

OXIDE_INLINE Position element_in_registers(const Position& p, trace::Handle j, std::uint32_t stride, std::size_t size) {
  if (p.registers.stride != 0)
    refuse(p.where, "arrays in an array of values have three indices that are known at run time only; use an ox::LocalArray");
  Position q = p;
  q.registers.inner = static_cast<std::uint32_t>(size);
  q.registers.stride = stride;
  const trace::Handle before = emit(ir::Opcode::mul, ir::Type::u64, p.index, constant(ir::Type::u64, size, p.where), 0, p.where);
  q.index = emit(ir::Opcode::add, ir::Type::u64, before, j, 0, p.where);
  return q;
}

OXIDE_INLINE trace::Handle load_register(const Position& p, ir::Type type) {
  const RegisterArray& a = p.registers;
  trace::Handle found = a.number(0, p.offset, type);
  for (std::size_t k = 1; k != a.size(); ++k) {
    const trace::Handle here = emit(ir::Opcode::equal, ir::Type::boolean, p.index, constant(ir::Type::u64, k, p.where), 0, p.where);
    found = emit(ir::Opcode::select, type, here, a.number(k, p.offset, type), found, p.where);
  }
  return a.size() == 1 ? emit(ir::Opcode::copy, type, found, 0, p.where) : found;
}

OXIDE_INLINE void store_register(const Position& p, ir::Type type, trace::Handle value, Where where) {
  const RegisterArray& a = p.registers;
  for (std::size_t k = 0; k != a.size(); ++k) {
    const trace::Handle old = a.number(k, p.offset, type);
    const trace::Handle here = emit(ir::Opcode::equal, ir::Type::boolean, p.index, constant(ir::Type::u64, k, where), 0, where);
    assign(old, emit(ir::Opcode::select, type, here, value, old, where), where);
  }
}

}  // namespace oxide::detail
