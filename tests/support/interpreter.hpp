// Runs graphs on the host, one thread after another: the model that compiled code is compared with. It follows the number rules to
// the letter and knows nothing of LLVM.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/float8.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/half.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/runtime/print_text.hpp>

#include "support/interpreter_math.hpp"
#include "support/interpreter_numbers.hpp"
#include "support/interpreter_memory.hpp"

namespace oxide::testing {

struct Shape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
};

// The bits of any number.
using Word = uint128;

// Of a value parameter: its bits. Of a span: where it is and how many elements it has.
struct Argument {
  Word bits = 0;
  void* data = nullptr;
  std::uint64_t length = 0;
};

template <class T>
Argument value_argument(T value) {
  Argument a;
  std::memcpy(&a.bits, &value, sizeof value);
  return a;
}
template <class T>
Argument span_argument(std::vector<T>& values) {
  return {0, values.data(), values.size()};
}

// The first failed check, in the order of threads.
struct Fault {
  bool happened = false;
  std::uint32_t site = 0;
  std::array<std::uint64_t, 2> values{};
  std::array<std::uint32_t, 3> block{}, thread{};
  friend bool operator==(const Fault&, const Fault&) = default;
};

// ---- the number rules

namespace rules {

template <class T>
struct UnsignedOf : std::make_unsigned<T> {};
template <>
struct UnsignedOf<int128> {
  using type = uint128;
};
template <>
struct UnsignedOf<uint128> {
  using type = uint128;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;
template <class T>
inline constexpr bool is_signed = ir::is_signed_integer(ir::type_for<T>());
template <class T>
inline constexpr bool is_integer = ir::is_integer(ir::type_for<T>());
template <class T>
inline constexpr bool is_floating = ir::is_floating(ir::type_for<T>());
template <class T>
inline constexpr bool is_storage = ir::is_storage(ir::type_for<T>());

// What a floating type is computed in: halves in float, which rounds to the half as computing in the half would, but for fma.
template <class T>
using Computed = std::conditional_t<ir::is_half(ir::type_for<T>()), float, T>;

template <class T>
T least() {
  if constexpr (is_signed<T>) return static_cast<T>(Unsigned<T>{1} << (8 * sizeof(T) - 1));
  else return 0;
}
template <class T>
T greatest() {
  return static_cast<T>(~least<T>());
}

// In 128 bits, so that narrow types do not overflow as ints.
template <class T>
T wrapped(Word bits) {
  return static_cast<T>(static_cast<Unsigned<T>>(bits));
}
template <class T>
T divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (is_signed<T>)
    if (b == -1) return wrapped<T>(0 - static_cast<Word>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (is_signed<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
using Wide = std::conditional_t<is_signed<T>, int128, uint128>;
// A sum is off the end that y points to where it does not lie on that side of x.
template <class T>
T add_saturating(T x, T y) {
  const T sum = wrapped<T>(static_cast<Word>(x) + static_cast<Word>(y));
  if (y < T{0}) return sum > x ? least<T>() : sum;
  return sum < x ? greatest<T>() : sum;
}
template <class T>
T sub_saturating(T x, T y) {
  const T difference = wrapped<T>(static_cast<Word>(x) - static_cast<Word>(y));
  if (y < T{0}) return difference < x ? greatest<T>() : difference;
  return difference > x ? least<T>() : difference;
}
template <class T>
unsigned shift_amount(T n) {
  return static_cast<unsigned>(static_cast<Unsigned<T>>(n) % (8 * sizeof(T)));
}

// IEEE 754-2019, 9.6: a number beats a NaN, and -0 is less than +0.
template <class T>
T minimum_number(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T maximum_number(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Rounded once. Of halves: a sum in double that lost something is made odd in its last bit, so that rounding it again does no harm.
template <class T>
T fused(T x, T y, T z) {
  if constexpr (std::is_same_v<Computed<T>, T>) {
    return std::fma(x, y, z);
  } else {
    const double p = static_cast<double>(x) * static_cast<double>(y), c = z;
    const long double exact = static_cast<long double>(p) + c;
    const double s = static_cast<double>(exact);
    double odd = s;
    const double of_c = s - p, lost = (p - (s - of_c)) + (c - of_c);
    if (lost == lost && lost != 0 && (std::bit_cast<std::uint64_t>(s) & 1) == 0)
      odd = std::nextafter(s, lost > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
    return static_cast<T>(odd);
  }
}

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, From>) return v;
  else if constexpr (!ir::can_cast(ir::type_for<From>(), ir::type_for<To>())) throw std::logic_error("a cast that is none");
  else if constexpr (is_storage<From>) return convert<To>(static_cast<float>(v));
  else if constexpr (ir::is_half(ir::type_for<From>())) return convert<To>(static_cast<float>(v));
  else if constexpr (std::is_same_v<To, bool>) return v != From{0};
  else if constexpr (is_floating<From> && is_integer<To>) {
    if (std::isnan(v)) return 0;
    // 2^digits, the first number that is too large, is exact in every floating type (or infinite); so is the least of the signed ones.
    const From limit = std::ldexp(From{1}, static_cast<int>(8 * sizeof(To)) - (is_signed<To> ? 1 : 0));
    if (v >= limit) return greatest<To>();
    if (v < static_cast<From>(least<To>())) return least<To>();
    return static_cast<To>(v);
  } else return static_cast<To>(v);
}

// The casts that are not `cast`: with a rounding mode, or to an 8-bit float without saturating.
template <class To, class From>
To convert_otherwise(ir::Opcode op, std::uint64_t mode, From v) {
  if constexpr (is_storage<To> && is_floating<From>) return To::unsaturated(static_cast<double>(v));
  else if constexpr (std::is_floating_point_v<From> && is_integer<To>) return convert<To>(in_mode(mode, [&] { return std::nearbyint(v); }));
  else if constexpr (std::is_floating_point_v<To> && (std::is_floating_point_v<From> || is_integer<From>)) {
    volatile From x = v;
    return in_mode(mode, [&] { return static_cast<To>(x); });
  } else throw std::logic_error("a cast that is none: " + std::string(ir::name_of(op)));
}

}  // namespace rules

class Interpreter {
 public:
  // `fuses`: whether the machine that is modelled has a fused multiply-add, and so contracts unless the graph says strict.
  explicit Interpreter(const ir::Graph& graph, bool fuses = true) : graph_(graph), fuses_(fuses && graph.fp_mode == ir::FpMode::contract) {
    translate();
  }

  // Throws std::runtime_error when more than `step_limit` operations run, or memory is accessed out of range with no check before.
  Fault run(const Shape& shape, const std::vector<Argument>& arguments, std::uint64_t step_limit = std::uint64_t{1} << 32) {
    Frame frame;
    frame.interpreter = this;
    frame.enter(graph_);
    frame.arguments = &arguments;
    for (const ir::Memory& m : graph_.memories) {
      Argument memory;
      if (m.kind != ir::MemoryKind::table) memory = arguments.at(m.parameter);
      else memory.data = const_cast<char*>(graph_.strings[m.data].data());
      if (m.kind != ir::MemoryKind::span) memory.length = m.elements;
      frame.memories.push_back(memory);
    }
    frame.steps_left = step_limit;
    frame.place[2] = shape.block;
    frame.place[3] = shape.grid;
    for_each(shape.grid, [&](const auto& block) {
      for_each(shape.block, [&](const auto& thread) {
        frame.place[0] = thread;
        frame.place[1] = block;
        run_thread(frame);
      });
    });
    output = std::move(frame.output);
    return frame.fault;
  }

  std::string output;  // what the last run printed

 private:
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
    const Interpreter* interpreter = nullptr;
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

  template <class F>
  static void for_each(const std::array<std::uint32_t, 3>& extent, F&& f) {
    std::array<std::uint32_t, 3> i{};
    for (i[2] = 0; i[2] != extent[2]; ++i[2])
      for (i[1] = 0; i[1] != extent[1]; ++i[1])
        for (i[0] = 0; i[0] != extent[0]; ++i[0]) f(i);
  }

  void run_thread(Frame& frame) const {
    frame.left = false;
    frame.arrays.clear();
    run_body(frame, 0);
  }

  static constexpr unsigned deepest_call = 1000;

  static void call(Frame& frame, const Instruction& i) {
    const ir::Graph& graph = frame.interpreter->graph_;
    const auto number = static_cast<std::size_t>(i.immediate);
    if (frame.depth == deepest_call) throw std::runtime_error("the calls go too deep");
    Local callee;
    callee.enter(graph.functions[number]);
    callee.parameters.swap(frame.operands);
    callee.results.resize(graph.functions[number].results.size());
    std::swap(static_cast<Local&>(frame), callee);
    ++frame.depth;
    frame.interpreter->run_body(frame, number + 1);
    --frame.depth;
    std::swap(static_cast<Local&>(frame), callee);
    frame.given_back.swap(callee.results);
  }

  void run_body(Frame& frame, std::size_t body) const {
    std::size_t block = 0;
    for (;;) {
      const Code& code = code_[body][block];
      if (frame.steps_left < code.instructions.size() + 1) throw std::runtime_error("the kernel runs too long");
      frame.steps_left -= code.instructions.size() + 1;
      for (const Instruction& i : code.instructions) {
        i.run(frame, i);
        if (frame.left) return;
      }
      const ir::Terminator& t = code.terminator;
      if (t.kind == ir::TerminatorKind::exit) return;
      block = t.targets[t.kind == ir::TerminatorKind::branch && frame.registers[t.condition] == 0];
    }
  }

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

  // ---- translation

  void translate() {
    const ir::CallGraph calls(graph_);
    code_.resize(ir::body_count(graph_));
    std::uint32_t site = 0;
    for (std::size_t body = 0; body != code_.size(); ++body) translate(body, calls, site);
  }
  void translate(std::size_t number, const ir::CallGraph& calls, std::uint32_t& site) {
    number_ = number;
    body_ = &ir::body_of(graph_, number);
    std::vector<Code>& code = code_[number];
    code.resize(body_->blocks.size());
    std::vector<std::uint8_t> definitions(body_->variables.size(), 0);
    for (const ir::Block& block : body_->blocks)
      for (const ir::Operation& op : block.operations)
        if (const ir::Variable v = defined_by(op); v != ir::no_variable && definitions[v] != 2) ++definitions[v];
    for (std::size_t b = 0; b != body_->blocks.size(); ++b) {
      code[b].terminator = body_->blocks[b].terminator;
      for (const ir::Operation& op : body_->blocks[b].operations) {
        if (op.opcode == ir::Opcode::call && calls.recursive(static_cast<std::size_t>(op.immediate))) ++site;
        code[b].instructions.push_back(translate(op, site));
      }
    }
    if (fuses_) find_products(definitions);
  }
  static ir::Variable defined_by(const ir::Operation& op) {
    const ir::OpcodeRow& row = ir::row_of(op.opcode);
    return row.effect == ir::Effect::writes_variable ? op.operands[0] : row.result != ir::ResultRule::none ? op.result : ir::no_variable;
  }

  // A sum contracts when one side is known to be a product: by the only definition of the variable, or by the last one before it in
  // its block. The left side wins. Repeated until nothing changes, since a copy of a product is one.
  void find_products(const std::vector<std::uint8_t>& definitions) {
    std::vector<bool> always(body_->variables.size());
    for (bool changed = true; std::exchange(changed, false);)
      for (std::size_t b = 0; b != body_->blocks.size(); ++b) {
        std::vector<bool> known = always;
        for (std::size_t i = 0; i != body_->blocks[b].operations.size(); ++i) {
          const ir::Operation& op = body_->blocks[b].operations[i];
          Instruction& instruction = code_[number_][b].instructions[i];
          const ir::Variable v = defined_by(op);
          if (v == ir::no_variable) continue;
          if ((op.opcode == ir::Opcode::add || op.opcode == ir::Opcode::sub) && !ir::is_integer(op.type))
            instruction.fusion = known[op.operands[0]] ? Fusion::left : known[op.operands[1]] ? Fusion::right : Fusion::none;
          const bool copies = op.opcode == ir::Opcode::copy || op.opcode == ir::Opcode::assign;
          known[v] = (ir::is_floating(body_->variables[v]) || ir::is_pair(body_->variables[v])) &&
                     (op.opcode == ir::Opcode::mul || (copies && known[op.operands[op.opcode == ir::Opcode::assign ? 1 : 0]]));
          if (known[v] && definitions[v] == 1 && !always[v]) always[v] = changed = true;
        }
      }
  }

  Instruction translate(const ir::Operation& op, std::uint32_t& site) {
    Instruction i;
    i.result = op.opcode == ir::Opcode::assign ? op.operands[0] : op.result;
    i.a = op.operands[0];
    i.b = op.operands[1];
    i.c = op.operands[2];
    i.immediate = op.immediate;
    i.name = ir::name_of(op.opcode).data();
    i.opcode = op.opcode;
    const ir::OpcodeRow& row = ir::row_of(op.opcode);
    if (row.immediate == ir::Immediate::string) i.string = graph_.strings[static_cast<std::size_t>(op.immediate)];
    if (op.opcode == ir::Opcode::argument) argument_types_.push_back(body_->variables[op.operands[0]]);
    else i.types = std::exchange(argument_types_, {});
    if (ir::names_memory(row.immediate)) {
      i.memory = ir::memory_number(op.immediate);
      i.element_size = ir::layout_of(graph_.memories[i.memory]).size;
    }
    const bool always_checks = op.opcode == ir::Opcode::check_bounds || op.opcode == ir::Opcode::check_index ||
                               op.opcode == ir::Opcode::check || op.opcode == ir::Opcode::check_vectors;
    if (always_checks || (row.immediate == ir::Immediate::check && op.immediate != 0)) i.site = site++;
    if (i.run = run_of_call(op.opcode); i.run != nullptr) return i;
    ir::Type type = op.type;
    if (row.result == ir::ResultRule::boolean) type = body_->variables[op.operands[0]];
    if (op.opcode == ir::Opcode::assign || op.opcode == ir::Opcode::store) type = body_->variables[op.operands[1]];
    if (op.opcode == ir::Opcode::store_at) type = body_->variables[op.operands[2]];
    if (op.opcode == ir::Opcode::check) type = ir::Type::boolean;
    if (row.immediate == ir::Immediate::math) type = body_->variables[op.operands[ir::floating_operand(ir::math_function(op.immediate))]];
    if (row.result == ir::ResultRule::none && type == ir::Type::none) type = ir::Type::u64;
    with_type(type, [&]<class T>(std::type_identity<T>) {
      if (op.opcode == ir::Opcode::cast_rounded || op.opcode == ir::Opcode::cast_unsaturated)
        with_type(body_->variables[op.operands[0]], [&]<class From>(std::type_identity<From>) {
          i.run = [](Frame& f, const Instruction& x) {
            set<T>(f, x, rules::convert_otherwise<T>(x.opcode, x.immediate, get<From>(f, x.a)));
          };
        });
      else if (op.opcode == ir::Opcode::cast)
        with_type(body_->variables[op.operands[0]], [&]<class From>(std::type_identity<From>) {
          i.run = [](Frame& f, const Instruction& x) { set<T>(f, x, rules::convert<T>(get<From>(f, x.a))); };
        });
      else if (const Run mixed = run_of_mixed(op); mixed != nullptr) i.run = mixed;
      else i.run = run_of<T>(op.opcode);
    });
    if (i.run == nullptr) throw std::logic_error("the interpreter does not know " + ir::print(graph_, op));
    return i;
  }

  // Operations whose operands are of other types than their result.
  Run run_of_mixed(const ir::Operation& op) const {
    using enum ir::Opcode;
    using F32 = float;
    const bool a_signed = op.operands[0] != ir::no_variable && graph_type(op.operands[0]) == ir::Type::i32;
    const bool b_signed = op.operands[1] != ir::no_variable && graph_type(op.operands[1]) == ir::Type::i32;
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

  Run run_of_call(ir::Opcode opcode) const {
    switch (opcode) {
      case ir::Opcode::parameter:
        if (number_ == 0) return nullptr;
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.parameters[static_cast<std::size_t>(x.immediate)]; };
      case ir::Opcode::call:
        return &Interpreter::call;
      case ir::Opcode::call_result:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.given_back[static_cast<std::size_t>(x.immediate)]; };
      case ir::Opcode::return_value:
        return [](Frame& f, const Instruction& x) { f.results[static_cast<std::size_t>(x.immediate)] = f.registers[x.a]; };
      default:
        return nullptr;
    }
  }

  ir::Type graph_type(ir::Variable v) const { return body_->variables[v]; }
  template <bool a_signed, bool b_signed>
  static void run_dot(Frame& f, const Instruction& i) {
    const auto x = static_cast<std::uint32_t>(word(f, i.a)), y = static_cast<std::uint32_t>(word(f, i.b)),
               z = static_cast<std::uint32_t>(word(f, i.c));
    const bool four = i.opcode == ir::Opcode::dot4;
    f.registers[i.result] = rules::dot(x, a_signed, y, b_signed, four ? 4 : 2, four ? 0 : static_cast<unsigned>(2 * i.immediate), z);
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
        return [](Frame& f, const Instruction& x) { f.operands.push_back(word(f, x.a)); };
      case print:
        return [](Frame& f, const Instruction& x) {
          f.output += runtime::print_text(x.string, x.types, std::vector<std::uint64_t>(f.operands.begin(), f.operands.end()));
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

#define OXIDE_UNARY(expression)               \
  return [](Frame& f, const Instruction& i) { \
    const C x = get<T>(f, i.a);               \
    set<T>(f, i, static_cast<T>(expression)); \
  }
#define OXIDE_BINARY(result, expression)                \
  return [](Frame& f, const Instruction& i) {           \
    const C x = get<T>(f, i.a), y = get<T>(f, i.b);     \
    set<result>(f, i, static_cast<result>(expression)); \
  }

  static Run run_of_boolean(ir::Opcode opcode) {
    using T = bool;
    using C = bool;
    switch (opcode) {
      case ir::Opcode::bit_and:
        OXIDE_BINARY(T, x && y);
      case ir::Opcode::bit_or:
        OXIDE_BINARY(T, x || y);
      case ir::Opcode::bit_xor:
        OXIDE_BINARY(T, x != y);
      case ir::Opcode::bit_not:
        OXIDE_UNARY(!x);
      default:
        return nullptr;
    }
  }

  template <class T>
  static Run run_of_integer(ir::Opcode opcode) {
    using enum ir::Opcode;
    using C = T;
    using Wide = Word;
    using U = rules::Unsigned<T>;
    switch (opcode) {
      case add:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) + static_cast<Wide>(y)));
      case sub:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) - static_cast<Wide>(y)));
      case mul:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(x) * static_cast<Wide>(y)));
      case div:
      case rem:
        if (opcode == div)
          return [](Frame& f, const Instruction& i) {
            const T x = get<T>(f, i.a), y = get<T>(f, i.b);
            if (y == 0 && i.immediate != 0) return f.fail(i.site, static_cast<std::uint64_t>(to_bits(x)), 0);
            set<T>(f, i, rules::divide(x, y));
          };
        return [](Frame& f, const Instruction& i) {
          const T x = get<T>(f, i.a), y = get<T>(f, i.b);
          if (y == 0 && i.immediate != 0) return f.fail(i.site, static_cast<std::uint64_t>(to_bits(x)), 0);
          set<T>(f, i, rules::remainder(x, y));
        };
      case neg:
        OXIDE_UNARY(rules::wrapped<T>(0 - static_cast<Wide>(x)));
      case abs:
        OXIDE_UNARY(x < T{0} ? rules::wrapped<T>(0 - static_cast<Wide>(x)) : x);
      case min:
        OXIDE_BINARY(T, x < y ? x : y);
      case max:
        OXIDE_BINARY(T, x > y ? x : y);
      case bit_and:
        OXIDE_BINARY(T, x & y);
      case bit_or:
        OXIDE_BINARY(T, x | y);
      case bit_xor:
        OXIDE_BINARY(T, x ^ y);
      case bit_not:
        OXIDE_UNARY(~x);
      case shift_left:
        OXIDE_BINARY(T, rules::wrapped<T>(static_cast<Wide>(static_cast<U>(x)) << rules::shift_amount(y)));
      case shift_right:
        OXIDE_BINARY(T, x >> rules::shift_amount(y));
      case popcount:
        OXIDE_UNARY(rules::popcount(static_cast<U>(x)));
      case leading_zeros:
        OXIDE_UNARY(rules::leading_zeros(static_cast<U>(x), 8 * sizeof(T)));
      case trailing_zeros:
        OXIDE_UNARY(rules::trailing_zeros(static_cast<U>(x), 8 * sizeof(T)));
      case bit_reverse:
        OXIDE_UNARY(rules::wrapped<T>(rules::reversed(static_cast<U>(x), 8 * sizeof(T))));
      case funnel_left:
      case funnel_right:
        return [](Frame& f, const Instruction& i) {
          f.registers[i.result] =
              rules::funnel(i.opcode == ir::Opcode::funnel_left, f.registers[i.a], f.registers[i.b], f.registers[i.c], 8 * sizeof(T));
        };
      case mul_high:
        if constexpr (sizeof(T) > 8) return nullptr;
        else
          OXIDE_BINARY(
              T, rules::wrapped<T>(static_cast<Wide>(static_cast<rules::Wide<T>>(x) * static_cast<rules::Wide<T>>(y)) >> 8 * sizeof(T)));
      case add_saturating:
        OXIDE_BINARY(T, rules::add_saturating(x, y));
      case sub_saturating:
        OXIDE_BINARY(T, rules::sub_saturating(x, y));
      case byte_permute:
        return [](Frame& f, const Instruction& i) {
          f.registers[i.result] = rules::byte_permute(get<std::uint32_t>(f, i.a), get<std::uint32_t>(f, i.b), get<std::uint32_t>(f, i.c),
                                                      static_cast<unsigned>(i.immediate));
        };
      case less:
        OXIDE_BINARY(bool, x < y);
      case less_equal:
        OXIDE_BINARY(bool, x <= y);
      default:
        return nullptr;
    }
  }

  template <class T>
  static void sum(Frame& f, const Instruction& i, T x, T y) {
    switch (i.fusion) {
      case Fusion::none:
        return set<T>(f, i, static_cast<T>(static_cast<rules::Computed<T>>(x) + y));
      case Fusion::left:
        return set<T>(f, i, rules::fused<T>(from_bits<T>(f.left_factor[i.a]), from_bits<T>(f.right_factor[i.a]), y));
      case Fusion::right:
        return set<T>(f, i, rules::fused<T>(from_bits<T>(f.left_factor[i.b]), from_bits<T>(f.right_factor[i.b]), x));
    }
  }

  template <class T>
  static Run run_of_float(ir::Opcode opcode) {
    using enum ir::Opcode;
    using C = rules::Computed<T>;
    switch (opcode) {
      case add:
        return [](Frame& f, const Instruction& i) { sum<T>(f, i, get<T>(f, i.a), get<T>(f, i.b)); };
      case sub:
        return [](Frame& f, const Instruction& i) {
          const T x = get<T>(f, i.a), y = get<T>(f, i.b);
          if (i.fusion == Fusion::right)
            return set<T>(f, i, rules::fused<T>(-from_bits<T>(f.left_factor[i.b]), from_bits<T>(f.right_factor[i.b]), x));
          if (i.fusion == Fusion::left) return sum<T>(f, i, x, -y);
          set<T>(f, i, static_cast<T>(static_cast<C>(x) - y));
        };
      case mul:
        return [](Frame& f, const Instruction& i) {
          const Word x = f.registers[i.a], y = f.registers[i.b];
          f.left_factor[i.result] = static_cast<std::uint64_t>(x);
          f.right_factor[i.result] = static_cast<std::uint64_t>(y);
          set<T>(f, i, static_cast<T>(static_cast<C>(from_bits<T>(x)) * from_bits<T>(y)));
        };
      case div:
        OXIDE_BINARY(T, x / y);
      case rem:
        OXIDE_BINARY(T, std::fmod(x, y));
      case neg:
        OXIDE_UNARY(-x);
      case abs:
        OXIDE_UNARY(std::fabs(x));
      case min:
        OXIDE_BINARY(T, rules::minimum_number(x, y));
      case max:
        OXIDE_BINARY(T, rules::maximum_number(x, y));
      case fma:
        return [](Frame& f, const Instruction& i) { set<T>(f, i, rules::fused<T>(get<T>(f, i.a), get<T>(f, i.b), get<T>(f, i.c))); };
      case less:
        OXIDE_BINARY(bool, x < y);
      case less_equal:
        OXIDE_BINARY(bool, x <= y);
      case sqrt:
        OXIDE_UNARY(std::sqrt(x));
      case floor:
        OXIDE_UNARY(std::floor(x));
      case ceil:
        OXIDE_UNARY(std::ceil(x));
      case trunc:
        OXIDE_UNARY(std::trunc(x));
      case round_even:
        OXIDE_UNARY(std::nearbyint(x));
      case round_tf32:
        if constexpr (std::is_same_v<T, float>) OXIDE_UNARY(rules::tf32(x));
        else return nullptr;
      case add_rounded:
      case sub_rounded:
      case mul_rounded:
      case div_rounded:
      case fma_rounded:
      case sqrt_rounded:
        if constexpr (!std::is_same_v<C, T>) return nullptr;
        else
          return [](Frame& f, const Instruction& i) {
            const auto operand = [&](std::uint32_t v) { return v == ir::no_variable ? T{} : get<T>(f, v); };
            set<T>(f, i, rules::rounded<T>(i.opcode, i.immediate, get<T>(f, i.a), operand(i.b), operand(i.c)));
          };
      case math1:
      case math2:
      case math3:
        if constexpr (!std::is_same_v<C, T>) return nullptr;
        else
          return [](Frame& f, const Instruction& i) {
            const ir::Math function = ir::math_function(i.immediate);
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            MathOperands<T> in;
            for (std::size_t k = 0; k != ir::operand_count(function); ++k) {
              if (ir::operand_type(function, k, ir::type_for<T>()) == ir::Type::i32) in.n = get<std::int32_t>(f, operands[k]);
              else in.x[in.count++] = get<T>(f, operands[k]);
            }
            const MathResult<T> out = math_model(function, ir::math_result(i.immediate), in);
            if (out.whole) set<std::int32_t>(f, i, out.n);
            else set<T>(f, i, out.x);
          };
      default:
        return nullptr;
    }
  }
#undef OXIDE_UNARY
#undef OXIDE_BINARY

  // Of pairs: what their elements do, one after the other.
  template <class P>
  static Run run_of_pair(ir::Opcode opcode) {
    using T = decltype(P{}.x);
#define OXIDE_PAIR(opcode_name) \
  case ir::Opcode::opcode_name: \
    return [](Frame& f, const Instruction& i) { by_element<P>(f, i, run_of_float<T>(ir::Opcode::opcode_name)); };
    switch (opcode) {
      OXIDE_PAIR(add)
      OXIDE_PAIR(sub)
      OXIDE_PAIR(mul)
      OXIDE_PAIR(neg)
      OXIDE_PAIR(abs)
      OXIDE_PAIR(min)
      OXIDE_PAIR(max)
      OXIDE_PAIR(fma)
      default:
        return nullptr;
    }
#undef OXIDE_PAIR
  }
  template <class P>
  static void by_element(Frame& f, const Instruction& i, Run run) {
    Frame element;
    element.registers.resize(4);
    element.left_factor.resize(4);
    element.right_factor.resize(4);
    Instruction of_element = i;
    of_element.result = 0, of_element.a = 1, of_element.b = 2, of_element.c = 3;
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    Word result = 0;
    for (unsigned k = 0; k != 2; ++k) {
      for (unsigned o = 0; o != 3; ++o) {
        if (operands[o] == ir::no_variable) continue;
        element.registers[1 + o] = f.registers[operands[o]] >> 16 * k & 0xffff;
        element.left_factor[1 + o] = f.left_factor[operands[o]] >> 16 * k & 0xffff;
        element.right_factor[1 + o] = f.right_factor[operands[o]] >> 16 * k & 0xffff;
      }
      run(element, of_element);
      result |= element.registers[0] << 16 * k;
    }
    if (i.opcode == ir::Opcode::mul) {
      f.left_factor[i.result] = static_cast<std::uint64_t>(f.registers[i.a]);
      f.right_factor[i.result] = static_cast<std::uint64_t>(f.registers[i.b]);
    }
    f.registers[i.result] = result;
  }

  const ir::Graph graph_;
  bool fuses_;
  std::vector<ir::Type> argument_types_;
  std::vector<std::vector<Code>> code_;  // by body and block
  std::size_t number_ = 0;               // of the body that is translated
  const ir::Body* body_ = nullptr;
};

}  // namespace oxide::testing
