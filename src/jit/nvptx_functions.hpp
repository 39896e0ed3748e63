// A graph's functions as device functions of PTX.
#pragma once

#include <functional>
#include <vector>

#include "body.hpp"
#include "function_needs.hpp"
#include "line_table.hpp"

namespace oxide::jit {

// A function takes what it needs of the kernel before its own parameters: pointer and length of the memories that it names, the fault
// record, the printer, and where the kernel's stack began.
class NvptxFunctions {
 public:
  // Calls the function that reports a failed check, with the record given. Ends the block.
  using Report = std::function<void(Builder& b, llvm::Value* record, std::uint32_t site, llvm::Value* first, llvm::Value* second)>;

  NvptxFunctions(const ir::Graph& graph, llvm::Module& module, Surroundings& kernel, LineTable& lines, Report report);

  // Everything that a function may need, in a caller. Null where that has it not.
  struct Context {
    std::vector<llvm::Value*> pointers, lengths;  // by memory
    llvm::Value* record = nullptr;
    llvm::Value* printer = nullptr;
    llvm::Value* stack_begin = nullptr;  // i64
  };

  // In the kernel, before its body. `printer` may be null.
  void open_kernel(Builder& entry, llvm::Value* record, llvm::Value* printer);
  std::vector<llvm::Value*> call(Builder& b, const Context& from, std::size_t function, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* out_of_stack(Builder& b, const Context& from);
  const Context& kernel_context() const { return kernel_context_; }

  void define_all();

 private:
  friend class NvptxFunction;
  struct Declared {
    llvm::Function* function = nullptr;
    std::vector<std::size_t> memories;  // passed as hidden arguments
    unsigned own = 0;                   // the first argument that is a parameter of its own
  };
  void declare(std::size_t function);

  const ir::Graph& graph_;
  llvm::Module& module_;
  Surroundings& kernel_;
  LineTable& lines_;
  Report report_;
  ir::CallGraph calls_;
  std::vector<FunctionNeeds> needs_;
  std::vector<Declared> declared_;
  Context kernel_context_;
};

}  // namespace oxide::jit
