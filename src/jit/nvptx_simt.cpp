#include "nvptx_simt.hpp"

#include "atomic_loop.hpp"
#include "failure.hpp"

namespace oxide::jit {

using llvm::Value;

namespace {

Value* call(Builder& b, llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> operands) {
  llvm::CallInst* c = b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type*>(), operands);
  c->setConvergent();
  return c;
}

llvm::CallInst* call_asm(Builder& b, llvm::Type* result, const std::string& text, const std::string& constraints,
                         llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<llvm::Type*, 3> types;
  for (Value* v : operands) types.push_back(v->getType());
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* c = b.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), operands);
  c->setConvergent();
  c->setDoesNotThrow();
  return c;
}

// A value's bits as 32-bit words, the low one first, and back.
llvm::SmallVector<Value*, 2> words_of(Builder& b, ir::Type type, Value* value) {
  const unsigned bits = ir::bits_of(type);
  Value* integer = value->getType()->isIntegerTy() ? value : b.CreateBitCast(value, b.getIntNTy(bits));
  if (bits < 32) return {b.CreateZExt(integer, b.getInt32Ty())};
  llvm::SmallVector<Value*, 2> words{bits == 32 ? integer : b.CreateTrunc(integer, b.getInt32Ty())};
  for (unsigned at = 32; at < bits; at += 32)
    words.push_back(b.CreateTrunc(b.CreateLShr(integer, llvm::ConstantInt::get(integer->getType(), at)), b.getInt32Ty()));
  return words;
}
Value* value_of_words(Builder& b, ir::Type type, llvm::ArrayRef<Value*> words) {
  const unsigned bits = ir::bits_of(type);
  llvm::Type* integer = b.getIntNTy(bits);
  Value* value = bits < 32 ? b.CreateTrunc(words[0], integer) : bits == 32 ? words[0] : b.CreateZExt(words[0], integer);
  for (unsigned i = 1; i < words.size(); ++i)
    value = b.CreateOr(value, b.CreateShl(b.CreateZExt(words[i], integer), llvm::ConstantInt::get(integer, 32 * i)));
  return b.CreateBitCast(value, value_type(b.getContext(), type));
}

// The third operand of shfl: in bits 0 to 4 the last lane of a segment (of `up` the first), in bits 8 to 12 the bits of a lane's number
// that say which segment it is in (PTX ISA, "shfl.sync").
Value* shuffle(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<Value*> x) {
  const ir::ShuffleMode mode = ir::shuffle_mode(op.immediate);
  const std::uint32_t clamp = (32 - ir::shuffle_width(op.immediate)) << 8 | (mode == ir::ShuffleMode::up ? 0 : 31);
  constexpr llvm::Intrinsic::ID ids[] = {llvm::Intrinsic::nvvm_shfl_sync_idx_i32, llvm::Intrinsic::nvvm_shfl_sync_up_i32,
                                         llvm::Intrinsic::nvvm_shfl_sync_down_i32, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32};
  llvm::SmallVector<Value*, 2> words = words_of(b, type, x[0]);
  for (Value*& word : words) word = call(b, ids[static_cast<unsigned>(mode)], {x[2], word, x[1], b.getInt32(clamp)});
  return value_of_words(b, type, words);
}

Value* match(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<Value*> x) {
  using namespace llvm::Intrinsic;
  const bool all = op.opcode == ir::Opcode::match_all;
  llvm::SmallVector<Value*, 2> words = words_of(b, type, x[0]);
  Value* result = nullptr;
  // A wider value matches where each of its parts does.
  for (Value* word : words) {
    Value* lanes = call(b, all ? nvvm_match_all_sync_i32p : nvvm_match_any_sync_i32, {x[1], word});
    if (all) lanes = b.CreateExtractValue(lanes, {0});
    result = result == nullptr ? lanes : b.CreateAnd(result, lanes);
  }
  return result;
}

// redux.sync came with sm_80. Before, each lane that takes part is asked in turn.
Value* reduce(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<Value*> x, unsigned sm) {
  using namespace llvm::Intrinsic;
  const auto kind = static_cast<ir::ReductionKind>(op.immediate);
  const bool is_signed = ir::is_signed_integer(type);
  if (sm >= 80) {
    const ID ids[] = {nvvm_redux_sync_add,
                      is_signed ? nvvm_redux_sync_min : nvvm_redux_sync_umin,
                      is_signed ? nvvm_redux_sync_max : nvvm_redux_sync_umax,
                      nvvm_redux_sync_and,
                      nvvm_redux_sync_or,
                      nvvm_redux_sync_xor};
    return call(b, ids[op.immediate], {x[0], x[1]});
  }
  constexpr ir::AtomicKind kinds[] = {ir::AtomicKind::add,     ir::AtomicKind::min,    ir::AtomicKind::max,
                                      ir::AtomicKind::bit_and, ir::AtomicKind::bit_or, ir::AtomicKind::bit_xor};
  const auto step = [&](Value* left, Value* right) { return atomic_result(b, kinds[static_cast<unsigned>(kind)], type, left, right); };
  Value* lanes = call(b, nvvm_vote_ballot_sync, {x[1], b.getTrue()});
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(b.getContext(), "reduce", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(b.getContext(), "reduce.done", function);
  const auto lowest = [&](Value* mask) { return b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {mask, b.getFalse()}); };
  const auto value_at = [&](Value* lane) { return call(b, nvvm_shfl_sync_idx_i32, {x[1], x[0], lane, b.getInt32(31)}); };
  const auto without_lowest = [&](Value* mask) { return b.CreateAnd(mask, b.CreateSub(mask, b.getInt32(1))); };
  Value* first = value_at(lowest(lanes));
  Value* rest_at_first = without_lowest(lanes);
  Value* any_at_first = b.CreateICmpNE(rest_at_first, b.getInt32(0));
  b.CreateCondBr(any_at_first, loop, done);
  b.SetInsertPoint(loop);
  llvm::PHINode* total = b.CreatePHI(b.getInt32Ty(), 2);
  llvm::PHINode* rest = b.CreatePHI(b.getInt32Ty(), 2);
  Value* next = step(total, value_at(lowest(rest)));
  Value* left = without_lowest(rest);
  total->addIncoming(first, before);
  total->addIncoming(next, loop);
  rest->addIncoming(rest_at_first, before);
  rest->addIncoming(left, loop);
  b.CreateCondBr(b.CreateICmpNE(left, b.getInt32(0)), loop, done);
  b.SetInsertPoint(done);
  llvm::PHINode* result = b.CreatePHI(b.getInt32Ty(), 2);
  result->addIncoming(first, before);
  result->addIncoming(next, loop);
  return result;
}

// ---- atomic accesses, as PTX: LLVM 22 drops the order and the scope of atomicrmw

struct Place {
  Value* address;        // as an integer
  std::string_view space;
  const char* constraint;
};

constexpr const char* scope_names[] = {".cta", ".gpu", ".sys", ".cluster"};

void needs_clusters(unsigned sm) {
  if (sm < 90) throw Failure{OXIDE_JIT_UNSUPPORTED, "clusters need sm_90 or newer, and this is sm_" + std::to_string(sm)};
}

class Atomics {
 public:
  Atomics(Builder& b, const ir::AtomicAccess& access, Value* address) : b_(b), access_(access) {
    auto* pointer = llvm::cast<llvm::PointerType>(address->getType());
    const unsigned space = pointer->getAddressSpace();
    const bool narrow = b.GetInsertBlock()->getModule()->getDataLayout().getPointerSizeInBits(pointer->getAddressSpace()) == 32;
    place_ = {b.CreatePtrToInt(address, narrow ? b.getInt32Ty() : b.getInt64Ty()),
              space == 3   ? ".shared"
              : space == 7 ? ".shared::cluster"
              : space == 1 ? ".global"
                           : "",
              narrow ? "r" : "l"};
  }

  // A sequentially consistent access is a fence.sc and an access that acquires or releases (PTX ISA, "Memory Consistency Model"; the
  // mapping is the one of Lustig et al., "A Formal Analysis of the NVIDIA PTX Memory Consistency Model").
  void fence_if_seq_cst() {
    if (access_.order == ir::MemoryOrder::seq_cst) emit(b_.getVoidTy(), std::string("fence.sc") + scope() + ";", {}, "~{memory}");
  }

  Value* load(unsigned bits) {
    fence_if_seq_cst();
    return load(bits, access_.order == ir::MemoryOrder::relaxed ? ".relaxed" : ".acquire");
  }
  void store(unsigned bits, Value* value) {
    fence_if_seq_cst();
    const char* sem = access_.order == ir::MemoryOrder::release ? ".release" : ".relaxed";
    emit(b_.getVoidTy(), "st" + std::string(sem) + scope() + space() + ".b" + std::to_string(bits) + " [$0], $1;",
         {place_.address, widened(value, bits)}, std::string(place_.constraint) + "," + register_of(bits) + ",~{memory}");
  }
  // `type` as PTX has it: .u32, .f64; `bits` of the register.
  Value* rmw(std::string_view operation, std::string_view type, llvm::Type* of, Value* value, const char* constraint) {
    fence_if_seq_cst();
    return emit(of, "atom" + sem() + scope() + space() + "." + std::string(operation) + "." + std::string(type) + " $0, [$1], $2;",
                {place_.address, value}, "=" + std::string(constraint) + "," + place_.constraint + "," + constraint + ",~{memory}");
  }
  Value* swap(unsigned bits, Value* expected, Value* desired) {
    const std::string reg = register_of(bits);
    return emit(b_.getIntNTy(bits), "atom" + sem() + scope() + space() + ".cas.b" + std::to_string(bits) + " $0, [$1], $2, $3;",
                {place_.address, expected, desired}, "=" + reg + "," + place_.constraint + "," + reg + "," + reg + ",~{memory}");
  }

  // The element becomes what `compute` makes of it.
  template <class Compute>
  Value* loop(unsigned bits, Compute compute) {
    if (bits == 8) return in_word(compute);
    fence_if_seq_cst();
    return atomic_loop(b_, load(bits, ".relaxed"), compute, [&](Value* old, Value* next) { return swap(bits, old, next); });
  }

 private:
  // PTX swaps no bytes: the word around one is swapped. It belongs to the same allocation, whose size is whole words.
  template <class Compute>
  Value* in_word(Compute compute) {
    constexpr unsigned bits = 8;
    llvm::Type* i32 = b_.getInt32Ty();
    llvm::Type* narrow = b_.getIntNTy(bits);
    Value* address = place_.address;
    llvm::Type* wide = address->getType();
    Value* in = b_.CreateAnd(address, llvm::ConstantInt::get(wide, 3));
    Value* shift = b_.CreateShl(b_.CreateZExtOrTrunc(in, i32), b_.getInt32(3));
    place_.address = b_.CreateAnd(address, llvm::ConstantInt::getSigned(wide, -4));
    Value* others = b_.CreateNot(b_.CreateShl(b_.getInt32((1u << bits) - 1), shift));
    fence_if_seq_cst();
    const auto extract = [&](Value* word) { return b_.CreateTrunc(b_.CreateLShr(word, shift), narrow); };
    Value* old = atomic_loop(
        b_, load(32, ".relaxed"),
        [&](Value* word) {
          Value* next = b_.CreateShl(b_.CreateZExt(compute(extract(word)), i32), shift);
          return b_.CreateOr(b_.CreateAnd(word, others), next);
        },
        [&](Value* word, Value* next) { return swap(32, word, next); });
    return extract(old);
  }

  static const char* register_of(unsigned bits) { return bits == 128 ? "q" : bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  std::string scope() const { return scope_names[static_cast<unsigned>(access_.scope)]; }
  std::string space() const { return std::string(place_.space); }
  std::string sem() const {
    constexpr const char* names[] = {".relaxed", ".acquire", ".release", ".acq_rel", ".acq_rel"};
    return names[static_cast<unsigned>(access_.order)];
  }
  // PTX has no 8-bit registers: a byte travels in 16 bits.
  Value* widened(Value* value, unsigned bits) { return bits == 8 ? b_.CreateZExt(value, b_.getInt16Ty()) : value; }
  Value* load(unsigned bits, const char* sem) {
    Value* value =
        emit(b_.getIntNTy(bits == 8 ? 16 : bits), "ld" + std::string(sem) + scope() + space() + ".b" + std::to_string(bits) + " $0, [$1];",
             {place_.address}, "=" + std::string(register_of(bits)) + "," + place_.constraint + ",~{memory}");
    return bits == 8 ? b_.CreateTrunc(value, b_.getInt8Ty()) : value;
  }
  Value* emit(llvm::Type* result, const std::string& text, llvm::ArrayRef<Value*> operands, const std::string& constraints) {
    llvm::CallInst* access = call_asm(b_, result, text, constraints, operands);
    access->setNotConvergent();
    return access;
  }

  Builder& b_;
  const ir::AtomicAccess& access_;
  Place place_;
};

// Additions of halves and of pairs of them are instructions from sm_70 and sm_60 on; of bf16, from sm_90 on. They keep subnormals, as
// .noftz says (PTX ISA, "atom").
bool adds_halves(ir::Type type, unsigned sm) {
  return type == ir::Type::f16 || type == ir::Type::f16x2 || (sm >= 90 && (type == ir::Type::bf16 || type == ir::Type::bf16x2));
}

Value* read_modify_write(Builder& b, Atomics& atomics, ir::AtomicKind kind, ir::Type type, Value* operand, Surroundings::Combine combine,
                         unsigned sm) {
  using enum ir::AtomicKind;
  llvm::Type* t = memory_type(b.getContext(), type);
  const unsigned bits = 8 * static_cast<unsigned>(ir::size_of(type));
  const bool floats = type == ir::Type::f32 || type == ir::Type::f64, is_signed = ir::is_signed_integer(type);
  llvm::Type* integer = b.getIntNTy(bits);
  const auto as_integer = [&](Value* v) { return floats ? b.CreateBitCast(v, integer) : v; };
  const auto as_type = [&](Value* v) { return floats ? b.CreateBitCast(v, t) : v; };
  const auto compute = [&](Value* old) { return as_integer(combine(as_type(old))); };
  const bool halves = ir::is_half(type) || ir::is_pair(type);
  if (halves && (kind == add || kind == sub) && adds_halves(type, sm)) {
    if (kind == sub) operand = b.CreateXor(operand, llvm::ConstantInt::get(t, bits == 16 ? 0x8000 : 0x80008000));
    return atomics.rmw("add.noftz", ir::name_of(type), t, operand, bits == 16 ? "h" : "r");
  }
  if (bits < 32 || (halves && kind != exchange)) return as_type(atomics.loop(bits, compute));
  const char* reg = bits == 128 ? "q" : bits == 64 ? "l" : "r";
  const std::string width = std::to_string(bits);
  if (floats) {
    if (kind == exchange) return as_type(atomics.rmw("exch", "b" + width, integer, as_integer(operand), reg));
    if (kind == add || kind == sub)
      return atomics.rmw("add", "f" + width, t, kind == sub ? b.CreateFNeg(operand) : operand, bits == 64 ? "d" : "f");
    return as_type(atomics.loop(bits, compute));  // of min and max: a number beats a NaN, and -0 is less than +0
  }
  switch (kind) {
    case exchange:
      return atomics.rmw("exch", "b" + width, t, operand, reg);
    case add:
    case sub:
      return atomics.rmw("add", "u" + width, t, kind == sub ? b.CreateNeg(operand) : operand, reg);
    case min:
    case max:
      return atomics.rmw(kind == min ? "min" : "max", (is_signed ? "s" : "u") + width, t, operand, reg);
    case bit_and:
      return atomics.rmw("and", "b" + width, t, operand, reg);
    case bit_or:
      return atomics.rmw("or", "b" + width, t, operand, reg);
    case bit_xor:
      return atomics.rmw("xor", "b" + width, t, operand, reg);
    case inc:
    case dec:
      return atomics.rmw(kind == inc ? "inc" : "dec", "u32", t, operand, reg);
  }
  return nullptr;
}

// Operands: $0 whether threads are missing; $1 the barrier, $2 where it says that a check has failed.
//
// The block's threads meet first and are counted: one that has ended is missing. Then one of them arrives for the block. What the blocks
// add makes 2^31 when all have, so that bit 31 changes and everything is as before the barrier but for it (the block at the origin adds
// 2^31 - (blocks - 1), each other one 1). The waiting thread looks at times whether the barrier is in vain: a check has failed somewhere,
// or threads have left the kernel; those may have left after the last barrier, so bit 31 is read once more after that. Then the block's
// threads hear of it. Arriving releases what the block's threads wrote, which the block's own barrier made happen before, and waiting
// acquires what all others did (PTX ISA, "Causality Order").
constexpr const char* grid_barrier_text = R"({
  .reg .pred origin, first, done, failed, missing, t;
  .reg .b32 n, m, size, here, blocks, add, old, now, turn;
  .reg .b64 barrier, failure;
  mov.b64 barrier, $1;
  mov.b64 failure, $2;
  setp.ne.u32 failed, 0, 0;
  mov.u32 size, %ntid.x;
  mov.u32 n, %ntid.y;
  mul.lo.u32 size, size, n;
  mov.u32 n, %ntid.z;
  mul.lo.u32 size, size, n;
  setp.eq.u32 t, 0, 0;
  bar.red.popc.u32 here, 0, t;
  setp.ne.u32 missing, here, size;
  @missing bra END;
  mov.u32 n, %tid.x;
  mov.u32 m, %tid.y;
  or.b32 n, n, m;
  mov.u32 m, %tid.z;
  or.b32 n, n, m;
  setp.ne.u32 first, n, 0;
  @first bra TOLD;
  mov.u32 blocks, %nctaid.x;
  mov.u32 n, %nctaid.y;
  mul.lo.u32 blocks, blocks, n;
  mov.u32 n, %nctaid.z;
  mul.lo.u32 blocks, blocks, n;
  mov.u32 n, %ctaid.x;
  mov.u32 m, %ctaid.y;
  or.b32 n, n, m;
  mov.u32 m, %ctaid.z;
  or.b32 n, n, m;
  setp.eq.u32 origin, n, 0;
  sub.u32 n, 0x80000001, blocks;
  selp.u32 add, n, 1, origin;
  atom.acq_rel.gpu.global.add.u32 old, [barrier], add;
  mov.u32 turn, 0;
WAIT:
  ld.acquire.gpu.global.u32 now, [barrier];
  xor.b32 now, now, old;
  setp.lt.s32 done, now, 0;
  @done bra TOLD;
  add.u32 turn, turn, 1;
  and.b32 n, turn, 1023;
  setp.ne.u32 t, n, 0;
  @t bra WAIT;
  ld.relaxed.sys.global.u32 n, [failure];
  ld.acquire.gpu.global.u32 m, [barrier+4];
  or.b32 n, n, m;
  setp.eq.u32 t, n, 0;
  @t bra WAIT;
  ld.acquire.gpu.global.u32 now, [barrier];
  xor.b32 now, now, old;
  setp.ge.s32 failed, now, 0;
TOLD:
  bar.red.or.pred missing, 0, failed;
  @!missing bra END;
  ld.relaxed.sys.global.u32 n, [failure];
  setp.ne.u32 t, n, 0;
  @t exit;
END:
  selp.u32 $0, 1, 0, missing;
})";
static_assert(offsetof(oxide_grid_barrier, arrived) == 0 && offsetof(oxide_grid_barrier, ended) == 4);

}  // namespace

Value* nvptx_grid_barrier(Builder& b, Value* barrier, Value* failed) {
  // In the text of inline assembly, `$` and braces have meanings of their own: registers are named without %, but for special ones.
  const auto address = [&](Value* v) { return b.CreatePtrToInt(v, b.getInt64Ty()); };
  Value* missing = call_asm(b, b.getInt32Ty(), grid_barrier_text, "=r,l,l,~{memory}", {address(barrier), address(failed)});
  return b.CreateICmpNE(missing, b.getInt32(0));
}

// Released, so that who sees it sees the barriers before it complete.
void nvptx_leave_grid(Builder& b, Value* barrier, bool failed) {
  const std::size_t offset = failed ? offsetof(oxide_grid_barrier, failed) : offsetof(oxide_grid_barrier, ended);
  call_asm(b, b.getVoidTy(), "st.release.gpu.global.b32 [$0+" + std::to_string(offset) + "], $1;", "l,r,~{memory}",
           {b.CreatePtrToInt(barrier, b.getInt64Ty()), b.getInt32(1)});
}

Value* nvptx_collective(Builder& b, const ir::Operation& op, ir::Type type, llvm::ArrayRef<Value*> x, unsigned sm) {
  using namespace llvm::Intrinsic;
  switch (op.opcode) {
    case ir::Opcode::barrier:
      return call(b, nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
    case ir::Opcode::barrier_and:
      return call(b, nvvm_barrier_cta_red_and_aligned_all, {b.getInt32(0), x[0]});
    case ir::Opcode::barrier_or:
      return call(b, nvvm_barrier_cta_red_or_aligned_all, {b.getInt32(0), x[0]});
    case ir::Opcode::barrier_count:
      return call(b, nvvm_barrier_cta_red_popc_aligned_all, {b.getInt32(0), x[0]});
    case ir::Opcode::cluster_arrive:
      needs_clusters(sm);
      return call(b, op.immediate != 0 ? nvvm_barrier_cluster_arrive_relaxed_aligned : nvvm_barrier_cluster_arrive_aligned, {});
    case ir::Opcode::cluster_wait:
      needs_clusters(sm);
      return call(b, nvvm_barrier_cluster_wait_aligned, {});
    case ir::Opcode::fence: {
      if (static_cast<ir::Scope>(op.immediate) == ir::Scope::cluster) {
        needs_clusters(sm);
        return call_asm(b, b.getVoidTy(), "fence.sc.cluster;", "~{memory}", {});
      }
      constexpr ID ids[] = {nvvm_membar_cta, nvvm_membar_gl, nvvm_membar_sys};
      return call(b, ids[op.immediate], {});
    }
    case ir::Opcode::warp_barrier:
      return call(b, nvvm_bar_warp_sync, {x[0]});
    case ir::Opcode::active_mask:
      return call(b, nvvm_activemask, {});
    case ir::Opcode::shuffle:
      return shuffle(b, op, type, x);
    case ir::Opcode::vote_all:
      return call(b, nvvm_vote_all_sync, {x[1], x[0]});
    case ir::Opcode::vote_any:
      return call(b, nvvm_vote_any_sync, {x[1], x[0]});
    case ir::Opcode::vote_ballot:
      return call(b, nvvm_vote_ballot_sync, {x[1], x[0]});
    case ir::Opcode::match_any:
    case ir::Opcode::match_all:
      return match(b, op, type, x);
    case ir::Opcode::warp_reduce:
      return reduce(b, op, type, x, sm);
    default:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' is not collective"};
  }
}

Value* nvptx_atomic(Builder& b, const ir::Operation& op, ir::Type type, Value* address, llvm::ArrayRef<Value*> x,
                    Surroundings::Combine combine, unsigned sm) {
  const ir::AtomicAccess access = ir::AtomicAccess::from(op.immediate);
  if (access.scope == ir::Scope::cluster) needs_clusters(sm);
  if (ir::size_of(type) == 16 && sm < 90)
    throw Failure{OXIDE_JIT_UNSUPPORTED, "atomic accesses of 16 bytes need sm_90 or newer, and this is sm_" + std::to_string(sm)};
  Atomics atomics(b, access, address);
  const unsigned bits = 8 * static_cast<unsigned>(ir::size_of(type));
  llvm::Type* t = memory_type(b.getContext(), type);
  const auto as_integer = [&](Value* v) { return ir::is_floating(type) ? b.CreateBitCast(v, b.getIntNTy(bits)) : v; };
  const auto as_type = [&](Value* v) { return ir::is_floating(type) ? b.CreateBitCast(v, t) : v; };
  switch (op.opcode) {
    case ir::Opcode::atomic_load:
    case ir::Opcode::atomic_load_at:
      return as_type(atomics.load(bits));
    case ir::Opcode::atomic_store:
    case ir::Opcode::atomic_store_at:
      atomics.store(bits, as_integer(x[0]));
      return nullptr;
    case ir::Opcode::atomic_cas:
    case ir::Opcode::atomic_cas_at: {
      Value *expected = as_integer(x[0]), *desired = as_integer(x[1]);
      if (bits != 8) {
        atomics.fence_if_seq_cst();
        return as_type(atomics.swap(bits, expected, desired));
      }
      return as_type(atomics.loop(bits, [&](Value* old) { return b.CreateSelect(b.CreateICmpEQ(old, expected), desired, old); }));
    }
    default:
      return read_modify_write(b, atomics, access.kind, type, x[0], combine, sm);
  }
}

}  // namespace oxide::jit
