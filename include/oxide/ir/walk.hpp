// A graph from its start to its end, for what writes all of it down: the encoder and the hash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::ir::detail {

// `out` takes number(n), enumerator(e), text(s), name(s) and files(list) (that only messages show), layout(type, l), location(l),
// operation(op) and terminator(t). decode() reads in the same order.
template <class Out>
void walk(Out& out, const std::vector<Type>& types) {
  out.number(types.size());
  for (const Type t : types) out.enumerator(t);
}

template <class Out>
void walk(Out& out, const Body& body) {
  walk(out, body.variables);
  out.number(body.blocks.size());
  for (const Block& block : body.blocks) {
    out.number(block.operations.size());
    for (const Operation& op : block.operations) out.operation(op);
    out.terminator(block.terminator);
  }
}

template <class Out>
void walk(Out& out, const Attributes& a) {
  out.number(a.max_threads);
  out.number(a.min_blocks);
  for (const std::uint32_t n : a.block) out.number(n);
  for (const std::uint32_t n : a.cluster) out.number(n);
  out.number(a.max_registers);
  out.number(a.stack_size);
  out.number(a.cooperative ? 1 : 0);
}

template <class Out>
void walk(Out& out, const Graph& graph) {
  out.name(graph.name);
  out.enumerator(graph.fp_mode);
  walk(out, graph.attributes);
  out.files(graph.files);
  out.number(graph.strings.size());
  for (const std::string& s : graph.strings) out.text(s);
  out.number(graph.parameters.size());
  for (const Parameter& p : graph.parameters) {
    out.enumerator(p.kind);
    out.enumerator(p.type);
    out.layout(p.type, p.layout);
  }
  out.number(graph.memories.size());
  for (const Memory& m : graph.memories) {
    out.enumerator(m.kind);
    out.enumerator(m.element);
    out.enumerator(m.access);
    out.number(m.parameter);
    out.number(m.elements);
    out.number(m.data);
    out.layout(m.element, m.layout);
    out.location(m.location);
  }
  out.number(graph.spaces.size());
  for (const IndexSpace& s : graph.spaces) {
    out.enumerator(s.kind);
    out.number(s.stride);
    out.location(s.location);
  }
  out.number(graph.functions.size());
  for (const Function& f : graph.functions) {
    out.name(f.name);
    walk(out, f.parameters);
    walk(out, f.results);
    walk(out, static_cast<const Body&>(f));
  }
  walk(out, static_cast<const Body&>(graph));
}

}  // namespace oxide::ir::detail
