#include "body_lowering.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

bool is_collective(const ir::Operation& op) {
  const ir::Effect effect = ir::row_of(op.opcode).effect;
  return effect == ir::Effect::block_collective || effect == ir::Effect::warp_collective;
}

std::vector<oxide_fault_site> fault_sites(const ir::Graph& graph) {
  const ir::CallGraph calls(graph);
  std::vector<oxide_fault_site> sites;
  for (std::size_t f = 0; f != ir::body_count(graph); ++f) {
    const ir::Body& body = ir::body_of(graph, f);
    for (std::size_t b = 0; b != body.blocks.size(); ++b)
      for (std::size_t i = 0; i != body.blocks[b].operations.size(); ++i) {
        const ir::Operation& op = body.blocks[b].operations[i];
        const auto add = [&](oxide_fault_kind kind, std::uint64_t memory = 0) {
          sites.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(memory), static_cast<std::uint32_t>(b),
                           static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(f), 0});
        };
        if (op.opcode == ir::Opcode::check_bounds) add(OXIDE_FAULT_BOUNDS, op.immediate);
        else if (op.opcode == ir::Opcode::check_rank) add(OXIDE_FAULT_RANK);
        else if (op.opcode == ir::Opcode::check_index) add(OXIDE_FAULT_INDEX);
        else if (op.opcode == ir::Opcode::check_vectors) add(OXIDE_FAULT_VECTORS, ir::memory_number(op.immediate));
        else if (ir::row_of(op.opcode).immediate == ir::Immediate::check && op.immediate != 0) add(OXIDE_FAULT_DIVISION);
        else if (op.opcode == ir::Opcode::check) add(OXIDE_FAULT_CHECK);
        else if (is_collective(op)) add(OXIDE_FAULT_COLLECTIVE);
        else if (op.opcode == ir::Opcode::call && calls.recursive(static_cast<std::size_t>(op.immediate)))
          add(OXIDE_FAULT_STACK, op.immediate);
      }
  }
  return sites;
}

void BodyLowering::find_sites() {
  first_site_.resize(body_.blocks.size() + 1, 0);
  for (const oxide_fault_site& s : fault_sites(graph_)) {
    if (s.function < number_) ++first_site_[0];
    else if (s.function == number_) ++first_site_[s.block + 1];
  }
  for (std::size_t b = 0; b != body_.blocks.size(); ++b) first_site_[b + 1] += first_site_[b];
}

void BodyLowering::guard(Value* fails, Value* first, Value* second) {
  if (number_ == 0 && proved_[next_site_]) {
    ++next_site_;
    return;
  }
  BasicBlock* failed = BasicBlock::Create(context_, "failed", &function_);
  BasicBlock* passed = BasicBlock::Create(context_, "passed", &function_);
  b_.CreateCondBr(fails, failed, passed, llvm::MDBuilder(context_).createUnlikelyBranchWeights());
  b_.SetInsertPoint(failed);
  around_.fail(b_, next_site_++, first, second);
  b_.SetInsertPoint(passed);
}

void BodyLowering::check_vectors_of(const ir::Operation& op) {
  const std::size_t memory = ir::memory_number(op.immediate);
  const std::uint64_t count = op.immediate >> 32;
  const std::uint64_t size = std::uint64_t{ir::layout_of(graph_.memories[memory]).size} * count;
  Value* address = b_.CreatePtrToInt(around_.pointer(memory), b_.getInt64Ty());
  Value* length = length_of(op);
  Value* off = b_.CreateAnd(address, b_.getInt64(std::min<std::uint64_t>(size & (0 - size), 16) - 1));
  Value* left = b_.CreateURem(length, b_.getInt64(count));
  guard(b_.CreateICmpNE(b_.CreateOr(off, left), b_.getInt64(0)), address, length);
}

}  // namespace oxide::jit
