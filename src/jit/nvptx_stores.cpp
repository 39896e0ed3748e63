#include "nvptx_stores.hpp"

#include <llvm/IR/IntrinsicInst.h>

namespace oxide::jit {

namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

class BitKeeper {
 public:
  explicit BitKeeper(llvm::Function& function) : layout_(function.getDataLayout()) {
    llvm::SmallVector<llvm::StoreInst*, 16> stores;
    for (llvm::Instruction& i : llvm::instructions(function))
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) stores.push_back(store);
    for (llvm::StoreInst* store : stores) visit(*store);
  }

 private:
  void visit(llvm::StoreInst& store) {
    llvm::Type* type = store.getValueOperand()->getType();
    llvm::Type* scalar = type->getScalarType();
    if (!scalar->isIntegerTy() && !scalar->isFloatingPointTy()) return;
    const std::uint64_t bits = layout_.getTypeSizeInBits(scalar).getFixedValue();
    // Misaligned: LLVM stores it byte by byte, or in the largest pieces that are aligned.
    const bool split = store.getAlign().value() * 8 < bits;
    if (scalar->isFloatingPointTy() ? !split : (bits >= 64 && !split) || !may_be_float(store.getValueOperand())) return;
    Builder b(&store);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector == nullptr) {
      store.setOperand(0, keep(b, store.getValueOperand()));
      return;
    }
    if (!split) {
      Value* kept = store.getValueOperand();
      for (unsigned i = 0; i != vector->getNumElements(); ++i)
        kept = b.CreateInsertElement(kept, keep(b, b.CreateExtractElement(store.getValueOperand(), i)), i);
      store.setOperand(0, kept);
      return;
    }
    for (unsigned i = 0; i != vector->getNumElements(); ++i) {
      Value* element = keep(b, b.CreateExtractElement(store.getValueOperand(), i));
      Value* pointer = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), store.getPointerOperand(), bits / 8 * i);
      b.CreateAlignedStore(element, pointer, llvm::commonAlignment(store.getAlign(), bits / 8 * i), store.isVolatile())
          ->copyMetadata(store);
    }
    store.eraseFromParent();
  }

  // Whether the register that the value is in may be written by a floating-point instruction. Operations on bits may be left out, or become
  // such instructions (an `and` an absolute value), so they count as their operands do.
  bool may_be_float(Value* value, unsigned depth = 0) {
    if (depth == 16) return true;
    if (value->getType()->isFPOrFPVectorTy()) return !llvm::isa<llvm::Constant>(value);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
      if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst, llvm::PtrToIntInst>(cast)) return false;
      return may_be_float(cast->getOperand(0), depth + 1);
    }
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i == nullptr || llvm::isa<llvm::LoadInst, llvm::ICmpInst, llvm::FCmpInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i))
      return false;
    if (is_integer_instruction(*i)) return false;
    if (!llvm::isa<llvm::BinaryOperator, llvm::SelectInst, llvm::PHINode, llvm::FreezeInst, llvm::ExtractElementInst,
                   llvm::InsertElementInst, llvm::ShuffleVectorInst, llvm::IntrinsicInst>(i))
      return true;
    if (llvm::isa<llvm::PHINode>(i) && !phis_.insert(i).second) return false;  // its other values decide
    const bool result = llvm::any_of(i->operands(), [&](const llvm::Use& u) { return may_be_float(u.get(), depth + 1); });
    if (llvm::isa<llvm::PHINode>(i)) phis_.erase(i);
    return result;
  }

  // Sums, products and quotients are no operations on bits, and instructions of the machine by themselves give what they say.
  static bool is_integer_instruction(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Mul:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return true;
      default:
        break;
    }
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call == nullptr) return false;
    if (call->isInlineAsm()) return !llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getConstraintString().contains("=f");
    return call->getCalledFunction() != nullptr && call->getCalledFunction()->getName().starts_with("llvm.nvvm.");
  }

  // The value's bits, by way of an instruction on bits that LLVM cannot see through. It costs nothing: the assembler takes it out again.
  static Value* keep(Builder& b, Value* value) {
    const auto bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
    if (bits > 64) {
      Value* halves = b.CreateBitCast(value, llvm::FixedVectorType::get(b.getInt64Ty(), bits / 64));
      Value* kept = halves;
      for (unsigned i = 0; i != bits / 64; ++i) kept = b.CreateInsertElement(kept, keep(b, b.CreateExtractElement(halves, i)), i);
      return b.CreateBitCast(kept, b.getIntNTy(bits));
    }
    const bool wide = bits > 32 || (bits == 32 && value->getType()->isIntegerTy());  // its register may have 64 bits
    llvm::Type* type = wide ? b.getInt64Ty() : b.getInt32Ty();
    llvm::FunctionType* signature = llvm::FunctionType::get(type, {type}, false);
    llvm::InlineAsm* move =
        llvm::InlineAsm::get(signature, wide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;", wide ? "=l,l" : "=r,r", /*hasSideEffects=*/false);
    Value* integer = b.CreateBitCast(value, b.getIntNTy(bits));
    llvm::CallInst* call = b.CreateCall(move, {b.CreateZExt(integer, type)});
    // So that stores before and behind it may become one.
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    call->addFnAttr(llvm::Attribute::WillReturn);
    return b.CreateTrunc(call, b.getIntNTy(bits));
  }

  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<const llvm::Value*, 8> phis_;  // being looked at
};

}  // namespace

void keep_bits_of_floats(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) BitKeeper{function};
}

}  // namespace oxide::jit
