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

llvm::CallInst* call_convergent_asm(Builder& b, llvm::Type* result, const std::string& text, const std::string& constraints,
                                    llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<llvm::Type*, 3> types;
  for (Value* v : operands) types.push_back(v->getType());
  llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* c = b.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), operands);
  c->setConvergent();
  c->setDoesNotThrow();
  return c;
}

void needs_clusters(unsigned sm) {
  if (sm < 90) throw Failure{OXIDE_JIT_UNSUPPORTED, "clusters need sm_90 or newer, and this is sm_" + std::to_string(sm)};
}

Value* nvptx_grid_barrier(Builder& b, Value* barrier, Value* failed) {
  // In the text of inline assembly, `$` and braces have meanings of their own: registers are named without %, but for special ones.
  const auto address = [&](Value* v) { return b.CreatePtrToInt(v, b.getInt64Ty()); };
  Value* missing = call_convergent_asm(b, b.getInt32Ty(), grid_barrier_text, "=r,l,l,~{memory}", {address(barrier), address(failed)});
  return b.CreateICmpNE(missing, b.getInt32(0));
}

// Released, so that who sees it sees the barriers before it complete.
void nvptx_leave_grid(Builder& b, Value* barrier, bool failed) {
  const std::size_t offset = failed ? offsetof(oxide_grid_barrier, failed) : offsetof(oxide_grid_barrier, ended);
  call_convergent_asm(b, b.getVoidTy(), "st.release.gpu.global.b32 [$0+" + std::to_string(offset) + "], $1;", "l,r,~{memory}",
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
        return call_convergent_asm(b, b.getVoidTy(), "fence.sc.cluster;", "~{memory}", {});
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

}  // namespace oxide::jit
