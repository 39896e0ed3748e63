#include "host.hpp"

#include "body.hpp"
#include "clock.hpp"
#include "engine.hpp"
#include "failure.hpp"
#include "host_calls.hpp"
#include "host_function.hpp"
#include "host_simt.hpp"
#include "optimize.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// How many work-items of a row are run by one call of `row`: few enough that `failed_values` lies on no more than two pages.
constexpr std::uint64_t row_limit = 512;

// The code of one kernel, in two functions:
//
//   entry(launch, first_block, end_block)
//     reads the launch; for each block, z and y: for x in steps of row_limit: row(...)
//   row(x_count, x_from, record, block, y, z, grid, block size, arguments...)
//     for i in 0 .. x_count: the body, with x = x_from + i
//
// The arguments are `row`'s parameters because only parameters can be `noalias`. Only `row` is worth optimizing.
//
// A thread whose check fails leaves, and the rest of the row goes on; so that LLVM can vectorize the loop all the same, a failure is
// data and not a call: a key, of which the largest is kept, and a value in `failed_values[i]`. The row reports it when it is through.
class Kernel final : public HostFunction {
 public:
  static constexpr const char* entry_name = "oxide_host_entry";

  Kernel(const ir::Graph& graph, llvm::Module& module)
      : HostFunction(graph, module), sites_(fault_sites(graph)), calls_(graph, module, *this) {
    make_body();
    calls_.define_all();
    make_entry();
  }

 private:
  // ---- Surroundings

  void fail(Builder& b, std::uint32_t site, Value* first, Value*) override {
    failed_site_->addIncoming(b.getInt64(site), b.GetInsertBlock());
    failed_value_->addIncoming(first, b.GetInsertBlock());
    b.CreateBr(failed_site_->getParent());
  }
  void leave(Builder& b) override {
    if (key_ != nullptr) key_->addIncoming(b.getInt64(0), b.GetInsertBlock());
    b.CreateBr(next_);
  }

  std::vector<Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) override {
    return calls_.call_from_kernel(b, thread_x_, function, arguments, [&](Value* status, Value* first, Value*) {
      failed_site_->addIncoming(b.CreateZExt(b.CreateSub(status, b.getInt32(1)), b.getInt64Ty()), b.GetInsertBlock());
      failed_value_->addIncoming(first, b.GetInsertBlock());
      b.CreateBr(failed_site_->getParent());
    });
  }
  Value* out_of_stack(Builder& b) override { return calls_.out_of_stack(b); }

  // ---- row

  void make_body() {
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    const unsigned stack_limit = make_row("oxide_host_row", {i64}, row_limit);
    BasicBlock* entry = BasicBlock::Create(context_, "entry", row_);
    Builder b(entry);
    Value* failed_values = nullptr;
    if (!sites_.empty()) {
      failed_values = b.CreateAlloca(llvm::ArrayType::get(i64, row_limit), nullptr, "failed_values");
      // Vector stores with an empty mask are slow by hundreds of cycles where the page is not there yet, so both of its pages are touched.
      for (const std::uint64_t i : {std::uint64_t{0}, row_limit - 1})
        b.CreateStore(b.getInt64(0), b.CreateInBoundsGEP(i64, failed_values, {b.getInt64(i)}), /*isVolatile=*/true);
    }
    const bool prints = !graph_.parameters.empty() && graph_.parameters.back().kind == ir::ParameterKind::printer;
    if (calls_.any()) calls_.open_frame(b, row_->getArg(stack_limit), nullptr, prints ? row_->getArg(argument_.back()) : nullptr);
    const Loop x = open_loop(b, *row_, "x", b.getInt64(0), row_->getArg(x_count));
    next_ = x.next;
    thread_x_ = b.CreateTrunc(b.CreateAdd(row_->getArg(x_from), x.counter, "", /*HasNUW=*/true, /*HasNSW=*/true), i32);
    llvm::PHINode* best = sites_.empty() ? nullptr : open_failures(x, failed_values);
    lower_body(graph_, 0, *row_, *entry, *x.body, *this);

    mark_parallel(x);

    b.SetInsertPoint(x.done);
    if (best != nullptr) report_failure(b, best, failed_values);
    b.CreateRetVoid();
  }

  // The largest key is that of the first thread: (row_limit - i) * 2^32 + site; 0 where nothing failed.
  llvm::PHINode* open_failures(const Loop& x, Value* failed_values) {
    BasicBlock* head = x.counter->getParent();
    Builder b(head, head->begin());
    llvm::PHINode* best = b.CreatePHI(b.getInt64Ty(), 2, "best");
    best->addIncoming(b.getInt64(0), &row_->getEntryBlock());
    BasicBlock* failed = BasicBlock::Create(context_, "failed", row_);
    b.SetInsertPoint(failed);
    failed_site_ = b.CreatePHI(b.getInt64Ty(), 0, "failed_site");
    failed_value_ = b.CreatePHI(b.getInt64Ty(), 0, "failed_value");
    in_step(*b.CreateStore(failed_value_, b.CreateInBoundsGEP(b.getInt64Ty(), failed_values, {x.counter})));
    Value* key = b.CreateOr(b.CreateShl(b.CreateSub(b.getInt64(row_limit), x.counter), b.getInt64(32)), failed_site_);
    b.CreateBr(x.next);
    b.SetInsertPoint(x.next, x.next->begin());
    key_ = b.CreatePHI(b.getInt64Ty(), 0, "key");
    key_->addIncoming(key, failed);
    best->addIncoming(b.CreateIntrinsic(llvm::Intrinsic::umax, {b.getInt64Ty()}, {best, key_}), x.next);
    return best;
  }
  void report_failure(Builder& b, Value* best, Value* failed_values) {
    BasicBlock* report = BasicBlock::Create(context_, "report", row_);
    BasicBlock* done = BasicBlock::Create(context_, "done", row_);
    b.CreateCondBr(b.CreateICmpNE(best, b.getInt64(0)), report, done, llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    b.SetInsertPoint(report);
    Value* site = b.CreateTrunc(best, b.getInt32Ty());
    Value* i = b.CreateSub(b.getInt64(row_limit), b.CreateLShr(best, b.getInt64(32)));
    Value* first = b.CreateLoad(b.getInt64Ty(), b.CreateInBoundsGEP(b.getInt64Ty(), failed_values, {i}));
    Value* x = b.CreateTrunc(b.CreateAdd(row_->getArg(x_from), i), b.getInt32Ty());
    // The second value is the length of the site's memory, or 0; what else a site says is in the graph.
    llvm::DenseMap<std::uint32_t, BasicBlock*> blocks;
    BasicBlock* call = BasicBlock::Create(context_, "call", row_, done);
    llvm::SwitchInst* which = b.CreateSwitch(site, call, static_cast<unsigned>(sites_.size()));
    Builder at_call(call);
    llvm::PHINode* second = at_call.CreatePHI(b.getInt64Ty(), 0, "second");
    second->addIncoming(b.getInt64(0), report);
    for (std::size_t s = 0; s != sites_.size(); ++s) {
      if (sites_[s].kind != OXIDE_FAULT_BOUNDS && sites_[s].kind != OXIDE_FAULT_VECTORS) continue;
      BasicBlock*& block_of_memory = blocks[sites_[s].memory];
      if (block_of_memory == nullptr) {
        block_of_memory = BasicBlock::Create(context_, "length", row_, call);
        llvm::BranchInst::Create(call, block_of_memory);
        const ir::Memory& memory = graph_.memories[sites_[s].memory];
        second->addIncoming(memory.kind == ir::MemoryKind::span ? length(sites_[s].memory) : b.getInt64(memory.elements), block_of_memory);
      }
      which->addCase(b.getInt32(static_cast<std::uint32_t>(s)), block_of_memory);
    }
    at_call.CreateCall(make_fault_function(), {row_->getArg(record), site, first, second, row_->getArg(block), row_->getArg(block + 1),
                                               row_->getArg(block + 2), x, row_->getArg(thread_y), row_->getArg(thread_z)});
    at_call.CreateBr(done);
    b.SetInsertPoint(done);
  }

  // Fills the record in, if this is the first failure of the launch. Blocks run on several threads.
  llvm::Function* make_fault_function() {
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Function* fault =
        make_function("oxide_fault", {llvm::PointerType::get(context_, 0), i32, i64, i64, i32, i32, i32, i32, i32, i32});
    fault->addFnAttr(llvm::Attribute::Cold);
    fault->addFnAttr(llvm::Attribute::OptimizeNone);
    BasicBlock* first = BasicBlock::Create(context_, "first", fault);
    BasicBlock* done = BasicBlock::Create(context_, "done", fault);
    Builder b(BasicBlock::Create(context_, "entry", fault, first));
    const auto field = [&](std::size_t offset) { return b.CreateInBoundsGEP(b.getInt8Ty(), fault->getArg(0), {b.getInt64(offset)}); };
    Value* exchange = b.CreateAtomicCmpXchg(field(offsetof(oxide_fault_record, claimed)), b.getInt32(0), b.getInt32(1), llvm::MaybeAlign(4),
                                            llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    b.CreateCondBr(b.CreateExtractValue(exchange, {1}), first, done);
    b.SetInsertPoint(first);
    b.CreateStore(fault->getArg(1), field(offsetof(oxide_fault_record, site)));
    for (unsigned i = 0; i != 2; ++i) b.CreateStore(fault->getArg(2 + i), field(offsetof(oxide_fault_record, values) + 8 * i));
    for (unsigned axis = 0; axis != 3; ++axis) {
      b.CreateStore(fault->getArg(4 + axis), field(offsetof(oxide_fault_record, block) + 4 * axis));
      b.CreateStore(fault->getArg(7 + axis), field(offsetof(oxide_fault_record, thread) + 4 * axis));
    }
    b.CreateAlignedStore(b.getInt32(1), field(offsetof(oxide_fault_record, ready)), llvm::Align(4))
        ->setAtomic(llvm::AtomicOrdering::Release);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return fault;
  }

  // ---- entry

  void make_entry() {
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Function* entry = make_function(entry_name, {pointer, i64, i64});
    entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
    entry->addFnAttr(llvm::Attribute::OptimizeNone);
    Builder b(BasicBlock::Create(context_, "entry", entry));
    std::vector<Value*> values(row_->arg_size());
    read_launch(b, entry->getArg(0), values, std::vector<bool>(values.size(), true));
    values.back() = load_field(b, i64, entry->getArg(0), offsetof(oxide_host_launch, stack_limit));
    std::array<Value*, 3> blocks{}, threads{};
    for (unsigned axis = 0; axis != 3; ++axis) {
      blocks[axis] = b.CreateZExt(values[grid + axis], i64);
      threads[axis] = b.CreateZExt(values[block_dim + axis], i64);
    }

    const auto narrow = [&](Value* v) { return b.CreateTrunc(v, b.getInt32Ty()); };
    const Loop each_block = open_loop(b, *entry, "block", entry->getArg(1), entry->getArg(2));
    Value* block_row = b.CreateUDiv(each_block.counter, blocks[0]);
    values[block] = narrow(b.CreateURem(each_block.counter, blocks[0]));
    values[block + 1] = narrow(b.CreateURem(block_row, blocks[1]));
    values[block + 2] = narrow(b.CreateUDiv(block_row, blocks[1]));
    const Loop z = open_loop(b, *entry, "z", b.getInt64(0), threads[2]);
    const Loop y = open_loop(b, *entry, "y", b.getInt64(0), threads[1]);
    const Loop x = open_loop(b, *entry, "x", b.getInt64(0), threads[0], row_limit);
    values[thread_z] = narrow(z.counter);
    values[thread_y] = narrow(y.counter);
    values[x_from] = x.counter;
    values[x_count] = b.CreateIntrinsic(llvm::Intrinsic::umin, {i64}, {b.CreateSub(threads[0], x.counter), b.getInt64(row_limit)});
    b.CreateCall(row_, values);
    b.CreateBr(x.next);
    llvm::BranchInst::Create(y.next, x.done);
    llvm::BranchInst::Create(z.next, y.done);
    llvm::BranchInst::Create(each_block.next, z.done);
    llvm::ReturnInst::Create(context_, each_block.done);
  }

  const std::vector<oxide_fault_site> sites_;
  HostCalls calls_;
  BasicBlock* next_ = nullptr;  // where a thread goes when it is done
  llvm::PHINode* key_ = nullptr;
  llvm::PHINode* failed_site_ = nullptr;
  llvm::PHINode* failed_value_ = nullptr;
  llvm::MDNode* access_group_ = nullptr;
  std::vector<llvm::GlobalVariable*> tables_;  // by memory
};

}  // namespace

std::string host_cpu() { return llvm::sys::getHostCPUName().str(); }

HostCode compile_host(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing) {
  Clock clock;
  const HostMachine& host = HostMachine::get();
  const Machine machine(MachineKey{false, host.cpu, host.features, request.opt_level});
  const Held<llvm::LLVMContext> context;
  Diagnostics diagnostics(*context);
  const Held<llvm::Module> held_module(graph.name, *context);
  llvm::Module& module = *held_module;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  HostCode out;
  const bool in_regions = needs_regions(graph);
  if (in_regions) out.needs = make_simt_kernel(graph, module, Kernel::entry_name);
  else Kernel(graph, module);
  if (!graph.functions.empty()) check_code(module);
  timing.build_ms = clock.lap();
  // Level 3 would make a copy of a region's loop for each side of each uniform condition, and of each check of one.
  // Its threads were told apart already.
  optimize(module, *machine, in_regions ? std::min(request.opt_level, 2u) : request.opt_level, /*split_loops=*/!in_regions);
  timing.optimize_ms = clock.lap();
  if ((request.flags & OXIDE_JIT_KEEP_LLVM) != 0) out.llvm_ir = text_of(module);
  // The back end's time grows with the square of a block's size: 45000 instructions take it 13 seconds, and at level 0 a tenth of one.
  std::optional<Machine> quick;
  if (largest_function(module) > 20000) quick.emplace(MachineKey{false, host.cpu, host.features, 0});
  llvm::TargetMachine& emitter = quick ? **quick : *machine;
  if ((request.flags & OXIDE_JIT_KEEP_ASM) != 0) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);  // emitting changes the module
    out.assembly = std::string(emit(*copy, emitter, llvm::CodeGenFileType::AssemblyFile).str());
  }
  llvm::SmallString<0> object = emit(module, emitter, llvm::CodeGenFileType::ObjectFile);
  diagnostics.check();
  out.code = load_object(std::move(object), Kernel::entry_name);
  timing.emit_ms = clock.lap();
  return out;
}

}  // namespace oxide::jit
