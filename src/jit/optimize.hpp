// The optimizer, and target machines that are made once and used again.
#pragma once

#include "llvm.hpp"

namespace oxide::jit {

struct MachineKey {
  bool nvptx = false;
  std::string cpu, features;
  unsigned opt_level = 3;
  friend bool operator==(const MachineKey&, const MachineKey&) = default;
};

// A target machine for one compile. Machines are not safe to share between threads, and cost more to make than a small kernel to
// compile, so they go back to a pool.
class Machine {
 public:
  explicit Machine(MachineKey key);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  MachineKey key_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// Collects what LLVM complains about while it compiles in a context; its own handler would print it and exit.
class Diagnostics {
 public:
  explicit Diagnostics(llvm::LLVMContext& context);
  void check() const;  // throws Failure when there was an error

 private:
  std::string complaint_;
};

// Sets LLVM's own switches. Once, before the first compile.
void configure_optimizer();

// In instructions.
std::size_t largest_function(const llvm::Module& module);

// Runs the pass pipeline of an optimization level from 0 to 3. `split_loops`: loops are cut where their range checks change their answer.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, bool split_loops);

// The same for a GPU kernel that calls no functions but the one that reports failures and, with `library`, those of the device library,
// which have the attribute below, at a level from 1: faster by far.
void optimize_kernel(llvm::Function& kernel, llvm::TargetMachine& machine, unsigned opt_level, bool library);
inline constexpr llvm::StringLiteral library_attribute = "oxide-library";

// Throws Failure when the module is not well formed: code of one function that names what another has.
void check_code(const llvm::Module& module);

// Assembly text or an object file.
llvm::SmallString<0> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type);

std::string text_of(const llvm::Module& module);

}  // namespace oxide::jit
