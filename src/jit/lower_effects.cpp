#include "lower_effects.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

std::vector<Value*> print_record(Builder& b, std::uint64_t key, llvm::ArrayRef<Value*> arguments) {
  std::vector<Value*> record{nullptr, b.getInt64(key)};
  for (Value* argument : arguments) {
    const auto bits = static_cast<unsigned>(argument->getType()->getPrimitiveSizeInBits().getFixedValue());
    Value* integer = argument->getType()->isIntegerTy() ? argument : b.CreateBitCast(argument, b.getIntNTy(bits));
    record.push_back(b.CreateZExtOrTrunc(integer, b.getInt64Ty()));
    if (bits > 64) record.push_back(b.CreateTrunc(b.CreateLShr(integer, 64), b.getInt64Ty()));
  }
  record[0] = b.getInt64(record.size());
  return record;
}

// One addition reserves the place of the whole record, so no two threads' records mix. After the first that does not fit none does: the
// buffer has no holes. The first word comes last: where it is not zero the record is whole, even if the kernel ends badly later.
void write_record(Builder& b, Value* buffer, llvm::ArrayRef<Value*> record) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Function& function = *b.GetInsertBlock()->getParent();
  BasicBlock* fits = BasicBlock::Create(context, "print", &function);
  BasicBlock* lost = BasicBlock::Create(context, "print.lost", &function);
  BasicBlock* done = BasicBlock::Create(context, "printed", &function);
  const auto field = [&](std::size_t offset) { return b.CreateInBoundsGEP(b.getInt8Ty(), buffer, {b.getInt64(offset)}); };
  const auto add = [&](std::size_t offset, std::uint64_t n) {
    return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(offset), b.getInt64(n), llvm::MaybeAlign(8), llvm::AtomicOrdering::Monotonic);
  };
  const std::uint64_t bytes = 8 * record.size();
  Value* offset = add(offsetof(oxide_print_buffer, used), bytes);
  Value* end = b.CreateAdd(offset, b.getInt64(bytes));
  Value* capacity = b.CreateAlignedLoad(b.getInt64Ty(), field(offsetof(oxide_print_buffer, capacity)), llvm::Align(8));
  b.CreateCondBr(b.CreateICmpULE(end, capacity), fits, lost);

  b.SetInsertPoint(fits);
  Value* data = b.CreateAlignedLoad(b.getInt64Ty(), field(offsetof(oxide_print_buffer, data)), llvm::Align(8));
  Value* place = b.CreateIntToPtr(b.CreateAdd(data, offset), buffer->getType());
  const auto store = [&](std::size_t word) {
    b.CreateAlignedStore(record[word], b.CreateInBoundsGEP(b.getInt64Ty(), place, {b.getInt64(word)}), llvm::Align(8), /*isVolatile=*/true);
  };
  for (std::size_t word = 1; word != record.size(); ++word) store(word);
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  store(0);
  b.CreateBr(done);

  b.SetInsertPoint(lost);
  add(offsetof(oxide_print_buffer, lost), 1);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void pass_record(Builder& b, Value* sink, llvm::ArrayRef<Value*> record) {
  BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  Builder at_top(&entry, entry.begin());
  llvm::Type* word = b.getInt64Ty();
  Value* words = at_top.CreateAlloca(llvm::ArrayType::get(word, record.size()), nullptr, "record");
  for (std::size_t i = 0; i != record.size(); ++i) b.CreateStore(record[i], b.CreateInBoundsGEP(word, words, {b.getInt64(i)}));
  llvm::FunctionType* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false);
  static_assert(offsetof(oxide_print_sink, print) == 0);
  llvm::CallInst* call = b.CreateCall(type, b.CreateLoad(b.getPtrTy(), sink), {sink, words});
  call->setDoesNotThrow();
}

}  // namespace oxide::jit
