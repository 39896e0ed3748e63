// Host objects as constants of a kernel.
#pragma once

#include <cstring>

#include <oxide/dsl/emit_implementation.hpp>
#include <oxide/dsl/flat.hpp>

namespace oxide::detail {

OXIDE_INLINE void constant_leaves(const Leaf* leaves, std::size_t count, const void* bytes, trace::Handle* out, Where where) {
  for (std::size_t i = 0; i != count; ++i) {
    const ir::Type type = leaves[i].type;
    uint128 bits = 0;
    if (bytes != nullptr) std::memcpy(&bits, static_cast<const char*>(bytes) + leaves[i].offset, ir::size_of(type));
    if (ir::is_boolean(type)) bits = bits != 0;
    if (ir::size_of(type) <= 8) out[i] = constant(type, static_cast<std::uint64_t>(bits), where);
    else out[i] = wide_constant(type, type == ir::Type::i128 ? host_integer(static_cast<int128>(bits)) : host_integer(bits), where);
  }
}

OXIDE_INLINE void assign_leaves(std::size_t count, const trace::Handle* to, const trace::Handle* from) {
  trace::Recorder& recorder = trace::Recorder::current({});
  const trace::Place place = recorder.last_place();
  for (std::size_t i = 0; i != count; ++i) {
    const trace::Handle operands[] = {to[i], from[i]};
    recorder.emit(ir::Opcode::assign, ir::Type::none, operands, 2, 0, place);
  }
}

[[noreturn]] OXIDE_INLINE void refuse_index(Where where, HostInteger index, std::size_t count) {
  refuse(where, "index " + text_of(index) + " is outside of an array of " + std::to_string(count) + " elements");
}

OXIDE_INLINE trace::Handle all_of(const trace::Handle* booleans, std::size_t count, Where where) {
  if (count == 0) return constant(ir::Type::boolean, 1, where);
  trace::Handle all = booleans[0];
  for (std::size_t i = 1; i != count; ++i) all = emit(ir::Opcode::bit_and, ir::Type::boolean, all, booleans[i], 0, where);
  return all;
}

OXIDE_INLINE std::uint32_t declare_shared(const ElementLayout& element, std::uint64_t elements, bool dynamic, Where where) {
  ir::Memory memory;
  memory.kind = dynamic ? ir::MemoryKind::dynamic_shared : ir::MemoryKind::shared;
  memory.element = element.type;
  memory.layout = element.layout;
  memory.access = ir::Access::write;
  memory.elements = elements;
  return trace::Recorder::current(where).declarations.shared(memory, where.file_name(), where.line(), where.column());
}

}  // namespace oxide::detail
