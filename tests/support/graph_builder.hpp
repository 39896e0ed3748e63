// Builds graphs by hand, for tests that start at the graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/math.hpp>

namespace oxide::testing {

class GraphBuilder {
 public:
  ir::Graph graph;

  explicit GraphBuilder(std::string name = "kernel") {
    graph.name = std::move(name);
    graph.files = {"kernel.cpp"};
    block();
  }

  // ---- signature

  std::uint64_t value(ir::Type type) {
    graph.parameters.push_back({ir::ParameterKind::value, type});
    return graph.parameters.size() - 1;
  }
  // Elements that are structs; the memory's index.
  std::uint64_t span(ir::Layout layout, ir::Access access = ir::Access::read) {
    graph.parameters.push_back({ir::ParameterKind::span, ir::Type::none, layout});
    graph.memories.push_back(
        {ir::MemoryKind::span, ir::Type::none, access, static_cast<std::uint32_t>(graph.parameters.size() - 1), 0, 0, layout});
    return graph.memories.size() - 1;
  }
  // The memory's index.
  std::uint64_t span(ir::Type type, ir::Access access = ir::Access::read) {
    graph.parameters.push_back({ir::ParameterKind::span, type});
    graph.memories.push_back({ir::MemoryKind::span, type, access, static_cast<std::uint32_t>(graph.parameters.size() - 1)});
    return graph.memories.size() - 1;
  }

  // ---- functions: what is added after `function` goes into it, after `kernel` into the kernel again

  // Begins a function, whose entry is its block 0. Gives its number.
  std::uint64_t function(std::string name, std::vector<ir::Type> parameters, std::vector<ir::Type> results) {
    ir::Function f;
    f.name = std::move(name);
    f.parameters = std::move(parameters);
    f.results = std::move(results);
    graph.functions.push_back(std::move(f));
    in_ = graph.functions.size();
    at(block());
    return in_ - 1;
  }
  void kernel() {
    in_ = 0;
    current_ = 0;
  }
  // Calls a function that may not be there yet: gives the variables of its results, which have these types.
  std::vector<ir::Variable> call(std::uint64_t function, std::initializer_list<ir::Variable> arguments, std::vector<ir::Type> results) {
    std::uint64_t k = 0;
    for (const ir::Variable v : arguments) op(ir::Opcode::argument, {v}, k++);
    op(ir::Opcode::call, {}, function);
    std::vector<ir::Variable> variables;
    for (k = 0; k != results.size(); ++k) variables.push_back(op(ir::Opcode::call_result, {}, k, results[k]));
    return variables;
  }
  ir::Type type_of(ir::Variable v) { return body().variables[v]; }
  void give_back(std::initializer_list<ir::Variable> results) {
    std::uint64_t k = 0;
    for (const ir::Variable v : results) op(ir::Opcode::return_value, {v}, k++);
    exit();
  }

  // ---- blocks: what is added goes to the current one

  std::uint32_t block() {
    body().blocks.emplace_back();
    return static_cast<std::uint32_t>(body().blocks.size() - 1);
  }
  GraphBuilder& at(std::uint32_t block) {
    current_ = block;
    return *this;
  }
  void jump(std::uint32_t target) { end({ir::TerminatorKind::jump, ir::no_variable, {target, 0}, here()}); }
  void branch(ir::Variable condition, std::uint32_t yes, std::uint32_t no) {
    end({ir::TerminatorKind::branch, condition, {yes, no}, here()});
  }
  void exit() { end({ir::TerminatorKind::exit, ir::no_variable, {0, 0}, here()}); }

  // ---- operations

  ir::Variable variable(ir::Type type) {
    body().variables.push_back(type);
    return static_cast<ir::Variable>(body().variables.size() - 1);
  }

  // Any operation. `type` matters only where the table says `given`.
  ir::Variable op(ir::Opcode opcode, std::initializer_list<ir::Variable> operands = {}, std::uint64_t immediate = 0,
                  ir::Type type = ir::Type::none) {
    ir::Operation o;
    o.opcode = opcode;
    std::copy(operands.begin(), operands.end(), o.operands.begin());
    o.immediate = immediate;
    o.location = here();
    switch (ir::row_of(opcode).result) {
      case ir::ResultRule::none:
        break;
      case ir::ResultRule::same:
        o.type = body().variables[*operands.begin()];
        break;
      case ir::ResultRule::boolean:
        o.type = ir::Type::boolean;
        break;
      case ir::ResultRule::given:
        o.type = type;
        break;
    }
    if (ir::row_of(opcode).result != ir::ResultRule::none) o.result = variable(o.type);
    body().blocks[current_].operations.push_back(o);
    return o.result;
  }

  // A result of a mathematical function.
  ir::Variable math(ir::Math f, std::initializer_list<ir::Variable> operands, unsigned result = 0) {
    const ir::Type floating = graph.variables[operands.begin()[ir::floating_operand(f)]];
    const auto opcode = static_cast<ir::Opcode>(static_cast<std::size_t>(ir::Opcode::math1) + operands.size() - 1);
    return op(opcode, operands, ir::math_immediate(f, result), ir::result_type(f, result, floating));
  }

  template <ir::Scalar T>
  ir::Variable constant(T number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return op(ir::Opcode::constant, {}, bits, ir::type_for<T>());
  }
  ir::Variable parameter(std::uint64_t index) {
    return op(ir::Opcode::parameter, {}, index, in_ == 0 ? graph.parameters[index].type : graph.functions[in_ - 1].parameters[index]);
  }
  ir::Variable length(std::uint64_t memory) { return op(ir::Opcode::length, {}, memory, ir::Type::u64); }
  ir::Variable cast(ir::Variable v, ir::Type to) { return op(ir::Opcode::cast, {v}, 0, to); }
  ir::Variable coordinate(ir::Opcode opcode, std::uint64_t axis = 0) { return op(opcode, {}, axis, ir::Type::u32); }
  void assign(ir::Variable to, ir::Variable from) { op(ir::Opcode::assign, {to, from}); }
  ir::Variable load(std::uint64_t memory, ir::Variable index) {
    return op(ir::Opcode::load, {index}, memory, graph.memories[memory].element);
  }
  ir::Variable load(const ir::MemoryAccess& access, ir::Variable index, ir::Type type) {
    return op(ir::Opcode::load, {index}, ir::memory_immediate(access), type);
  }
  void store(const ir::MemoryAccess& access, ir::Variable index, ir::Variable number) {
    op(ir::Opcode::store, {index, number}, ir::memory_immediate(access));
  }
  ir::Variable local_array(const ir::ArrayShape& shape) {
    return op(ir::Opcode::local_array, {}, ir::array_immediate(shape), ir::Type::address);
  }
  ir::Variable load_at(const ir::AddressAccess& access, ir::Variable array, ir::Variable index, ir::Type type) {
    return op(ir::Opcode::load_at, {array, index}, ir::address_immediate(access), type);
  }
  void store_at(const ir::AddressAccess& access, ir::Variable array, ir::Variable index, ir::Variable number) {
    op(ir::Opcode::store_at, {array, index, number}, ir::address_immediate(access));
  }
  void store(std::uint64_t memory, ir::Variable index, ir::Variable number) { op(ir::Opcode::store, {index, number}, memory); }
  void check(std::uint64_t memory, ir::Variable index) { op(ir::Opcode::check_bounds, {index}, memory); }

  // block_index * block_dim + thread_index, as u64
  ir::Variable linear_index() {
    const auto wide = [&](ir::Opcode opcode) { return cast(coordinate(opcode), ir::Type::u64); };
    const ir::Variable block = wide(ir::Opcode::block_index), size = wide(ir::Opcode::block_dim), thread = wide(ir::Opcode::thread_index);
    return op(ir::Opcode::add, {op(ir::Opcode::mul, {block, size}), thread});
  }

  // Each operation gets the next line.
  bool lines = true;

 private:
  ir::Location here() { return lines ? ir::Location{0, ++line_, 3} : ir::Location{}; }
  void end(ir::Terminator t) { body().blocks[current_].terminator = t; }
  ir::Body& body() { return in_ == 0 ? static_cast<ir::Body&>(graph) : graph.functions[in_ - 1]; }

  std::size_t in_ = 0;  // as ir::body_of counts
  std::uint32_t current_ = 0;
  std::uint32_t line_ = 10;
};

// out[i] = factorial(in[i]), with a function that calls itself and one that takes and gives two numbers.
inline ir::Graph factorial_graph() {
  using enum ir::Opcode;
  GraphBuilder b("factorials");
  const auto in = b.span(ir::Type::u64), out = b.span(ir::Type::u64, ir::Access::disjoint);
  const ir::Variable i = b.linear_index();
  b.check(in, i);
  const ir::Variable n = b.load(in, i);
  b.check(out, i);
  const std::uint64_t factorial = 0, step = 1;
  b.store(out, i, b.call(factorial, {n}, {ir::Type::u64})[0]);
  b.exit();

  b.function("factorial", {ir::Type::u64}, {ir::Type::u64});
  const auto more = b.block(), done = b.block();
  const ir::Variable x = b.parameter(0), one = b.constant(std::uint64_t{1});
  b.branch(b.op(less, {one, x}), more, done);
  b.at(done).give_back({one});
  b.at(more);
  const ir::Variable rest = b.call(factorial, {b.op(sub, {x, one})}, {ir::Type::u64})[0];
  const auto both = b.call(step, {x, rest}, {ir::Type::u64, ir::Type::boolean});
  b.give_back({b.op(select, {both[1], both[0], one}, 0, ir::Type::u64)});

  b.function("step", {ir::Type::u64, ir::Type::u64}, {ir::Type::u64, ir::Type::boolean});
  const ir::Variable left = b.parameter(0), right = b.parameter(1);
  b.give_back({b.op(mul, {left, right}), b.op(not_equal, {left, b.constant(std::uint64_t{0})})});
  b.kernel();
  return std::move(b.graph);
}

// c[i] = a[i] + b[i] for the threads that have an element, every access checked.
inline ir::Graph vecadd_graph(ir::Type type = ir::Type::f32) {
  GraphBuilder b("vecadd");
  const auto a = b.span(type), c = b.span(type), out = b.span(type, ir::Access::disjoint);
  const auto work = b.block(), done = b.block();
  const ir::Variable i = b.linear_index();
  b.branch(b.op(ir::Opcode::less, {i, b.length(out)}), work, done);
  b.at(work);
  b.check(a, i);
  const ir::Variable x = b.load(a, i);
  b.check(c, i);
  const ir::Variable y = b.load(c, i);
  b.store(out, i, b.op(ir::Opcode::add, {x, y}));
  b.jump(done);
  b.at(done).exit();
  return std::move(b.graph);
}

}  // namespace oxide::testing
