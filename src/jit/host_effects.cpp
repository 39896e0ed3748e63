#include "host_effects.hpp"

#include "host_runtime.hpp"

namespace oxide::jit {

using llvm::Value;

namespace {

llvm::CallInst* call(Builder& b, const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  std::vector<llvm::Type*> types;
  for (Value* a : arguments) types.push_back(a->getType());
  llvm::CallInst* c = b.CreateCall(module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
  c->setDoesNotThrow();
  return c;
}

}  // namespace

Value* read_host_register(Builder& b, ir::SpecialRegister which) {
  switch (which) {
    case ir::SpecialRegister::clock:
      return b.CreateTrunc(b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, llvm::ArrayRef<llvm::Type*>(), {}), b.getInt32Ty());
    case ir::SpecialRegister::clock64:
      return b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, llvm::ArrayRef<llvm::Type*>(), {});
    case ir::SpecialRegister::globaltimer:
      return call(b, globaltimer_function, b.getInt64Ty(), {});
    case ir::SpecialRegister::smid:
      return call(b, smid_function, b.getInt32Ty(), {});
    default:
      return call(b, nsmid_function, b.getInt32Ty(), {});
  }
}

void host_sleep(Builder& b, Value* nanoseconds) { call(b, nanosleep_function, b.getVoidTy(), {nanoseconds}); }
void host_breakpoint(Builder& b) { call(b, breakpoint_function, b.getVoidTy(), {}); }

}  // namespace oxide::jit
