// The graph as text that a person reads: one line an operation, its source line behind it.
//
//   kernel saxpy(f32, span f32 read, span f32 disjoint)
//   block 0:
//     v0: u32 = thread_index x          ; saxpy.cpp:12:20
//     v3: u64 = cast v2
//     check_bounds p1, v3
//     v4: f32 = load p1[v3]
//     branch v5, block 1, block 2
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/ir/float_format.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/ir/math.hpp>

namespace oxide::ir {

std::string print(const Graph& graph);

// One operation, as a line of `print` without its source line.
std::string print(const Graph& graph, const Operation& op);

// "file.cpp:12:5", or nothing when the line is not known. The file's folder is left out.
std::string print(const Graph& graph, const Location& location);

namespace detail {

inline std::string print_variable(Variable v) { return v == no_variable ? "v?" : 'v' + std::to_string(v); }

inline std::string_view print_access(Access access) {
  constexpr std::string_view names[] = {"read", "write", "disjoint"};
  return names[static_cast<std::size_t>(access)];
}

// The shortest text that reads back to the same number; NaNs by their bits, because their payload counts.
template <class Float, class Bits>
std::string print_float(Float value, Bits bits) {
  char text[40];
  if (value != value) {
    const auto end = std::to_chars(text, text + sizeof text, bits, 16).ptr;
    return "nan(0x" + std::string(text, end) + ')';
  }
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

inline std::string print_constant(Type type, std::uint64_t bits) {
  switch (kind_of(type)) {
    case TypeKind::boolean:
      return bits != 0 ? "true" : "false";
    case TypeKind::signed_integer: {
      const unsigned unused = bits_of(type) > 64 ? 0 : 64 - bits_of(type);
      return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case TypeKind::unsigned_integer:
      return std::to_string(bits);
    case TypeKind::floating:
      if (type == Type::f64) return print_float(std::bit_cast<double>(bits), bits);
      if (type == Type::f32) return print_float(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), static_cast<std::uint32_t>(bits));
      [[fallthrough]];
    case TypeKind::storage: {
      const auto narrow = static_cast<std::uint32_t>(bits);
      return print_float(static_cast<float>(value_of_format(format_of(type), narrow)), narrow);
    }
    case TypeKind::pair: {
      const auto half = [&](std::uint64_t element) { return print_constant(element_of(type), element); };
      return '(' + half(bits & 0xffff) + ", " + half(bits >> 16) + ')';
    }
    case TypeKind::address:
    case TypeKind::other:
      break;
  }
  return "?";
}

// A span and a storage go by their parameter's number, a table by its string's, a shared array by its own.
inline std::string print_memory(const Graph& graph, std::uint64_t memory) {
  if (memory >= graph.memories.size()) return "p?";
  const Memory& m = graph.memories[memory];
  if (is_shared(m)) return "shared" + std::to_string(memory);
  return m.kind == MemoryKind::table ? "table" + std::to_string(m.data) : 'p' + std::to_string(m.parameter);
}

// In quotes; what would break the line as an escape.
inline std::string print_string(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out.append(1, '\\').append(1, c);
    else if (c == '\n') out += "\\n";
    else if (code < 0x20 || code == 0x7f)
      out.append("\\x").append(1, "0123456789abcdef"[code >> 4]).append(1, "0123456789abcdef"[code & 15]);
    else out += c;
  }
  return out + '"';
}

// By name and number, because names may repeat.
inline std::string print_function(const Graph& graph, std::uint64_t function) {
  return (function < graph.functions.size() ? graph.functions[function].name : "?") + '$' + std::to_string(function);
}

inline std::string print_layout(const Layout& l) {
  return "struct of " + std::to_string(l.size) + " bytes, aligned to " + std::to_string(l.alignment);
}

// What of an access is not plain: "p0+8", "p0 bytes+8", "p0 aligned 16+8".
inline std::string print_access(const Graph& graph, std::uint64_t immediate) {
  const MemoryAccess a = memory_access(immediate);
  std::string out;
  if (const auto hint = static_cast<std::size_t>(cache_hint(immediate)); hint != 0)
    out.append(hint < std::size(cache_hint_names) ? cache_hint_names[hint] : "?").append(" ");
  out += print_memory(graph, a.memory);
  if (a.in_bytes) out += " bytes";
  if (a.alignment != 0) out += " aligned " + std::to_string(a.alignment);
  if (a.offset != 0) out += '+' + std::to_string(a.offset);
  return out;
}
inline std::string print_access(std::uint64_t immediate) {
  const AddressAccess a = address_access(immediate);
  std::string out = "by " + std::to_string(a.size);
  if (a.offset != 0) out += '+' + std::to_string(a.offset);
  return out + " aligned " + std::to_string(a.alignment);
}

inline std::string print_atomic(const Graph& graph, const Operation& op) {
  if (!AtomicAccess::valid(op.immediate)) return "?";
  const AtomicAccess a = AtomicAccess::from(op.immediate);
  std::string out =
      op.opcode == Opcode::atomic_rmw || op.opcode == Opcode::atomic_rmw_at ? std::string(name_of(a.kind)) + ' ' : std::string();
  out.append(name_of(a.order)).append(" ").append(name_of(a.scope));
  return row_of(op.opcode).immediate == Immediate::atomic ? out + ", " + print_memory(graph, a.memory) : out;
}

// The immediate as the operation's first argument; empty when the row has none or it says nothing.
inline std::string print_immediate(const Graph& graph, const Operation& op) {
  switch (row_of(op.opcode).immediate) {
    case Immediate::none:
      break;
    case Immediate::bits:
      return print_constant(op.type, op.immediate);
    case Immediate::parameter:
      return 'p' + std::to_string(op.immediate);
    case Immediate::memory:
      return print_memory(graph, op.immediate);
    case Immediate::access:
      return print_access(graph, op.immediate);
    case Immediate::two_memories:
      return print_memory(graph, memory_number(op.immediate)) + ", " + print_memory(graph, second_memory(op.immediate));
    case Immediate::special:
      return op.immediate < special_register_count ? std::string(name_of(static_cast<SpecialRegister>(op.immediate))) : "?";
    case Immediate::factor:
      return op.immediate == 0 ? "all" : std::to_string(op.immediate);
    case Immediate::vectors:
      return print_memory(graph, memory_number(op.immediate)) + ", " + std::to_string(op.immediate >> 32);
    case Immediate::array:
      return std::to_string(array_shape(op.immediate).count) + " of " + std::to_string(array_shape(op.immediate).size) + " bytes";
    case Immediate::count:
      return std::to_string(op.immediate);
    case Immediate::address:
      return print_access(op.immediate);
    case Immediate::axis:
      return op.immediate < 3 ? std::string(1, "xyz"[op.immediate]) : std::to_string(op.immediate);
    case Immediate::space:
      return "space " + std::to_string(op.immediate);
    case Immediate::check:
      return op.immediate != 0 ? "checked" : "";
    case Immediate::answer:
      return op.immediate != 0 ? "true" : "false";
    case Immediate::string:
      return op.immediate < graph.strings.size() ? print_string(graph.strings[static_cast<std::size_t>(op.immediate)]) : "\"?\"";
    case Immediate::choice:
    case Immediate::index:
      return '#' + std::to_string(op.immediate);
    case Immediate::function:
      return print_function(graph, op.immediate);
    case Immediate::math:
      break;  // stands in place of the operation's name
    case Immediate::scope:
      return op.immediate < scope_count ? std::string(name_of(static_cast<Scope>(op.immediate))) : "?";
    case Immediate::shuffle:
      if (!valid_shuffle(op.immediate)) return "?";
      return std::string(name_of(shuffle_mode(op.immediate))) +
             (shuffle_width(op.immediate) == 32 ? "" : " of " + std::to_string(shuffle_width(op.immediate)));
    case Immediate::reduction:
      return op.immediate < reduction_kind_count ? std::string(name_of(static_cast<ReductionKind>(op.immediate))) : "?";
    case Immediate::atomic:
    case Immediate::atomic_at:
      return print_atomic(graph, op);
  }
  return {};
}

// A mathematical function goes by its own name, with the number of the result where it is not the first.
inline std::string print_name(const Operation& op) {
  if (row_of(op.opcode).immediate != Immediate::math) return std::string(name_of(op.opcode));
  if (!is_math_immediate(op.immediate)) return "math?";
  const unsigned result = math_result(op.immediate);
  return std::string(name_of(math_function(op.immediate))) + (result == 0 ? "" : '.' + std::to_string(result));
}

inline void print_line(std::string& out, const Graph& graph, std::string line, const Location& location) {
  const std::string where = print(graph, location);
  if (!where.empty()) {
    constexpr std::size_t comment_column = 42;
    line.resize(line.size() < comment_column ? comment_column : line.size() + 1, ' ');
    line += "; " + where;
  }
  out += line + '\n';
}

inline std::string print_terminator(const Terminator& t) {
  const auto block = [](std::uint32_t b) { return "block " + std::to_string(b); };
  switch (t.kind) {
    case TerminatorKind::jump:
      return "jump " + block(t.targets[0]);
    case TerminatorKind::branch:
      return "branch " + print_variable(t.condition) + ", " + block(t.targets[0]) + ", " + block(t.targets[1]);
    case TerminatorKind::exit:
      break;
  }
  return "exit";
}

inline void print_body(std::string& out, const Graph& graph, const Body& body) {
  for (std::size_t b = 0; b != body.blocks.size(); ++b) {
    out += "block " + std::to_string(b) + ":\n";
    for (const Operation& op : body.blocks[b].operations) print_line(out, graph, "  " + print(graph, op), op.location);
    print_line(out, graph, "  " + print_terminator(body.blocks[b].terminator), body.blocks[b].terminator.location);
  }
}

inline std::string print_types(const std::vector<Type>& types) {
  std::string out;
  for (const Type t : types) out.append(out.empty() ? "" : ", ").append(name_of(t));
  return out;
}

// " launch_bounds(256, 2) cluster(2, 1, 1)"
inline std::string print_attributes(const Attributes& a) {
  std::string out;
  const auto add = [&](std::string_view name, std::initializer_list<std::uint32_t> numbers) {
    out.append(" ").append(name);
    const char* separator = "(";
    for (const std::uint32_t n : numbers) out.append(separator).append(std::to_string(n)), separator = ", ";
    if (numbers.size() != 0) out += ')';
  };
  if (a.max_threads != 0) add("launch_bounds", {a.max_threads, a.min_blocks});
  if (a.block[0] != 0) add("block", {a.block[0], a.block[1], a.block[2]});
  if (a.cluster[0] != 0) add("cluster", {a.cluster[0], a.cluster[1], a.cluster[2]});
  if (a.max_registers != 0) add("max_registers", {a.max_registers});
  if (a.stack_size != 0) add("stack_size", {a.stack_size});
  if (a.cooperative) add("cooperative", {});
  return out;
}

// shared2 of 256 f32
inline std::string print_shared(const Graph& graph, std::size_t memory) {
  const Memory& m = graph.memories[memory];
  const std::string name = print_memory(graph, memory) + " of ", element(name_of(m.element));
  if (m.kind == MemoryKind::shared) return name + std::to_string(m.elements) + ' ' + element;
  if (m.elements != 0) return name + std::to_string(m.elements) + ' ' + element + " a thread";
  return name + element + ", size " + std::to_string(m.parameter) + " of the launch";
}

inline std::string print_parameters(const Graph& graph) {
  std::string out;
  for (std::size_t i = 0; i != graph.parameters.size(); ++i) {
    const Parameter& p = graph.parameters[i];
    if (i != 0) out += ", ";
    if (p.kind == ParameterKind::span) out += "span ";
    if (p.kind == ParameterKind::storage) out += "storage ";
    if (p.kind == ParameterKind::printer) {
      out += "printer";
      continue;
    }
    if (p.type == Type::none) out += print_layout(p.layout);
    else out += name_of(p.type);
    for (const Memory& m : graph.memories)
      if (p.kind != ParameterKind::value && m.kind != MemoryKind::table && !is_shared(m) && m.parameter == i)
        out.append(" ").append(print_access(m.access));
  }
  return out;
}

}  // namespace detail

inline std::string print(const Graph& graph, const Location& location) {
  if (location.line == 0) return {};
  std::string_view file = location.file < graph.files.size() ? std::string_view(graph.files[location.file]) : std::string_view("?");
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  std::string out = std::string(file) + ':' + std::to_string(location.line);
  if (location.column != 0) out += ':' + std::to_string(location.column);
  return out;
}

inline std::string print(const Graph& graph, const Operation& op) {
  const OpcodeRow& row = row_of(op.opcode);
  std::string out;
  if (row.result != ResultRule::none) out.append(detail::print_variable(op.result)).append(": ").append(name_of(op.type)).append(" = ");
  out += detail::print_name(op);
  std::string separator = " ";
  const std::string immediate = detail::print_immediate(graph, op);
  const bool indexes = row.rule == OperandRule::index && row.effect != Effect::traps;  // p0[v1]
  if (!immediate.empty()) {
    out += separator + immediate;
    separator = immediate == "checked" ? " " : ", ";
  }
  for (std::size_t i = 0; i != row.operands; ++i) {
    if (indexes && i == 0) out.append("[").append(detail::print_variable(op.operands[i])).append("]");
    else out += separator + detail::print_variable(op.operands[i]);
    separator = ", ";
  }
  return out;
}

inline std::string print(const Graph& graph) {
  std::string out = "kernel " + graph.name + '(' + detail::print_parameters(graph) + ')';
  if (graph.fp_mode == FpMode::strict) out += " strict";
  out += detail::print_attributes(graph.attributes) + '\n';
  for (const Memory& m : graph.memories)
    if (m.kind == MemoryKind::table)
      out.append("table")
          .append(std::to_string(m.data))
          .append(" of ")
          .append(std::to_string(m.elements))
          .append(" ")
          .append(name_of(m.element))
          .append("\n");
  for (std::size_t i = 0; i != graph.memories.size(); ++i)
    if (is_shared(graph.memories[i])) detail::print_line(out, graph, detail::print_shared(graph, i), graph.memories[i].location);
  for (const IndexSpace& s : graph.spaces) {
    const std::string line = s.kind == SpaceKind::linear ? "space linear" : "space grid_2d, rows of " + std::to_string(s.stride);
    detail::print_line(out, graph, line, s.location);
  }
  detail::print_body(out, graph, graph);
  for (std::size_t f = 0; f != graph.functions.size(); ++f) {
    const Function& function = graph.functions[f];
    out += "function " + detail::print_function(graph, f) + '(' + detail::print_types(function.parameters) + ')';
    if (!function.results.empty()) out += " -> " + detail::print_types(function.results);
    out += '\n';
    detail::print_body(out, graph, function);
  }
  return out;
}

}  // namespace oxide::ir
