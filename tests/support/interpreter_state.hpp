// What the interpreter keeps while it runs, and how operations reach it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <oxide/ir/graph.hpp>

#include "support/interpreter.hpp"
#include "support/interpreter_memory.hpp"
#include "support/interpreter_rules.hpp"

namespace oxide::testing {

class Translation;

class InterpreterState {
 protected:
  // What belongs to one call of a body.
  struct Local {
    std::vector<Word> registers;                           // each variable's bits, zero-extended
    std::vector<std::uint64_t> left_factor, right_factor;  // of a variable that holds a product
    std::vector<Word> parameters, results;                 // of a function
    std::vector<Word> given_back;                          // results of the last call

    void enter(const ir::Body& body) {
      registers.resize(body.variables.size());
      left_factor.resize(body.variables.size());
      right_factor.resize(body.variables.size());
    }
  };
  struct Frame : Local {
    const Translation* translation = nullptr;
    unsigned depth = 0;  // of calls
    const std::vector<Argument>* arguments = nullptr;
    std::vector<Argument> memories;
    std::vector<Word> operands;  // of the next operation with many operands
    std::string output;
    std::array<std::array<std::uint32_t, 3>, 4> place{};   // thread_index, block_index, block_dim, grid_dim
    std::uint64_t steps_left = 0;
    Fault fault;
    bool left = false;  // the thread failed a check
    LocalArrays arrays;

    void fail(std::uint32_t site, std::uint64_t first, std::uint64_t second) {
      left = true;
      if (!fault.happened) fault = {true, site, {first, second}, place[1], place[0]};
    }
  };

  struct Instruction;
  using Run = void (*)(Frame&, const Instruction&);
  enum class Fusion : std::uint8_t { none, left, right };
  struct Instruction {
    Run run = nullptr;
    ir::Opcode opcode = ir::Opcode::end;
    std::uint32_t result = 0, a = 0, b = 0, c = 0;
    std::uint64_t immediate = 0;
    std::uint32_t site = 0, memory = 0, element_size = 0;
    Fusion fusion = Fusion::none;
    const char* name = "";
    std::string_view string;
    std::vector<ir::Type> types;  // of the arguments
  };
  struct Code {
    std::vector<Instruction> instructions;
    ir::Terminator terminator;
  };

  // ---- registers

  template <class T>
  static T get(const Frame& frame, std::uint32_t v) {
    return from_bits<T>(frame.registers[v]);
  }
  // Of an index, an address, or any number of at most 64 bits.
  static std::uint64_t word(const Frame& frame, std::uint32_t v) { return static_cast<std::uint64_t>(frame.registers[v]); }
  template <class T>
  static T from_bits(Word bits) {
    if constexpr (std::is_same_v<T, bool>) return bits != 0;
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
  template <class T>
  static Word to_bits(T value) {
    Word bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  template <class T>
  static void set(Frame& frame, const Instruction& i, T value) {
    frame.registers[i.result] = to_bits(value);
  }

  template <class F>
  static void with_type(ir::Type type, F&& f) {
    switch (type) {
      case ir::Type::boolean:
        return f(std::type_identity<bool>());
      case ir::Type::i8:
        return f(std::type_identity<std::int8_t>());
      case ir::Type::i16:
        return f(std::type_identity<std::int16_t>());
      case ir::Type::i32:
        return f(std::type_identity<std::int32_t>());
      case ir::Type::i64:
        return f(std::type_identity<std::int64_t>());
      case ir::Type::u8:
        return f(std::type_identity<std::uint8_t>());
      case ir::Type::u16:
        return f(std::type_identity<std::uint16_t>());
      case ir::Type::u32:
        return f(std::type_identity<std::uint32_t>());
      case ir::Type::u64:
        return f(std::type_identity<std::uint64_t>());
      case ir::Type::f32:
        return f(std::type_identity<float>());
      case ir::Type::f64:
        return f(std::type_identity<double>());
      case ir::Type::address:  // copies of one
        return f(std::type_identity<std::uint64_t>());
      case ir::Type::f16:
        return f(std::type_identity<half>());
      case ir::Type::bf16:
        return f(std::type_identity<bfloat16>());
      case ir::Type::i128:
        return f(std::type_identity<int128>());
      case ir::Type::u128:
        return f(std::type_identity<uint128>());
      case ir::Type::e4m3:
        return f(std::type_identity<e4m3>());
      case ir::Type::e5m2:
        return f(std::type_identity<e5m2>());
      case ir::Type::f16x2:
        return f(std::type_identity<half2>());
      case ir::Type::bf16x2:
        return f(std::type_identity<bfloat162>());
      case ir::Type::none:
        break;
    }
    throw std::logic_error("an operation without a type");
  }
};

}  // namespace oxide::testing
