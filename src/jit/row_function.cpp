#include "row_function.hpp"

#include "simt_runtime.hpp"

#include <algorithm>
#include <cstddef>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

Value* packed(Builder& b, const States& s) {
  return b.CreateOr(b.CreateZExt(s.least, b.getInt64Ty()), b.CreateShl(b.CreateZExt(s.most, b.getInt64Ty()), b.getInt64(32)));
}

std::uint32_t state_at(const Regions& regions, std::uint32_t exit) {
  if (exit == Regions::thread_ends) return simt_exited;
  return regions.points[exit].collective ? exit : exit | simt_runs;
}

// ---- RegionCode

RegionCode::RegionCode(const ir::Graph& graph, llvm::Module& module, const RowPart& part, const Arrays& arrays, const std::string& name)
    : HostFunction(graph, module) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  more_ = make_row(name, {pointer, pointer, i64, i64, i64, i64}, RowPart::no_end, i64);
  limit_to(part);
  for (const More m : {in_arrays, in_shared}) {
    // Addresses of arrays may be kept in others.
    if (m == in_shared || !arrays.local) more(m)->addAttr(llvm::Attribute::NoAlias);
    more(m)->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
  }
  for (const More m : {in_stride, in_first}) limit(argument(m), 0, RowPart::no_end);
}

void RegionCode::limit_to(const RowPart& part) {
  const auto end = [&](unsigned axis) {
    const std::uint32_t size = graph_.attributes.block[axis];
    return size == 0 ? part.end[axis] : std::min(part.end[axis], size);
  };
  limit(x_from, part.from[0], end(0));
  limit(x_count, 1, std::uint64_t{end(0)} - part.from[0] + 1);
  if (part.from[1] != 0 || end(1) != RowPart::no_end) limit(thread_y, part.from[1], end(1));
}

std::vector<Value*> RegionCode::read_block(Builder& b, Value* simt_block, const std::vector<bool>& used) {
  std::vector<Value*> values;
  for (const llvm::Argument& argument : row_->args()) values.push_back(llvm::PoisonValue::get(argument.getType()));
  const auto read = [&](unsigned i, Value* base, std::size_t offset) {
    if (used[i]) values[i] = load_field(b, values[i]->getType(), base, offset);
  };
  Value* launch = load_field(b, llvm::PointerType::get(context_, 0), simt_block, offsetof(SimtBlock, launch));
  read_launch(b, launch, values, used);
  for (unsigned axis = 0; axis != 3; ++axis) read(block + axis, simt_block, offsetof(SimtBlock, block) + 4 * axis);
  read(argument(in_arrays), simt_block, offsetof(SimtBlock, arrays));
  read(argument(in_shared), simt_block, offsetof(SimtBlock, shared));
  read(argument(in_stride), simt_block, offsetof(SimtBlock, stride));
  read(argument(in_stack_limit), launch, offsetof(oxide_host_launch, stack_limit));
  read(argument(in_cluster_stride), simt_block, offsetof(SimtBlock, cluster_stride));
  return values;
}

void RegionCode::note_used(std::vector<bool>& used) const {
  used.resize(row_->arg_size(), false);
  for (const llvm::Argument& argument : row_->args())
    if (!argument.use_empty()) used[argument.getArgNo()] = true;
  used[block_dim] = used[block_dim + 1] = true;  // the region goes from row to row
}

// ---- RowFunction

RowFunction::RowFunction(const Regions& regions, std::uint32_t point, const RowPart& part, const ir::Graph& graph,
                         const std::vector<std::uint32_t>& sites, const Arrays& arrays, llvm::Module& module, const std::string& name,
                         bool vectorize)
    : RegionCode(graph, module, part, arrays, name), regions_(regions), region_(regions.regions[point]), sites_(sites), arrays_(arrays),
      calls_(graph_, module, *this) {
  make_body(vectorize);
  calls_.define_all();
}

Value* RowFunction::inherit(Builder& b, ir::Variable v) {
  const ir::Type type = graph_.variables[v];
  llvm::LoadInst* load = b.CreateAlignedLoad(memory_type(context_, type), element(b, v), llvm::Align(ir::size_of(type)));
  in_step(*load);
  return ir::is_boolean(type) ? b.CreateTrunc(load, b.getInt1Ty()) : load;
}

Value* RowFunction::array(Builder& b, const ir::Operation& op) {
  llvm::Type* bytes = llvm::ArrayType::get(b.getInt8Ty(), Arrays::size_of(ir::array_shape(op.immediate)));
  return element(b, arrays_.name[op.result], bytes);
}

Value* RowFunction::in_block(Builder& b, Value* rank, Value* address) {
  return place_in_block(b, *this, rank, address, more(in_cluster_stride));
}

void RowFunction::leave(Builder& b) { arrive(b, simt_exited); }
void RowFunction::leave_from(Builder& b, std::uint32_t number, Read read) {
  const std::uint32_t point = region_.exits[number];
  if (point == Regions::thread_ends) return leave(b);
  for (const ir::Variable v : region_.saved[number]) {
    const ir::Type type = graph_.variables[v];
    Value* value = read(v);
    if (ir::is_boolean(type)) value = b.CreateZExt(value, b.getInt8Ty());
    in_step(*b.CreateAlignedStore(value, element(b, v), llvm::Align(ir::size_of(type))));
  }
  arrive(b, state_at(regions_, point));
}
void RowFunction::arrive(Builder& b, std::uint32_t state) {
  state_->addIncoming(b.getInt32(state), b.GetInsertBlock());
  b.CreateBr(loop_.next);
}

void RowFunction::fail(Builder& b, std::uint32_t site, Value* first_value, Value* second_value) {
  fail_with(b, b.getInt64(sites_[site]), first_value, second_value);
}
// One place for all checks: what failed is data, so that the loop over the row can still run threads in step.
void RowFunction::fail_with(Builder& b, Value* site, Value* first_value, Value* second_value) {
  if (failed_ == nullptr) {
    failed_ = BasicBlock::Create(context_, "failed", row_);
    Builder at(failed_);
    llvm::Type* i64 = at.getInt64Ty();
    for (llvm::PHINode*& phi : failure_) phi = at.CreatePHI(i64, 0);
    in_step(*at.CreateStore(at.CreateTrunc(failure_[0], at.getInt32Ty()), element(at, simt_failed_site, at.getInt32Ty())));
    for (unsigned i = 0; i != 2; ++i) in_step(*at.CreateStore(failure_[1 + i], element(at, simt_failed_values[i], i64)));
    arrive(at, simt_failed);
  }
  Value* values[] = {site, first_value, second_value};
  for (unsigned i = 0; i != 3; ++i) failure_[i]->addIncoming(values[i], b.GetInsertBlock());
  b.CreateBr(failed_);
}

// The region's graph numbers the checks of its functions behind its own, the kernel behind all of the kernel's.
std::vector<Value*> RowFunction::call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) {
  return calls_.call_from_kernel(b, thread_x_, function, arguments, [&](Value* status, Value* first, Value* second) {
    const std::uint64_t first_of_functions = regions_.function_sites;
    Value* number = b.CreateZExt(status, b.getInt64Ty());
    fail_with(b, b.CreateAdd(number, b.getInt64(first_of_functions - sites_.size() - 1)), first, second);
  });
}

// ---- arrays

Value* RowFunction::element(Builder& b, ir::Variable v) { return element(b, arrays_.name[v], memory_type(context_, graph_.variables[v])); }
// An array starts at arrays + name * stride.
Value* RowFunction::element(Builder& b, std::uint32_t name, llvm::Type* type) {
  Value* offset = b.CreateMul(more(in_stride), b.getInt64(name), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Value* array = b.CreateInBoundsGEP(b.getInt8Ty(), more(in_arrays), {offset});
  return b.CreateInBoundsGEP(type, array, {number_});
}

// ---- making it

void RowFunction::make_body(bool vectorize) {
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  BasicBlock* entry = BasicBlock::Create(context_, "entry", row_);
  Builder b(entry);
  find_shared_memory(b);
  const bool prints = !graph_.parameters.empty() && graph_.parameters.back().kind == ir::ParameterKind::printer;
  if (calls_.any()) calls_.open_frame(b, more(in_stack_limit), more(in_cluster_stride), prints ? row_->getArg(argument_.back()) : nullptr);
  loop_ = open_loop(b, *row_, "x", b.getInt64(0), row_->getArg(x_count));
  thread_x_ = b.CreateTrunc(b.CreateAdd(row_->getArg(x_from), loop_.counter, "", /*HasNUW=*/true, /*HasNSW=*/true), i32);
  number_ = b.CreateAdd(more(in_first), loop_.counter, "", /*HasNUW=*/true, /*HasNSW=*/true);
  state_ = Builder(loop_.next, loop_.next->begin()).CreatePHI(i32, 0, "state");
  lower_body(graph_, 0, *row_, *entry, *loop_.body, *this);
  mark_parallel(loop_, vectorize);
}

void RowFunction::find_shared_memory(Builder& b) {
  shared_.resize(graph_.memories.size(), nullptr);
  for (std::size_t i = 0; i != graph_.memories.size(); ++i) {
    const ir::Memory& m = graph_.memories[i];
    if (!ir::is_shared(m)) continue;
    Value* offset = b.getInt64(layout_.offsets[i]);
    if (m.kind == ir::MemoryKind::dynamic_shared) offset = b.CreateAdd(row_->getArg(shared_argument_[i]), b.getInt64(layout_.fixed_bytes));
    shared_[i] = b.CreateInBoundsGEP(b.getInt8Ty(), more(in_shared), {offset});
  }
}

// ---- the states of the row's threads

std::optional<std::uint32_t> RowFunction::one_state() const {
  if (state_->getNumIncomingValues() == 0) return simt_exited;  // no thread comes to its end
  for (const Value* v : state_->incoming_values())
    if (v != state_->getIncomingValue(0)) return std::nullopt;
  return static_cast<std::uint32_t>(llvm::cast<llvm::ConstantInt>(state_->getIncomingValue(0))->getZExtValue());
}

void RowFunction::finish(bool store) {
  Builder at_done(loop_.done);
  const std::optional<std::uint32_t> one = one_state();
  if (store && state_->getNumIncomingValues() != 0) {
    Builder b(loop_.next, loop_.next->getFirstNonPHIIt());
    in_step(*b.CreateAlignedStore(state_, element(b, simt_states, b.getInt32Ty()), llvm::Align(4)));
    if (!one) {
      at_done.CreateRet(states());
      return;
    }
  }
  state_->replaceAllUsesWith(at_done.getInt32(*one));
  state_->eraseFromParent();
  at_done.CreateRet(at_done.getInt64(std::uint64_t{*one} << 32 | *one));
}

Value* RowFunction::states() {
  BasicBlock* head = loop_.counter->getParent();
  const auto over_all = [&](llvm::Intrinsic::ID id, std::uint32_t initial) {
    Builder at_head(head, head->begin());
    llvm::PHINode* phi = at_head.CreatePHI(at_head.getInt32Ty(), 2);
    Builder b(loop_.next->getTerminator());
    phi->addIncoming(b.getInt32(initial), &row_->getEntryBlock());
    phi->addIncoming(b.CreateIntrinsic(id, {b.getInt32Ty()}, {phi, state_}), loop_.next);
    return phi;
  };
  Builder at_done(loop_.done);
  Value* least = over_all(llvm::Intrinsic::umin, 0xffffffff);
  return packed(at_done, {least, over_all(llvm::Intrinsic::umax, 0)});
}

// ---- LimitsFunction

LimitsFunction::LimitsFunction(const PlainRow& plain, const RowPart& part, const Arrays& arrays, llvm::Module& module,
                               const std::string& name)
    : RegionCode(plain.values, module, part, arrays, name), limits_(plain.limits) {
  row_->removeFnAttr(llvm::Attribute::NoInline);
  BasicBlock* entry = BasicBlock::Create(context_, "entry", row_);
  thread_x_ = Builder(entry).CreateTrunc(row_->getArg(x_from), llvm::Type::getInt32Ty(context_));
  lower_body(graph_, 0, *row_, *entry, *entry, *this);
}

Value* LimitsFunction::other_side(Builder& b, const PlainRow::Limit& limit, llvm::Type* type, Read read) {
  if (limit.variable != ir::no_variable) return read(limit.variable);
  if (!limit.memory) return llvm::ConstantInt::get(type, limit.number);
  const ir::Memory& m = graph_.memories[*limit.memory];
  const bool known = m.kind != ir::MemoryKind::span && m.kind != ir::MemoryKind::dynamic_shared;
  return known ? b.getInt64(m.elements) : length(*limit.memory);
}

// The limits are taken in order: each value is the first thread's that those before allow, plus the number of threads from there.
void LimitsFunction::leave_from(Builder& b, std::uint32_t, Read read) {
  llvm::Type* i64 = b.getInt64Ty();
  Value *count_of_row = row_->getArg(x_count), *first = b.getInt64(0), *end = count_of_row;
  const auto least = [&](Value* one, Value* other) { return b.CreateIntrinsic(llvm::Intrinsic::umin, {i64}, {one, other}); };
  for (const PlainRow::Limit& limit : limits_) {
    Value* value = read(limit.value);
    llvm::Type* type = value->getType();
    Value* other = other_side(b, limit, type, read);
    if (limit.grows) value = b.CreateAdd(value, b.CreateZExtOrTrunc(first, type));
    const bool is_signed = ir::is_signed_integer(graph_.variables[limit.value]);
    using enum llvm::CmpInst::Predicate;
    const llvm::CmpInst::Predicate predicates[][2] = {{ICMP_ULT, ICMP_SLT}, {ICMP_ULE, ICMP_SLE}, {ICMP_UGE, ICMP_SGE}};
    Value* holds = b.CreateICmp(predicates[limit.kind][is_signed], value, other);
    Value* threads = least(b.CreateZExtOrTrunc(b.CreateSub(other, value), i64), count_of_row);
    if (!limit.grows) {
      end = b.CreateSelect(holds, end, b.getInt64(0));
    } else if (limit.kind == PlainRow::Limit::at_least) {
      first = b.CreateSelect(holds, first, b.CreateAdd(first, threads));
    } else {
      if (limit.kind == PlainRow::Limit::at_most) threads = b.CreateAdd(threads, b.getInt64(1));
      end = least(end, b.CreateSelect(holds, b.CreateAdd(first, threads), first));
    }
  }
  first = least(first, count_of_row);
  end = b.CreateIntrinsic(llvm::Intrinsic::umax, {i64}, {first, end});
  b.CreateRet(b.CreateOr(first, b.CreateShl(end, b.getInt64(32))));
}

}  // namespace oxide::jit
