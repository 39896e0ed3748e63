#include "nvptx.hpp"

#include "body.hpp"
#include "clock.hpp"
#include "device_library.hpp"
#include "failure.hpp"
#include "lower_effects.hpp"
#include "lower_memory.hpp"
#include "nvptx_effects.hpp"
#include "nvptx_faults.hpp"
#include "nvptx_fault.hpp"
#include "nvptx_functions.hpp"
#include "nvptx_machine.hpp"
#include "nvptx_math.hpp"
#include "nvptx_simt.hpp"
#include "nvptx_stores.hpp"
#include "optimize.hpp"

#include <oxide/ir/analysis/cooperation.hpp>
#include <oxide/ir/shared_memory.hpp>

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr unsigned global_space = 1, shared_space = 3, constant_space = 4;  // NVPTX's address spaces

// A module may have 64 KiB of constant memory (PTX ISA, "Constant State Space"), and its cache is much smaller: larger tables lie in
// global memory, where they are read through the read-only cache.
constexpr std::uint64_t constant_space_bytes = 32768;

// The PTX symbol of a kernel. PTX allows what the graph allows in names, but for a digit at the front.
std::string entry_name(const ir::Graph& graph) {
  if (graph.name.empty()) return "kernel";
  return graph.name[0] >= '0' && graph.name[0] <= '9' ? '_' + graph.name : graph.name;
}

class Kernel final : public Surroundings {
 public:
  Kernel(const ir::Graph& graph, llvm::Module& module, const oxide_jit_request& request)
      : graph_(graph), module_(module), context_(module.getContext()), architecture_(request.sm),
        ptx_version_(ptx_version_for(request, graph)), library_path_(request.libdevice), layout_(ir::shared_layout(graph)),
        writes_(std::ranges::any_of(graph.memories, [](const ir::Memory& m) { return m.access != ir::Access::read; })),
        waits_for_grid_(ir::Cooperation(graph).grid != nullptr),
        functions_(graph, module, *this, line_table_, [this](Builder& b, Value* record, std::uint32_t site, Value* first, Value* second) {
          report(b, record, site, first, second);
        }) {
    make_shared_memory();
    make_function();
    if ((request.flags & OXIDE_JIT_LINE_INFO) != 0) line_table_.open(module, graph);
    lines_ = line_table_.add(*function_, graph.name, graph);
    BasicBlock* entry = prologue_ != nullptr ? prologue_ : BasicBlock::Create(context_, "entry", function_);
    Builder at_entry(entry);
    const bool prints = !graph.parameters.empty() && graph.parameters.back().kind == ir::ParameterKind::printer;
    functions_.open_kernel(at_entry, record(), prints ? function_->getArg(argument_.back()) : nullptr);
    lower_body(graph, 0, *function_, *entry, *entry, *this);
    functions_.define_all();
    line_table_.close();
    if (library_ != nullptr) library_->link_into(module, fault_);
  }

  llvm::Function& function() const { return *function_; }
  llvm::StringRef fault_name() const { return fault_ == nullptr ? llvm::StringRef() : fault_->getName(); }
  bool has_library() const { return library_ != nullptr; }  // functions of the device library, to be inlined

 private:
  // ---- Surroundings

  Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override {
    using namespace llvm::Intrinsic;
    if (which == ir::Opcode::lane_index) return special_register(b, nvvm_read_ptx_sreg_laneid, 0, 32);
    if (which == ir::Opcode::warp_index) return warp_index(b);
    if (which == ir::Opcode::cluster_dim) return b.getInt32(graph_.attributes.cluster[axis]);
    if (which == ir::Opcode::cluster_rank) return special_register(b, nvvm_read_ptx_sreg_cluster_ctarank, 0, 16);
    // Limits of compute capability 7.5 and newer (CUDA C++ Programming Guide, "Technical Specifications"); the upper end excluded.
    struct Register {
      ID id;
      std::uint32_t from, to;
    };
    static constexpr Register registers[4][3] = {
        {{nvvm_read_ptx_sreg_tid_x, 0, 1024}, {nvvm_read_ptx_sreg_tid_y, 0, 1024}, {nvvm_read_ptx_sreg_tid_z, 0, 64}},
        {{nvvm_read_ptx_sreg_ctaid_x, 0, 0x7fffffff}, {nvvm_read_ptx_sreg_ctaid_y, 0, 65535}, {nvvm_read_ptx_sreg_ctaid_z, 0, 65535}},
        {{nvvm_read_ptx_sreg_ntid_x, 1, 1025}, {nvvm_read_ptx_sreg_ntid_y, 1, 1025}, {nvvm_read_ptx_sreg_ntid_z, 1, 65}},
        {{nvvm_read_ptx_sreg_nctaid_x, 1, 0x80000000}, {nvvm_read_ptx_sreg_nctaid_y, 1, 65536}, {nvvm_read_ptx_sreg_nctaid_z, 1, 65536}}};
    const Register& r = registers[static_cast<unsigned>(which) - static_cast<unsigned>(ir::Opcode::thread_index)][axis];
    return special_register(b, r.id, r.from, r.to);
  }
  static Value* special_register(Builder& b, llvm::Intrinsic::ID id, std::uint32_t from, std::uint32_t to) {
    llvm::CallInst* call = b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type*>(), {});
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, from), llvm::APInt(32, to)));
    return call;
  }
  // %warpid may change while a thread runs (PTX ISA, "Special Registers"); this is the number of the thread's warp in its block.
  Value* warp_index(Builder& b) {
    const auto at = [&](ir::Opcode which, unsigned axis) { return coordinate(b, which, axis); };
    Value* plane = b.CreateAdd(at(ir::Opcode::thread_index, 1), b.CreateMul(at(ir::Opcode::thread_index, 2), at(ir::Opcode::block_dim, 1)));
    Value* thread = b.CreateAdd(at(ir::Opcode::thread_index, 0), b.CreateMul(plane, at(ir::Opcode::block_dim, 0)));
    return b.CreateLShr(thread, b.getInt32(5));
  }
  Value* parameter(Builder&, std::size_t index) override { return function_->getArg(argument_[index]); }
  Value* pointer(std::size_t memory) override {
    const ir::Memory& m = graph_.memories[memory];
    if (ir::is_shared(m)) return shared_[memory];
    if (m.kind != ir::MemoryKind::table) return function_->getArg(argument_[m.parameter]);
    tables_.resize(graph_.memories.size());
    const unsigned space = table_bytes(graph_) <= constant_space_bytes ? constant_space : global_space;
    if (tables_[memory] == nullptr) tables_[memory] = make_table(module_, graph_, memory, space);
    return tables_[memory];
  }
  Value* length(std::size_t memory) override {
    const ir::Memory& m = graph_.memories[memory];
    return ir::is_shared(m) ? shared_length_[memory] : function_->getArg(argument_[m.parameter] + 1);
  }

  Value* collective(Builder& b, const ir::Operation& op, llvm::ArrayRef<Value*> operands) override {
    if (op.opcode == ir::Opcode::grid_barrier) return nvptx_grid_barrier(b, grid_barrier(), grid_failure(b));
    const ir::Type type = operands.empty() ? ir::Type::none : graph_.variables[op.operands[0]];
    return nvptx_collective(b, op, type, operands, architecture_);
  }
  Value* atomic(Builder& b, const ir::Operation& op, ir::Type type, Value* address, llvm::ArrayRef<Value*> operands,
                Combine combine) override {
    return nvptx_atomic(b, op, type, address, operands, combine, architecture_);
  }
  Value* in_block(Builder& b, Value* rank, Value* address) override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_mapa_shared_cluster, llvm::ArrayRef<llvm::Type*>(), {address, rank});
  }

  // Memories do not overlap. Of those that are written this is said of pairs of accesses, and not of pointers: LLVM takes it that calls
  // see and change nothing behind a `noalias` pointer that was not given to them. But at a barrier other threads do; and a failed check
  // ends the thread, whose stores before it have to be there.
  void accesses(llvm::Instruction& access, std::size_t memory) override {
    const ir::Memory& m = graph_.memories[memory];
    if (!writes_ || ir::is_shared(m) || m.kind == ir::MemoryKind::table) return;
    if (alias_domain_ == nullptr) {
      llvm::MDBuilder metadata(context_);
      alias_domain_ = metadata.createAnonymousAliasScopeDomain();
      for (std::size_t i = 0; i != graph_.memories.size(); ++i) alias_scopes_.push_back(metadata.createAnonymousAliasScope(alias_domain_));
    }
    llvm::SmallVector<llvm::Metadata*, 8> others;
    for (std::size_t i = 0; i != graph_.memories.size(); ++i)
      if (i != memory) others.push_back(alias_scopes_[i]);
    access.setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(context_, {alias_scopes_[memory]}));
    access.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(context_, others));
  }

  MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) override {
    if (ir::is_approximate(f)) return {nvptx_approximate(b, f, operands)};
    // At most 2 units in the last place off, and what CUDA's rsqrtf is (CUDA Math API, single precision functions).
    if (f == ir::Math::rsqrt && type == ir::Type::f32) return {nvptx_approximate(b, ir::Math::approx_rsqrt, operands)};
    if (library_ == nullptr) library_ = &DeviceLibrary::get(library_path_);
    return library_->call(b, f, type, operands);
  }

  Value* float_to_integer(Builder& b, Value* value, ir::Type from, ir::Type to) override {
    return nvptx_float_to_integer(b, value, from, to);
  }
  bool fuses() const override { return true; }
  unsigned gpu_architecture() const override { return architecture_; }
  unsigned ptx_version() const override { return ptx_version_; }

  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override {
    if (waits_for_grid_) nvptx_leave_grid(b, grid_barrier(), true);
    report(b, record(), site, first, second);
  }
  void report(Builder& b, Value* record, std::uint32_t site, Value* first, Value* second) {
    llvm::CallInst* call = b.CreateCall(fault_function(), {record, b.getInt32(site), first, second});
    call->setConvergent();
    call->setDoesNotReturn();
    b.CreateUnreachable();
  }
  void leave(Builder& b) override {
    if (waits_for_grid_) nvptx_leave_grid(b, grid_barrier(), false);
    b.CreateRetVoid();
  }

  bool is_gpu() const override { return true; }
  Value* special(Builder& b, ir::SpecialRegister which) override { return read_register(b, which); }
  void sleep(Builder& b, Value* nanoseconds) override { sleep_for(b, nanoseconds); }
  void breakpoint(Builder& b) override { stop_in_debugger(b); }
  Value* inline_ptx(Builder& b, const std::string& string, std::uint64_t number, llvm::ArrayRef<Value*> arguments,
                    const std::string&) override {
    return call_ptx(b, string, number, arguments);
  }
  Value* hinted_load(Builder& b, llvm::Type* type, Value* pointer, llvm::Align alignment, ir::CacheHint hint, bool read_only) override {
    return load_with_hint(b, type, pointer, alignment, hint, read_only, PtxLevel{architecture_, ptx_version_});
  }
  bool hinted_store(Builder& b, Value* value, Value* pointer, llvm::Align alignment, ir::CacheHint hint) override {
    return store_with_hint(b, value, pointer, alignment, hint, PtxLevel{architecture_, ptx_version_});
  }
  void prefetch(Builder& b, Value* pointer, ir::CacheHint into) override { prefetch_global(b, pointer, into); }

  // The printer is the last parameter.
  void print(Builder& b, llvm::ArrayRef<Value*> record) override { write_record(b, function_->getArg(argument_.back()), record); }

  std::vector<Value*> call(Builder& b, std::size_t function, llvm::ArrayRef<Value*> arguments) override {
    return functions_.call(b, functions_.kernel_context(), function, arguments);
  }
  Value* out_of_stack(Builder& b) override { return functions_.out_of_stack(b, functions_.kernel_context()); }

  void at(Builder& b, const ir::Location& location) override { lines_.at(b, location); }

  // ---- shared memory

  // Not internal: LLVM takes it that calls of functions it does not know, as barriers are, leave internal variables alone.
  llvm::GlobalVariable* make_shared_array(std::uint64_t bytes, const std::string& name) {
    llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), bytes);
    llvm::Constant* initial = bytes == 0 ? nullptr : llvm::PoisonValue::get(type);
    auto* array = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, initial, name, nullptr,
                                           llvm::GlobalValue::NotThreadLocal, shared_space);
    array->setAlignment(llvm::Align(ir::shared_alignment));
    return array;
  }
  void make_shared_memory() {
    shared_.resize(graph_.memories.size(), nullptr);
    shared_length_.resize(graph_.memories.size(), nullptr);
    if (!layout_.dynamic.empty() || layout_.all_dynamic()) dynamic_ = make_shared_array(0, entry_name(graph_) + "_shared");
    for (std::size_t i = 0; i != graph_.memories.size(); ++i) {
      if (graph_.memories[i].kind != ir::MemoryKind::shared) continue;
      // Whole words: atomic accesses to bytes are to the words around them.
      const std::uint64_t bytes = (graph_.memories[i].elements * ir::layout_of(graph_.memories[i]).size + 3) / 4 * 4;
      if (!layout_.all_dynamic()) shared_[i] = make_shared_array(bytes, entry_name(graph_) + "_shared_" + std::to_string(i));
      else
        shared_[i] = llvm::ConstantExpr::getInBoundsGetElementPtr(
            llvm::Type::getInt8Ty(context_), dynamic_, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), layout_.offsets[i]));
    }
  }
  // The launch passes where each array of a dynamic size starts, and how many elements it has.
  void find_dynamic_shared_memory() {
    if (layout_.dynamic.empty()) return;
    prologue_ = BasicBlock::Create(context_, "entry", function_);
    Builder b(prologue_);
    unsigned argument = static_cast<unsigned>(function_->arg_size() - 1 - (waits_for_grid_ ? 1 : 0) - 2 * layout_.dynamic.size());
    for (const std::uint32_t memory : layout_.dynamic) {
      Value* offset = function_->getArg(argument++);
      if (layout_.all_dynamic()) offset = b.CreateAdd(offset, b.getInt32(static_cast<std::uint32_t>(layout_.fixed_bytes)));
      shared_[memory] = b.CreateInBoundsGEP(b.getInt8Ty(), dynamic_, {offset});
      shared_length_[memory] = b.CreateZExt(function_->getArg(argument++), b.getInt64Ty());
    }
  }

  // ---- the function

  void make_function() {
    std::vector<llvm::Type*> types;
    for (const ir::Parameter& p : graph_.parameters) {
      argument_.push_back(static_cast<unsigned>(types.size()));
      if (p.kind == ir::ParameterKind::value) {
        types.push_back(memory_type(context_, p.type));
      } else {
        types.push_back(llvm::PointerType::get(context_, global_space));
        if (p.kind == ir::ParameterKind::span) types.push_back(llvm::Type::getInt64Ty(context_));
      }
    }
    for (std::size_t i = 0; i != 2 * layout_.dynamic.size(); ++i) types.push_back(llvm::Type::getInt32Ty(context_));
    if (waits_for_grid_) types.push_back(llvm::PointerType::get(context_, global_space));
    types.push_back(llvm::PointerType::get(context_, global_space));
    llvm::FunctionType* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, entry_name(graph_), module_);
    function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    function_->setDoesNotThrow();
    function_->setConvergent();
    add_attributes();
    record()->addAttr(llvm::Attribute::NoAlias);
    record()->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(8)));
    find_dynamic_shared_memory();
    for (const ir::Memory& m : graph_.memories) {
      if (ir::is_shared(m) || m.kind == ir::MemoryKind::table) continue;
      // The launch has checked that nothing that is written overlaps anything else. `noalias readonly` is what makes `ld.global.nc`.
      llvm::Argument* pointer = function_->getArg(argument_[m.parameter]);
      if (m.access == ir::Access::read) pointer->addAttr(llvm::Attribute::NoAlias);
      if (m.access == ir::Access::read) pointer->addAttr(llvm::Attribute::ReadOnly);
      pointer->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(ir::layout_of(m).alignment)));
      pointer->addAttr(llvm::Attribute::getWithCaptureInfo(context_, llvm::CaptureInfo::none()));
    }
  }

  // Performance directives of PTX, and what the kernel's launches must be. A block that is fixed bounds them too, and PTX takes one of
  // the two.
  void add_attributes() {
    const ir::Attributes& a = graph_.attributes;
    const auto list = [](const std::array<std::uint32_t, 3>& e) {
      return std::to_string(e[0]) + "," + std::to_string(e[1]) + "," + std::to_string(e[2]);
    };
    if (a.block[0] != 0) function_->addFnAttr("nvvm.reqntid", list(a.block));
    else if (a.max_threads != 0) function_->addFnAttr("nvvm.maxntid", std::to_string(a.max_threads));
    if (a.min_blocks != 0) function_->addFnAttr("nvvm.minctasm", std::to_string(a.min_blocks));
    if (a.max_registers != 0) function_->addFnAttr("nvvm.maxnreg", std::to_string(a.max_registers));
    if (a.cluster[0] == 0) return;
    if (architecture_ < 90)
      throw Failure{OXIDE_JIT_UNSUPPORTED, "clusters need sm_90 or newer, and this is sm_" + std::to_string(architecture_)};
    function_->addFnAttr("nvvm.cluster_dim", list(a.cluster));
  }

  // Shared by all checks, so that each costs a compare, a branch and a call out of line. Its body is `fault_body`.
  llvm::Function* fault_function() {
    if (fault_ != nullptr) return fault_;
    llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    llvm::Type* record_pointer = llvm::PointerType::get(context_, global_space);
    llvm::FunctionType* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {record_pointer, i32, i64, i64}, false);
    const llvm::StringRef name = function_->getName() == "oxide_fault" ? "oxide_fault_of_kernel" : "oxide_fault";
    fault_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
    fault_->addFnAttr(llvm::Attribute::Cold);
    fault_->setDoesNotReturn();
    fault_->setDoesNotThrow();
    fault_->setConvergent();
    return fault_;
  }

  // Where threads that wait for the grid see that a check has failed. Functions know of the record only.
  Value* grid_failure(Builder& b) const {
    if (!graph_.functions.empty()) return record();
    return b.CreateInBoundsGEP(b.getInt8Ty(), grid_barrier(), {b.getInt64(offsetof(oxide_grid_barrier, failed))});
  }
  llvm::Argument* grid_barrier() const { return function_->getArg(static_cast<unsigned>(function_->arg_size() - 2)); }
  llvm::Argument* record() const { return function_->getArg(static_cast<unsigned>(function_->arg_size() - 1)); }

  const ir::Graph& graph_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  unsigned architecture_, ptx_version_;
  const char* library_path_;
  const ir::SharedLayout layout_;
  const bool writes_, waits_for_grid_;
  std::vector<Value*> shared_, shared_length_;  // of each memory that is shared
  llvm::GlobalVariable* dynamic_ = nullptr;
  BasicBlock* prologue_ = nullptr;
  llvm::MDNode* alias_domain_ = nullptr;
  std::vector<llvm::MDNode*> alias_scopes_;  // of each memory
  llvm::Function* function_ = nullptr;
  llvm::Function* fault_ = nullptr;
  std::vector<unsigned> argument_;  // of each parameter: its first argument
  std::vector<llvm::GlobalVariable*> tables_;  // by memory
  LineTable line_table_;
  LineTable::Scopes lines_;
  NvptxFunctions functions_;
  const DeviceLibrary* library_ = nullptr;
};

}  // namespace

static bool has_arrays(const ir::Graph& graph) {
  for (std::size_t n = 0; n != ir::body_count(graph); ++n)
    for (const ir::Block& block : ir::body_of(graph, n).blocks)
      for (const ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::local_array) return true;
  return false;
}

// The allocas that are left, by the names that array_name gave them. Of an array that was split, all parts count.
static std::vector<oxide_local_array> arrays_in_memory(const llvm::Module& module) {
  std::vector<oxide_local_array> all;
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& i : block) {
        const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&i);
        oxide_local_array found{};
        if (array == nullptr || !read_array_name(array->getName(), found)) continue;
        found.bytes = array->getAllocationSize(module.getDataLayout())->getFixedValue();
        const auto same = std::ranges::find_if(all, [&](const oxide_local_array& a) {
          return a.function == found.function && a.block == found.block && a.operation == found.operation;
        });
        if (same == all.end()) all.push_back(found);
        else same->bytes += found.bytes;
      }
  return all;
}

Ptx compile_nvptx(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing) {
  Clock clock;
  const Machine machine(machine_for(request, graph));
  const Held<llvm::LLVMContext> context;
  // Names of values are for readers of the IR, and for finding arrays again.
  context->setDiscardValueNames((request.flags & OXIDE_JIT_KEEP_LLVM) == 0 && !has_arrays(graph));
  Diagnostics diagnostics(*context);
  const Held<llvm::Module> held_module(graph.name, *context);
  llvm::Module& module = *held_module;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", std::uint32_t{0});  // subnormals are kept
  Ptx out;
  out.entry = entry_name(graph);
  const Kernel kernel(graph, module, request);
  if (!graph.functions.empty()) check_code(module);
  timing.build_ms = clock.lap();
  if (request.opt_level == 0 || !graph.functions.empty()) optimize(module, *machine, request.opt_level, /*split_loops=*/false);
  else optimize_kernel(kernel.function(), *machine, request.opt_level, kernel.has_library());
  timing.optimize_ms = clock.lap();
  if ((request.flags & OXIDE_JIT_KEEP_LLVM) != 0) out.llvm_ir = text_of(module);
  keep_bits_of_floats(module);
  avoid_false_rotations(module);
  const llvm::SmallString<0> ptx = emit(module, *machine, llvm::CodeGenFileType::AssemblyFile);
  out.text = with_fault_function(with_wide_operations(ptx.str()), kernel.fault_name());
  if (has_arrays(graph)) out.local_arrays = arrays_in_memory(module);
  timing.emit_ms = clock.lap();
  diagnostics.check();
  return out;
}

}  // namespace oxide::jit
