#include "lower_memory.hpp"

#include <algorithm>

namespace oxide::jit {

llvm::GlobalVariable* make_table(llvm::Module& module, const ir::Graph& graph, std::size_t memory, unsigned address_space) {
  const ir::Memory& table = graph.memories[memory];
  const std::string& bytes = graph.strings[table.data];
  llvm::LLVMContext& context = module.getContext();
  // As bytes where LLVM keeps no such arrays: of structs, pairs and 128-bit integers.
  llvm::Type* type = table.element == ir::Type::none ? nullptr : memory_type(context, table.element);
  const bool plain = type != nullptr && llvm::ConstantDataSequential::isElementTypeCompatible(type);
  llvm::Constant* data =
      llvm::ConstantDataArray::getRaw(bytes, plain ? table.elements : bytes.size(), plain ? type : llvm::Type::getInt8Ty(context));
  auto* global =
      new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, data,
                               "oxide_table" + std::to_string(memory), nullptr, llvm::GlobalVariable::NotThreadLocal, address_space);
  // So that neighbours are read together where the index allows it.
  global->setAlignment(std::max(llvm::Align(16), llvm::Align(ir::layout_of(table).alignment)));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

void copy_bytes(Builder& b, llvm::Value* to, llvm::Value* from, llvm::Value* count, std::uint32_t alignment,
                llvm::function_ref<void(llvm::Instruction&, bool writes)> accesses) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Function& function = *b.GetInsertBlock()->getParent();
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "copied", &function);
  llvm::Type* i64 = b.getInt64Ty();
  // for (i = 0; i < count; i += step) one load and store of `step` bytes.
  const auto loop = [&](const char* name, std::uint32_t step) {
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::BasicBlock* body = llvm::BasicBlock::Create(context, name, &function, done);
    b.CreateCondBr(b.CreateICmpNE(count, b.getInt64(0)), body, done);
    b.SetInsertPoint(body);
    llvm::PHINode* i = b.CreatePHI(i64, 2);
    i->addIncoming(b.getInt64(0), before);
    llvm::Type* type = step == 16 ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(b.getInt32Ty(), 4)) : b.getIntNTy(8 * step);
    llvm::LoadInst* load = b.CreateAlignedLoad(type, b.CreateInBoundsGEP(b.getInt8Ty(), from, {i}), llvm::Align(step));
    accesses(*load, false);
    accesses(*b.CreateAlignedStore(load, b.CreateInBoundsGEP(b.getInt8Ty(), to, {i}), llvm::Align(step)), true);
    llvm::Value* next = b.CreateAdd(i, b.getInt64(step));
    i->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, count), body, done);
  };
  if (alignment >= 16) {
    loop("copy.wide", 16);
  } else {
    llvm::BasicBlock* wide = llvm::BasicBlock::Create(context, "wide", &function, done);
    llvm::BasicBlock* narrow = llvm::BasicBlock::Create(context, "narrow", &function, done);
    llvm::Value* bits = b.CreateOr(b.CreateOr(b.CreatePtrToInt(to, i64), b.CreatePtrToInt(from, i64)), count);
    b.CreateCondBr(b.CreateICmpEQ(b.CreateAnd(bits, b.getInt64(15)), b.getInt64(0)), wide, narrow);
    b.SetInsertPoint(wide);
    loop("copy.wide", 16);
    b.SetInsertPoint(narrow);
    loop("copy.narrow", alignment);
  }
  b.SetInsertPoint(done);
}

llvm::MDNode* unroll_metadata(llvm::LLVMContext& context, unsigned passes) {
  llvm::Metadata* what = nullptr;
  const auto named = [&](const char* name) { return llvm::MDString::get(context, name); };
  if (passes == 0) what = llvm::MDNode::get(context, {named("llvm.loop.unroll.full")});
  else if (passes == 1) what = llvm::MDNode::get(context, {named("llvm.loop.unroll.disable")});
  else
    what = llvm::MDNode::get(context, {named("llvm.loop.unroll.count"),
                                       llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), passes))});
  llvm::MDNode* id = llvm::MDNode::getDistinct(context, {nullptr, what});
  id->replaceOperandWith(0, id);
  return id;
}

std::uint64_t table_bytes(const ir::Graph& graph) {
  std::uint64_t bytes = 0;
  for (const ir::Memory& m : graph.memories)
    if (m.kind == ir::MemoryKind::table) bytes += (graph.strings[m.data].size() + 15) / 16 * 16;
  return bytes;
}

}  // namespace oxide::jit
