// What the functions of a kernel's host code have in common: each runs a row of threads, one after another or several in step.
#pragma once

#include "body.hpp"

#include <oxide/ir/shared_memory.hpp>

#include <string>
#include <vector>

namespace oxide::jit {

struct HostMachine {
  std::string cpu, features;
  bool fuses = false, converts_f16 = false, swaps_16_bytes = false;

  static const HostMachine& get();
};

// A thread's number in its block, i64, from its coordinates.
llvm::Value* thread_number_of(Builder& b, Surroundings& around);
// What follows from a thread's number and the coordinates: its place in its warp, and its block's in the cluster.
llvm::Value* derived_coordinate(Builder& b, Surroundings& around, const ir::Attributes& attributes, llvm::Value* thread_number,
                                ir::Opcode which, unsigned axis);
llvm::Value* derived_register(Builder& b, Surroundings& around, llvm::Value* thread_number, ir::SpecialRegister which);
// The same place in the block of another rank of the cluster, whose blocks' memory lies one behind another.
llvm::Value* place_in_block(Builder& b, Surroundings& around, llvm::Value* rank, llvm::Value* address, llvm::Value* cluster_stride);

llvm::Function* make_host_function(llvm::Module& module, const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> types,
                                   llvm::Type* result = nullptr);

class HostFunction : public Surroundings {
 protected:
  HostFunction(const ir::Graph& graph, llvm::Module& module)
      : graph_(graph), module_(module), context_(module.getContext()), layout_(ir::shared_layout(graph)) {}

  // Parameters of the function that runs a row; those of the kernel follow, then what a derived class adds. The arguments are its
  // parameters because only parameters can be `noalias`.
  enum Argument : unsigned {
    x_count,
    x_from,
    record,
    block,
    thread_y = block + 3,
    thread_z,
    grid,
    block_dim = grid + 3,
    first_of_kernel = block_dim + 3
  };

  // ---- Surroundings

  llvm::Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override;
  llvm::Value* parameter(Builder&, std::size_t index) override { return row_->getArg(argument_[index]); }
  llvm::Value* pointer(std::size_t memory) override;
  llvm::Value* length(std::size_t memory) override;
  bool fuses() const override { return HostMachine::get().fuses; }
  bool converts_f16() const override { return HostMachine::get().converts_f16; }
  MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands) override;
  void print(Builder& b, llvm::ArrayRef<llvm::Value*> record) override;
  bool is_gpu() const override { return false; }
  llvm::Value* special(Builder& b, ir::SpecialRegister which) override;
  void sleep(Builder& b, llvm::Value* nanoseconds) override;
  void breakpoint(Builder& b) override;
  llvm::Value* inline_ptx(Builder&, const std::string&, std::uint64_t, llvm::ArrayRef<llvm::Value*>, const std::string& line) override;
  llvm::Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<llvm::Value*> operands) override;
  llvm::Value* atomic(Builder& b, const ir::Operation& op, ir::Type type, llvm::Value* address, llvm::ArrayRef<llvm::Value*> operands,
                      Combine combine) override;

  // Between two barriers, threads of a kernel are independent: what one writes and another reads is a race, on which no program may
  // count. So the loop may run several of them in step.
  void accesses(llvm::Instruction& access, std::size_t) override { in_step(access); }
  void in_step(llvm::Instruction& access) { access.setMetadata(llvm::LLVMContext::MD_access_group, access_group_); }

  // A thread's number in its block, i64; where a derived class has it at hand.
  virtual llvm::Value* thread_number(Builder& b) { return thread_number_of(b, *this); }

  // ---- making functions

  llvm::Function* make_function(const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> types, llvm::Type* result = nullptr) {
    return make_host_function(module_, name, types, result);
  }
  // Makes `row_`, with `more` parameters at its end, of which the first is returned.
  unsigned make_row(const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> more, std::uint64_t row_limit, llvm::Type* result = nullptr);

  // Says that an integer parameter of `row_` is from `begin` on and below `end`.
  void limit(unsigned argument, std::uint64_t begin, std::uint64_t end);

  struct Loop {
    llvm::BasicBlock* body;
    llvm::BasicBlock* next;
    llvm::BasicBlock* done;
    llvm::PHINode* counter;
  };
  // for (counter = from; counter < to; counter += step) in i64. `b` moves to the body; the body is to go on to `next`.
  Loop open_loop(Builder& b, llvm::Function& function, const char* name, llvm::Value* from, llvm::Value* to, std::uint64_t step = 1);
  // Says that the passes of the loop over a row are independent, and whether it is worth the time to run several in step.
  void mark_parallel(const Loop& loop, bool vectorize = true);

  // What `oxide_host_launch` says, as the values of `row_`'s parameters that are `used`.
  void read_launch(Builder& b, llvm::Value* launch, std::vector<llvm::Value*>& values, const std::vector<bool>& used);
  llvm::Value* load_field(Builder& b, llvm::Type* type, llvm::Value* base, std::size_t offset);

  const ir::Graph& graph_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const ir::SharedLayout layout_;
  llvm::Function* row_ = nullptr;
  std::vector<unsigned> argument_;         // of each parameter: its first argument
  std::vector<unsigned> shared_argument_;  // of each memory of a dynamic size: its first argument
  std::vector<llvm::Value*> shared_;       // of each shared memory, where it is
  std::vector<llvm::GlobalVariable*> tables_;  // of each memory that is one
  llvm::Value* thread_x_ = nullptr;
  llvm::MDNode* access_group_ = nullptr;

 private:
  llvm::Value* approximate(Builder& b, ir::Math f, llvm::ArrayRef<llvm::Value*> x);
  static ir::Math precise(ir::Math f);
};

}  // namespace oxide::jit
