#include "nvptx_functions.hpp"

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
class NvptxFunction final : public Surroundings {
 public:
  NvptxFunction(NvptxFunctions& all, std::size_t number)
      : all_(all), number_(number), declared_(all.declared_[number]), function_(*declared_.function) {
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

  Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override { return all_.kernel_.coordinate(b, which, axis); }
  Value* parameter(Builder&, std::size_t index) override { return function_.getArg(declared_.own + static_cast<unsigned>(index)); }
  Value* pointer(std::size_t memory) override {
    return is_parameter(all_.graph_.memories[memory]) ? context_.pointers[memory] : all_.kernel_.pointer(memory);
  }
  Value* length(std::size_t memory) override { return context_.lengths[memory]; }
  MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) override {
    return all_.kernel_.mathematics(b, f, type, operands);
  }
  Value* float_to_integer(Builder& b, Value* value, ir::Type from, ir::Type to) override {
    return all_.kernel_.float_to_integer(b, value, from, to);
  }
  bool fuses() const override { return all_.kernel_.fuses(); }
  unsigned gpu_architecture() const override { return all_.kernel_.gpu_architecture(); }
  unsigned ptx_version() const override { return all_.kernel_.ptx_version(); }
  bool converts_f16() const override { return all_.kernel_.converts_f16(); }
  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override { all_.report_(b, context_.record, site, first, second); }
  Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<Value*> operands) override {
    const ir::Function& f = all_.graph_.functions[number_];
    const ir::Type type = operands.empty() ? ir::Type::none : f.variables[op.operands[0]];
    return nvptx_collective(b, op, type, operands, all_.kernel_.gpu_architecture());
  }
  Value* atomic(Builder& b, const ir::Operation& op, ir::Type type, Value* address, llvm::ArrayRef<Value*> operands,
                Combine combine) override {
    return all_.kernel_.atomic(b, op, type, address, operands, combine);
  }
  void accesses(llvm::Instruction& access, std::size_t memory) override { all_.kernel_.accesses(access, memory); }
  void print(Builder& b, llvm::ArrayRef<Value*> record) override { write_record(b, context_.printer, record); }
  bool is_gpu() const override { return all_.kernel_.is_gpu(); }
  Value* special(Builder& b, ir::SpecialRegister which) override { return all_.kernel_.special(b, which); }
  void sleep(Builder& b, Value* nanoseconds) override { all_.kernel_.sleep(b, nanoseconds); }
  void breakpoint(Builder& b) override { all_.kernel_.breakpoint(b); }
  Value* inline_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<Value*> arguments,
                    const std::string& line) override {
    return all_.kernel_.inline_ptx(b, string, number, arguments, line);
  }
  Value* hinted_load(Builder& b, llvm::Type* type, Value* pointer, llvm::Align align, ir::CacheHint hint, bool read_only) override {
    return all_.kernel_.hinted_load(b, type, pointer, align, hint, read_only);
  }
  bool hinted_store(Builder& b, Value* value, Value* pointer, llvm::Align align, ir::CacheHint hint) override {
    return all_.kernel_.hinted_store(b, value, pointer, align, hint);
  }
  void prefetch(Builder& b, Value* pointer, ir::CacheHint hint) override { all_.kernel_.prefetch(b, pointer, hint); }
  void leave(Builder& b) override { b.CreateUnreachable(); }  // a function's body gives back

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
  NvptxFunctions::Context context_;
};

NvptxFunctions::NvptxFunctions(const ir::Graph& graph, llvm::Module& module, Surroundings& kernel, Report report)
    : graph_(graph), module_(module), kernel_(kernel), report_(std::move(report)), calls_(graph) {
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
    pointer->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(ir::size_of(graph_.memories[m].element))));
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
