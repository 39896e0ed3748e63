// What a read-modify-write computes, and the loop around a compare-and-swap for those that no instruction does.
#pragma once

#include "body.hpp"

namespace oxide::jit {

// The new value of `kind` for an old value and an operand, as memory has them: of integers and booleans, and of exchanges.
inline llvm::Value* atomic_result(Builder& b, ir::AtomicKind kind, ir::Type type, llvm::Value* old, llvm::Value* operand) {
  const bool is_signed = ir::is_signed_integer(type);
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return b.CreateIntrinsic(id, {old->getType()}, {old, operand}); };
  switch (kind) {
    case ir::AtomicKind::exchange:
      return operand;
    case ir::AtomicKind::add:
      return b.CreateAdd(old, operand);
    case ir::AtomicKind::sub:
      return b.CreateSub(old, operand);
    case ir::AtomicKind::min:
      return intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
    case ir::AtomicKind::max:
      return intrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
    case ir::AtomicKind::bit_and:
      return b.CreateAnd(old, operand);
    case ir::AtomicKind::bit_or:
      return b.CreateOr(old, operand);
    case ir::AtomicKind::bit_xor:
      return b.CreateXor(old, operand);
    case ir::AtomicKind::inc: {
      llvm::Value* next = b.CreateAdd(old, llvm::ConstantInt::get(old->getType(), 1));
      return b.CreateSelect(b.CreateICmpUGE(old, operand), llvm::ConstantInt::get(old->getType(), 0), next);
    }
    case ir::AtomicKind::dec: {
      llvm::Value* zero = llvm::ConstantInt::get(old->getType(), 0);
      llvm::Value* wraps = b.CreateOr(b.CreateICmpEQ(old, zero), b.CreateICmpUGT(old, operand));
      return b.CreateSelect(wraps, operand, b.CreateSub(old, llvm::ConstantInt::get(old->getType(), 1)));
    }
  }
  return nullptr;
}

// do { next = compute(old) } while (!swap(old, next)), in integers as wide as the swap. Returns the old value that was replaced.
// `swap(b, old, next)` gives what was found; it was swapped when that is `old`. `first` is a guess at the old value.
template <class Compute, class Swap>
llvm::Value* atomic_loop(Builder& b, llvm::Value* first, Compute compute, Swap swap) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(context, "atomic", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "atomic.done", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* old = b.CreatePHI(first->getType(), 2);
  old->addIncoming(first, before);
  llvm::Value* next = compute(old);
  llvm::Value* found = swap(old, next);
  old->addIncoming(found, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(found, old), done, loop);
  b.SetInsertPoint(done);
  return old;
}

}  // namespace oxide::jit
