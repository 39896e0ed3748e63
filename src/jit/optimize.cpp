#include "optimize.hpp"

#include "failure.hpp"

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
  const auto level = static_cast<llvm::CodeGenOptLevel>(key.opt_level);
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
  const auto& options = llvm::cl::getRegisteredOptions();
  if (const auto option = options.find("irce-skip-profitability-checks"); option != options.end())
    static_cast<llvm::cl::opt<bool>*>(option->second)->setValue(true);
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = opt_level >= 2;
  // The machine tells the passes what the target is: above all, that threads of a GPU diverge.
  llvm::PassBuilder builder(&machine, tuning);
  // Splits the loop over work-items where `i < n` and bounds checks change their answer: in the long middle part they are all true,
  // and what is left of them there vectorizes as if they had not been written.
  if (!machine.getTargetTriple().isNVPTX())
    builder.registerScalarOptimizerLateEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(llvm::IRCEPass()); });
  struct Analyses {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager call_graphs;
    llvm::ModuleAnalysisManager modules;
  };
  const Held<Analyses> analyses;
  builder.registerModuleAnalyses(analyses->modules);
  builder.registerCGSCCAnalyses(analyses->call_graphs);
  builder.registerFunctionAnalyses(analyses->functions);
  builder.registerLoopAnalyses(analyses->loops);
  builder.crossRegisterProxies(analyses->loops, analyses->functions, analyses->call_graphs, analyses->modules);
  static constexpr const llvm::OptimizationLevel* levels[] = {&llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
                                                              &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel level = *levels[opt_level];
  const Held<llvm::ModulePassManager> passes(opt_level == 0 ? builder.buildO0DefaultPipeline(level)
                                                            : builder.buildPerModuleDefaultPipeline(level));
  passes->run(module, analyses->modules);
}

llvm::SmallString<0> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  const Held<llvm::legacy::PassManager> passes;
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, type, /*DisableVerify=*/true))
    throw Failure{OXIDE_JIT_FAILED, "LLVM cannot emit this kind of file for the target"};
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
