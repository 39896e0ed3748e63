#include "host_function.hpp"

#include "atomic_loop.hpp"
#include "failure.hpp"
#include "host_effects.hpp"
#include "lower_effects.hpp"
#include "lower_math.hpp"
#include "lower_memory.hpp"

#include <llvm/MC/TargetRegistry.h>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// `-avx2,-fma` where the environment says `avx2,fma`.
std::string features_to_do_without() {
  const char* names = std::getenv("OXIDE_CPU_WITHOUT");
  if (names == nullptr || *names == '\0') return {};
  std::string features = ",-";
  for (const char* c = names; *c != '\0'; ++c) features += *c == ',' ? std::string(",-") : std::string(1, *c);
  return features;
}

}  // namespace

const HostMachine& HostMachine::get() {
  static const HostMachine machine = [] {
    HostMachine m;
    m.cpu = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      if (!m.features.empty()) m.features += ',';
      m.features += feature.second ? '+' : '-';
      m.features += feature.first();
    }
    m.features += features_to_do_without();
    const llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
    std::string why;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
    if (target == nullptr) throw Failure{OXIDE_JIT_UNSUPPORTED, "LLVM has no back end for this machine: " + why};
    const std::unique_ptr<llvm::MCSubtargetInfo> all(target->createMCSubtargetInfo(triple, m.cpu, m.features));
    m.fuses = all->checkFeatures("+fma");
    m.swaps_16_bytes = all->checkFeatures("+cx16");
    m.converts_f16 = all->checkFeatures("+f16c");
    return m;
  }();
  return machine;
}

// ---- Surroundings

Value* thread_number_of(Builder& b, Surroundings& around) {
  const auto wide = [&](ir::Opcode which, unsigned axis) { return b.CreateZExt(around.coordinate(b, which, axis), b.getInt64Ty()); };
  Value* row =
      b.CreateAdd(wide(ir::Opcode::thread_index, 1), b.CreateMul(wide(ir::Opcode::thread_index, 2), wide(ir::Opcode::block_dim, 1)));
  return b.CreateAdd(wide(ir::Opcode::thread_index, 0), b.CreateMul(row, wide(ir::Opcode::block_dim, 0)));
}

Value* derived_coordinate(Builder& b, Surroundings& around, const ir::Attributes& attributes, Value* thread_number, ir::Opcode which,
                          unsigned axis) {
  switch (which) {
    case ir::Opcode::lane_index:
      return b.CreateAnd(b.CreateTrunc(thread_number, b.getInt32Ty()), b.getInt32(31));
    case ir::Opcode::warp_index:
      return b.CreateLShr(b.CreateTrunc(thread_number, b.getInt32Ty()), b.getInt32(5));
    case ir::Opcode::cluster_dim:
      return b.getInt32(attributes.cluster[axis]);
    default: {  // its rank: a cluster's blocks are neighbours in the grid
      Value* rank = b.getInt32(0);
      for (unsigned i = 3; i-- > 0;) {
        Value* size = b.getInt32(std::max(attributes.cluster[i], 1u));
        rank = b.CreateAdd(b.CreateMul(rank, size), b.CreateURem(around.coordinate(b, ir::Opcode::block_index, i), size));
      }
      return rank;
    }
  }
}

Value* derived_register(Builder& b, Surroundings& around, Value* thread_number, ir::SpecialRegister which) {
  if (which == ir::SpecialRegister::warpid) return b.CreateTrunc(b.CreateLShr(thread_number, b.getInt64(5)), b.getInt32Ty());
  if (which != ir::SpecialRegister::nwarpid) return read_host_register(b, which);
  const auto size = [&](unsigned axis) { return around.coordinate(b, ir::Opcode::block_dim, axis); };
  Value* threads = b.CreateMul(b.CreateMul(size(0), size(1)), size(2));
  return b.CreateLShr(b.CreateAdd(threads, b.getInt32(31)), b.getInt32(5));
}

Value* place_in_block(Builder& b, Surroundings& around, Value* rank, Value* address, Value* cluster_stride) {
  const auto wide = [&](Value* v) { return b.CreateZExt(v, b.getInt64Ty()); };
  Value* blocks = b.CreateSub(wide(rank), wide(around.coordinate(b, ir::Opcode::cluster_rank, 0)));
  return b.CreateGEP(b.getInt8Ty(), address, {b.CreateMul(blocks, cluster_stride)});
}

Value* HostFunction::coordinate(Builder& b, ir::Opcode which, unsigned axis) {
  switch (which) {
    case ir::Opcode::thread_index:
      return axis == 0 ? thread_x_ : row_->getArg(axis == 1 ? thread_y : thread_z);
    case ir::Opcode::block_index:
      return row_->getArg(block + axis);
    case ir::Opcode::block_dim:
      if (graph_.attributes.block[0] != 0) return b.getInt32(graph_.attributes.block[axis]);
      return row_->getArg(block_dim + axis);
    case ir::Opcode::grid_dim:
      return row_->getArg(grid + axis);
    default:
      return derived_coordinate(b, *this, graph_.attributes, thread_number(b), which, axis);
  }
}

Value* HostFunction::pointer(std::size_t memory) {
  const ir::Memory& m = graph_.memories[memory];
  if (ir::is_shared(m)) return shared_[memory];
  if (m.kind != ir::MemoryKind::table) return row_->getArg(argument_[m.parameter]);
  tables_.resize(graph_.memories.size());
  if (tables_[memory] == nullptr) tables_[memory] = make_table(module_, graph_, memory, 0);
  return tables_[memory];
}

Value* HostFunction::length(std::size_t memory) {
  const ir::Memory& m = graph_.memories[memory];
  return row_->getArg((ir::is_shared(m) ? shared_argument_[memory] : argument_[m.parameter]) + 1);
}

MathResults HostFunction::mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) {
  llvm::Type* t = value_type(context_, type);
  if (ir::is_approximate(f)) return {approximate(b, f, operands)};
  if (f == ir::Math::rsqrt) return {b.CreateFDiv(llvm::ConstantFP::get(t, 1.0), b.CreateIntrinsic(llvm::Intrinsic::sqrt, {t}, operands))};
  const std::string name =
      (ir::row_of(f).host == ir::MathSource::own ? "oxide_" : "") + std::string(ir::name_of(f)) + (type == ir::Type::f32 ? "f" : "");
  return call_math_function(b, name, f, type, operands);
}

// A processor has no faster ones than the precise ones.
Value* HostFunction::approximate(Builder& b, ir::Math f, llvm::ArrayRef<Value*> x) {
  llvm::Type* t = b.getFloatTy();
  Value* one = llvm::ConstantFP::get(t, 1.0);
  const auto root = [&]() -> Value* { return b.CreateIntrinsic(llvm::Intrinsic::sqrt, {t}, {x[0]}); };
  switch (f) {
    case ir::Math::approx_sqrt:
      return root();
    case ir::Math::approx_rsqrt:
      return b.CreateFDiv(one, root());
    case ir::Math::approx_rcp:
      return b.CreateFDiv(one, x[0]);
    case ir::Math::approx_div:
      return b.CreateFDiv(x[0], x[1]);
    default:
      return mathematics(b, precise(f), ir::Type::f32, x)[0];
  }
}
ir::Math HostFunction::precise(ir::Math f) {
  const std::string_view name = ir::name_of(f).substr(std::string_view("approx_").size());
  for (std::size_t i = 0; i != ir::math_count; ++i)
    if (ir::name_of(static_cast<ir::Math>(i)) == name) return static_cast<ir::Math>(i);
  throw Failure{OXIDE_JIT_FAILED, "no precise form of " + std::string(ir::name_of(f))};
}

Value* HostFunction::special(Builder& b, ir::SpecialRegister which) { return derived_register(b, *this, thread_number(b), which); }
void HostFunction::sleep(Builder& b, Value* nanoseconds) { host_sleep(b, nanoseconds); }
void HostFunction::breakpoint(Builder& b) { host_breakpoint(b); }

Value* HostFunction::inline_ptx(Builder&, const std::string&, std::uint64_t, llvm::ArrayRef<Value*>, const std::string& line) {
  throw Failure{OXIDE_JIT_UNSUPPORTED,
                "ox::ptx at " + line + " is for GPUs; pass ox::otherwise(lambda) for what the CPU does in its place"};
}

// The printer is the last parameter.
void HostFunction::print(Builder& b, llvm::ArrayRef<Value*> words) { pass_record(b, row_->getArg(argument_.back()), words); }

// Threads of a block run on one processor, in order; what orders them for other blocks orders all.
Value* HostFunction::collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<Value*>) {
  if (op.opcode != ir::Opcode::fence)
    throw Failure{OXIDE_JIT_FAILED, "'" + std::string(ir::name_of(op.opcode)) + "' in code that was not cut there"};
  const bool of_block = static_cast<ir::Scope>(op.immediate) == ir::Scope::block;
  b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, of_block ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
  return nullptr;
}

Value* HostFunction::atomic(Builder& b, const ir::Operation& op, ir::Type type, Value* address, llvm::ArrayRef<Value*> x, Combine combine) {
  using llvm::AtomicOrdering, llvm::AtomicRMWInst;
  const ir::AtomicAccess access = ir::AtomicAccess::from(op.immediate);
  llvm::Type* t = memory_type(context_, type);
  const llvm::Align alignment(ir::size_of(type));
  const bool floats = ir::is_floating(type);
  if (ir::size_of(type) == 16 && !HostMachine::get().swaps_16_bytes)
    throw Failure{OXIDE_JIT_UNSUPPORTED, "atomic accesses of 16 bytes need a processor with cmpxchg16b"};
  llvm::Type* integer = b.getIntNTy(8 * static_cast<unsigned>(ir::size_of(type)));
  constexpr AtomicOrdering orders[] = {AtomicOrdering::Monotonic, AtomicOrdering::Acquire, AtomicOrdering::Release,
                                       AtomicOrdering::AcquireRelease, AtomicOrdering::SequentiallyConsistent};
  const AtomicOrdering order = orders[static_cast<unsigned>(access.order)];
  const auto as_integer = [&](Value* v) { return floats ? b.CreateBitCast(v, integer) : v; };
  const auto as_type = [&](Value* v) { return floats ? b.CreateBitCast(v, t) : v; };
  const auto load = [&](AtomicOrdering how) {
    llvm::LoadInst* l = b.CreateAlignedLoad(integer, address, alignment);
    l->setAtomic(how);
    return l;
  };
  const auto swap = [&](Value* expected, Value* desired) {
    return b.CreateExtractValue(
        b.CreateAtomicCmpXchg(address, expected, desired, alignment, order, llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order)),
        {0});
  };
  switch (op.opcode) {
    case ir::Opcode::atomic_load:
    case ir::Opcode::atomic_load_at:
      return as_type(load(order));
    case ir::Opcode::atomic_store:
    case ir::Opcode::atomic_store_at:
      b.CreateAlignedStore(as_integer(x[0]), address, alignment)->setAtomic(order);
      return nullptr;
    case ir::Opcode::atomic_cas:
    case ir::Opcode::atomic_cas_at:
      return as_type(swap(as_integer(x[0]), as_integer(x[1])));
    default:
      break;
  }
  if ((floats || ir::is_pair(type)) && access.kind != ir::AtomicKind::exchange)
    return as_type(atomic_loop(b, load(AtomicOrdering::Monotonic), [&](Value* old) { return as_integer(combine(as_type(old))); }, swap));
  const bool is_signed = ir::is_signed_integer(type);
  const AtomicRMWInst::BinOp kinds[] = {AtomicRMWInst::Xchg,
                                        AtomicRMWInst::Add,
                                        AtomicRMWInst::Sub,
                                        is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin,
                                        is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax,
                                        AtomicRMWInst::And,
                                        AtomicRMWInst::Or,
                                        AtomicRMWInst::Xor,
                                        AtomicRMWInst::UIncWrap,
                                        AtomicRMWInst::UDecWrap};
  return as_type(b.CreateAtomicRMW(kinds[static_cast<unsigned>(access.kind)], address, as_integer(x[0]), alignment, order));
}

// ---- making functions

llvm::Function* make_host_function(llvm::Module& module, const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> types, llvm::Type* result) {
  llvm::FunctionType* type = llvm::FunctionType::get(result != nullptr ? result : llvm::Type::getVoidTy(module.getContext()), types, false);
  llvm::Function* f = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  f->setDoesNotThrow();
  f->addFnAttr(llvm::Attribute::NoInline);
  return f;
}

unsigned HostFunction::make_row(const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> more, std::uint64_t row_limit, llvm::Type* result) {
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  std::vector<llvm::Type*> types(first_of_kernel, i32);
  types[x_count] = types[x_from] = i64;
  types[record] = pointer;
  argument_.clear();
  for (const ir::Parameter& p : graph_.parameters) {
    argument_.push_back(static_cast<unsigned>(types.size()));
    if (p.kind == ir::ParameterKind::value) {
      types.push_back(memory_type(context_, p.type));
    } else {
      types.push_back(pointer);
      if (p.kind == ir::ParameterKind::span) types.push_back(i64);
    }
  }
  shared_argument_.assign(graph_.memories.size(), 0);
  for (const std::uint32_t memory : layout_.dynamic) {
    shared_argument_[memory] = static_cast<unsigned>(types.size());
    types.push_back(i64);
    types.push_back(i64);
  }
  const auto first = static_cast<unsigned>(types.size());
  types.insert(types.end(), more.begin(), more.end());
  row_ = make_function(name, types, result);
  row_->addFnAttr("prefer-vector-width", "256");  // wider ones slow the clock of many processors
  row_->getArg(record)->addAttr(llvm::Attribute::NoAlias);
  limit(x_count, 1, row_limit + 1);
  // Places in a grid are then known not to be negative numbers, which is what the optimizer's range checks are about.
  limit(x_from, 0, std::uint64_t{1} << 30);
  for (unsigned axis = 0; axis != 3; ++axis) limit(block_dim + axis, 1, std::uint64_t{1} << 30);
  if (const auto& size = graph_.attributes.block; size[0] != 0) {
    limit(x_count, 1, std::min<std::uint64_t>(row_limit, size[0]) + 1);
    limit(x_from, 0, size[0]);
    limit(thread_y, 0, size[1]);
    limit(thread_z, 0, size[2]);
  }
  for (std::size_t p = 0; p != graph_.parameters.size(); ++p)
    if (graph_.parameters[p].kind == ir::ParameterKind::span) limit(argument_[p] + 1, 0, std::uint64_t{1} << 63);
  for (const std::uint32_t memory : layout_.dynamic)
    for (unsigned i = 0; i != 2; ++i) limit(shared_argument_[memory] + i, 0, std::uint64_t{1} << 32);
  for (const ir::Memory& m : graph_.memories) {
    if (ir::is_shared(m) || m.kind == ir::MemoryKind::table) continue;
    llvm::Argument* argument = row_->getArg(argument_[m.parameter]);
    argument->addAttr(llvm::Attribute::NoAlias);
    if (m.access == ir::Access::read) argument->addAttr(llvm::Attribute::ReadOnly);
    argument->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(ir::layout_of(m).alignment)));
  }
  access_group_ = llvm::MDNode::getDistinct(context_, {});
  return first;
}

void HostFunction::limit(unsigned argument, std::uint64_t begin, std::uint64_t end) {
  const unsigned bits = row_->getArg(argument)->getType()->getIntegerBitWidth();
  row_->getArg(argument)->addAttr(
      llvm::Attribute::get(context_, llvm::Attribute::Range, llvm::ConstantRange(llvm::APInt(bits, begin), llvm::APInt(bits, end))));
}

HostFunction::Loop HostFunction::open_loop(Builder& b, llvm::Function& function, const char* name, Value* from, Value* to,
                                           std::uint64_t step) {
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* head = BasicBlock::Create(context_, llvm::Twine(name) + ".head", &function);
  const Loop loop{BasicBlock::Create(context_, llvm::Twine(name) + ".body", &function),
                  BasicBlock::Create(context_, llvm::Twine(name) + ".next", &function),
                  BasicBlock::Create(context_, llvm::Twine(name) + ".done", &function),
                  llvm::PHINode::Create(b.getInt64Ty(), 2, name, head)};
  b.CreateBr(head);
  b.SetInsertPoint(head);
  loop.counter->addIncoming(from, before);
  b.CreateCondBr(b.CreateICmpULT(loop.counter, to), loop.body, loop.done);
  b.SetInsertPoint(loop.next);
  loop.counter->addIncoming(b.CreateAdd(loop.counter, b.getInt64(step), "", /*HasNUW=*/true, /*HasNSW=*/true), loop.next);
  b.CreateBr(head);
  b.SetInsertPoint(loop.body);
  return loop;
}

void HostFunction::mark_parallel(const Loop& loop, bool vectorize) {
  const auto node = [&](llvm::ArrayRef<llvm::Metadata*> items) { return llvm::MDNode::get(context_, items); };
  const auto text = [&](const char* name) { return llvm::MDString::get(context_, name); };
  const auto number = [&](unsigned n) { return llvm::ConstantAsMetadata::get(Builder(context_).getInt32(n)); };
  // The vectorizer interleaves; unrolling what it leaves over would only cost time here.
  llvm::SmallVector<llvm::Metadata*, 5> items{nullptr, node({text("llvm.loop.parallel_accesses"), access_group_}),
                                              node({text("llvm.loop.unroll.disable")})};
  if (!vectorize)
    for (const char* name : {"llvm.loop.vectorize.width", "llvm.loop.interleave.count"}) items.push_back(node({text(name), number(1)}));
  llvm::MDNode* id = llvm::MDNode::getDistinct(context_, items);
  id->replaceOperandWith(0, id);
  loop.next->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
}

Value* HostFunction::load_field(Builder& b, llvm::Type* type, Value* base, std::size_t offset) {
  return b.CreateLoad(type, b.CreateInBoundsGEP(b.getInt8Ty(), base, {b.getInt64(offset)}));
}

void HostFunction::read_launch(Builder& b, Value* launch, std::vector<Value*>& values, const std::vector<bool>& used) {
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  const auto read = [&](unsigned i, std::size_t offset) {
    if (used[i]) values[i] = load_field(b, row_->getArg(i)->getType(), launch, offset);
  };
  read(record, offsetof(oxide_host_launch, fault));
  for (unsigned axis = 0; axis != 3; ++axis) {
    read(grid + axis, offsetof(oxide_host_launch, grid) + 4 * axis);
    read(block_dim + axis, offsetof(oxide_host_launch, block) + 4 * axis);
  }
  Value* arguments = load_field(b, pointer, launch, offsetof(oxide_host_launch, arguments));
  unsigned kernel_arguments = first_of_kernel + 2 * static_cast<unsigned>(layout_.dynamic.size());
  for (const ir::Parameter& p : graph_.parameters) kernel_arguments += p.kind == ir::ParameterKind::span ? 2 : 1;
  const unsigned first_shared = kernel_arguments - 2 * static_cast<unsigned>(layout_.dynamic.size());
  for (unsigned i = first_of_kernel; i != kernel_arguments; ++i) {
    if (!used[i]) continue;
    Value* address = load_field(b, pointer, arguments, sizeof(void*) * (i - first_of_kernel));
    if (i < first_shared) values[i] = b.CreateAlignedLoad(row_->getArg(i)->getType(), address, llvm::Align(1));
    else values[i] = b.CreateZExt(b.CreateAlignedLoad(b.getInt32Ty(), address, llvm::Align(1)), b.getInt64Ty());
  }
}

}  // namespace oxide::jit
