// Numbers into words and back.
#pragma once

#include <oxide/dsl/bits.hpp>
#include <oxide/dsl/emit_implementation.hpp>

namespace oxide::detail {

inline void lies_in_word(const Leaf& leaf, std::size_t word, Where where) {
  if (leaf.offset % word + ir::size_of(leaf.type) > word)
    refuse(where,
           "a number of a packed struct lies across two words of " + std::to_string(word) + " bytes; its bytes cannot be taken apart");
}

// A number as an unsigned integer of its size, and the other way.
inline trace::Handle bits_of_number(ir::Type type, trace::Handle x, Where where) {
  const ir::Type bits = word_type(ir::size_of(type));
  if (type == bits) return x;
  return emit(ir::is_boolean(type) ? ir::Opcode::cast : ir::Opcode::bit_cast, bits, x, 0, where);
}
inline trace::Handle number_of_bits(ir::Type type, trace::Handle x, Where where) {
  const ir::Type bits = word_type(ir::size_of(type));
  if (type == bits) return x;
  if (ir::is_boolean(type)) return emit(ir::Opcode::not_equal, type, x, constant(bits, 0, where), 0, where);
  return emit(ir::Opcode::bit_cast, type, x, 0, where);
}

OXIDE_INLINE void pack(const Leaf* leaves, std::size_t count, const trace::Handle* numbers, std::size_t word, std::size_t words,
                       trace::Handle* out, Where where) {
  const ir::Type type = word_type(word);
  for (std::size_t w = 0; w != words; ++w) out[w] = {};
  for (std::size_t i = 0; i != count; ++i) {
    lies_in_word(leaves[i], word, where);
    const ir::Type bits = word_type(ir::size_of(leaves[i].type));
    trace::Handle part = convert(bits, type, bits_of_number(leaves[i].type, numbers[i], where), where);
    if (const std::uint64_t shift = 8 * (leaves[i].offset % word); shift != 0)
      part = emit(ir::Opcode::shift_left, type, part, constant(type, shift, where), 0, where);
    trace::Handle& w = out[leaves[i].offset / word];
    w = w.run == 0 ? part : emit(ir::Opcode::bit_or, type, w, part, 0, where);
  }
  for (std::size_t w = 0; w != words; ++w)
    if (out[w].run == 0) out[w] = constant(type, 0, where);
}

OXIDE_INLINE void unpack(const Leaf* leaves, std::size_t count, const trace::Handle* words, std::size_t word, trace::Handle* out,
                         Where where) {
  const ir::Type type = word_type(word);
  for (std::size_t i = 0; i != count; ++i) {
    lies_in_word(leaves[i], word, where);
    const ir::Type bits = word_type(ir::size_of(leaves[i].type));
    trace::Handle part = words[leaves[i].offset / word];
    if (const std::uint64_t shift = 8 * (leaves[i].offset % word); shift != 0)
      part = emit(ir::Opcode::shift_right, type, part, constant(type, shift, where), 0, where);
    out[i] = number_of_bits(leaves[i].type, convert(type, bits, part, where), where);
  }
}

}  // namespace oxide::detail
