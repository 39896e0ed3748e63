// A graph's functions in host code.
#pragma once

#include <vector>

#include "body.hpp"
#include "function_needs.hpp"

namespace oxide::jit {

// A function takes the address of a frame, in which the caller's thread keeps what functions need of the kernel, its thread's x, then its
// own parameters. One with checks gives back the site that failed plus one, or 0, before its results.
class HostCalls {
 public:
  HostCalls(const ir::Graph& graph, llvm::Module& module, Surroundings& kernel);

  bool any() const { return !graph_.functions.empty(); }
  // Makes the frame, at a place that comes before all work-items, in which everything but thread_index x is the same. `cluster_stride`,
  // the bytes from a block's shared memory to that of the next one, and `printer` may be null.
  void open_frame(Builder& b, llvm::Value* stack_limit, llvm::Value* cluster_stride, llvm::Value* printer);

  // A call in the kernel by the thread of the given x. What it failed with, if it did, is reported by
  // `failed(status, first value, second)`, which ends the block.
  template <class Failed>
  std::vector<llvm::Value*> call_from_kernel(Builder& b, llvm::Value* x, std::size_t function, llvm::ArrayRef<llvm::Value*> arguments,
                                             Failed failed) {
    Result result = call(b, frame_, x, function, arguments);
    if (result.status != nullptr) {
      llvm::BasicBlock* passed =
          part(b, result.status, [&] { failed(result.status, value(b, frame_, first_failed), value(b, frame_, second_failed)); });
      b.SetInsertPoint(passed);
    }
    return result.values;
  }
  llvm::Value* out_of_stack(Builder& b) { return out_of_stack(b, frame_); }

  void define_all();

 private:
  friend class CalledHostFunction;
  struct Result {
    llvm::Value* status = nullptr;  // i32; null of a function without checks
    std::vector<llvm::Value*> values;
  };
  // The frame's fields: the coordinates as u32, by operation and axis; then words of 64 bits; then pointer and length of each memory.
  enum Field : unsigned { coordinates = 0, stack_limit = 12, cluster_stride, first_failed, second_failed, printer, memories };

  Result call(Builder& b, llvm::Value* frame, llvm::Value* x, std::size_t function, llvm::ArrayRef<llvm::Value*> arguments);
  // Goes two ways: calls `failed` where the status is not 0, gives the block where it is.
  template <class Failed>
  llvm::BasicBlock* part(Builder& b, llvm::Value* status, Failed failed) {
    llvm::Function* in = b.GetInsertBlock()->getParent();
    llvm::BasicBlock* left = llvm::BasicBlock::Create(b.getContext(), "left", in);
    llvm::BasicBlock* passed = llvm::BasicBlock::Create(b.getContext(), "passed", in);
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), left, passed, llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
    b.SetInsertPoint(left);
    failed();
    return passed;
  }
  llvm::Value* out_of_stack(Builder& b, llvm::Value* frame);
  llvm::Value* address(Builder& b, llvm::Value* frame, unsigned field);
  llvm::Value* value(Builder& b, llvm::Value* frame, unsigned field);
  bool fails(std::size_t function) const { return needs_[function].fails; }

  const ir::Graph& graph_;
  llvm::Module& module_;
  Surroundings& kernel_;
  std::vector<FunctionNeeds> needs_;
  std::vector<llvm::Function*> functions_;
  llvm::StructType* frame_type_ = nullptr;
  llvm::Value* frame_ = nullptr;  // of the kernel
};

}  // namespace oxide::jit
