// What a graph prints: the formats, with the types of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/hash.hpp>

namespace oxide::ir {

// How a record of output says what it is: the same for equal formats and types in every graph. Never 0.
inline std::uint64_t output_key(std::string_view format, const std::vector<Type>& types) {
  detail::Hasher out;
  out.text(std::string(format));
  for (const Type t : types) out.enumerator(t);
  const std::uint64_t key = out.finish().low;
  return key == 0 ? 1 : key;
}

// Calls f(format, types) for each `print` of the graph and its functions.
template <class F>
void for_each_output(const Graph& graph, F&& f) {
  std::vector<Type> types;
  for (std::size_t b = 0; b != body_count(graph); ++b) {
    const Body& body = body_of(graph, b);
    for (const Block& block : body.blocks)
      for (const Operation& op : block.operations) {
        if (op.opcode == Opcode::print) f(graph.strings[static_cast<std::size_t>(op.immediate)], types);
        if (op.opcode == Opcode::argument) types.push_back(body.variables[op.operands[0]]);
        else types.clear();
      }
  }
}

}  // namespace oxide::ir
