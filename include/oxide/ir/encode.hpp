// The graph as bytes and back: what crosses the compiler's C ABI and what the disk cache keeps.
//
//   bytes  = magic version name fp_mode attributes files strings parameters memories spaces functions body
//   body   = variables blocks
//   lists  = count element...
//   number = LEB128, little end first; enumerators are one byte
//
// An operation writes only the fields that its row in ops.hpp has. The decoder takes any bytes: it refuses what does not decode and
// never allocates more than a small multiple of what it was given. It does not verify: see verify.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/walk.hpp>

namespace oxide::ir {

// Raised with every change of the encoding or of what it means: new operations, types, fields.
inline constexpr std::uint8_t encoding_version = 10;

std::vector<std::uint8_t> encode(const Graph& graph);

// The graph, or nothing and the reason in `why`.
std::optional<Graph> decode(std::span<const std::uint8_t> bytes, std::string& why);

namespace detail {

inline constexpr std::uint8_t encoding_magic[] = {'o', 'x', 'g', 'r'};

class Encoder {
 public:
  std::vector<std::uint8_t> bytes;

  void byte(std::uint8_t b) { bytes.push_back(b); }
  template <class E>
  void enumerator(E e) {
    byte(static_cast<std::uint8_t>(e));
  }
  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) byte(static_cast<std::uint8_t>(n | 0x80));
    byte(static_cast<std::uint8_t>(n));
  }
  void text(const std::string& s) {
    number(s.size());
    bytes.insert(bytes.end(), s.begin(), s.end());
  }
  void name(const std::string& s) { text(s); }
  void files(const std::vector<std::string>& list) {
    number(list.size());
    for (const std::string& file : list) text(file);
  }
  void layout(Type type, const Layout& l) {  // only where there is no type to say it
    if (type != Type::none) return;
    number(l.size);
    number(l.alignment);
  }
  void location(const Location& l) {
    number(l.line);
    if (l.line == 0) return;
    number(l.file);
    number(l.column);
  }
  void operation(const Operation& op) {
    const OpcodeRow& row = row_of(op.opcode);
    enumerator(op.opcode);
    enumerator(op.type);
    if (row.result != ResultRule::none) number(op.result);
    for (std::size_t i = 0; i != row.operands; ++i) number(op.operands[i]);
    if (row.immediate != Immediate::none) number(op.immediate);
    location(op.location);
  }
  void terminator(const Terminator& t) {
    enumerator(t.kind);
    if (t.kind == TerminatorKind::branch) number(t.condition);
    if (t.kind != TerminatorKind::exit) number(t.targets[0]);
    if (t.kind == TerminatorKind::branch) number(t.targets[1]);
    location(t.location);
  }
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool failed() const { return why_ != nullptr; }
  const char* why() const { return why_; }
  std::size_t left() const { return bytes_.size() - at_; }

  // Every reader gives a harmless value after a failure, so that callers need to look only where they loop.
  std::uint8_t byte() {
    if (failed() || left() == 0) return fail("the bytes end too early"), std::uint8_t{0};
    return bytes_[at_++];
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      if (shift == 63 && b > 1) break;
      n |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return n;
    }
    return fail("a number does not fit 64 bits"), std::uint64_t{0};
  }
  std::uint32_t number32() {
    const std::uint64_t n = number();
    if (n > 0xffffffff) return fail("a number does not fit 32 bits"), std::uint32_t{0};
    return static_cast<std::uint32_t>(n);
  }
  // The count of a list whose elements take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    const std::uint64_t n = number();
    if (n > left() / least) return fail("a list is longer than the bytes"), std::size_t{0};
    return static_cast<std::size_t>(n);
  }
  template <class E>
  E enumerator(std::size_t enumerators) {
    const std::uint8_t b = byte();
    if (b >= enumerators) return fail("an enumerator is out of range"), E{};
    return static_cast<E>(b);
  }
  Type type() { return enumerator<Type>(type_count); }
  std::string text() {
    const std::size_t n = count(1);
    std::string s(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
    at_ += n;
    return s;
  }
  Layout layout(Type type) {
    Layout l;
    if (type != Type::none) return l;
    l.size = number32();
    l.alignment = number32();
    return l;
  }
  Location location() {
    Location l;
    l.line = number32();
    if (l.line == 0) return l;
    l.file = number32();
    l.column = number32();
    return l;
  }
  Operation operation() {
    Operation op;
    op.opcode = enumerator<Opcode>(opcode_count);
    op.type = type();
    const OpcodeRow& row = row_of(op.opcode);
    if (row.result != ResultRule::none) op.result = number32();
    for (std::size_t i = 0; i != row.operands; ++i) op.operands[i] = number32();
    if (row.immediate != Immediate::none) op.immediate = number();
    op.location = location();
    return op;
  }
  Terminator terminator() {
    Terminator t;
    t.kind = enumerator<TerminatorKind>(3);
    if (t.kind == TerminatorKind::branch) t.condition = number32();
    if (t.kind != TerminatorKind::exit) t.targets[0] = number32();
    if (t.kind == TerminatorKind::branch) t.targets[1] = number32();
    t.location = location();
    return t;
  }
  Attributes attributes() {
    Attributes a;
    a.max_threads = number32();
    a.min_blocks = number32();
    for (std::uint32_t& n : a.block) n = number32();
    for (std::uint32_t& n : a.cluster) n = number32();
    a.max_registers = number32();
    a.stack_size = number32();
    a.cooperative = enumerator<std::uint8_t>(2) != 0;
    return a;
  }
  std::vector<Type> types() {
    std::vector<Type> list(count(1));
    for (Type& t : list) t = type();
    return list;
  }
  void body(Body& b) {
    b.variables = types();
    b.blocks.resize(count(3));
    for (Block& block : b.blocks) {
      block.operations.resize(count(3));
      for (Operation& op : block.operations) op = operation();
      block.terminator = terminator();
      if (failed()) break;
    }
  }
  void fail(const char* why) {
    if (why_ == nullptr) why_ = why;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  const char* why_ = nullptr;
};

}  // namespace detail

inline std::vector<std::uint8_t> encode(const Graph& graph) {
  detail::Encoder out;
  for (std::uint8_t b : detail::encoding_magic) out.byte(b);
  out.byte(encoding_version);
  detail::walk(out, graph);
  return std::move(out.bytes);
}

inline std::optional<Graph> decode(std::span<const std::uint8_t> bytes, std::string& why) {
  detail::Decoder in(bytes);
  for (std::uint8_t b : detail::encoding_magic)
    if (in.byte() != b) in.fail("the bytes are not a graph");
  const std::uint8_t version = in.byte();
  if (!in.failed() && version != encoding_version) {
    why = "the graph is of encoding version " + std::to_string(version) + ", needed " + std::to_string(encoding_version);
    return std::nullopt;
  }
  Graph graph;
  graph.name = in.text();
  graph.fp_mode = in.enumerator<FpMode>(2);
  graph.attributes = in.attributes();
  graph.files.resize(in.count(1));
  for (std::string& file : graph.files) file = in.text();
  graph.strings.resize(in.count(1));
  for (std::string& s : graph.strings) s = in.text();
  graph.parameters.resize(in.count(2));
  for (Parameter& p : graph.parameters) {
    p.kind = in.enumerator<ParameterKind>(4);
    p.type = in.type();
    p.layout = in.layout(p.type);
  }
  graph.memories.resize(in.count(7));
  for (Memory& m : graph.memories) {
    m.kind = in.enumerator<MemoryKind>(5);
    m.element = in.type();
    m.access = in.enumerator<Access>(3);
    m.parameter = in.number32();
    m.elements = in.number();
    m.data = in.number32();
    m.layout = in.layout(m.element);
    m.location = in.location();
  }
  graph.spaces.resize(in.count(3));
  for (IndexSpace& s : graph.spaces) {
    s.kind = in.enumerator<SpaceKind>(2);
    s.stride = in.number32();
    s.location = in.location();
  }
  graph.functions.resize(in.count(5));
  for (Function& f : graph.functions) {
    f.name = in.text();
    f.parameters = in.types();
    f.results = in.types();
    in.body(f);
    if (in.failed()) break;
  }
  in.body(graph);
  if (!in.failed() && in.left() != 0) in.fail("there are bytes after the graph");
  if (!in.failed()) return graph;
  why = in.why();
  return std::nullopt;
}

}  // namespace oxide::ir
