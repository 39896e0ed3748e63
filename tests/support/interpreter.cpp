#include "support/interpreter.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/print.hpp>

#include "support/interpreter_operations.hpp"

namespace oxide::testing {

// A graph as the calls that run it.
class Translation : private InterpreterOperations {
 public:
  Translation(const ir::Graph& graph, bool fuses) : graph_(graph), fuses_(fuses && graph.fp_mode == ir::FpMode::contract) { translate(); }

  Fault run(const Shape& shape, const std::vector<Argument>& arguments, std::uint64_t step_limit, std::string& output) const {
    Frame frame;
    frame.translation = this;
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

 private:
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
    const ir::Graph& graph = frame.translation->graph_;
    const auto number = static_cast<std::size_t>(i.immediate);
    if (frame.depth == deepest_call) throw std::runtime_error("the calls go too deep");
    Local callee;
    callee.enter(graph.functions[number]);
    callee.parameters.swap(frame.operands);
    callee.results.resize(graph.functions[number].results.size());
    std::swap(static_cast<Local&>(frame), callee);
    ++frame.depth;
    frame.translation->run_body(frame, number + 1);
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
      else if (const Run mixed = run_of_mixed(op, *body_); mixed != nullptr) i.run = mixed;
      else i.run = run_of<T>(op.opcode);
    });
    if (i.run == nullptr) throw std::logic_error("the interpreter does not know " + ir::print(graph_, op));
    return i;
  }

  Run run_of_call(ir::Opcode opcode) const {
    switch (opcode) {
      case ir::Opcode::parameter:
        if (number_ == 0) return nullptr;
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.parameters[static_cast<std::size_t>(x.immediate)]; };
      case ir::Opcode::call:
        return &Translation::call;
      case ir::Opcode::call_result:
        return [](Frame& f, const Instruction& x) { f.registers[x.result] = f.given_back[static_cast<std::size_t>(x.immediate)]; };
      case ir::Opcode::return_value:
        return [](Frame& f, const Instruction& x) { f.results[static_cast<std::size_t>(x.immediate)] = f.registers[x.a]; };
      default:
        return nullptr;
    }
  }

  const ir::Graph graph_;
  bool fuses_;
  std::vector<ir::Type> argument_types_;
  std::vector<std::vector<Code>> code_;  // by body and block
  std::size_t number_ = 0;               // of the body that is translated
  const ir::Body* body_ = nullptr;
};

Interpreter::Interpreter(const ir::Graph& graph, bool fuses) : translation_(std::make_unique<const Translation>(graph, fuses)) {}
Interpreter::~Interpreter() = default;

Fault Interpreter::run(const Shape& shape, const std::vector<Argument>& arguments, std::uint64_t step_limit) {
  return translation_->run(shape, arguments, step_limit, output);
}

}  // namespace oxide::testing
