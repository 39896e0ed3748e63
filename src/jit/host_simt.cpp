#include "host_simt.hpp"

#include "failure.hpp"
#include "host_calls.hpp"
#include "host_function.hpp"
#include "regions.hpp"
#include "simt_runtime.hpp"

#include <oxide/ir/analysis/cooperation.hpp>

#include <algorithm>
#include <array>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// Where the variables that live from region to region are: see simt_runtime.hpp.
struct Arrays {
  std::vector<std::uint32_t> name;  // of each variable that is kept, and of each array of the threads' own
  bool local = false;               // there are such
  std::uint32_t thread_bytes = simt_first_array;

  static constexpr std::uint64_t limit = 512 * 1024;  // bytes of a thread's arrays; as with CUDA's local memory
  // As much as a thread's part takes: the next thread's is aligned too.
  static std::uint64_t size_of(const ir::ArrayShape& shape) { return (std::uint64_t{shape.size} * shape.count + 15) / 16 * 16; }

  explicit Arrays(const Regions& regions) : name(regions.kept.size(), 0) {
    for (std::size_t v = 0; v != name.size(); ++v) {
      if (!regions.kept[v]) continue;
      name[v] = thread_bytes;
      thread_bytes += static_cast<std::uint32_t>(ir::size_of(regions.graph.variables[v]));
    }
    std::uint64_t bytes = thread_bytes;
    for (const Regions::Array& a : regions.arrays) {
      name[a.variable] = static_cast<std::uint32_t>(bytes);
      bytes += size_of(a.shape);
      if (bytes > limit)
        throw Failure{OXIDE_JIT_UNSUPPORTED,
                      "the local arrays of a kernel take at most 512 KiB a thread; these take " + std::to_string(bytes) + " bytes or more"};
      local = true;
    }
    thread_bytes = static_cast<std::uint32_t>(bytes);
  }
};

// The code of one region, in two functions:
//
//   region(block, first, count, x, y, z)    a SimtRegion: reads the block and calls, for each row of threads,
//   row(count, x, ..., arguments..., arrays, shared, stride, first)
//     for i in 0 .. count: the region's code for the thread first + i, which ends with its state
//   Both give the least and the greatest state.
class RegionFunction final : public HostFunction {
 public:
  RegionFunction(const Regions& regions, std::uint32_t point, const Arrays& arrays, llvm::Module& module)
      : HostFunction(regions.regions[point].graph, module), regions_(regions), region_(regions.regions[point]), arrays_(arrays),
        calls_(graph_, module, *this) {
    make_body(point);
    calls_.define_all();
    make_region(point);
  }

  llvm::Function* function() const { return function_; }

 private:
  enum More : unsigned { in_arrays, in_shared, in_stride, in_first, in_cluster_stride, in_stack_limit };

  llvm::Argument* more(More which) const { return row_->getArg(more_ + which); }

  // ---- Surroundings

  Value* thread_number(Builder&) override { return number_; }

  llvm::ArrayRef<ir::Variable> inherited() override { return region_.inherited; }
  Value* inherit(Builder& b, ir::Variable v) override {
    const ir::Type type = graph_.variables[v];
    llvm::LoadInst* load = b.CreateAlignedLoad(memory_type(context_, type), element(b, v), llvm::Align(ir::size_of(type)));
    in_step(*load);
    return ir::is_boolean(type) ? b.CreateTrunc(load, b.getInt1Ty()) : load;
  }

  Value* array(Builder& b, const ir::Operation& op) override {
    llvm::Type* bytes = llvm::ArrayType::get(b.getInt8Ty(), Arrays::size_of(ir::array_shape(op.immediate)));
    return element(b, arrays_.name[op.result], bytes);
  }

  Value* in_block(Builder& b, Value* rank, Value* address) override {
    return place_in_block(b, *this, rank, address, more(in_cluster_stride));
  }

  void leave(Builder& b) override { arrive(b, simt_exited); }
  void leave_from(Builder& b, std::uint32_t number, Read read) override {
    const std::uint32_t point = region_.exits[number];
    if (point == Regions::thread_ends) return leave(b);
    for (const ir::Variable v : region_.saved[number]) {
      const ir::Type type = graph_.variables[v];
      Value* value = read(v);
      if (ir::is_boolean(type)) value = b.CreateZExt(value, b.getInt8Ty());
      in_step(*b.CreateAlignedStore(value, element(b, v), llvm::Align(ir::size_of(type))));
    }
    arrive(b, regions_.points[point].collective ? point : point | simt_runs);
  }
  void arrive(Builder& b, std::uint32_t state) {
    state_->addIncoming(b.getInt32(state), b.GetInsertBlock());
    b.CreateBr(next_);
  }

  void fail(Builder& b, std::uint32_t site, Value* first_value, Value* second_value) override {
    fail_with(b, b.getInt64(region_.sites[site]), first_value, second_value);
  }
  // One place for all checks: what failed is data, so that the loop over the row can still run threads in step.
  void fail_with(Builder& b, Value* site, Value* first_value, Value* second_value) {
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
  std::vector<Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) override {
    return calls_.call_from_kernel(b, thread_x_, function, arguments, [&](Value* status, Value* first, Value* second) {
      const std::uint64_t first_of_functions = regions_.function_sites;
      Value* number = b.CreateZExt(status, b.getInt64Ty());
      fail_with(b, b.CreateAdd(number, b.getInt64(first_of_functions - region_.sites.size() - 1)), first, second);
    });
  }
  Value* out_of_stack(Builder& b) override { return calls_.out_of_stack(b); }

  // ---- arrays

  Value* element(Builder& b, ir::Variable v) { return element(b, arrays_.name[v], memory_type(context_, graph_.variables[v])); }
  // An array starts at arrays + name * stride.
  Value* element(Builder& b, std::uint32_t name, llvm::Type* type) {
    Value* offset = b.CreateMul(more(in_stride), b.getInt64(name), "", /*HasNUW=*/true, /*HasNSW=*/true);
    Value* array = b.CreateInBoundsGEP(b.getInt8Ty(), more(in_arrays), {offset});
    return b.CreateInBoundsGEP(type, array, {number_});
  }

  // ---- functions

  void make_body(std::uint32_t point) {
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    more_ = make_row(("oxide_host_row" + llvm::Twine(point)).str(), {pointer, pointer, i64, i64, i64, i64}, 1u << 30, i64);
    for (const More m : {in_arrays, in_shared}) {
      // Addresses of arrays may be kept in others.
      if (m == in_shared || !arrays_.local) more(m)->addAttr(llvm::Attribute::NoAlias);
      more(m)->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
    }
    for (const More m : {in_stride, in_first})
      more(m)->addAttr(llvm::Attribute::get(context_, llvm::Attribute::Range,
                                            llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, std::uint64_t{1} << 30))));
    BasicBlock* entry = BasicBlock::Create(context_, "entry", row_);
    Builder b(entry);
    find_shared_memory(b);
    const bool prints = !graph_.parameters.empty() && graph_.parameters.back().kind == ir::ParameterKind::printer;
    if (calls_.any())
      calls_.open_frame(b, more(in_stack_limit), more(in_cluster_stride), prints ? row_->getArg(argument_.back()) : nullptr);
    const Loop x = open_loop(b, *row_, "x", b.getInt64(0), row_->getArg(x_count));
    next_ = x.next;
    thread_x_ = b.CreateTrunc(b.CreateAdd(row_->getArg(x_from), x.counter, "", /*HasNUW=*/true, /*HasNSW=*/true), i32);
    number_ = b.CreateAdd(more(in_first), x.counter, "", /*HasNUW=*/true, /*HasNSW=*/true);
    state_ = Builder(next_, next_->begin()).CreatePHI(i32, 0, "state");
    lower_body(graph_, 0, *row_, *entry, *x.body, *this);
    mark_parallel(x);
    Builder at_done(x.done);
    at_done.CreateRet(states_of(x, *entry));
  }
  // The states of the row's threads, as a SimtRegion gives them. Where all ways end in one state, it is known.
  Value* states_of(const Loop& x, BasicBlock& before) {
    const auto one = [&](Value* v) { return v == state_->getIncomingValue(0); };
    if (state_->getNumIncomingValues() == 0 || llvm::all_of(state_->incoming_values(), one)) {
      const auto* state = state_->getNumIncomingValues() == 0 ? nullptr : llvm::cast<llvm::ConstantInt>(state_->getIncomingValue(0));
      const std::uint64_t number = state != nullptr ? state->getZExtValue() : simt_exited;
      state_->replaceAllUsesWith(llvm::PoisonValue::get(state_->getType()));
      state_->eraseFromParent();
      return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), number << 32 | number);
    }
    Builder b(next_, next_->getFirstNonPHIIt());
    in_step(*b.CreateAlignedStore(state_, element(b, simt_states, b.getInt32Ty()), llvm::Align(4)));
    std::array<Value*, 2> result{};
    for (const bool greatest : {false, true}) {
      llvm::PHINode* phi = Builder(x.counter->getParent(), x.counter->getParent()->begin()).CreatePHI(b.getInt32Ty(), 2);
      phi->addIncoming(b.getInt32(greatest ? 0 : 0xffffffff), &before);
      phi->addIncoming(b.CreateIntrinsic(greatest ? llvm::Intrinsic::umax : llvm::Intrinsic::umin, {b.getInt32Ty()}, {phi, state_}), next_);
      result[greatest] = phi;
    }
    Builder at_done(x.done);
    const auto wide = [&](Value* v) { return at_done.CreateZExt(v, at_done.getInt64Ty()); };
    return at_done.CreateOr(wide(result[0]), at_done.CreateShl(wide(result[1]), at_done.getInt64(32)));
  }
  void find_shared_memory(Builder& b) {
    shared_.resize(graph_.memories.size(), nullptr);
    for (std::size_t i = 0; i != graph_.memories.size(); ++i) {
      const ir::Memory& m = graph_.memories[i];
      if (!ir::is_shared(m)) continue;
      Value* offset = b.getInt64(layout_.offsets[i]);
      if (m.kind == ir::MemoryKind::dynamic_shared)
        offset = b.CreateAdd(row_->getArg(shared_argument_[i]), b.getInt64(layout_.fixed_bytes));
      shared_[i] = b.CreateInBoundsGEP(b.getInt8Ty(), more(in_shared), {offset});
    }
  }

  void make_region(std::uint32_t point) {
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    function_ = make_function(("oxide_host_region" + llvm::Twine(point)).str(), {pointer, i64, i64, i32, i32, i32}, i64);
    BasicBlock* entry = BasicBlock::Create(context_, "entry", function_);
    BasicBlock* head = BasicBlock::Create(context_, "row", function_);
    BasicBlock* done = BasicBlock::Create(context_, "done", function_);
    Builder b(entry);
    Value* simt_block = function_->getArg(0);
    std::vector<Value*> values(row_->arg_size());
    read_launch(b, load_field(b, pointer, simt_block, offsetof(SimtBlock, launch)), values);
    for (unsigned axis = 0; axis != 3; ++axis) values[block + axis] = load_field(b, i32, simt_block, offsetof(SimtBlock, block) + 4 * axis);
    values[more_ + in_arrays] = load_field(b, pointer, simt_block, offsetof(SimtBlock, arrays));
    values[more_ + in_shared] = load_field(b, pointer, simt_block, offsetof(SimtBlock, shared));
    values[more_ + in_stride] = load_field(b, i64, simt_block, offsetof(SimtBlock, stride));
    values[more_ + in_stack_limit] =
        load_field(b, i64, load_field(b, pointer, simt_block, offsetof(SimtBlock, launch)), offsetof(oxide_host_launch, stack_limit));
    values[more_ + in_cluster_stride] = load_field(b, i64, simt_block, offsetof(SimtBlock, cluster_stride));
    b.CreateBr(head);

    b.SetInsertPoint(head);
    const auto variable = [&](Value* first) {
      llvm::PHINode* phi = b.CreatePHI(first->getType(), 2);
      phi->addIncoming(first, entry);
      return phi;
    };
    llvm::PHINode *first = variable(function_->getArg(1)), *left = variable(function_->getArg(2)), *x = variable(function_->getArg(3));
    llvm::PHINode *y = variable(function_->getArg(4)), *z = variable(function_->getArg(5));
    llvm::PHINode *least = variable(b.getInt32(0xffffffff)), *most = variable(b.getInt32(0));
    Value* from = b.CreateZExt(x, i64);
    Value* in_row = b.CreateSub(b.CreateZExt(values[block_dim], i64), from);
    values[x_count] = b.CreateIntrinsic(llvm::Intrinsic::umin, {i64}, {in_row, left});
    values[x_from] = from;
    values[thread_y] = y;
    values[thread_z] = z;
    values[more_ + in_first] = first;
    Value* states = b.CreateCall(row_, values);
    const auto goes_on = [&](llvm::PHINode* phi, Value* value) { phi->addIncoming(value, head); };
    goes_on(first, b.CreateAdd(first, values[x_count]));
    Value* rest = b.CreateSub(left, values[x_count]);
    goes_on(left, rest);
    goes_on(x, b.getInt32(0));
    Value* next_y = b.CreateAdd(y, b.getInt32(1));
    Value* plane = b.CreateICmpEQ(next_y, values[block_dim + 1]);
    goes_on(y, b.CreateSelect(plane, b.getInt32(0), next_y));
    goes_on(z, b.CreateAdd(z, b.CreateZExt(plane, i32)));
    Value* low = b.CreateIntrinsic(llvm::Intrinsic::umin, {i32}, {least, b.CreateTrunc(states, i32)});
    Value* high = b.CreateIntrinsic(llvm::Intrinsic::umax, {i32}, {most, b.CreateTrunc(b.CreateLShr(states, b.getInt64(32)), i32)});
    goes_on(least, low);
    goes_on(most, high);
    b.CreateCondBr(b.CreateICmpEQ(rest, b.getInt64(0)), done, head);
    b.SetInsertPoint(done);
    b.CreateRet(b.CreateOr(b.CreateZExt(low, i64), b.CreateShl(b.CreateZExt(high, i64), b.getInt64(32))));
  }

  const Regions& regions_;
  const Region& region_;
  const Arrays& arrays_;
  HostCalls calls_;
  llvm::Function* function_ = nullptr;
  unsigned more_ = 0;
  Value* number_ = nullptr;  // of the thread in its block
  BasicBlock* next_ = nullptr;
  llvm::PHINode* state_ = nullptr;
  BasicBlock* failed_ = nullptr;
  std::array<llvm::PHINode*, 3> failure_{};  // site, values
};

// ---- tables

template <class Row>
llvm::GlobalVariable* make_table(llvm::Module& module, const char* name, const std::vector<Row>& rows) {
  static_assert(sizeof(Row) % 4 == 0);
  std::vector<std::uint32_t> words(rows.size() * (sizeof(Row) / 4));
  std::memcpy(words.data(), rows.data(), 4 * words.size());
  llvm::Constant* data = llvm::ConstantDataArray::get(module.getContext(), words);
  auto* table = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
  table->setAlignment(llvm::Align(8));
  return table;
}

SimtPoint describe(const Point& point, const Regions& regions, const Arrays& arrays) {
  SimtPoint out{};
  if (!point.collective) return out;
  const ir::Operation& op = point.operation;
  const ir::OpcodeRow& row = ir::row_of(op.opcode);
  out.collective = 1;
  out.opcode = static_cast<std::uint32_t>(op.opcode);
  out.immediate = static_cast<std::uint32_t>(op.immediate);
  out.site = point.site;
  if (row.result != ir::ResultRule::none) out.result = arrays.name[op.result];
  if (row.operands == 0) return out;
  const ir::Type type = regions.graph.variables[op.operands[0]];
  out.type = static_cast<std::uint32_t>(type);
  out.size = static_cast<std::uint32_t>(ir::size_of(type));
  for (std::size_t i = 0; i != row.operands; ++i) {
    SimtOperand& operand = out.operands[i];
    if (point.constants[i]) {
      operand.constant = 1;
      std::memcpy(operand.bits, &*point.constants[i], sizeof operand.bits);
    } else {
      operand.array = arrays.name[op.operands[i]];
    }
  }
  return out;
}

void make_entry(llvm::Module& module, const char* name, llvm::ArrayRef<Value*> tables) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  llvm::FunctionCallee run =
      module.getOrInsertFunction("oxide_simt_run", llvm::FunctionType::get(nothing, {pointer, pointer, pointer, pointer, i64, i64}, false));
  llvm::Function* entry = llvm::Function::Create(llvm::FunctionType::get(nothing, {pointer, i64, i64}, false),
                                                 llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setDoesNotThrow();
  Builder b(BasicBlock::Create(context, "entry", entry));
  b.CreateCall(run, {tables[0], tables[1], tables[2], entry->getArg(0), entry->getArg(1), entry->getArg(2)});
  b.CreateRetVoid();
}

}  // namespace

bool needs_regions(const ir::Graph& graph) {
  for (const ir::Memory& m : graph.memories)
    if (ir::is_shared(m)) return true;
  for (const ir::Block& block : graph.blocks)
    for (const ir::Operation& op : block.operations)
      if (is_collective(op)) return true;
  return false;
}

oxide_host_needs make_simt_kernel(const ir::Graph& graph, llvm::Module& module, const char* entry) {
  const Regions regions = cut(graph, HostMachine::get().fuses);
  const Arrays arrays(regions);
  std::vector<llvm::Constant*> functions;
  std::vector<SimtPoint> points;
  SimtKernel kernel{};
  for (std::uint32_t p = 0; p != regions.points.size(); ++p) {
    functions.push_back(RegionFunction(regions, p, arrays, module).function());
    points.push_back(describe(regions.points[p], regions, arrays));
    if (regions.points[p].collective && ir::row_of(regions.points[p].operation.opcode).effect == ir::Effect::warp_collective)
      kernel.by_warp = 1;
    if (!regions.regions[p].sites.empty() || !regions.regions[p].graph.functions.empty()) kernel.checks = 1;
  }
  kernel.thread_bytes = arrays.thread_bytes;
  kernel.shared_bytes = static_cast<std::uint32_t>(ir::shared_layout(graph).fixed_bytes);
  kernel.points = static_cast<std::uint32_t>(points.size());
  const bool clusters_meet = ir::Cooperation(graph).clusters_meet && graph.attributes.cluster[0] != 0;
  for (std::size_t axis = 0; axis != 3; ++axis) kernel.cluster[axis] = clusters_meet ? graph.attributes.cluster[axis] : 1;
  auto* type = llvm::ArrayType::get(llvm::PointerType::get(module.getContext(), 0), functions.size());
  auto* table = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(type, functions),
                                         "oxide_regions");
  make_entry(module, entry, {make_table<SimtKernel>(module, "oxide_kernel", {kernel}), make_table(module, "oxide_points", points), table});
  return {kernel.thread_bytes, kernel.shared_bytes + std::uint32_t{sizeof(SimtState)}};
}

}  // namespace oxide::jit
