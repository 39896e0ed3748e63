// The interpreter's operations but for those of control flow.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <oxide/runtime/print_text.hpp>

#include "support/interpreter_arithmetic.hpp"

namespace oxide::testing {

class InterpreterOperations : protected InterpreterArithmetic {
 protected:
  // Operations whose operands are of other types than their result.
  static Run run_of_mixed(const ir::Operation& op, const ir::Body& body) {
    using enum ir::Opcode;
    using F32 = float;
    const bool a_signed = op.operands[0] != ir::no_variable && body.variables[op.operands[0]] == ir::Type::i32;
    const bool b_signed = op.operands[1] != ir::no_variable && body.variables[op.operands[1]] == ir::Type::i32;
    switch (op.opcode) {
      case dot4:
      case dot2:
        return a_signed ? (b_signed ? &run_dot<true, true> : &run_dot<true, false>)
                        : (b_signed ? &run_dot<false, true> : &run_dot<false, false>);
      case make_pair:
        return [](Frame& f, const Instruction& i) { f.registers[i.result] = f.registers[i.b] << 16 | f.registers[i.a]; };
      case pair_element:
        return [](Frame& f, const Instruction& i) { f.registers[i.result] = f.registers[i.a] >> 16 * i.immediate & 0xffff; };
      case pack_float8:
        return [](Frame& f, const Instruction& i) {
          const ir::FloatFormat format = i.immediate != 0 ? ir::e5m2_format : ir::e4m3_format;
          const auto byte = [&](std::uint32_t v) { return ir::round_to_format(format, get<F32>(f, v), true); };
          f.registers[i.result] = byte(i.b) << 8 | byte(i.a);
        };
      case unpack_float8:
        return [](Frame& f, const Instruction& i) {
          const ir::FloatFormat format = i.immediate != 0 ? ir::e5m2_format : ir::e4m3_format;
          const auto half = [&](unsigned k) {
            return ir::round_to_format(ir::f16_format,
                                       ir::value_of_format(format, static_cast<std::uint32_t>(word(f, i.a) >> 8 * k & 255)));
          };
          f.registers[i.result] = half(1) << 16 | half(0);
        };
      default:
        return nullptr;
    }
  }

  template <bool a_signed, bool b_signed>
  static void run_dot(Frame& f, const Instruction& i) {
    const auto x = static_cast<std::uint32_t>(word(f, i.a)), y = static_cast<std::uint32_t>(word(f, i.b)),
               z = static_cast<std::uint32_t>(word(f, i.c));
    const bool four = i.opcode == ir::Opcode::dot4;
    f.registers[i.result] = rules::dot(x, a_signed, y, b_signed, four ? 4 : 2, four ? 0 : static_cast<unsigned>(2 * i.immediate), z);
  }

  template <class T>
  static void* element(Frame& f, const Instruction& x) {
    const Argument& span = f.memories[x.memory];
    const ir::MemoryAccess access = ir::memory_access(x.immediate);
    const std::uint64_t index = word(f, x.a), at = index * (access.in_bytes ? 1 : x.element_size) + access.offset;
    if (at + sizeof(T) > span.length * x.element_size || at + sizeof(T) < at)
      throw std::runtime_error(std::string(x.name) + " of element " + std::to_string(index) + " of " + std::to_string(span.length) +
                               " with no check before");
    return static_cast<char*>(span.data) + at;
  }
  template <class T>
  static T read(const void* from) {
    if constexpr (std::is_same_v<T, bool>) return *static_cast<const std::uint8_t*>(from) != 0;
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  template <class T>
  static Run run_of(ir::Opcode opcode) {
    using enum ir::Opcode;
    switch (opcode) {  // any type
      case constant:
        return [](Frame& f, const Instruction& x) {
          f.registers[x.result] = x.immediate;
          if constexpr (std::is_same_v<T, int128>) set<T>(f, x, static_cast<std::int64_t>(x.immediate));
        };
      case parameter:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = (*f.arguments)[static_cast<std::size_t>(x.immediate)].bits; };
      case length:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.memories[x.memory].length; };
      case copy:
        return [](Frame& f, const Instruction& x) {
          f.registers[x.result] = f.registers[x.a];
          f.left_factor[x.result] = f.left_factor[x.a];
          f.right_factor[x.result] = f.right_factor[x.a];
        };
      case assign:
        return [](Frame& f, const Instruction& x) {
          f.registers[x.result] = f.registers[x.b];
          f.left_factor[x.result] = f.left_factor[x.b];
          f.right_factor[x.result] = f.right_factor[x.b];
        };
      case select:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.registers[f.registers[x.a] != 0 ? x.b : x.c]; };
      case bit_cast:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.registers[x.a]; };
      case thread_index:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.place[0][x.immediate]; };
      case block_index:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.place[1][x.immediate]; };
      case block_dim:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.place[2][x.immediate]; };
      case grid_dim:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.place[3][x.immediate]; };
      case equal:
        return [](Frame& f, const Instruction& x) { set<bool>(f, x, get<T>(f, x.a) == get<T>(f, x.b)); };
      case not_equal:
        return [](Frame& f, const Instruction& x) { set<bool>(f, x, !(get<T>(f, x.a) == get<T>(f, x.b))); };
      case load:
        return [](Frame& f, const Instruction& x) { set<T>(f, x, read<T>(element<T>(f, x))); };
      case store:
        return [](Frame& f, const Instruction& x) {
          const T value = get<T>(f, x.b);
          std::memcpy(element<T>(f, x), &value, sizeof value);
        };
      case local_array:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.arrays.make(ir::array_shape(x.immediate)); };
      case load_at:
        return [](Frame& f, const Instruction& x) {
          set<T>(f, x, read<T>(f.arrays.at(word(f, x.a), word(f, x.b), ir::address_access(x.immediate), sizeof(T))));
        };
      case store_at:
        return [](Frame& f, const Instruction& x) {
          const T value = get<T>(f, x.c);
          std::memcpy(f.arrays.at(word(f, x.a), word(f, x.b), ir::address_access(x.immediate), sizeof value), &value, sizeof value);
        };
      case copy_array:
        return [](Frame& f, const Instruction& x) { f.arrays.copy(word(f, x.a), word(f, x.b), x.immediate); };
      case check_index:
        return [](Frame& f, const Instruction& x) {
          if (word(f, x.a) >= x.immediate) f.fail(x.site, word(f, x.a), 0);
        };
      case check_vectors:
        return [](Frame& f, const Instruction& x) {
          const Argument& span = f.memories[x.memory];
          const std::uint64_t address = reinterpret_cast<std::uintptr_t>(span.data), count = x.immediate >> 32;
          if (address % ir::array_alignment(static_cast<std::uint32_t>(x.element_size * count)) != 0 || span.length % count != 0)
            f.fail(x.site, address, span.length);
        };
      case check_bounds:
        return [](Frame& f, const Instruction& x) {
          const std::uint64_t index = word(f, x.a), length = f.memories[x.memory].length;
          if (index >= length) f.fail(x.site, index, length);
        };
      case sleep:
      case breakpoint:
      case unroll:
      case prefetch:
      case barrier:  // right for kernels whose threads exchange nothing: each runs to its end by itself
        return [](Frame&, const Instruction&) {};
      case on_gpu:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = 0; };
      case special:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = ~f.steps_left & 0xffffffff; };
      case inline_ptx:
        return [](Frame&, const Instruction&) { throw std::runtime_error("the interpreter knows no PTX"); };
      case copy_elements:
        return [](Frame& f, const Instruction& x) {
          const auto number = [&](std::uint32_t v) { return static_cast<std::size_t>(f.registers[v]); };
          const auto at = [&](std::uint32_t memory, std::uint32_t index) {
            return static_cast<char*>(f.memories[memory].data) + number(index) * x.element_size;
          };
          const std::uint32_t source = ir::second_memory(static_cast<std::uint64_t>(x.immediate));
          if (number(x.c) != 0) std::memcpy(at(x.memory, x.a), at(source, x.b), number(x.c) * x.element_size);
        };
      case argument:
        return [](Frame& f, const Instruction& x) { f.operands.push_back(f.registers[x.a]); };
      case print:
        return [](Frame& f, const Instruction& x) {
          std::vector<std::uint64_t> words;
          for (std::size_t k = 0; k != f.operands.size(); ++k)
            for (std::size_t w = 0; w != runtime::print_words(x.types[k]); ++w)
              words.push_back(static_cast<std::uint64_t>(f.operands[k] >> 64 * w));
          f.output += runtime::print_text(x.string, x.types, words);
          f.operands.clear();
        };
      case check:
        return [](Frame& f, const Instruction& x) {
          if (f.registers[x.a] == 0) f.fail(x.site, 0, 0);
        };
      default:
        break;
    }
    if constexpr (std::is_same_v<T, bool>) return run_of_boolean(opcode);
    else if constexpr (rules::is_floating<T>) return run_of_float<T>(opcode);
    else if constexpr (rules::is_integer<T>) return run_of_integer<T>(opcode);
    else if constexpr (!rules::is_storage<T>) return run_of_pair<T>(opcode);
    else return nullptr;
  }
};

}  // namespace oxide::testing
