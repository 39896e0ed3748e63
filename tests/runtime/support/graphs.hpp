// Graphs made by hand, as the tracer would make them.
#pragma once

#include <oxide/ir/graph.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace graphs {

namespace ir = oxide::ir;

class Builder {
 public:
  explicit Builder(std::string name) {
    graph.name = std::move(name);
    graph.files = {"kernel.cpp"};
  }
  void span(ir::Type element, ir::Access access) {
    graph.memories.push_back({ir::MemoryKind::span, element, access, static_cast<std::uint32_t>(graph.parameters.size())});
    graph.parameters.push_back({ir::ParameterKind::span, element});
  }
  void value(ir::Type type) { graph.parameters.push_back({ir::ParameterKind::value, type}); }
  void space(ir::SpaceKind kind, std::uint32_t stride, std::uint32_t line) { graph.spaces.push_back({kind, stride, {0, line, 1}}); }
  void block() { graph.blocks.emplace_back(); }

  ir::Variable emit(ir::Opcode opcode, ir::Type type, std::initializer_list<ir::Variable> operands, std::uint64_t immediate,
                    std::uint32_t line) {
    ir::Operation op;
    op.opcode = opcode;
    op.type = type;
    std::size_t i = 0;
    for (const ir::Variable v : operands) op.operands[i++] = v;
    op.immediate = immediate;
    op.location = {0, line, 1};
    if (ir::row_of(opcode).result != ir::ResultRule::none) {
      op.result = static_cast<ir::Variable>(graph.variables.size());
      graph.variables.push_back(type);
    }
    graph.blocks.back().operations.push_back(op);
    return op.result;
  }
  // block_index.x * block_dim.x + thread_index.x, as u64
  ir::Variable index_1d(std::uint32_t line) {
    const auto wide = [&](ir::Opcode opcode) {
      return emit(ir::Opcode::cast, ir::Type::u64, {emit(opcode, ir::Type::u32, {}, 0, line)}, 0, line);
    };
    const ir::Variable block = wide(ir::Opcode::block_index), size = wide(ir::Opcode::block_dim), thread = wide(ir::Opcode::thread_index);
    return emit(ir::Opcode::add, ir::Type::u64, {emit(ir::Opcode::mul, ir::Type::u64, {block, size}, 0, line), thread}, 0, line);
  }
  void branch(ir::Variable condition, std::uint32_t yes, std::uint32_t no) {
    graph.blocks.back().terminator = {ir::TerminatorKind::branch, condition, {yes, no}, {}};
  }
  void jump(std::uint32_t to) { graph.blocks.back().terminator = {ir::TerminatorKind::jump, ir::no_variable, {to, 0}, {}}; }
  oxide::Counted<const ir::Graph> done() { return oxide::make_counted<const ir::Graph>(std::move(graph)); }

  ir::Graph graph;
};

// Line 10: the thread's index; line 20: a[i]; line 21: b[i]; line 22: c[i] = a[i] + b[i], for i below c's length. `salt` makes another
// kernel of it, one with another hash.
inline oxide::Counted<const ir::Graph> vecadd(const std::string& name = "vecadd", std::uint64_t salt = 0, std::uint32_t first_line = 10) {
  using enum ir::Opcode;
  using ir::Type;
  Builder b(name);
  b.span(Type::f32, ir::Access::read);
  b.span(Type::f32, ir::Access::read);
  b.span(Type::f32, ir::Access::disjoint);
  b.space(ir::SpaceKind::linear, 0, first_line);
  b.block();
  if (salt != 0) b.emit(constant, Type::u64, {}, salt, first_line);
  const ir::Variable i = b.index_1d(first_line);
  const ir::Variable length_of_c = b.emit(length, Type::u64, {}, 2, first_line);
  b.branch(b.emit(less, Type::boolean, {i, length_of_c}, 0, first_line), 1, 2);
  b.block();
  b.emit(check_bounds, Type::none, {i}, 0, first_line + 10);
  b.emit(check_bounds, Type::none, {i}, 1, first_line + 11);
  const ir::Variable x = b.emit(load, Type::f32, {i}, 0, first_line + 10), y = b.emit(load, Type::f32, {i}, 1, first_line + 11);
  b.emit(store, Type::none, {i, b.emit(add, Type::f32, {x, y}, 0, first_line + 12)}, 2, first_line + 12);
  b.jump(2);
  b.block();
  return b.done();
}

}  // namespace graphs
