#include "host.hpp"

#include "body.hpp"
#include "clock.hpp"
#include "engine.hpp"
#include "failure.hpp"
#include "optimize.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

struct HostMachine {
  std::string cpu, features;
  bool fuses = false;

  static const HostMachine& get() {
    static const HostMachine machine = [] {
      HostMachine m;
      m.cpu = llvm::sys::getHostCPUName().str();
      for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
        if (!m.features.empty()) m.features += ',';
        m.features += feature.second ? '+' : '-';
        m.features += feature.first();
        if (feature.first() == "fma") m.fuses = feature.second;
      }
      return m;
    }();
    return machine;
  }
};

// The code of one kernel, in two functions.
//
//   entry(launch, first_block, end_block)   reads the launch and calls
//   run(first_block, end_block, record, grid, block, arguments...)
//     for b in first_block .. end_block: for z: for y: for x: the body
//
// The arguments are `run`'s parameters because only parameters can be `noalias`. The body ends a thread by going on to the next x.
class Kernel final : public Surroundings {
 public:
  static constexpr const char* entry_name = "oxide_host_entry";

  Kernel(const ir::Graph& graph, llvm::Module& module) : graph_(graph), module_(module), context_(module.getContext()) {
    make_run();
    make_entry();
  }

 private:
  // ---- Surroundings

  Value* coordinate(Builder&, ir::Opcode which, unsigned axis) override {
    switch (which) {
      case ir::Opcode::thread_index: return thread_[axis];
      case ir::Opcode::block_index: return block_[axis];
      case ir::Opcode::block_dim: return run_->getArg(block_dim_argument + axis);
      default: return run_->getArg(grid_argument + axis);
    }
  }
  Value* parameter(Builder&, std::size_t index) override { return run_->getArg(argument_[index]); }
  Value* pointer(std::size_t memory) override { return run_->getArg(argument_[graph_.memories[memory].parameter]); }
  Value* length(std::size_t memory) override { return run_->getArg(argument_[graph_.memories[memory].parameter] + 1); }
  bool fuses() const override { return HostMachine::get().fuses; }

  Value* mathematics(Builder& b, ir::Opcode op, ir::Type type, llvm::ArrayRef<Value*> operands) override {
    llvm::Type* t = value_type(context_, type);
    if (op == ir::Opcode::rsqrt) return b.CreateFDiv(llvm::ConstantFP::get(t, 1.0), b.CreateIntrinsic(llvm::Intrinsic::sqrt, {t}, operands));
    const llvm::SmallVector<llvm::Type*, 2> types(operands.size(), t);
    const std::string name = std::string(ir::name_of(op)) + (type == ir::Type::f32 ? "f" : "");
    llvm::FunctionCallee callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(t, types, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setDoesNotFreeMemory();
    function->setDoesNotAccessMemory();  // nobody reads errno
    llvm::CallInst* call = b.CreateCall(callee, operands);
    call->addFnAttr(llvm::Attribute::NoBuiltin);  // the library's result, whether the optimizer knows the operands or not
    return call;
  }

  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override {
    b.CreateCall(fault_function(), {run_->getArg(record_argument), b.getInt32(site), first, second, block_[0], block_[1], block_[2], thread_[0],
                                    thread_[1], thread_[2]});
    leave(b);
  }
  void leave(Builder& b) override { b.CreateBr(next_thread_); }

  // Work-items of a kernel are independent: what one writes and another reads is a race, on which no program may count. So the
  // innermost loop may run several of them in step.
  void accesses(llvm::Instruction& access) override { access.setMetadata(llvm::LLVMContext::MD_access_group, access_group_); }

  // ---- run

  static constexpr unsigned first_argument = 0, end_argument = 1, record_argument = 2, grid_argument = 3, block_dim_argument = 6, kernel_arguments = 9;

  void make_run() {
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    std::vector<llvm::Type*> types{i64, i64, pointer, i32, i32, i32, i32, i32, i32};
    for (const ir::Parameter& p : graph_.parameters) {
      argument_.push_back(static_cast<unsigned>(types.size()));
      if (p.kind == ir::ParameterKind::value) {
        types.push_back(memory_type(context_, p.type));
      } else {
        types.push_back(pointer);
        types.push_back(i64);
      }
    }
    run_ = make_function("oxide_host_run", types);
    run_->setLinkage(llvm::GlobalValue::InternalLinkage);
    run_->getArg(record_argument)->addAttr(llvm::Attribute::NoAlias);
    for (const ir::Memory& m : graph_.memories) {
      llvm::Argument* argument = run_->getArg(argument_[m.parameter]);
      argument->addAttr(llvm::Attribute::NoAlias);
      if (m.access == ir::Access::read) argument->addAttr(llvm::Attribute::ReadOnly);
      argument->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(ir::size_of(m.element))));
    }
    access_group_ = llvm::MDNode::getDistinct(context_, {});
    make_loops();
  }

  llvm::Function* make_function(const char* name, llvm::ArrayRef<llvm::Type*> types) {
    llvm::FunctionType* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
    llvm::Function* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    f->setDoesNotThrow();
    f->addFnAttr("target-cpu", HostMachine::get().cpu);
    f->addFnAttr("target-features", HostMachine::get().features);
    f->addFnAttr("prefer-vector-width", "256");  // wider ones slow the clock of many processors
    return f;
  }

  struct Loop {
    BasicBlock* head;
    BasicBlock* body;
    BasicBlock* next;
    BasicBlock* done;
    llvm::PHINode* counter;
  };

  // for (counter = from; counter < to; ++counter) in i64. `b` moves to the body; the body goes on to `next`.
  Loop open_loop(Builder& b, const char* name, Value* from, Value* to) {
    Loop loop{};
    BasicBlock* before = b.GetInsertBlock();
    loop.head = BasicBlock::Create(context_, llvm::Twine(name) + ".head", run_);
    loop.body = BasicBlock::Create(context_, llvm::Twine(name) + ".body", run_);
    loop.next = BasicBlock::Create(context_, llvm::Twine(name) + ".next", run_);
    loop.done = BasicBlock::Create(context_, llvm::Twine(name) + ".done", run_);
    b.CreateBr(loop.head);
    b.SetInsertPoint(loop.head);
    loop.counter = b.CreatePHI(b.getInt64Ty(), 2, name);
    loop.counter->addIncoming(from, before);
    b.CreateCondBr(b.CreateICmpULT(loop.counter, to), loop.body, loop.done);
    b.SetInsertPoint(loop.next);
    loop.counter->addIncoming(b.CreateAdd(loop.counter, b.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true), loop.next);
    b.CreateBr(loop.head);
    b.SetInsertPoint(loop.body);
    return loop;
  }

  void make_loops() {
    BasicBlock* entry = BasicBlock::Create(context_, "entry", run_);
    Builder b(entry);
    const auto wide = [&](unsigned argument) { return b.CreateZExt(run_->getArg(argument), b.getInt64Ty()); };
    const auto narrow = [&](Value* v) { return b.CreateTrunc(v, b.getInt32Ty()); };
    std::array<Value*, 3> grid{}, dims{};
    for (unsigned axis = 0; axis != 3; ++axis) grid[axis] = wide(grid_argument + axis), dims[axis] = wide(block_dim_argument + axis);

    const Loop blocks = open_loop(b, "block", run_->getArg(first_argument), run_->getArg(end_argument));
    Value* row = b.CreateUDiv(blocks.counter, grid[0]);
    block_ = {narrow(b.CreateURem(blocks.counter, grid[0])), narrow(b.CreateURem(row, grid[1])), narrow(b.CreateUDiv(row, grid[1]))};
    const Loop z = open_loop(b, "z", b.getInt64(0), dims[2]);
    const Loop y = open_loop(b, "y", b.getInt64(0), dims[1]);
    const Loop x = open_loop(b, "x", b.getInt64(0), dims[0]);
    thread_ = {narrow(x.counter), narrow(y.counter), narrow(z.counter)};
    next_thread_ = x.next;
    lower_body(graph_, *run_, *entry, *x.body, *this);
    llvm::BranchInst::Create(y.next, x.done);
    llvm::BranchInst::Create(z.next, y.done);
    llvm::BranchInst::Create(blocks.next, z.done);
    llvm::ReturnInst::Create(context_, blocks.done);

    llvm::MDNode* parallel = llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), access_group_});
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, {nullptr, parallel});
    id->replaceOperandWith(0, id);
    x.next->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  // ---- entry

  void make_entry() {
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Function* entry = make_function(entry_name, {pointer, i64, i64});
    Builder b(BasicBlock::Create(context_, "entry", entry));
    const auto load = [&](llvm::Type* type, Value* base, std::size_t offset) {
      return b.CreateLoad(type, b.CreateInBoundsGEP(b.getInt8Ty(), base, {b.getInt64(offset)}));
    };
    Value* launch = entry->getArg(0);
    std::vector<Value*> values{entry->getArg(1), entry->getArg(2), load(pointer, launch, offsetof(oxide_host_launch, fault))};
    for (unsigned axis = 0; axis != 3; ++axis) values.push_back(load(b.getInt32Ty(), launch, offsetof(oxide_host_launch, grid) + 4 * axis));
    for (unsigned axis = 0; axis != 3; ++axis) values.push_back(load(b.getInt32Ty(), launch, offsetof(oxide_host_launch, block) + 4 * axis));
    Value* arguments = load(pointer, launch, offsetof(oxide_host_launch, arguments));
    for (std::size_t i = values.size(); i != run_->arg_size(); ++i) {
      Value* value = load(pointer, arguments, sizeof(void*) * (i - kernel_arguments));
      values.push_back(b.CreateAlignedLoad(run_->getArg(static_cast<unsigned>(i))->getType(), value, llvm::Align(1)));
    }
    b.CreateCall(run_, values);
    b.CreateRetVoid();
  }

  // Fills the record in, if this is the first failure of the launch. Blocks run on several threads.
  llvm::Function* fault_function() {
    if (fault_ != nullptr) return fault_;
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    fault_ = make_function("oxide_fault", {llvm::PointerType::get(context_, 0), i32, i64, i64, i32, i32, i32, i32, i32, i32});
    fault_->setLinkage(llvm::GlobalValue::InternalLinkage);
    fault_->addFnAttr(llvm::Attribute::NoInline);
    fault_->addFnAttr(llvm::Attribute::Cold);
    BasicBlock* first = BasicBlock::Create(context_, "first", fault_);
    BasicBlock* done = BasicBlock::Create(context_, "done", fault_);
    Builder b(BasicBlock::Create(context_, "entry", fault_, first));
    const auto field = [&](std::size_t offset) { return b.CreateInBoundsGEP(b.getInt8Ty(), fault_->getArg(0), {b.getInt64(offset)}); };
    Value* exchange = b.CreateAtomicCmpXchg(field(offsetof(oxide_fault_record, claimed)), b.getInt32(0), b.getInt32(1), llvm::MaybeAlign(4),
                                            llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    b.CreateCondBr(b.CreateExtractValue(exchange, {1}), first, done);
    b.SetInsertPoint(first);
    b.CreateStore(fault_->getArg(1), field(offsetof(oxide_fault_record, site)));
    for (unsigned i = 0; i != 2; ++i) b.CreateStore(fault_->getArg(2 + i), field(offsetof(oxide_fault_record, values) + 8 * i));
    for (unsigned axis = 0; axis != 3; ++axis) {
      b.CreateStore(fault_->getArg(4 + axis), field(offsetof(oxide_fault_record, block) + 4 * axis));
      b.CreateStore(fault_->getArg(7 + axis), field(offsetof(oxide_fault_record, thread) + 4 * axis));
    }
    b.CreateAlignedStore(b.getInt32(1), field(offsetof(oxide_fault_record, ready)), llvm::Align(4))->setAtomic(llvm::AtomicOrdering::Release);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return fault_;
  }

  const ir::Graph& graph_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Function* run_ = nullptr;
  llvm::Function* fault_ = nullptr;
  std::vector<unsigned> argument_;  // of each parameter: its first argument
  std::array<Value*, 3> block_{}, thread_{};
  BasicBlock* next_thread_ = nullptr;
  llvm::MDNode* access_group_ = nullptr;
};

}  // namespace

std::string host_cpu() { return HostMachine::get().cpu; }

HostCode compile_host(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing) {
  Clock clock;
  const Machine machine(MachineKey{false, HostMachine::get().cpu, HostMachine::get().features, request.opt_level});
  llvm::LLVMContext context;
  Diagnostics diagnostics(context);
  llvm::Module module(graph.name, context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  Kernel(graph, module);
  timing.build_ms = clock.lap();
  optimize(module, *machine, request.opt_level);
  timing.optimize_ms = clock.lap();
  HostCode out;
  if ((request.flags & OXIDE_JIT_KEEP_LLVM) != 0) out.llvm_ir = text_of(module);
  if ((request.flags & OXIDE_JIT_KEEP_ASM) != 0) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);  // emitting changes the module
    out.assembly = std::string(emit(*copy, *machine, llvm::CodeGenFileType::AssemblyFile).str());
  }
  llvm::SmallString<0> object = emit(module, *machine, llvm::CodeGenFileType::ObjectFile);
  diagnostics.check();
  out.code = load_object(std::move(object), Kernel::entry_name);
  timing.emit_ms = clock.lap();
  return out;
}

}  // namespace oxide::jit
