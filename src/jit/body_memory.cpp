#include "body_lowering.hpp"

#include "atomic_loop.hpp"
#include "lower_memory.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Value* BodyLowering::access(const ir::Operation& op, const Operands& x) {
  using enum ir::Opcode;
  switch (op.opcode) {
    case load:
      return load_from(op, x[0]);
    case store:
      store_to(op, x[0], x[1]);
      return nullptr;
    case local_array:
      return new_array(op);
    case load_at: {
      const ir::AddressAccess access = ir::address_access(op.immediate);
      return from_memory(
          op.type, b_.CreateAlignedLoad(memory_type(context_, op.type), at_address(access, x[0], x[1]), llvm::Align(access.alignment)));
    }
    case store_at: {
      const ir::AddressAccess access = ir::address_access(op.immediate);
      b_.CreateAlignedStore(to_memory(operand_type(op, 2), x[2]), at_address(access, x[0], x[1]), llvm::Align(access.alignment));
      return nullptr;
    }
    case copy_array:
      b_.CreateMemCpy(x[0], llvm::MaybeAlign(1), x[1], llvm::MaybeAlign(1), op.immediate);
      return nullptr;
    case shared_address:
      return shared_address_of(op, x[0], x[1]);
    case atomic_load:
    case atomic_store:
    case atomic_rmw:
    case atomic_cas:
    case atomic_load_at:
    case atomic_store_at:
    case atomic_rmw_at:
    case atomic_cas_at:
      return atomic(op, x);
    case prefetch:
      prefetch_element(op, x[0]);
      return nullptr;
    case copy_elements:
      copy_range(op, x[0], x[1], x[2]);
      return nullptr;
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' accesses no memory"};
  }
}

Value* BodyLowering::load_from(const ir::Operation& op, Value* index) {
  llvm::Type* type = memory_type(context_, op.type);
  Value* pointer = element(op, index);
  const ir::CacheHint hint = ir::cache_hint(op.immediate);
  if (hint != ir::CacheHint::none) {
    const bool read_only = graph_.memories[ir::memory_number(op.immediate)].access == ir::Access::read;
    if (Value* hinted = around_.hinted_load(b_, type, pointer, alignment(op), hint, read_only)) return from_memory(op.type, hinted);
  }
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, pointer, alignment(op), hint == ir::CacheHint::volatile_access);
  around_.accesses(*load, ir::memory_number(op.immediate));
  return from_memory(op.type, load);
}

void BodyLowering::store_to(const ir::Operation& op, Value* index, Value* value) {
  const ir::Type type = operand_type(op, 1);
  Value *stored = to_memory(type, value), *pointer = element(op, index);
  const ir::CacheHint hint = ir::cache_hint(op.immediate);
  const bool plain = hint == ir::CacheHint::none || hint == ir::CacheHint::volatile_access;
  if (!plain && around_.hinted_store(b_, stored, pointer, alignment(op), hint)) return;
  around_.accesses(*b_.CreateAlignedStore(stored, pointer, alignment(op), hint == ir::CacheHint::volatile_access),
                   ir::memory_number(op.immediate));
}

Value* BodyLowering::length_of(const ir::Operation& op) {
  const std::size_t memory = ir::memory_number(op.immediate);
  const ir::Memory& m = graph_.memories[memory];
  const bool known = m.kind != ir::MemoryKind::span && m.kind != ir::MemoryKind::dynamic_shared;
  return known ? b_.getInt64(m.elements) : around_.length(memory);
}

Value* BodyLowering::element(const ir::Operation& op, Value* index) {
  const ir::MemoryAccess access = ir::memory_access(op.immediate);
  const ir::Memory& memory = graph_.memories[access.memory];
  llvm::Type* unit = access.in_bytes                    ? b_.getInt8Ty()
                     : memory.element == ir::Type::none ? bytes(memory.layout.size)
                                                        : memory_type(context_, memory.element);
  return behind(b_.CreateInBoundsGEP(unit, around_.pointer(access.memory), {index}), access.offset);
}

void BodyLowering::copy_range(const ir::Operation& op, Value* to, Value* from, Value* count) {
  const auto element = [&](std::uint32_t memory, Value* index) {
    return b_.CreateInBoundsGEP(bytes(ir::layout_of(graph_.memories[memory]).size), around_.pointer(memory), {index});
  };
  const ir::Layout layout = ir::layout_of(graph_.memories[ir::memory_number(op.immediate)]);
  const auto accesses = [&](llvm::Instruction& access, bool writes) {
    around_.accesses(access, writes ? ir::memory_number(op.immediate) : ir::second_memory(op.immediate));
  };
  copy_bytes(b_, element(ir::memory_number(op.immediate), to), element(ir::second_memory(op.immediate), from),
             b_.CreateMul(count, b_.getInt64(layout.size)), layout.alignment, accesses);
}

void BodyLowering::prefetch_element(const ir::Operation& op, Value* index) {
  BasicBlock* inside = BasicBlock::Create(context_, "prefetch", &function_);
  BasicBlock* done = BasicBlock::Create(context_, "prefetched", &function_);
  b_.CreateCondBr(b_.CreateICmpULT(index, length_of(op)), inside, done);
  b_.SetInsertPoint(inside);
  around_.prefetch(b_, element(op, index), ir::cache_hint(op.immediate));
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

Value* BodyLowering::atomic(const ir::Operation& op, const Operands& x) {
  const bool stores = ir::row_of(op.opcode).result == ir::ResultRule::none;
  const ir::Type type = stores ? operand_type(op, 1) : op.type;
  llvm::SmallVector<Value*, 2> operands;
  for (std::size_t i = 1; i != ir::row_of(op.opcode).operands; ++i) operands.push_back(to_memory(type, x[i]));
  const bool named = ir::row_of(op.opcode).immediate == ir::Immediate::atomic;
  Value* address = x[0];
  if (named) {  // elements are as large as what is accessed
    const std::size_t memory = ir::AtomicAccess::from(op.immediate).memory;
    address = b_.CreateInBoundsGEP(memory_type(context_, type), around_.pointer(memory), {x[0]});
  }
  const ir::AtomicKind kind = ir::AtomicAccess::from(op.immediate).kind;
  const auto combine = [&](Value* now) {
    if (kind == ir::AtomicKind::exchange || (!ir::is_floating(type) && !ir::is_pair(type)))
      return atomic_result(b_, kind, type, now, operands[0]);
    constexpr ir::Opcode opcodes[] = {ir::Opcode::add, ir::Opcode::sub, ir::Opcode::min, ir::Opcode::max};
    return numbers_.operation(opcodes[static_cast<unsigned>(kind) - static_cast<unsigned>(ir::AtomicKind::add)], type,
                              {now, numbers_.renamed(operands[0])});
  };
  Value* old = around_.atomic(b_, op, type, named ? address : without_cast(address), operands, combine);
  return old == nullptr ? nullptr : from_memory(type, old);
}

// ---- arrays of the thread's own

std::string array_name(std::size_t body, std::size_t block, std::size_t operation) {
  return "array." + std::to_string(body) + '.' + std::to_string(block) + '.' + std::to_string(operation);
}
bool read_array_name(llvm::StringRef name, oxide_local_array& out) {
  if (!name.consume_front("array.")) return false;
  for (std::uint32_t* number : {&out.function, &out.block, &out.operation}) {
    if (name.consumeInteger(10, *number)) return false;
    (void)name.consume_front(".");
  }
  return true;
}

Value* BodyLowering::new_array(const ir::Operation& op) {
  const ir::ArrayShape shape = ir::array_shape(op.immediate);
  const std::uint64_t size = std::uint64_t{shape.size} * shape.count;
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 512 KB of local memory a thread.
  constexpr std::uint64_t limit = 512 * 1024;
  if (size > limit || (array_bytes_ += size) > limit)
    throw Failure{OXIDE_JIT_UNSUPPORTED, "the local arrays of a kernel take at most 512 KiB a thread; these take " +
                                             std::to_string(size > limit ? size : array_bytes_) + " bytes or more"};
  if (Value* kept = around_.array(b_, op)) {
    if (block_number_ != 1) b_.CreateMemSet(kept, b_.getInt8(0), size, llvm::Align(16));  // in a region's first block it is there already
    return kept;
  }
  Builder at_top(&allocas_, allocas_.begin());
  llvm::AllocaInst* array = at_top.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), size), nullptr, array_name_of(op));
  array->setAlignment(llvm::Align(ir::array_alignment(shape.size)));
  b_.CreateMemSet(array, b_.getInt8(0), size, array->getAlign());
  return array;
}

std::string BodyLowering::array_name_of(const ir::Operation& op) const {
  if (context_.shouldDiscardValueNames()) return {};
  const std::uint32_t block = block_number_ - 1;
  return array_name(number_, block, static_cast<std::size_t>(&op - body_.blocks[block].operations.data()));
}

// ---- shared memory of the cluster

Value* BodyLowering::shared_address_of(const ir::Operation& op, Value* rank, Value* index) {
  const std::size_t memory = ir::memory_number(op.immediate);
  const std::uint32_t size = ir::layout_of(graph_.memories[memory]).size;
  Value* address = around_.in_block(b_, rank, b_.CreateInBoundsGEP(bytes(size), around_.pointer(memory), {index}));
  return address->getType()->getPointerAddressSpace() == 0 ? address : b_.CreateAddrSpaceCast(address, llvm::PointerType::get(context_, 0));
}

}  // namespace oxide::jit
