#include "optimize.hpp"

#include "failure.hpp"

#include <exception>

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
  // After a failure the machine may be half way through something: it is not used again, and not taken apart either.
  if (std::uncaught_exceptions() != 0) {
    machine_.release();
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

void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = opt_level >= 2;
  // The machine tells the passes what the target is: above all, that threads of a GPU diverge.
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  static constexpr const llvm::OptimizationLevel* levels[] = {&llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
                                                              &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel level = *levels[opt_level];
  llvm::ModulePassManager passes = opt_level == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::SmallString<0> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    throw Failure{OXIDE_JIT_FAILED, "LLVM cannot emit this kind of file for the target"};
  passes.run(module);
  return out;
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace oxide::jit
