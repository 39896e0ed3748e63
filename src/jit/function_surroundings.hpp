// The code around the body of a function of the graph: what does not depend on whose body it is, the kernel around it does.
#pragma once

#include "body.hpp"

namespace oxide::jit {

class FunctionSurroundings : public Surroundings {
 public:
  explicit FunctionSurroundings(Surroundings& kernel) : kernel_(kernel) {}

  MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands) override {
    return kernel_.mathematics(b, f, type, operands);
  }
  llvm::Value* float_to_integer(Builder& b, llvm::Value* value, ir::Type from, ir::Type to) override {
    return kernel_.float_to_integer(b, value, from, to);
  }
  bool fuses() const override { return kernel_.fuses(); }
  unsigned gpu_architecture() const override { return kernel_.gpu_architecture(); }
  unsigned ptx_version() const override { return kernel_.ptx_version(); }
  bool converts_f16() const override { return kernel_.converts_f16(); }
  void accesses(llvm::Instruction& access, std::size_t memory) override { kernel_.accesses(access, memory); }
  llvm::Value* atomic(Builder& b, const ir::Operation& op, ir::Type type, llvm::Value* address, llvm::ArrayRef<llvm::Value*> operands,
                      Combine combine) override {
    return kernel_.atomic(b, op, type, address, operands, combine);
  }
  llvm::Value* in_block(Builder& b, llvm::Value* rank, llvm::Value* address) override { return kernel_.in_block(b, rank, address); }
  bool is_gpu() const override { return kernel_.is_gpu(); }
  llvm::Value* special(Builder& b, ir::SpecialRegister which) override { return kernel_.special(b, which); }
  void sleep(Builder& b, llvm::Value* nanoseconds) override { kernel_.sleep(b, nanoseconds); }
  void breakpoint(Builder& b) override { kernel_.breakpoint(b); }
  llvm::Value* inline_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<llvm::Value*> arguments,
                          const std::string& line) override {
    return kernel_.inline_ptx(b, string, number, arguments, line);
  }
  llvm::Value* hinted_load(Builder& b, llvm::Type* type, llvm::Value* pointer, llvm::Align align, ir::CacheHint hint,
                           bool read_only) override {
    return kernel_.hinted_load(b, type, pointer, align, hint, read_only);
  }
  bool hinted_store(Builder& b, llvm::Value* value, llvm::Value* pointer, llvm::Align align, ir::CacheHint hint) override {
    return kernel_.hinted_store(b, value, pointer, align, hint);
  }
  void prefetch(Builder& b, llvm::Value* pointer, ir::CacheHint hint) override { kernel_.prefetch(b, pointer, hint); }
  void leave(Builder& b) override { b.CreateUnreachable(); }  // a function's body gives back

 protected:
  Surroundings& kernel_;
};

}  // namespace oxide::jit
