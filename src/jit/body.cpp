#include "body_lowering.hpp"

#include "lower_effects.hpp"
#include "lower_memory.hpp"
#include "proofs.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

BodyLowering::BodyLowering(const ir::Graph& graph, std::size_t number, llvm::Function& function, BasicBlock& allocas, Surroundings& around)
    : graph_(graph), number_(number), body_(ir::body_of(graph, number)), calls_(graph), function_(function), around_(around),
      context_(function.getContext()), b_(context_), numbers_(b_, around, graph.fp_mode), allocas_(allocas) {
  find_variables(allocas);
  find_sites();
  if (number_ == 0) proved_ = proved_sites(graph);
  if (number_ != 0)
    for (const ir::Type type : graph_.functions[number_ - 1].results)
      result_slots_.push_back(Builder(&allocas, allocas.begin()).CreateAlloca(value_type(context_, type), nullptr, "result"));
}

void BodyLowering::lower(BasicBlock& before) {
  blocks_.resize(body_.blocks.size(), nullptr);
  const std::vector<std::uint32_t> order = reverse_post_order();
  for (std::uint32_t b : order) blocks_[b] = BasicBlock::Create(context_, llvm::Twine("block") + llvm::Twine(b), &function_);
  b_.SetInsertPoint(&before);
  for (const ir::Variable v : around_.inherited()) define(v, around_.inherit(b_, v));
  b_.CreateBr(blocks_[0]);
  ends_.resize(body_.blocks.size(), nullptr);
  for (std::uint32_t b : order) {
    block(b);
    ends_[b] = b_.GetInsertBlock()->getTerminator();
  }
  mark_loops(order);
}

// ---- variables

void BodyLowering::find_variables(BasicBlock& allocas) {
  std::vector<std::uint8_t> definitions(body_.variables.size(), 0);
  for (const ir::Variable v : around_.inherited()) ++definitions[v];
  for (const ir::Block& block : body_.blocks)
    for (const ir::Operation& op : block.operations)
      if (const ir::Variable v = defined_by(op); v != ir::no_variable && definitions[v] != 2) ++definitions[v];
  values_.resize(body_.variables.size());
  Builder at_top(&allocas, allocas.begin());
  for (std::size_t v = 0; v != body_.variables.size(); ++v)
    if (definitions[v] == 2)
      values_[v].slot = at_top.CreateAlloca(value_type(context_, body_.variables[v]), nullptr, llvm::Twine("v") + llvm::Twine(v));
}

Value* BodyLowering::read(ir::Variable v) {
  Variable& variable = values_[v];
  if (variable.slot != nullptr && variable.known_in != block_number_) {
    variable.value = b_.CreateLoad(value_type(context_, body_.variables[v]), variable.slot);
    variable.known_in = block_number_;
  }
  if (variable.value == nullptr)
    throw Failure{OXIDE_JIT_BAD_GRAPH, (llvm::Twine("v") + llvm::Twine(v) + " is used before it is defined").str()};
  return variable.value;
}

void BodyLowering::define(ir::Variable v, Value* value) {
  Variable& variable = values_[v];
  if (variable.slot != nullptr) b_.CreateStore(value, variable.slot);
  variable.value = value;
  variable.known_in = block_number_;
}

// ---- control flow

std::vector<std::uint32_t> BodyLowering::reverse_post_order() const {
  std::vector<std::uint32_t> post;
  std::vector<std::uint8_t> visited(body_.blocks.size(), 0);  // how many targets, plus one
  std::vector<std::uint32_t> stack{0};
  visited[0] = 1;
  while (!stack.empty()) {
    const std::uint32_t b = stack.back();
    const ir::Terminator& t = body_.blocks[b].terminator;
    const unsigned targets = t.kind == ir::TerminatorKind::exit ? 0 : t.kind == ir::TerminatorKind::jump ? 1 : 2;
    if (visited[b] > targets) {
      post.push_back(b);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = t.targets[targets - visited[b]++];
    if (visited[next] != 0) continue;
    visited[next] = 1;
    stack.push_back(next);
  }
  return {post.rbegin(), post.rend()};
}

void BodyLowering::block(std::uint32_t number) {
  block_number_ = number + 1;
  next_site_ = first_site_[number];
  b_.SetInsertPoint(blocks_[number]);
  const ir::Block& block = body_.blocks[number];
  for (const ir::Operation& op : block.operations) {
    around_.at(b_, op.location);
    try {
      operation(op);
    } catch (Failure& failure) {
      if (const std::string line = line_of(op); op.location.line != 0 && failure.message.find(line) == std::string::npos)
        failure.message += " (" + line + ')';
      throw;
    }
  }
  const ir::Terminator& t = block.terminator;
  around_.at(b_, t.location);
  switch (t.kind) {
    case ir::TerminatorKind::jump:
      b_.CreateBr(blocks_[t.targets[0]]);
      return;
    case ir::TerminatorKind::branch:
      b_.CreateCondBr(read(t.condition), blocks_[t.targets[0]], blocks_[t.targets[1]]);
      return;
    case ir::TerminatorKind::exit:
      if (number_ == 0) around_.leave_from(b_, number, [this](ir::Variable v) { return read(v); });
      else give_back();
      return;
  }
}

void BodyLowering::mark_loops(const std::vector<std::uint32_t>& order) {
  std::vector<std::size_t> place(body_.blocks.size(), 0);
  for (std::size_t i = 0; i != order.size(); ++i) place[order[i]] = i;
  for (const auto& [head, passes] : unrolled_) {
    llvm::MDNode* loop = unroll_metadata(context_, passes);
    for (std::size_t i = place[head]; i != order.size(); ++i) {
      const ir::Terminator& t = body_.blocks[order[i]].terminator;
      const unsigned targets = t.kind == ir::TerminatorKind::exit ? 0 : t.kind == ir::TerminatorKind::jump ? 1 : 2;
      for (unsigned k = 0; k != targets; ++k)
        if (t.targets[k] == head) ends_[order[i]]->setMetadata(llvm::LLVMContext::MD_loop, loop);
    }
  }
}

// ---- operations

void BodyLowering::operation(const ir::Operation& op) {
  const ir::OpcodeRow& row = ir::row_of(op.opcode);
  std::array<Value*, ir::max_operands> x{};
  for (std::size_t i = row.effect == ir::Effect::writes_variable ? 1 : 0; i != row.operands; ++i) x[i] = read(op.operands[i]);
  if (op.opcode == ir::Opcode::assign) return define(op.operands[0], x[1]);
  if (op.opcode == ir::Opcode::argument) return arguments_.push_back({x[0], body_.variables[op.operands[0]]});
  if (row.rule == ir::OperandRule::arguments) {
    with_arguments(op);
    return arguments_.clear();
  }
  Value* result = value_of(op, x);
  if (row.result != ir::ResultRule::none) define(op.result, result);
}

std::string BodyLowering::line_of(const ir::Operation& op) const {
  if (op.location.line == 0 || op.location.file >= graph_.files.size()) return "an unknown line";
  return graph_.files[op.location.file] + ':' + std::to_string(op.location.line);
}

void lower_body(const ir::Graph& graph, std::size_t number, llvm::Function& function, BasicBlock& allocas, BasicBlock& before,
                Surroundings& around) {
  BodyLowering(graph, number, function, allocas, around).lower(before);
}

}  // namespace oxide::jit
