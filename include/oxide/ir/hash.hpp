// The 128-bit identity of a graph: equal for equal code on every machine and in every process. It ignores names, and lines unless asked.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <oxide/ir/encode.hpp>
#include <oxide/ir/graph.hpp>

namespace oxide::ir {

struct Hash {
  std::uint64_t high = 0, low = 0;

  friend bool operator==(const Hash&, const Hash&) = default;
  friend auto operator<=>(const Hash&, const Hash&) = default;
  std::string text() const;  // 32 hexadecimal digits
};

enum class HashLines : bool { ignore, include };  // include: code with line information depends on them

Hash hash(const Graph& graph, HashLines lines = HashLines::ignore);

namespace detail {

// Both lanes are bijective in the word and in their own state, so no word is ever lost; the end mixes every bit into every other.
class Hasher {
 public:
  void word(std::uint64_t w) {
    a_ = std::rotl((a_ ^ w) * 0x9e3779b97f4a7c15u, 29) + b_;
    b_ = std::rotl((b_ + w) * 0xc2b2ae3d27d4eb4fu, 37) ^ a_;
    ++words_;
  }
  template <class E>
  void enumerator(E e) {
    word(static_cast<std::uint64_t>(e));
  }
  void text(const std::string& s) {
    word(s.size());
    for (char c : s) word(static_cast<unsigned char>(c));
  }
  void types(const std::vector<Type>& list) {
    word(list.size());
    for (Type t : list) enumerator(t);
  }
  void attributes(const Attributes& a) {
    word(std::uint64_t{a.max_threads} << 32 | a.min_blocks);
    for (std::size_t axis = 0; axis != 3; ++axis) word(std::uint64_t{a.block[axis]} << 32 | a.cluster[axis]);
    word(std::uint64_t{a.max_registers} << 32 | a.stack_size);
    word(a.cooperative);
  }
  void body(const Body& body, bool with_lines) {
    types(body.variables);
    word(body.blocks.size());
    for (const Block& block : body.blocks) {
      word(block.operations.size());
      for (const Operation& op : block.operations) {
        word(static_cast<std::uint64_t>(op.opcode) << 40 | static_cast<std::uint64_t>(op.type) << 32 | op.result);
        word(static_cast<std::uint64_t>(op.operands[0]) << 32 | op.operands[1]);
        word(op.operands[2]);
        word(op.immediate);
        if (with_lines) location(op.location);
      }
      const Terminator& t = block.terminator;
      word(static_cast<std::uint64_t>(t.kind) << 32 | (t.kind == TerminatorKind::branch ? t.condition : no_variable));
      const std::uint32_t first = t.kind == TerminatorKind::exit ? 0 : t.targets[0];
      const std::uint32_t second = t.kind == TerminatorKind::branch ? t.targets[1] : 0;
      word(static_cast<std::uint64_t>(first) << 32 | second);
      if (with_lines) location(t.location);
    }
  }
  void layout(Type type, const Layout& l) {
    if (type == Type::none) word(static_cast<std::uint64_t>(l.size) << 32 | l.alignment);
  }
  void location(const Location& l) {
    word(l.line);
    word(static_cast<std::uint64_t>(l.file) << 32 | l.column);
  }
  Hash finish() {
    word(words_);
    word(0);
    return {mix(a_), mix(b_ ^ std::rotl(a_, 32))};
  }

 private:
  // The finalizer of SplitMix64: a bijection in which each bit of the input changes half of the bits of the output.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t a_ = 0x6f78696465677261u, b_ = 0x243f6a8885a308d3u, words_ = 0;
};

}  // namespace detail

inline Hash hash(const Graph& graph, HashLines lines) {
  const bool with_lines = lines == HashLines::include;
  detail::Hasher out;
  out.word(encoding_version);
  out.word(with_lines);
  out.enumerator(graph.fp_mode);
  out.attributes(graph.attributes);
  out.word(graph.parameters.size());
  for (const Parameter& p : graph.parameters) {
    out.enumerator(p.kind);
    out.enumerator(p.type);
    out.layout(p.type, p.layout);
  }
  out.word(graph.memories.size());
  for (const Memory& m : graph.memories) {
    out.enumerator(m.kind);
    out.enumerator(m.element);
    out.enumerator(m.access);
    out.word(m.parameter);
    out.word(m.elements);
    out.word(m.data);
    out.layout(m.element, m.layout);
    if (with_lines) out.location(m.location);
  }
  out.word(graph.spaces.size());
  for (const IndexSpace& s : graph.spaces) {
    out.enumerator(s.kind);
    out.word(s.stride);
  }
  out.word(graph.strings.size());
  for (const std::string& s : graph.strings) out.text(s);
  out.word(graph.functions.size());
  for (const Function& f : graph.functions) {
    out.types(f.parameters);
    out.types(f.results);
    out.body(f, with_lines);
    if (with_lines) out.text(f.name);
  }
  out.body(graph, with_lines);
  if (with_lines)
    for (const std::string& file : graph.files) out.text(file);
  return out.finish();
}

inline std::string Hash::text() const {
  std::string s(32, '0');
  for (unsigned i = 0; i != 32; ++i) {
    const std::uint64_t half = i < 16 ? high : low;
    s[i] = "0123456789abcdef"[(half >> (60 - 4 * (i % 16))) & 15];
  }
  return s;
}

}  // namespace oxide::ir
