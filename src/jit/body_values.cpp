#include "body_lowering.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Value* BodyLowering::value_of(const ir::Operation& op, const Operands& x) {
  using enum ir::Opcode;
  switch (op.opcode) {
    case constant:
      return numbers_.constant(op.type, op.immediate);
    case parameter:
      return from_memory(op.type, around_.parameter(b_, static_cast<std::size_t>(op.immediate)));
    case length:
      return length_of(op);
    case copy:
      return x[0];
    case select:
      return b_.CreateSelect(x[0], x[1], x[2]);
    case thread_index:
    case block_index:
    case block_dim:
    case grid_dim:
      return around_.coordinate(b_, op.opcode, static_cast<unsigned>(op.immediate));
    case call_result:
      if (results_ != nullptr) return result_of(op);
      return from_memory(op.type, given_back_.at(static_cast<std::size_t>(op.immediate)));
    case return_value:
      b_.CreateStore(x[0], result_slots_[static_cast<std::size_t>(op.immediate)]);
      return nullptr;
    case check_bounds: {
      Value* length = length_of(op);
      guard(b_.CreateICmpUGE(x[0], length), x[0], length);
      return nullptr;
    }
    case check:
      guard(b_.CreateNot(x[0]), b_.getInt64(0), b_.getInt64(0));
      return nullptr;
    case check_vectors:
      check_vectors_of(op);
      return nullptr;
    case check_index: {
      Value* count = b_.getInt64(op.immediate);
      guard(b_.CreateICmpUGE(x[0], count), x[0], count);
      return nullptr;
    }
    case lane_index:
    case warp_index:
    case cluster_rank:
      return around_.coordinate(b_, op.opcode, 0);
    case cluster_dim:
      return around_.coordinate(b_, op.opcode, static_cast<unsigned>(op.immediate));
    case grid_barrier:
      guard(around_.collective(b_, op, {}), b_.getInt64(OXIDE_COLLECTIVE_ELSEWHERE), b_.getInt64(-1));
      return nullptr;
    case check_rank: {
      const auto& size = graph_.attributes.cluster;
      Value* count = b_.getInt32(size[0] * size[1] * size[2]);
      guard(b_.CreateICmpUGE(x[0], count), b_.CreateZExt(x[0], b_.getInt64Ty()), b_.CreateZExt(count, b_.getInt64Ty()));
      return nullptr;
    }
    case barrier:
    case barrier_and:
    case barrier_or:
    case barrier_count:
    case cluster_arrive:
    case cluster_wait:
    case warp_barrier:
    case active_mask:
    case shuffle:
    case vote_all:
    case vote_any:
    case vote_ballot:
    case match_any:
    case match_all:
    case warp_reduce:
      ++next_site_;
      return around_.collective(b_, op, llvm::ArrayRef(x).take_front(ir::row_of(op.opcode).operands));
    case fence:
      return around_.collective(b_, op, {});
    case special:
      return around_.special(b_, static_cast<ir::SpecialRegister>(op.immediate));
    case sleep:
      around_.sleep(b_, x[0]);
      return nullptr;
    case breakpoint:
      around_.breakpoint(b_);
      return nullptr;
    case on_gpu:
      return b_.getInt1(around_.is_gpu());
    case unroll:
      unrolled_.emplace_back(block_number_ - 1, static_cast<unsigned>(op.immediate));
      return nullptr;
    case inline_ptx:
    case argument:
    case call:
    case print:
    case assign:
    case index_space:
    case decide:
    case loop_head:
    case end:
      throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' cannot be compiled"};
    default:
      break;
  }
  const ir::Effect effect = ir::row_of(op.opcode).effect;
  const bool is_number = effect == ir::Effect::pure || effect == ir::Effect::traps;
  return is_number && op.opcode != shared_address ? number(op, x) : access(op, x);
}

}  // namespace oxide::jit
