#include "nvptx_functions.hpp"

#include "function_surroundings.hpp"
#include "lower_effects.hpp"
#include "nvptx_simt.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// Whether a function has to be told where a memory is.
bool is_parameter(const ir::Memory& m) { return m.kind != ir::MemoryKind::table; }
bool has_length(const ir::Memory& m) { return m.kind == ir::MemoryKind::span || m.kind == ir::MemoryKind::dynamic_shared; }

std::vector<Value*> results_of(Builder& b, llvm::CallInst* call) {
  llvm::Type* type = call->getType();
  if (type->isVoidTy()) return {};
  if (!type->isStructTy()) return {call};
  std::vector<Value*> results;
  for (unsigned i = 0; i != type->getStructNumElements(); ++i) results.push_back(b.CreateExtractValue(call, {i}));
  return results;
}

}  // namespace

// The code around the body of one function.
class NvptxFunction final : public FunctionSurroundings {
 public:
  NvptxFunction(NvptxFunctions& all, std::size_t number)
      : FunctionSurroundings(all.kernel_), all_(all), number_(number), declared_(all.declared_[number]), function_(*declared_.function),
        lines_(all.lines_.add(function_, all.graph_.functions[number].name, all.graph_.functions[number])) {
    context_.pointers.resize(all.graph_.memories.size());
    context_.lengths.resize(all.graph_.memories.size());
    unsigned argument = 0;
    for (const std::size_t m : declared_.memories) {
      context_.pointers[m] = function_.getArg(argument++);
      if (has_length(all.graph_.memories[m])) context_.lengths[m] = function_.getArg(argument++);
    }
    if (all.needs_[number].fails) context_.record = function_.getArg(argument++);
    if (all.needs_[number].prints) context_.printer = function_.getArg(argument++);
    if (all.needs_[number].stack) context_.stack_begin = function_.getArg(argument++);
    BasicBlock* entry = BasicBlock::Create(function_.getContext(), "entry", &function_);
    lower_body(all.graph_, number + 1, function_, *entry, *entry, *this);
  }

  Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override { return kernel_.coordinate(b, which, axis); }
  Value* parameter(Builder&, std::size_t index) override { return function_.getArg(declared_.own + static_cast<unsigned>(index)); }
  Value* pointer(std::size_t memory) override {
    return is_parameter(all_.graph_.memories[memory]) ? context_.pointers[memory] : kernel_.pointer(memory);
  }
  Value* length(std::size_t memory) override { return context_.lengths[memory]; }
  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override { all_.report_(b, context_.record, site, first, second); }
  Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<Value*> operands) override {
    const ir::Function& f = all_.graph_.functions[number_];
    const ir::Type type = operands.empty() ? ir::Type::none : f.variables[op.operands[0]];
    return nvptx_collective(b, op, type, operands, kernel_.gpu_architecture());
  }
  void print(Builder& b, llvm::ArrayRef<Value*> record) override { write_record(b, context_.printer, record); }
  void at(Builder& b, const ir::Location& location) override { lines_.at(b, location); }

  std::vector<Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) override {
    return all_.call(b, context_, function, arguments);
  }
  Value* out_of_stack(Builder& b) override { return all_.out_of_stack(b, context_); }
  void give_back(Builder& b, llvm::ArrayRef<Value*> results) override {
    llvm::Type* type = function_.getReturnType();
    if (type->isVoidTy()) b.CreateRetVoid();
    else if (!type->isStructTy()) b.CreateRet(results[0]);
    else {
      Value* all = llvm::PoisonValue::get(type);
      for (unsigned i = 0; i != results.size(); ++i) all = b.CreateInsertValue(all, results[i], {i});
      b.CreateRet(all);
    }
  }

 private:
  NvptxFunctions& all_;
  const std::size_t number_;
  const NvptxFunctions::Declared& declared_;
  llvm::Function& function_;
  const LineTable::Scopes lines_;
  NvptxFunctions::Context context_;
};

NvptxFunctions::NvptxFunctions(const ir::Graph& graph, llvm::Module& module, Surroundings& kernel, LineTable& lines, Report report)
    : graph_(graph), module_(module), kernel_(kernel), lines_(lines), report_(std::move(report)), calls_(graph) {
  if (graph.functions.empty()) return;
  needs_ = function_needs(graph, calls_, fault_sites(graph));
  declared_.resize(graph.functions.size());
}

void NvptxFunctions::open_kernel(Builder& entry, Value* record, Value* printer) {
  if (graph_.functions.empty()) return;
  kernel_context_.record = record;
  kernel_context_.printer = printer;
  kernel_context_.pointers.resize(graph_.memories.size());
  kernel_context_.lengths.resize(graph_.memories.size());
  for (std::size_t m = 0; m != graph_.memories.size(); ++m) {
    if (!is_parameter(graph_.memories[m])) continue;
    kernel_context_.pointers[m] = kernel_.pointer(m);
    if (has_length(graph_.memories[m])) kernel_context_.lengths[m] = kernel_.length(m);
  }
  if (calls_.reaches_recursion(0)) kernel_context_.stack_begin = entry.CreatePtrToInt(entry.CreateStackSave(), entry.getInt64Ty());
  for (std::size_t f = 0; f != declared_.size(); ++f) declare(f);
}

void NvptxFunctions::declare(std::size_t number) {
  llvm::LLVMContext& context = module_.getContext();
  const ir::Function& f = graph_.functions[number];
  Declared& d = declared_[number];
  std::vector<llvm::Type*> types;
  std::vector<std::pair<unsigned, std::size_t>> pointers;
  for (std::size_t m = 0; m != graph_.memories.size(); ++m) {
    if (!needs_[number].memories[m] || !is_parameter(graph_.memories[m])) continue;
    d.memories.push_back(m);
    pointers.emplace_back(static_cast<unsigned>(types.size()), m);
    types.push_back(kernel_context_.pointers[m]->getType());
    if (has_length(graph_.memories[m])) types.push_back(llvm::Type::getInt64Ty(context));
  }
  if (needs_[number].fails) types.push_back(kernel_context_.record->getType());
  if (needs_[number].prints) types.push_back(kernel_context_.printer->getType());
  if (needs_[number].stack) types.push_back(llvm::Type::getInt64Ty(context));
  d.own = static_cast<unsigned>(types.size());
  for (const ir::Type t : f.parameters) types.push_back(memory_type(context, t));
  std::vector<llvm::Type*> results;
  for (const ir::Type t : f.results) results.push_back(memory_type(context, t));
  llvm::Type* result = results.empty()       ? llvm::Type::getVoidTy(context)
                       : results.size() == 1 ? results[0]
                                             : static_cast<llvm::Type*>(llvm::StructType::get(context, results));
  // The name cannot be a kernel's: those have no `$`.
  d.function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                      f.name + "$" + std::to_string(number), module_);
  // Convergent until the optimizer has shown that nothing in it is.
  d.function->setConvergent();
  d.function->setDoesNotThrow();
  for (const auto& [argument, m] : pointers) {
    llvm::Argument* pointer = d.function->getArg(argument);
    if (graph_.memories[m].access == ir::Access::read) pointer->addAttr(llvm::Attribute::NoAlias);
    if (graph_.memories[m].access == ir::Access::read) pointer->addAttr(llvm::Attribute::ReadOnly);
    pointer->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(ir::layout_of(graph_.memories[m]).alignment)));
  }
}

std::vector<Value*> NvptxFunctions::call(Builder& b, const Context& from, std::size_t function, llvm::ArrayRef<Value*> arguments) {
  const Declared& d = declared_[function];
  std::vector<Value*> all;
  for (const std::size_t m : d.memories) {
    all.push_back(from.pointers[m]);
    if (has_length(graph_.memories[m])) all.push_back(from.lengths[m]);
  }
  if (needs_[function].fails) all.push_back(from.record);
  if (needs_[function].prints) all.push_back(from.printer);
  if (needs_[function].stack) all.push_back(from.stack_begin);
  all.insert(all.end(), arguments.begin(), arguments.end());
  llvm::CallInst* call = b.CreateCall(d.function, all);
  call->setConvergent();
  return results_of(b, call);
}

// How far the stack pointer has come from where it was in the kernel. What the next call itself takes lies beyond: see stack_reserve.
Value* NvptxFunctions::out_of_stack(Builder& b, const Context& from) {
  Value* now = b.CreatePtrToInt(b.CreateStackSave(), b.getInt64Ty());
  Value* used = b.CreateIntrinsic(llvm::Intrinsic::abs, {b.getInt64Ty()}, {b.CreateSub(from.stack_begin, now), b.getFalse()});
  return b.CreateICmpUGT(used, b.getInt64(ir::stack_size(graph_.attributes)));
}

void NvptxFunctions::define_all() {
  for (std::size_t f = 0; f != declared_.size(); ++f) NvptxFunction(*this, f);
}

}  // namespace oxide::jit
