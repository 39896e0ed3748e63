#include "body.hpp"
#include "failure.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Value* Surroundings::float_to_integer(Builder& b, Value* value, ir::Type, ir::Type to) {
  const auto id = ir::is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {value_type(b.getContext(), to), value->getType()}, {value});
}

[[noreturn]] static void refuse_call() {
  throw Failure{OXIDE_JIT_UNSUPPORTED, "this code cannot call an ox::function; call a plain function"};
}
std::vector<Value*> Surroundings::call(Builder&, std::size_t, llvm::ArrayRef<Value*>) { refuse_call(); }
void Surroundings::give_back(Builder&, llvm::ArrayRef<Value*>) { throw Failure{OXIDE_JIT_UNSUPPORTED, "this code is no function"}; }
Value* Surroundings::out_of_stack(Builder&) { refuse_call(); }
Value* Surroundings::in_block(Builder&, Value*, Value*) {
  throw Failure{OXIDE_JIT_UNSUPPORTED, "this code has no part in a cluster of blocks"};
}

llvm::Type* value_type(llvm::LLVMContext& context, ir::Type type) {
  switch (type) {
    case ir::Type::f32:
      return llvm::Type::getFloatTy(context);
    case ir::Type::f64:
      return llvm::Type::getDoubleTy(context);
    case ir::Type::address:
      return llvm::PointerType::get(context, 0);
    default:
      return llvm::Type::getIntNTy(context, ir::bits_of(type));
  }
}

llvm::Type* memory_type(llvm::LLVMContext& context, ir::Type type) {
  return ir::is_boolean(type) ? llvm::Type::getInt8Ty(context) : value_type(context, type);
}

}  // namespace oxide::jit
