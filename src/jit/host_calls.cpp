#include "host_calls.hpp"

#include "failure.hpp"
#include "function_surroundings.hpp"
#include "host_function.hpp"
#include "lower_effects.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

// The code around the body of one function.
class CalledHostFunction final : public FunctionSurroundings {
 public:
  CalledHostFunction(HostCalls& all, std::size_t number)
      : FunctionSurroundings(all.kernel_), all_(all), function_(*all.functions_[number]), fails_(all.fails(number)) {
    BasicBlock* entry = BasicBlock::Create(function_.getContext(), "entry", &function_);
    lower_body(all.graph_, number + 1, function_, *entry, *entry, *this);
  }

  Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override {
    if (which == ir::Opcode::thread_index && axis == 0) return function_.getArg(1);
    if (which > ir::Opcode::grid_dim) return derived_coordinate(b, *this, all_.graph_.attributes, thread_number_of(b, *this), which, axis);
    return all_.value(b, frame(), 3 * (static_cast<unsigned>(which) - static_cast<unsigned>(ir::Opcode::thread_index)) + axis);
  }
  Value* parameter(Builder&, std::size_t index) override { return function_.getArg(2 + static_cast<unsigned>(index)); }
  Value* pointer(std::size_t memory) override {
    if (all_.graph_.memories[memory].kind == ir::MemoryKind::table) return kernel_.pointer(memory);
    return at_entry(HostCalls::memories + 2 * static_cast<unsigned>(memory));
  }
  Value* length(std::size_t memory) override { return at_entry(HostCalls::memories + 2 * static_cast<unsigned>(memory) + 1); }
  Value* special(Builder& b, ir::SpecialRegister which) override { return derived_register(b, *this, thread_number_of(b, *this), which); }
  Value* in_block(Builder& b, Value* rank, Value* address) override {
    return place_in_block(b, *this, rank, address, all_.value(b, frame(), HostCalls::cluster_stride));
  }
  // Only fences: what threads do together was made part of the kernel.
  Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<Value*> operands) override {
    return kernel_.collective(b, op, operands);
  }

  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override {
    b.CreateStore(first, all_.address(b, frame(), HostCalls::first_failed));
    b.CreateStore(second, all_.address(b, frame(), HostCalls::second_failed));
    give_up(b, b.getInt32(site + 1));
  }
  void print(Builder& b, llvm::ArrayRef<Value*> record) override { pass_record(b, all_.value(b, frame(), HostCalls::printer), record); }

  std::vector<Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) override {
    HostCalls::Result result = all_.call(b, frame(), function_.getArg(1), function, arguments);
    if (result.status != nullptr) b.SetInsertPoint(all_.part(b, result.status, [&] { give_up(b, result.status); }));
    return std::move(result.values);
  }
  Value* out_of_stack(Builder& b) override { return all_.out_of_stack(b, frame()); }
  void give_back(Builder& b, llvm::ArrayRef<Value*> results) override {
    std::vector<Value*> all;
    if (fails_) all.push_back(b.getInt32(0));
    all.insert(all.end(), results.begin(), results.end());
    llvm::Type* type = function_.getReturnType();
    if (type->isVoidTy()) {
      b.CreateRetVoid();
      return;
    }
    Value* value = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i != all.size(); ++i) value = b.CreateInsertValue(value, all[i], {i});
    b.CreateRet(value);
  }

 private:
  Value* frame() const { return function_.getArg(0); }
  // Loaded where it serves all uses.
  Value* at_entry(unsigned field) {
    Builder b(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    return all_.value(b, frame(), field);
  }
  void give_up(Builder& b, Value* status) {
    b.CreateRet(b.CreateInsertValue(llvm::Constant::getNullValue(function_.getReturnType()), status, {0}));
  }

  HostCalls& all_;
  llvm::Function& function_;
  bool fails_;
};

HostCalls::HostCalls(const ir::Graph& graph, llvm::Module& module, Surroundings& kernel) : graph_(graph), module_(module), kernel_(kernel) {
  if (graph.functions.empty()) return;
  needs_ = function_needs(graph, ir::CallGraph(graph), fault_sites(graph));
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  std::vector<llvm::Type*> fields(stack_limit, i32);
  fields.resize(memories, i64);
  fields[printer] = pointer;
  for (std::size_t m = 0; m != graph.memories.size(); ++m) {
    fields.push_back(pointer);
    fields.push_back(i64);
  }
  frame_type_ = llvm::StructType::get(context, fields);
  for (std::size_t f = 0; f != graph.functions.size(); ++f) {
    std::vector<llvm::Type*> types{pointer, i32}, results;
    for (const ir::Type t : graph.functions[f].parameters) types.push_back(memory_type(context, t));
    if (fails(f)) results.push_back(i32);
    for (const ir::Type t : graph.functions[f].results) results.push_back(memory_type(context, t));
    llvm::Type* result =
        results.empty() ? llvm::Type::getVoidTy(context) : static_cast<llvm::Type*>(llvm::StructType::get(context, results));
    auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                            graph.functions[f].name + "$" + std::to_string(f), module);
    function->setDoesNotThrow();
    function->getArg(0)->addAttr(llvm::Attribute::NoAlias);
    functions_.push_back(function);
  }
}

void HostCalls::open_frame(Builder& b, Value* limit, Value* stride, Value* where_to_print) {
  frame_ = b.CreateAlloca(frame_type_, nullptr, "frame");
  for (unsigned which = 0; which != 4; ++which)
    for (unsigned axis = 0; axis != 3; ++axis) {
      if (which == 0 && axis == 0) continue;
      const auto opcode = static_cast<ir::Opcode>(static_cast<unsigned>(ir::Opcode::thread_index) + which);
      b.CreateStore(kernel_.coordinate(b, opcode, axis), address(b, frame_, 3 * which + axis));
    }
  b.CreateStore(limit, address(b, frame_, stack_limit));
  if (stride != nullptr) b.CreateStore(stride, address(b, frame_, cluster_stride));
  if (where_to_print != nullptr) b.CreateStore(where_to_print, address(b, frame_, printer));
  for (std::size_t m = 0; m != graph_.memories.size(); ++m) {
    const ir::Memory& memory = graph_.memories[m];
    if (memory.kind == ir::MemoryKind::table) continue;
    b.CreateStore(kernel_.pointer(m), address(b, frame_, memories + 2 * static_cast<unsigned>(m)));
    if (memory.kind == ir::MemoryKind::span || memory.kind == ir::MemoryKind::dynamic_shared)
      b.CreateStore(kernel_.length(m), address(b, frame_, memories + 2 * static_cast<unsigned>(m) + 1));
  }
}

HostCalls::Result HostCalls::call(Builder& b, Value* frame, Value* x, std::size_t function, llvm::ArrayRef<Value*> arguments) {
  std::vector<Value*> all{frame, x};
  all.insert(all.end(), arguments.begin(), arguments.end());
  llvm::CallInst* call = b.CreateCall(functions_[function], all);
  Result result;
  if (call->getType()->isVoidTy()) return result;
  for (unsigned i = 0; i != call->getType()->getStructNumElements(); ++i) result.values.push_back(b.CreateExtractValue(call, {i}));
  if (!fails(function)) return result;
  result.status = result.values.front();
  result.values.erase(result.values.begin());
  return result;
}

Value* HostCalls::out_of_stack(Builder& b, Value* frame) {
  Value* here = b.CreateIntrinsic(llvm::Intrinsic::frameaddress, {llvm::PointerType::get(b.getContext(), 0)}, {b.getInt32(0)});
  return b.CreateICmpULT(b.CreatePtrToInt(here, b.getInt64Ty()), value(b, frame, stack_limit));
}

Value* HostCalls::address(Builder& b, Value* frame, unsigned field) {
  return b.CreateInBoundsGEP(frame_type_, frame, {b.getInt32(0), b.getInt32(field)});
}
Value* HostCalls::value(Builder& b, Value* frame, unsigned field) {
  return b.CreateLoad(frame_type_->getElementType(field), address(b, frame, field));
}

void HostCalls::define_all() {
  for (std::size_t f = 0; f != functions_.size(); ++f) CalledHostFunction(*this, f);
}

}  // namespace oxide::jit
