#include "body_lowering.hpp"

#include "lower_effects.hpp"
#include <oxide/ir/output.hpp>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

void BodyLowering::with_arguments(const ir::Operation& op) {
  std::vector<Value*> values;
  std::vector<ir::Type> types;
  for (const Argument& a : arguments_) values.push_back(a.value), types.push_back(a.type);
  if (op.opcode == ir::Opcode::call) return call(static_cast<std::size_t>(op.immediate), values, types);
  if (op.opcode == ir::Opcode::print)
    return around_.print(b_, print_record(b_, ir::output_key(graph_.strings[static_cast<std::size_t>(op.immediate)], types), values));
  if (op.opcode == ir::Opcode::inline_ptx) {
    results_ = around_.inline_ptx(b_, graph_.strings[static_cast<std::size_t>(op.immediate)], op.immediate, values, line_of(op));
    return;
  }
  throw Failure{OXIDE_JIT_BAD_GRAPH, "operation '" + std::string(ir::name_of(op.opcode)) + "' cannot be compiled"};
}

Value* BodyLowering::result_of(const ir::Operation& op) {
  Value* result = results_->getType()->isStructTy() ? b_.CreateExtractValue(results_, {static_cast<unsigned>(op.immediate)}) : results_;
  return result->getType() == value_type(context_, op.type) ? result : b_.CreateBitCast(result, value_type(context_, op.type));
}

void BodyLowering::call(std::size_t callee, std::vector<Value*>& values, const std::vector<ir::Type>& types) {
  for (std::size_t i = 0; i != values.size(); ++i) values[i] = to_memory(types[i], values[i]);
  if (calls_.recursive(callee)) guard(around_.out_of_stack(b_), b_.getInt64(0), b_.getInt64(0));
  given_back_ = around_.call(b_, callee, values);
  results_ = nullptr;
}

void BodyLowering::give_back() {
  std::vector<Value*> values;
  const std::vector<ir::Type>& types = graph_.functions[number_ - 1].results;
  for (std::size_t r = 0; r != result_slots_.size(); ++r)
    values.push_back(to_memory(types[r], b_.CreateLoad(result_slots_[r]->getAllocatedType(), result_slots_[r])));
  around_.give_back(b_, values);
}

}  // namespace oxide::jit
