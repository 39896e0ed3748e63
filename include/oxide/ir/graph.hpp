// The graph: what a traced kernel is. Typed operations in basic blocks over explicit, mutable variables.
//
// A variable may be assigned on several paths and in loops; the compiler's mem2reg turns variables into SSA values. Every use
// of a variable is preceded by a definition on every path that reaches it, because every path was seen to run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <oxide/counted.hpp>
#include <oxide/ir/machine.hpp>
#include <oxide/ir/ops.hpp>
#include <oxide/ir/synchronization.hpp>
#include <oxide/ir/type.hpp>

namespace oxide::ir {

using Variable = std::uint32_t;
inline constexpr Variable no_variable = 0xffffffff;

// A place in the user's source. `file` indexes Graph::files; a line of 0 means unknown.
struct Location {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Operation {
  Opcode opcode = Opcode::end;
  Type type = Type::none;  // of the result
  Variable result = no_variable;
  std::array<Variable, max_operands> operands{no_variable, no_variable, no_variable};
  std::uint64_t immediate = 0;
  Location location;
};

enum class TerminatorKind : std::uint8_t { jump, branch, exit };

struct Terminator {
  TerminatorKind kind = TerminatorKind::exit;
  Variable condition = no_variable;             // branch: a boolean
  std::array<std::uint32_t, 2> targets{0, 0};   // jump: [0]; branch: [0] when true, [1] when false
  Location location;
};

struct Block {
  std::vector<Operation> operations;
  Terminator terminator;
};

enum class ParameterKind : std::uint8_t {
  value,
  span,
  storage,  // hidden: memory that the runtime keeps on the device, see Graph::storages
  printer,  // hidden: where `print` operations write, an oxide_print_buffer (GPU) or oxide_print_sink (CPU)
};
// Hidden parameters come after all others. Launches do not pass them: the runtime does.
constexpr bool is_hidden(ParameterKind kind) { return kind >= ParameterKind::storage; }

// One parameter of the kernel. A value takes one launch argument of `type`; a span takes two: a device pointer to elements of
// `type`, or of a layout when they are structs (`type` is none then), and its length in elements as u64; a hidden one takes a device
// pointer.
struct Parameter {
  ParameterKind kind = ParameterKind::value;
  Type type = Type::none;
  Layout layout = {};
  bool continues = false;  // a further number of a struct. For messages: neither encoded nor hashed
};
constexpr Layout layout_of(const Parameter& p) { return p.type == Type::none ? p.layout : layout_of(p.type); }

enum class MemoryKind : std::uint8_t {
  span,
  table,    // constant elements that are part of the graph
  storage,  // what a hidden parameter points to
  shared,          // an array of the block, of `elements` elements
  dynamic_shared,  // an array of the block whose size each launch decides
};

enum class Access : std::uint8_t {
  read,      // nobody writes it during the kernel: `noalias readonly`
  write,     // this parameter reads and writes it; aliases no other parameter
  disjoint,  // as write, and each thread writes its own elements only
};

// No block of any device has more shared memory than this; what a launch may have is checked then.
inline constexpr std::uint64_t max_shared_bytes = std::uint64_t{1} << 20;

// Memory that loads and stores name by its index in Graph::memories.
struct Memory {
  MemoryKind kind = MemoryKind::span;
  Type element = Type::none;
  Access access = Access::read;
  std::uint32_t parameter = 0;  // span, storage: index into Graph::parameters; dynamic_shared: into the launch's list of sizes
  std::uint64_t elements = 0;   // table, storage, shared: how many; dynamic_shared: for each thread of the block, 0 when the list says
  std::uint32_t data = 0;       // table: index into Graph::strings: the elements as they lie in memory
  Layout layout = {};           // of elements that are structs: `element` is none then
  Location location{};          // shared and dynamic_shared: where it is declared
};
constexpr Layout layout_of(const Memory& m) { return m.element == Type::none ? m.layout : layout_of(m.element); }

constexpr bool is_shared(const Memory& m) { return m.kind == MemoryKind::shared || m.kind == MemoryKind::dynamic_shared; }

// Whether an immediate has the number of a memory in its bits 0 to 15.
constexpr bool names_memory(Immediate immediate) {
  return immediate == Immediate::memory || immediate == Immediate::access || immediate == Immediate::vectors ||
         immediate == Immediate::atomic || immediate == Immediate::two_memories;
}
constexpr std::uint32_t memory_number(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate & 0xffff); }
constexpr std::uint64_t with_memory_number(std::uint64_t immediate, std::uint32_t memory) {
  return (immediate & ~std::uint64_t{0xffff}) | memory;
}
// The second memory of Immediate::two_memories.
constexpr std::uint32_t second_memory(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate >> 16 & 0xffff); }
constexpr std::uint64_t two_memories(std::uint32_t written, std::uint32_t read) { return written | std::uint64_t{read} << 16; }
// In traces: memories that the lambda declared have numbers from here on.
inline constexpr std::uint32_t first_declared_memory = 0x8000;

// The immediate of `load` and `store` on a memory of the graph: which, and where in an element.
//   bits 0 to 15   the memory
//   bits 16 to 19  0, or 1 + log2 of an alignment in bytes that is known to hold although the element's layout does not say so
//   bit  20        the index counts bytes, not elements: of arrays in structs, where it was made of two checked indices
//   bits 24 to 31  a CacheHint, see machine.hpp
//   bits 32 to 63  the offset of the number that is read or written, in bytes
struct MemoryAccess {
  std::uint32_t memory = 0;
  std::uint32_t offset = 0;
  std::uint32_t alignment = 0;  // 0: as the layout says
  bool in_bytes = false;
};
constexpr std::uint64_t memory_immediate(const MemoryAccess& a) {
  std::uint64_t alignment = 0;
  for (std::uint32_t left = a.alignment; left != 0; left >>= 1) ++alignment;
  return a.memory | alignment << 16 | std::uint64_t{a.in_bytes} << 20 | std::uint64_t{a.offset} << 32;
}
constexpr MemoryAccess memory_access(std::uint64_t immediate) {
  const auto alignment = static_cast<std::uint32_t>(immediate >> 16 & 0xf);
  return {memory_number(immediate), static_cast<std::uint32_t>(immediate >> 32), alignment == 0 ? 0 : std::uint32_t{1} << (alignment - 1),
          (immediate >> 20 & 1) != 0};
}

// The alignment in bytes of what an access reaches: that of the elements, as far as the offset keeps it.
constexpr std::uint32_t alignment_of(const MemoryAccess& a, const Layout& element) {
  if (a.alignment != 0) return a.alignment;
  const std::uint32_t both = element.alignment | a.offset;
  return both & (0 - both);
}

// The immediate of `local_array`: how many elements, and their size in bytes. The array is aligned to `array_alignment(size)` at least.
struct ArrayShape {
  std::uint32_t size = 0;   // bytes an element
  std::uint32_t count = 0;
};
constexpr std::uint64_t array_immediate(const ArrayShape& a) { return a.size | std::uint64_t{a.count} << 32; }
constexpr ArrayShape array_shape(std::uint64_t immediate) {
  return {static_cast<std::uint32_t>(immediate), static_cast<std::uint32_t>(immediate >> 32)};
}
// Elements that pack into wide accesses lie so that they can be accessed so.
constexpr std::uint32_t array_alignment(std::uint32_t size) {
  const std::uint32_t lowest = size & (0 - size);
  return lowest > 16 ? 16 : lowest;
}

// The immediate of `load_at` and `store_at`, which reach base + index * size + offset:
//   bits 0 to 23   size, in bytes
//   bits 24 to 27  log2 of the alignment in bytes
//   bits 32 to 63  offset, in bytes
struct AddressAccess {
  std::uint32_t size = 0;
  std::uint32_t offset = 0;
  std::uint32_t alignment = 1;
};
constexpr std::uint64_t address_immediate(const AddressAccess& a) {
  std::uint64_t log2 = 0;
  for (std::uint32_t left = a.alignment; left > 1; left >>= 1) ++log2;
  return (a.size & 0xffffff) | log2 << 24 | std::uint64_t{a.offset} << 32;
}
constexpr AddressAccess address_access(std::uint64_t immediate) {
  return {static_cast<std::uint32_t>(immediate & 0xffffff), static_cast<std::uint32_t>(immediate >> 32),
          std::uint32_t{1} << (immediate >> 24 & 0xf)};
}

// How a kernel turned hardware coordinates into a ThreadIndex; the launch has to have that shape.
enum class SpaceKind : std::uint8_t { linear, grid_2d };

struct IndexSpace {
  SpaceKind kind = SpaceKind::linear;
  std::uint32_t stride = 0;  // grid_2d: elements a row
  Location location;
};

// How a trace carries an index space in an immediate: the kind in bits 0 to 7, the stride in bits 8 to 39.
constexpr std::uint64_t space_immediate(SpaceKind kind, std::uint32_t stride) {
  return static_cast<std::uint64_t>(kind) | std::uint64_t{stride} << 8;
}
constexpr SpaceKind space_kind(std::uint64_t immediate) { return static_cast<SpaceKind>(immediate & 0xff); }
constexpr std::uint32_t space_stride(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate >> 8); }

// Whether a*b + c may become one fused operation: `contract` as CUDA does by default, `strict` never.
enum class FpMode : std::uint8_t { contract, strict };

// What a kernel asks of its launches and of the assembler; 0 where it asks nothing.
struct Attributes {
  std::uint32_t max_threads = 0;                 // the most threads that a block may have
  std::uint32_t min_blocks = 0;                  // blocks that shall fit on a multiprocessor at once; with max_threads
  std::array<std::uint32_t, 3> block{0, 0, 0};   // the only block that it is launched with
  std::array<std::uint32_t, 3> cluster{0, 0, 0}; // blocks of a cluster; sm_90 and newer
  std::uint32_t max_registers = 0;               // of a thread
  std::uint32_t stack_size = 0;                  // bytes of stack for the calls of a thread
  bool cooperative = false;                      // all blocks are resident at once
  friend constexpr bool operator==(const Attributes&, const Attributes&) = default;
};

// Bytes of stack for the calls of a thread, where there are functions that call themselves. A GPU has it for each thread that may be
// resident.
inline constexpr std::uint32_t default_stack_size = 4096;
constexpr std::uint32_t stack_size(const Attributes& a) { return a.stack_size != 0 ? a.stack_size : default_stack_size; }

// Code over variables of its own.
struct Body {
  std::vector<Type> variables;  // the type of each variable
  std::vector<Block> blocks;  // blocks[0] is the entry, and no terminator targets it
};

// What the kernel and other functions call, and what may call itself. It names the graph's memories as the kernel does, and sees none of
// the kernel's other parameters.
struct Function : Body {
  std::string name;  // as kernels have
  std::vector<Type> parameters, results;
};

struct Graph : Body {
  std::string name;  // the kernel's name as the user gave it; [A-Za-z0-9_]
  FpMode fp_mode = FpMode::contract;
  Attributes attributes;
  std::vector<Parameter> parameters;
  std::vector<Memory> memories;
  std::vector<IndexSpace> spaces;
  std::vector<Function> functions;
  std::vector<std::string> files;
  std::vector<std::string> strings;  // messages and formats that operations name, elements of tables; any bytes
  // What the runtime knows the storages of the hidden parameters by, in the order of these. No part of the code: neither encoded nor
  // hashed.
  std::vector<Counted<const void>> storages;
};

// The kernel's body is number 0, those of the functions follow.
constexpr std::size_t body_count(const Graph& graph) { return graph.functions.size() + 1; }
inline const Body& body_of(const Graph& graph, std::size_t number) {
  return number == 0 ? static_cast<const Body&>(graph) : graph.functions[number - 1];
}

// Which argument of a launch a parameter is, from 0: a struct is one argument and several parameters.
inline std::size_t argument_number(const Graph& graph, std::size_t parameter) {
  std::size_t n = 0;
  for (std::size_t i = 1; i <= parameter && i < graph.parameters.size(); ++i) n += graph.parameters[i].continues ? 0 : 1;
  return n;
}

}  // namespace oxide::ir
