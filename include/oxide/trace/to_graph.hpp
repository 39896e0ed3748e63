// From explored nodes to a graph in blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/ir/analysis/cooperation.hpp>
#include <oxide/ir/analysis/returns.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/simplify.hpp>
#include <oxide/ir/verify.hpp>
#include <oxide/trace/explorer.hpp>

namespace oxide::trace {

namespace detail {

// Files by name, numbered as they appear.
class FileTable {
 public:
  explicit FileTable(std::vector<std::string>& files) : files_(files) {}
  ir::Location location(const Place& place) {
    if (place.line == 0) return {};
    if (place.file != last_) {
      last_ = place.file;
      for (index_ = 0; index_ < files_.size() && files_[index_] != last_; ++index_) {}
      if (index_ == files_.size()) files_.emplace_back(last_);
    }
    return {static_cast<std::uint32_t>(index_), place.line, place.column};
  }

 private:
  std::vector<std::string>& files_;
  const char* last_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace detail

// The nodes as blocks of a body, which is the graph's own or that of one of its functions: one block a chain, cut where paths meet or part.
// Requirements on the launch go into the graph's list.
inline void add_body(const NodeGraph& nodes, ir::Graph& graph, ir::Body& body) {
  body.variables = nodes.variables;
  detail::FileTable files(graph.files);

  const std::size_t count = nodes.nodes.size();
  std::vector<std::uint32_t> block_of(count, 0);  // 0: not yet placed; the entry block is one of its own
  std::vector<std::uint8_t> starts(count, 0), reached(count, 0);
  std::vector<int> order;
  order.push_back(nodes.entry);
  reached[static_cast<std::size_t>(nodes.entry)] = starts[static_cast<std::size_t>(nodes.entry)] = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = nodes[order[k]];
    if (node.opcode == ir::Opcode::end) continue;
    const bool decides = node.opcode == ir::Opcode::decide;
    for (std::size_t side = 0; side < (decides ? 2u : 1u); ++side) {
      const std::size_t to = static_cast<std::size_t>(node.next[side]);
      if (decides || reached[to]) starts[to] = 1;
      if (!reached[to]) reached[to] = 1, order.push_back(node.next[side]);
    }
  }

  body.blocks.resize(1);
  body.blocks[0].terminator = {ir::TerminatorKind::jump, ir::no_variable, {1, 0}, {}};
  for (const int n : order)
    if (starts[static_cast<std::size_t>(n)])
      block_of[static_cast<std::size_t>(n)] = static_cast<std::uint32_t>(body.blocks.size()), body.blocks.emplace_back();
  const auto target = [&](int n) { return block_of[static_cast<std::size_t>(n)]; };

  for (const int first : order) {
    if (!starts[static_cast<std::size_t>(first)]) continue;
    ir::Block& block = body.blocks[target(first)];
    for (int n = first;; n = nodes[n].next[0]) {
      const Node& node = nodes[n];
      if (n != first && starts[static_cast<std::size_t>(n)]) {
        block.terminator = {ir::TerminatorKind::jump, ir::no_variable, {target(n), 0}, {}};
        break;
      }
      const ir::Location location = files.location(node.place);
      if (node.opcode == ir::Opcode::end) break;
      if (node.opcode == ir::Opcode::decide) {
        block.terminator = {ir::TerminatorKind::branch, node.operands[0], {target(node.next[0]), target(node.next[1])}, location};
        break;
      }
      if (node.opcode == ir::Opcode::loop_head) continue;
      if (node.opcode == ir::Opcode::index_space) {
        const ir::IndexSpace space{ir::space_kind(node.immediate), ir::space_stride(node.immediate), location};
        bool known = false;
        for (const ir::IndexSpace& s : graph.spaces) known |= s.kind == space.kind && s.stride == space.stride;
        if (!known) graph.spaces.push_back(space);
        continue;
      }
      ir::Operation operation;
      operation.opcode = node.opcode;
      operation.type = node.type;
      operation.result = node.result;
      operation.operands = node.operands;
      operation.immediate = node.immediate;
      operation.location = location;
      block.operations.push_back(operation);
    }
  }
}

// Parameters and memories are the caller's to fill in, and then to simplify and verify.
inline ir::Graph to_graph(const NodeGraph& nodes, std::string_view name) {
  ir::Graph graph;
  graph.name = name;
  add_body(nodes, graph, graph);
  return graph;
}

// Traces the functions that were called, and those that they call.
inline void trace_functions(Declarations& declarations, ir::Graph& graph, Statistics& statistics) {
  for (std::size_t i = 0; i != declarations.functions(); ++i) {
    const CalledFunction called = declarations.function(i);
    const auto run = [&] { called.run(called); };
    Explorer explorer{graph.name, LambdaRef(run), declarations};
    ir::Function function;
    function.name = called.name;
    function.parameters.assign(called.parameters, called.parameters + called.parameter_count);
    function.results.assign(called.results, called.results + called.result_count);
    try {
      add_body(explorer.explore(), graph, function);
    } catch (const TraceError& e) {
      throw TraceError(e, function.name);
    }
    statistics.runs += explorer.statistics.runs;
    graph.functions.push_back(std::move(function));
  }
}

// Calls of a function that cannot return would go on until the stack is used up.
inline void check_returns(const ir::Graph& graph) {
  const std::vector<bool> returns = ir::returning_functions(graph);
  for (std::size_t f = 0; f != returns.size(); ++f) {
    if (returns[f]) continue;
    SourceLine line;
    for (const ir::Block& block : graph.functions[f].blocks)
      for (const ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::call && !returns[static_cast<std::size_t>(op.immediate)] && line.line == 0 && op.location.line != 0)
          line = {graph.files[op.location.file], op.location.line, op.location.column};
    throw TraceError(graph.name, line,
                     "function '" + graph.functions[f].name + "' never returns: every way through it leads to another call of it");
  }
}

// Kernels whose blocks meet have to be launched so that they can.
inline void check_cooperation(const ir::Graph& graph) {
  const ir::Cooperation together(graph);
  const auto refuse = [&](const ir::Operation& op, std::string_view why) {
    SourceLine line;
    if (op.location.line != 0) line = {graph.files[op.location.file], op.location.line, op.location.column};
    throw TraceError(graph.name, line, std::string(why));
  };
  if (together.grid_in_recursion != nullptr)
    refuse(*together.grid_in_recursion,
           "a function that calls itself cannot wait for the grid; the kernel, or a function that it calls, can");
  if (together.grid != nullptr && !graph.attributes.cooperative)
    refuse(*together.grid, "the kernel waits for its whole grid, whose blocks all have to run at once then: make it .cooperative()");
  if (together.cluster != nullptr && graph.attributes.cluster[0] == 0)
    refuse(*together.cluster, "the kernel uses clusters of blocks; say how many blocks a cluster has: .cluster(n)");
}

// Traces a lambda that takes no arguments: each call makes the kernel's parameters anew and runs the kernel's body on them.
// `describe(graph)` fills in the parameters and memories. The result is simplified and verified.
template <class Lambda, class Describe>
ir::Graph trace(std::string_view kernel_name, Lambda&& lambda, Describe&& describe, Statistics* statistics = nullptr) {
  Declarations declarations;
  Explorer explorer{std::string(kernel_name), LambdaRef(lambda), declarations};
  ir::Graph graph = to_graph(explorer.explore(), kernel_name);
  trace_functions(declarations, graph, explorer.statistics);
  if (statistics != nullptr) *statistics = explorer.statistics;
  describe(graph);
  ir::simplify(graph);
  check_returns(graph);
  check_cooperation(graph);
  declarations.resolve(graph);
  if (const auto fault = ir::verify(graph))
    throw TraceError(graph.name, {}, "the traced graph does not verify, which is a fault of oxide: " + fault->text());
  return graph;
}

}  // namespace oxide::trace
