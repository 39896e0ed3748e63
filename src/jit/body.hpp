// Lowers the blocks of a graph to LLVM IR. What differs between targets comes from the Surroundings.
#pragma once

#include "llvm.hpp"

#include <array>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/math.hpp>
#include <oxide/jit/abi.h>

namespace oxide::jit {

// No folding while building: what is folded is folded by the optimizer, so that literals and run-time values go the same way.
using Builder = llvm::IRBuilder<llvm::NoFolder>;

// The results of a mathematical function; most have one.
using MathResults = std::array<llvm::Value*, 2>;

// The code around a kernel's body: where arguments and coordinates come from, and where a thread goes when it is done.
class Surroundings {
 public:
  virtual ~Surroundings() = default;

  virtual llvm::Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) = 0;  // i32
  virtual llvm::Value* parameter(Builder& b, std::size_t index) = 0;                 // of a value parameter, as it lies in memory
  virtual llvm::Value* pointer(std::size_t memory) = 0;
  // The length of a span: i64, in elements.
  virtual llvm::Value* length(std::size_t memory) = 0;

  // The functions of the table in ir/math.hpp that are not a few instructions, with operands as the table has them for `type`.
  virtual MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands) = 0;
  // Truncates, saturates, and makes 0 of a NaN.
  virtual llvm::Value* float_to_integer(Builder& b, llvm::Value* value, ir::Type from, ir::Type to);
  // Whether a fused multiply-add is one instruction.
  virtual bool fuses() const = 0;
  // What the machine does by itself: the compute capability as sm_NN and the PTX version, 0 of a CPU; whether a CPU converts between
  // f16 and f32.
  virtual unsigned gpu_architecture() const { return 0; }
  virtual unsigned ptx_version() const { return 0; }
  virtual bool converts_f16() const { return false; }

  // Both end the block: reports a failed check; ends the thread.
  virtual void fail(Builder& b, std::uint32_t site, llvm::Value* first, llvm::Value* second) = 0;
  virtual void leave(Builder& b) = 0;

  // Writes a record, as jit/abi.h lays it out. May go on in another block.
  virtual void print(Builder& b, llvm::ArrayRef<llvm::Value*> record) = 0;

  virtual bool is_gpu() const = 0;
  virtual llvm::Value* special(Builder& b, ir::SpecialRegister which) = 0;
  virtual void sleep(Builder& b, llvm::Value* nanoseconds) = 0;
  virtual void breakpoint(Builder& b) = 0;
  // The results of inline PTX: one value, several in a struct, or nothing. `line` is where it stands in the user's source.
  virtual llvm::Value* inline_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<llvm::Value*> arguments,
                                  const std::string& line) = 0;
  // An access with a cache hint; nullptr and false where a plain access does.
  virtual llvm::Value* hinted_load(Builder&, llvm::Type*, llvm::Value*, llvm::Align, ir::CacheHint, bool) { return nullptr; }
  virtual bool hinted_store(Builder&, llvm::Value*, llvm::Value*, llvm::Align, ir::CacheHint) { return false; }
  virtual void prefetch(Builder&, llvm::Value*, ir::CacheHint) {}

  // Barriers, fences, operations of a warp: a barrier of the grid gives an i1, whether threads are missing. Atomic accesses to what is of
  // type `type` at `address`; `combine` makes a read-modify-write's new value of the old one, as memory has them.
  virtual llvm::Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<llvm::Value*> operands) = 0;
  using Combine = llvm::function_ref<llvm::Value*(llvm::Value*)>;
  virtual llvm::Value* atomic(Builder& b, const ir::Operation& op, ir::Type type, llvm::Value* address,
                              llvm::ArrayRef<llvm::Value*> operands, Combine combine) = 0;
  // The same place as `address`, which is shared memory, in the block of a rank of the cluster.
  virtual llvm::Value* in_block(Builder& b, llvm::Value* rank, llvm::Value* address);

  // Calls a function of the graph; may go on in another block. Arguments and results are as memory has them.
  virtual std::vector<llvm::Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<llvm::Value*> arguments);
  // Ends the block: returns from a function.
  virtual void give_back(Builder& b, llvm::ArrayRef<llvm::Value*> results);
  // Whether there is no stack left for a call of a function that calls itself: i1.
  virtual llvm::Value* out_of_stack(Builder& b);

  // A part of a kernel: variables that have a value before it starts, and where the block that ends in `exit` goes on.
  using Read = llvm::function_ref<llvm::Value*(ir::Variable)>;
  virtual llvm::ArrayRef<ir::Variable> inherited() { return {}; }
  virtual llvm::Value* inherit(Builder&, ir::Variable) { return nullptr; }
  // Where an array that a `local_array` makes lies, when it lives longer than the part; else null.
  virtual llvm::Value* array(Builder&, const ir::Operation&) { return nullptr; }
  virtual void leave_from(Builder& b, std::uint32_t /*block*/, Read) { leave(b); }

  virtual void accesses(llvm::Instruction&, std::size_t /*memory*/) {}  // called for each load and store of the kernel's memories
  virtual void at(Builder&, const ir::Location&) {}  // called before the code of each operation with a location
};

// Whether all threads of a block or of a warp do an operation together.
bool is_collective(const ir::Operation& op);

// The checks and the collective operations of a graph, in the order of its bodies, blocks and operations.
std::vector<oxide_fault_site> fault_sites(const ir::Graph& graph);

// What a `local_array` is called in LLVM's IR, and back: fills in all but the bytes.
std::string array_name(std::size_t body, std::size_t block, std::size_t operation);
bool read_array_name(llvm::StringRef name, oxide_local_array& out);

llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type);  // as a variable has it: booleans are i1, 16-bit floats are their bits
llvm::Type* memory_type(llvm::LLVMContext& context, ir::Type type);  // as memory has it: booleans are i8

// Appends the blocks of a body of the graph, numbered as by ir::body_of, to `function`, and a jump to the first of them to `before`.
// `allocas` is where variables may be allocated.
void lower_body(const ir::Graph& graph, std::size_t number, llvm::Function& function, llvm::BasicBlock& allocas, llvm::BasicBlock& before,
                Surroundings& around);

}  // namespace oxide::jit
