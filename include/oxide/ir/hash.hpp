// The 128-bit identity of a graph: equal for equal code on every machine and in every process. It ignores names, and lines unless asked.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <oxide/ir/encode.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/walk.hpp>

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

// What walk() writes to. Names and lines count only when asked for.
class GraphHasher : public Hasher {
 public:
  explicit GraphHasher(bool with_lines) : with_lines_(with_lines) { word(with_lines); }

  void number(std::uint64_t n) { word(n); }
  void name(const std::string& s) {
    if (with_lines_) text(s);
  }
  void files(const std::vector<std::string>& list) {
    if (with_lines_) word(list.size());
    for (const std::string& file : list) name(file);
  }
  void layout(Type type, const Layout& l) {
    if (type == Type::none) word(static_cast<std::uint64_t>(l.size) << 32 | l.alignment);
  }
  void location(const Location& l) {
    if (!with_lines_) return;
    word(l.line);
    word(static_cast<std::uint64_t>(l.file) << 32 | l.column);
  }
  void operation(const Operation& op) {
    word(static_cast<std::uint64_t>(op.opcode) << 40 | static_cast<std::uint64_t>(op.type) << 32 | op.result);
    word(static_cast<std::uint64_t>(op.operands[0]) << 32 | op.operands[1]);
    word(op.operands[2]);
    word(op.immediate);
    location(op.location);
  }
  void terminator(const Terminator& t) {
    word(static_cast<std::uint64_t>(t.kind) << 32 | (t.kind == TerminatorKind::branch ? t.condition : no_variable));
    const std::uint32_t first = t.kind == TerminatorKind::exit ? 0 : t.targets[0];
    const std::uint32_t second = t.kind == TerminatorKind::branch ? t.targets[1] : 0;
    word(static_cast<std::uint64_t>(first) << 32 | second);
    location(t.location);
  }

 private:
  const bool with_lines_;
};

}  // namespace detail

inline Hash hash(const Graph& graph, HashLines lines) {
  detail::GraphHasher out(lines == HashLines::include);
  out.word(encoding_version);
  detail::walk(out, graph);
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
