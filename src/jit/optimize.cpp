#include "optimize.hpp"

#include "failure.hpp"
#include "loop_predicates.hpp"
#include "back_end_faults.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/ConstraintElimination.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/InductiveRangeCheckElimination.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SpeculativeExecution.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

namespace oxide::jit {

namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::pair<MachineKey, std::unique_ptr<llvm::TargetMachine>>> machines;

  static Pool& get() {
    static Pool& pool = *new Pool;  // never destroyed: threads may compile until the process is gone
    return pool;
  }
};

std::unique_ptr<llvm::TargetMachine> make_machine(const MachineKey& key) {
  const llvm::Triple triple(key.nvptx ? "nvptx64-nvidia-cuda" : llvm::sys::getDefaultTargetTriple());
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (target == nullptr) throw Failure{OXIDE_JIT_UNSUPPORTED, "LLVM has no back end for " + triple.str() + ": " + why};
  llvm::TargetOptions options;
  options.TrapUnreachable = key.nvptx;
  // Above the default level, NVPTX's back end looks for common values with GVN, which the optimizer has done, and not with EarlyCSE.
  const auto level = static_cast<llvm::CodeGenOptLevel>(key.nvptx ? std::min(key.opt_level, 2u) : key.opt_level);
  const std::optional<llvm::Reloc::Model> relocation = key.nvptx ? std::nullopt : std::optional(llvm::Reloc::PIC_);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, key.cpu, key.features, options, relocation, std::nullopt, level));
  if (machine == nullptr) throw Failure{OXIDE_JIT_FAILED, "LLVM cannot make a machine for " + key.cpu};
  return machine;
}

}  // namespace

Machine::Machine(MachineKey key) : key_(std::move(key)) {
  Pool& pool = Pool::get();
  {
    const std::lock_guard lock(pool.mutex);
    for (auto& [pooled, machine] : pool.machines)
      if (pooled == key_) {
        machine_ = std::move(machine);
        std::swap(pooled, pool.machines.back().first);
        std::swap(machine, pool.machines.back().second);
        pool.machines.pop_back();
        return;
      }
  }
  machine_ = make_machine(key_);
}

Machine::~Machine() {
  constexpr std::size_t kept = 16;
  if (llvm_gave_up) {
    (void)machine_.release();
    return;
  }
  Pool& pool = Pool::get();
  const std::lock_guard lock(pool.mutex);
  if (pool.machines.size() < kept) pool.machines.emplace_back(std::move(key_), std::move(machine_));
}

Diagnostics::Diagnostics(llvm::LLVMContext& context) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* out) {
        if (info->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream stream(*static_cast<std::string*>(out));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &complaint_);
}

void Diagnostics::check() const {
  if (!complaint_.empty()) throw Failure{OXIDE_JIT_FAILED, "LLVM: " + complaint_};
}

void configure_optimizer() {
  // Range checks are split off without a profile that says they pass.
  auto& options = llvm::cl::getRegisteredOptions();
  // Pointers to shared memory have 32 bits.
  if (const auto option = options.find("nvptx-short-ptr"); option != options.end())
    static_cast<llvm::cl::opt<bool>*>(option->second)->setValue(true);
  if (const auto option = options.find("irce-skip-profitability-checks"); option != options.end())
    static_cast<llvm::cl::opt<bool>*>(option->second)->setValue(true);
}

namespace {

struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;

  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }
};

// A GPU kernel by itself is one function of scalars in registers. It needs no passes over modules, call graphs or vectors, none over
// arrays unless it has some, and those that are left need to run once: that takes a third of the time of LLVM's own pipeline, and a
// first launch waits for it.
class KernelPasses {
 public:
  KernelPasses(unsigned opt_level, bool arrays) {
    if (arrays) early_.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    else early_.addPass(llvm::PromotePass());
    early_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    early_.addPass(llvm::SpeculativeExecutionPass(/*OnlyIfDivergentTarget=*/true));
    early_.addPass(llvm::SimplifyCFGPass());
    early_.addPass(llvm::ReassociatePass());
    early_.addPass(llvm::InstCombinePass());
    if (opt_level >= 2) early_.addPass(llvm::ConstraintEliminationPass());  // bounds checks that others before them imply
    if (opt_level >= 2) early_.addPass(llvm::CorrelatedValuePropagationPass());
    early_.addPass(llvm::SimplifyCFGPass());

    llvm::LoopPassManager first, second;
    first.addPass(llvm::LoopInstSimplifyPass());
    first.addPass(llvm::LoopSimplifyCFGPass());
    first.addPass(llvm::LoopRotatePass());
    first.addPass(llvm::LICMPass(llvm::LICMOptions()));
    if (opt_level >= 2) first.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/opt_level == 3));
    loops_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
    loops_.addPass(llvm::SimplifyCFGPass());
    second.addPass(llvm::IndVarSimplifyPass());
    second.addPass(llvm::LoopDeletionPass());
    if (opt_level >= 2) second.addPass(llvm::LoopFullUnrollPass(static_cast<int>(opt_level)));
    loops_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(second)));

    // Arrays whose indices an unrolled loop has made known become registers.
    if (arrays) late_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    if (opt_level >= 2) late_.addPass(llvm::GVNPass());
    else late_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    late_.addPass(llvm::BDCEPass());
    late_.addPass(llvm::DSEPass());

    if (opt_level >= 2) late_loops_.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(static_cast<int>(opt_level))));
    late_loops_.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    late_loops_.addPass(llvm::InstCombinePass());

    last_.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  }

  void run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const auto pass = [&](llvm::FunctionPassManager& passes) { analyses.invalidate(function, passes.run(function, analyses)); };
    pass(early_);
    const bool loops = !analyses.getResult<llvm::LoopAnalysis>(function).empty();
    if (loops) pass(loops_);
    pass(late_);
    if (loops) pass(late_loops_);
    pass(last_);
  }

 private:
  llvm::FunctionPassManager early_, loops_, late_, late_loops_, last_;
};

}  // namespace

std::size_t largest_function(const llvm::Module& module) {
  std::size_t most = 0;
  for (const llvm::Function& f : module) most = std::max<std::size_t>(most, f.getInstructionCount());
  return most;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, bool split_loops) {
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = opt_level >= 2;
  // The vectorizer's time grows with the square of a loop's size; of one of 6000 instructions it is half a second.
  tuning.LoopVectorization = opt_level >= 2 && largest_function(module) <= 6000;
  // The machine tells the passes what the target is: above all, that threads of a GPU diverge.
  llvm::PassBuilder builder(&machine, tuning);
  // Splits the loop over work-items where `i < n` and bounds checks change their answer: in the long middle part they are all true,
  // and what is left of them there vectorizes as if they had not been written.
  if (split_loops)
    builder.registerScalarOptimizerLateEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(llvm::IRCEPass()); });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(ScalarLoopsPass()); });
  const Held<Analyses> analyses(builder);
  static constexpr const llvm::OptimizationLevel* levels[] = {&llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
                                                              &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel level = *levels[opt_level];
  // The assembler of PTX optimizes at every level; what it has to be kept from is seen of values in registers only.
  if (opt_level == 0 && machine.getTargetTriple().isNVPTX())
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& last, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
      llvm::FunctionPassManager registers;
      registers.addPass(llvm::PromotePass());
      registers.addPass(llvm::InstSimplifyPass());
      last.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(registers)));
    });
  const Held<llvm::ModulePassManager> passes(opt_level == 0 ? builder.buildO0DefaultPipeline(level)
                                                            : builder.buildPerModuleDefaultPipeline(level));
  passes->run(module, analyses->modules);
}

namespace {

// The functions of the device library that a module uses are inlined into the kernel where they are small or called once, callees before
// callers. libdevice has both halves of each choice that __nvvm_reflect decides, so what a function does not need goes first.
class LibraryInliner {
 public:
  LibraryInliner(llvm::PassBuilder& builder, Analyses& analyses, llvm::Module& module) : analyses_(analyses) {
    llvm::ModulePassManager reflect;
    llvm::cantFail(builder.parsePassPipeline(reflect, "nvvm-reflect"));
    reflect.run(module, analyses.modules);
    simplify_.addPass(llvm::PromotePass());
    simplify_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    simplify_.addPass(llvm::SimplifyCFGPass());
  }

  void into(llvm::Function& caller) {
    llvm::SmallVector<llvm::CallInst*, 8> calls;
    for (llvm::Instruction& i : llvm::instructions(caller))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && is_library(call->getCalledFunction())) calls.push_back(call);
    for (llvm::CallInst* call : calls) {
      llvm::Function& callee = *call->getCalledFunction();
      prepare(callee);
      if (!is_worth_inlining(callee)) continue;
      const unsigned size = callee.getInstructionCount();
      if (size > 20 && (inlined_ += size) > most_inlined) continue;
      llvm::InlineFunctionInfo info;
      (void)llvm::InlineFunction(*call, info);  // what cannot be inlined stays a call
    }
  }

  // Those that are still called; the others are gone.
  std::vector<llvm::Function*> left(llvm::Module& module) {
    std::vector<llvm::Function*> kept;
    for (bool changed = true; std::exchange(changed, false);)
      for (llvm::Function& f : llvm::make_early_inc_range(module))
        if (is_library(&f) && f.use_empty()) {
          analyses_.functions.clear(f, f.getName());
          f.eraseFromParent();
          changed = true;
        }
    for (llvm::Function& f : module)
      if (is_library(&f)) kept.push_back(&f);
    return kept;
  }

 private:
  static bool is_library(const llvm::Function* f) { return f != nullptr && !f->isDeclaration() && f->hasFnAttribute(library_attribute); }
  static bool is_worth_inlining(const llvm::Function& f) {
    if (f.hasFnAttribute(llvm::Attribute::NoInline)) return false;
    return f.hasOneUse() || f.hasFnAttribute(llvm::Attribute::AlwaysInline) || f.getInstructionCount() <= 400;
  }
  void prepare(llvm::Function& f) {
    if (!prepared_.insert(&f).second) return;  // also ends recursion
    analyses_.functions.invalidate(f, simplify_.run(f, analyses_.functions));
    into(f);
    analyses_.functions.invalidate(f, llvm::PreservedAnalyses::none());
  }

  static constexpr std::size_t most_inlined = 10000;  // instructions, in one kernel

  Analyses& analyses_;
  llvm::FunctionPassManager simplify_;
  llvm::SmallPtrSet<llvm::Function*, 8> prepared_;
  std::size_t inlined_ = 0;
};

}  // namespace

static bool has_arrays(llvm::Function& kernel) {
  for (const llvm::Instruction& i : kernel.getEntryBlock())
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i); variable != nullptr && variable->getAllocatedType()->isArrayTy())
      return true;
  return false;
}

void optimize_kernel(llvm::Function& kernel, llvm::TargetMachine& machine, unsigned opt_level, bool library) {
  llvm::PassBuilder builder(&machine);
  const Held<Analyses> analyses(builder);
  std::vector<llvm::Function*> functions;
  if (library) {
    const Held<LibraryInliner> inliner(builder, *analyses, *kernel.getParent());
    inliner->into(kernel);
    functions = inliner->left(*kernel.getParent());
  }
  functions.push_back(&kernel);
  for (llvm::Function* f : functions) {
    const Held<KernelPasses> passes(opt_level, has_arrays(*f));
    passes->run(*f, analyses->functions);
  }
}

namespace {

// As LLVM's addPassesToEmitFile, without what the assembler of PTX does again, better, because it knows the machine: where loop-invariant
// and common instructions go, and the frame; and without what no kernel has: garbage collection, patchable
// functions, debug values. That is a sixth of the back end's time.
bool add_nvptx_passes(llvm::legacy::PassManager& passes, llvm::CodeGenTargetMachineImpl& machine, llvm::raw_pwrite_stream& out) {
  const std::initializer_list<llvm::AnalysisID> left_out = {&llvm::EarlyMachineLICMID,
                                                            &llvm::MachineLICMID,
                                                            &llvm::MachineCSELegacyID,
                                                            &llvm::MachineSinkingLegacyID,
                                                            &llvm::EarlyTailDuplicateLegacyID,

                                                            &llvm::OptimizePHIsLegacyID,
                                                            &llvm::ShrinkWrapID,
                                                            &llvm::PostRAMachineSinkingID,
                                                            &llvm::GCLoweringID,
                                                            &llvm::ShadowStackGCLoweringID,
                                                            &llvm::GCMachineCodeAnalysisID,
                                                            &llvm::FuncletLayoutID,
                                                            &llvm::XRayInstrumentationID,
                                                            &llvm::FEntryInserterID,
                                                            &llvm::PatchableFunctionID,
                                                            &llvm::MachineSanitizerBinaryMetadataID,
                                                            &llvm::StackMapLivenessID,
                                                            &llvm::FixupStatepointCallerSavedID,
                                                            &llvm::LiveDebugValuesID,
                                                            &llvm::RemoveLoadsIntoFakeUsesID,
                                                            &llvm::RemoveRedundantDebugValuesID};
  auto* module_info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(module_info);
  for (const llvm::AnalysisID id : left_out) config->disablePass(id);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile, module_info->getMMI().getContext())) return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

// Of the back end's passes, those whose time grows with the square of a kernel's size: they compare every sum (or every minimum) with
// every other, and of a chain of 500 additions took 98 % of the back end's time. What they look for, common parts of sums, products and
// addresses, the assembler of PTX finds again.
class SquarePassesLeftOut final : public llvm::OptPassGate {
 public:
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override { return pass != "slsr" && pass != "nary-reassociate"; }
  bool isEnabled() const override { return true; }
};

}  // namespace

void check_code(const llvm::Module& module) {
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(module, &out)) throw Failure{OXIDE_JIT_FAILED, "the code of a function is not well formed: " + why};
}

llvm::SmallString<0> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  avoid_back_end_faults(module, machine);
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  static SquarePassesLeftOut gate;
  if (machine.getTargetTriple().isNVPTX()) module.getContext().setOptPassGate(gate);
  const Held<llvm::legacy::PassManager> passes;
  const bool added = machine.getTargetTriple().isNVPTX()
                         ? add_nvptx_passes(*passes, static_cast<llvm::CodeGenTargetMachineImpl&>(machine), stream)
                         : !machine.addPassesToEmitFile(*passes, stream, nullptr, type, /*DisableVerify=*/true);
  if (!added) throw Failure{OXIDE_JIT_FAILED, "LLVM cannot emit this kind of file for the target"};
  passes->run(module);
  return out;
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace oxide::jit
