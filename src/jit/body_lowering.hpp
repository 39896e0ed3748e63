// One body of a graph on its way to LLVM IR. What operations become is by idea: body.cpp has control flow and variables, body_values.cpp
// which operation goes where, body_numbers.cpp arithmetic, body_memory.cpp memory, body_checks.cpp checks, body_calls.cpp functions and
// other operations with many operands.
#pragma once

#include "body.hpp"
#include "failure.hpp"
#include "graph_walk.hpp"
#include "lower_numbers.hpp"

#include <oxide/ir/analysis/call_graph.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace oxide::jit {

class BodyLowering {
 public:
  BodyLowering(const ir::Graph& graph, std::size_t number, llvm::Function& function, llvm::BasicBlock& allocas, Surroundings& around);

  void lower(llvm::BasicBlock& before);

 private:
  using Value = llvm::Value;
  using BasicBlock = llvm::BasicBlock;
  using Operands = std::array<Value*, ir::max_operands>;

  // ---- variables: one with a single definition is that definition's value; others live in allocas, which mem2reg makes phis of

  void find_variables(BasicBlock& allocas);
  Value* read(ir::Variable v);
  void define(ir::Variable v, Value* value);

  // ---- control flow

  std::vector<std::uint32_t> reverse_post_order() const;
  void block(std::uint32_t number);
  // The head of a loop whose passes are to be made one: says so at its back edges.
  void mark_loops(const std::vector<std::uint32_t>& order);

  // ---- operations

  void operation(const ir::Operation& op);
  // The result of an operation, if it has one.
  Value* value_of(const ir::Operation& op, const Operands& x);
  ir::Type operand_type(const ir::Operation& op, std::size_t i = 0) const { return body_.variables[op.operands[i]]; }
  // "file.cpp:12", with the folder.
  std::string line_of(const ir::Operation& op) const;

  // ---- numbers

  Value* number(const ir::Operation& op, const Operands& x);
  // The results of a function of several come from one call.
  MathResults mathematics(ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands);
  // LLVM leaves x / 0 and MIN / -1 undefined, and x86 raises a signal; so neither reaches the instruction. Dividing by 1 instead
  // gives what the rules ask for: MIN / 1 is MIN, and MIN % 1 and x % 1 are 0.
  Value* integer_division(const ir::Operation& op, Value* dividend, Value* divisor);

  // ---- functions, and other operations with many operands

  // Operations with many operands.
  void with_arguments(const ir::Operation& op);
  Value* result_of(const ir::Operation& op);
  void call(std::size_t callee, std::vector<Value*>& values, const std::vector<ir::Type>& types);
  void give_back();

  // ---- checks

  void find_sites();
  // Goes on where `fails` is false; elsewhere reports the next site and ends the thread. The failing side is laid out at the end.
  void guard(Value* fails, Value* first, Value* second);
  // Whether a span is made of whole vectors, the first of them aligned.
  void check_vectors_of(const ir::Operation& op);

  // ---- memory

  Value* access(const ir::Operation& op, const Operands& x);
  // Any byte but 0 is true: memory may come from outside.
  Value* from_memory(ir::Type type, Value* value) {
    return ir::is_boolean(type) ? b_.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0)) : value;
  }
  Value* to_memory(ir::Type type, Value* value) { return ir::is_boolean(type) ? b_.CreateZExt(value, b_.getInt8Ty()) : value; }
  // i64, in elements.
  Value* length_of(const ir::Operation& op);
  llvm::Type* bytes(std::uint32_t count) { return llvm::ArrayType::get(b_.getInt8Ty(), count); }
  Value* element(const ir::Operation& op, Value* index);
  Value* behind(Value* pointer, std::uint32_t offset) {
    return offset == 0 ? pointer : b_.CreateInBoundsGEP(b_.getInt8Ty(), pointer, {b_.getInt64(offset)});
  }
  llvm::Align alignment(const ir::Operation& op) {
    const ir::MemoryAccess access = ir::memory_access(op.immediate);
    return llvm::Align(ir::alignment_of(access, ir::layout_of(graph_.memories[access.memory])));
  }
  Value* load_from(const ir::Operation& op, Value* index);
  void store_to(const ir::Operation& op, Value* index, Value* value);
  // Elements from one memory to another; the ranges were checked.
  void copy_range(const ir::Operation& op, Value* to, Value* from, Value* count);
  void prefetch_element(const ir::Operation& op, Value* index);
  // A boolean is a byte in memory.
  Value* atomic(const ir::Operation& op, const Operands& x);

  // Arrays of the thread's own. Each is one alloca, however often the operation runs: what it made before is out of scope by then.
  Value* new_array(const ir::Operation& op);
  std::string array_name_of(const ir::Operation& op) const;
  Value* at_address(const ir::AddressAccess& access, Value* base, Value* index) {
    return behind(b_.CreateInBoundsGEP(bytes(access.size), without_cast(base), {index}), access.offset);
  }

  // Shared memory of the cluster. Addresses are generic; what is known to be in an address space is accessed there.
  Value* shared_address_of(const ir::Operation& op, Value* rank, Value* index);
  static Value* without_cast(Value* address) {
    const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(address);
    return cast == nullptr ? address : cast->getOperand(0);
  }

  struct Variable {
    Value* value = nullptr;  // of a variable with a slot: known only in block `known_in`
    llvm::AllocaInst* slot = nullptr;
    std::uint32_t known_in = 0;
  };
  const ir::Graph& graph_;
  const std::size_t number_;  // of the body, as ir::body_of counts
  const ir::Body& body_;
  const ir::CallGraph calls_;
  llvm::Function& function_;
  Surroundings& around_;
  llvm::LLVMContext& context_;
  Builder b_;
  Numbers numbers_;
  BasicBlock& allocas_;
  std::uint64_t array_bytes_ = 0;
  struct Argument {
    Value* value;
    ir::Type type;
  };
  Value* results_ = nullptr;  // of the last one
  std::vector<std::pair<std::uint32_t, unsigned>> unrolled_;  // blocks that are heads of loops, and how many passes become one
  std::vector<llvm::Instruction*> ends_;  // of each block
  std::vector<Argument> arguments_;  // of the next operation with many operands
  std::vector<Variable> values_;
  std::vector<BasicBlock*> blocks_;
  std::vector<llvm::AllocaInst*> result_slots_;  // of a function
  std::vector<Value*> given_back_;  // by the last call
  std::vector<std::uint32_t> first_site_;
  std::uint32_t next_site_ = 0;
  std::vector<bool> proved_;  // of each site of the kernel's own body: is never reported
  std::uint32_t block_number_ = 0;  // plus one
  struct {
    std::uint32_t block = 0;
    ir::Math function{};
    llvm::SmallVector<Value*, 3> operands;
    MathResults results{};
  } last_math_;
};

}  // namespace oxide::jit
