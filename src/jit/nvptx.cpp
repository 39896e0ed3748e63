#include "nvptx.hpp"

#include "body.hpp"
#include "clock.hpp"
#include "device_library.hpp"
#include "failure.hpp"
#include "lower_effects.hpp"
#include "lower_memory.hpp"
#include "optimize.hpp"

namespace oxide::jit {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr unsigned global_space = 1, constant_space = 4;  // NVPTX: the address spaces of global and of constant memory

// A module may have 64 KiB of constant memory (PTX ISA, "Constant State Space"), and its cache is much smaller: larger tables lie in
// global memory, where they are read through the read-only cache.
constexpr std::uint64_t constant_space_bytes = 32768;

// The oldest PTX ISA of each architecture, from the release notes in the PTX ISA document. LLVM 22 knows these and no other ones.
struct Architecture {
  unsigned sm, ptx;
};
constexpr Architecture architectures[] = {{75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78}, {90, 78},
                                          {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
// The PTX versions that LLVM 22 writes.
constexpr unsigned ptx_versions[] = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

// The PTX version to write; throws for an architecture that is not known.
unsigned ptx_version_for(const oxide_jit_request& request) {
  const Architecture* architecture = nullptr;
  for (const Architecture& a : architectures)
    if (a.sm == request.sm) architecture = &a;
  if (architecture == nullptr) {
    const std::string name = "sm_" + std::to_string(request.sm);
    if (request.sm < architectures[0].sm)
      throw Failure{OXIDE_JIT_UNSUPPORTED, name + " is too old: oxide compiles for sm_75 (Turing) and newer"};
    throw Failure{OXIDE_JIT_UNSUPPORTED, name + " is not an architecture that this compiler (LLVM " LLVM_VERSION_STRING ") knows"};
  }
  unsigned ptx = architecture->ptx;
  for (unsigned version : ptx_versions)
    if (version <= request.ptx_version && version > ptx) ptx = version;
  return ptx;
}

MachineKey machine_for(const oxide_jit_request& request) {
  return {true, "sm_" + std::to_string(request.sm), "+ptx" + std::to_string(ptx_version_for(request)), request.opt_level};
}

// The PTX symbol of a kernel. PTX allows what the graph allows in names, but for a digit at the front.
std::string entry_name(const ir::Graph& graph) {
  if (graph.name.empty()) return "kernel";
  return graph.name[0] >= '0' && graph.name[0] <= '9' ? '_' + graph.name : graph.name;
}

class Kernel final : public Surroundings {
 public:
  Kernel(const ir::Graph& graph, llvm::Module& module, const oxide_jit_request& request)
      : graph_(graph), module_(module), context_(module.getContext()), architecture_(request.sm), ptx_version_(ptx_version_for(request)),
        library_path_(request.libdevice) {
    make_function();
    if ((request.flags & OXIDE_JIT_LINE_INFO) != 0) make_line_table();
    BasicBlock* entry = BasicBlock::Create(context_, "entry", function_);
    lower_body(graph, *function_, *entry, *entry, *this);
    if (debug_) debug_->finalize();
    if (library_ != nullptr) library_->link_into(module, fault_);
  }

  llvm::Function& function() const { return *function_; }
  llvm::StringRef fault_name() const { return fault_ == nullptr ? llvm::StringRef() : fault_->getName(); }
  bool has_library() const { return library_ != nullptr; }  // functions of the device library, to be inlined

 private:
  // ---- Surroundings

  Value* coordinate(Builder& b, ir::Opcode which, unsigned axis) override {
    using namespace llvm::Intrinsic;
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
    llvm::CallInst* call = b.CreateIntrinsic(r.id, llvm::ArrayRef<llvm::Type*>(), {});
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, r.from), llvm::APInt(32, r.to)));
    return call;
  }
  Value* parameter(Builder&, std::size_t index) override { return function_->getArg(argument_[index]); }
  Value* pointer(std::size_t memory) override {
    if (graph_.memories[memory].kind != ir::MemoryKind::table) return function_->getArg(argument_[graph_.memories[memory].parameter]);
    tables_.resize(graph_.memories.size());
    const unsigned space = table_bytes(graph_) <= constant_space_bytes ? constant_space : global_space;
    if (tables_[memory] == nullptr) tables_[memory] = make_table(module_, graph_, memory, space);
    return tables_[memory];
  }
  Value* length(std::size_t memory) override { return function_->getArg(argument_[graph_.memories[memory].parameter] + 1); }

  MathResults mathematics(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<Value*> operands) override {
    if (ir::is_approximate(f)) return {approximate(b, f, operands)};
    // At most 2 units in the last place off, and what CUDA's rsqrtf is (CUDA Math API, single precision functions).
    if (f == ir::Math::rsqrt && type == ir::Type::f32) return {approximate(b, ir::Math::approx_rsqrt, operands)};
    if (library_ == nullptr) library_ = &DeviceLibrary::get(library_path_);
    return library_->call(b, f, type, operands);
  }

  // By the instructions that are named .approx, without .ftz: subnormals are kept (PTX ISA, "Floating Point Instructions").
  Value* approximate(Builder& b, ir::Math f, llvm::ArrayRef<Value*> x) {
    using namespace llvm::Intrinsic;
    const auto unary = [&](ID id, Value* v) -> Value* { return b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type*>(), {v}); };
    const auto scaled = [&](double factor, Value* v) { return b.CreateFMul(llvm::ConstantFP::get(b.getFloatTy(), factor), v); };
    const auto exp2 = [&](Value* v) -> Value* { return b.CreateIntrinsic(nvvm_ex2_approx, {b.getFloatTy()}, {v}); };
    const auto log2 = [&](Value* v) { return unary(nvvm_lg2_approx_f, v); };
    const auto divide = [&](Value* dividend, Value* divisor) -> Value* {
      return b.CreateIntrinsic(nvvm_div_approx_f, llvm::ArrayRef<llvm::Type*>(), {dividend, divisor});
    };
    switch (f) {
      case ir::Math::approx_sin:
        return unary(nvvm_sin_approx_f, x[0]);
      case ir::Math::approx_cos:
        return unary(nvvm_cos_approx_f, x[0]);
      case ir::Math::approx_tan:
        return divide(unary(nvvm_sin_approx_f, x[0]), unary(nvvm_cos_approx_f, x[0]));
      case ir::Math::approx_exp:
        return exp2(scaled(0x1.71547652b82fep+0, x[0]));  // log2(e)
      case ir::Math::approx_exp2:
        return exp2(x[0]);
      case ir::Math::approx_exp10:
        return exp2(scaled(0x1.a934f0979a371p+1, x[0]));  // log2(10)
      case ir::Math::approx_log:
        return scaled(0x1.62e42fefa39efp-1, log2(x[0]));  // ln(2)
      case ir::Math::approx_log2:
        return log2(x[0]);
      case ir::Math::approx_log10:
        return scaled(0x1.34413509f79ffp-2, log2(x[0]));  // log10(2)
      case ir::Math::approx_pow:
        return exp2(b.CreateFMul(x[1], log2(x[0])));
      case ir::Math::approx_tanh:
        return instruction(b, "tanh.approx.f32", x[0]);
      case ir::Math::approx_sqrt:
        return unary(nvvm_sqrt_approx_f, x[0]);
      case ir::Math::approx_rsqrt:
        return unary(nvvm_rsqrt_approx_f, x[0]);
      case ir::Math::approx_rcp:
        return instruction(b, "rcp.approx.f32", x[0]);
      default:
        return divide(x[0], x[1]);
    }
  }
  // An instruction from f32 to f32 that LLVM has no intrinsic for.
  static Value* instruction(Builder& b, llvm::StringRef name, Value* x) {
    llvm::FunctionType* type = llvm::FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
    return b.CreateCall(llvm::InlineAsm::get(type, (name + " $0, $1;").str(), "=f,f", /*hasSideEffects=*/false), {x});
  }

  // `cvt.rzi` saturates, and makes 0 of a NaN where neither side has 64 bits (PTX ISA, "cvt"); LLVM's own lowering does it all by hand.
  Value* float_to_integer(Builder& b, Value* value, ir::Type from, ir::Type to) override {
    using namespace llvm::Intrinsic;
    static constexpr ID conversions[2][2][2] = {{{nvvm_f2ui_rz, nvvm_f2i_rz}, {nvvm_f2ull_rz, nvvm_f2ll_rz}},
                                                {{nvvm_d2ui_rz, nvvm_d2i_rz}, {nvvm_d2ull_rz, nvvm_d2ll_rz}}};
    const bool is_signed = ir::is_signed_integer(to), from_double = from == ir::Type::f64, to_64_bits = ir::bits_of(to) == 64;
    Value* integer = b.CreateIntrinsic(conversions[from_double][to_64_bits][is_signed], llvm::ArrayRef<llvm::Type*>(), {value});
    if (from_double || to_64_bits) {
      Value* is_nan = b.CreateFCmpUNO(value, value);
      integer = b.CreateSelect(is_nan, llvm::ConstantInt::get(integer->getType(), 0), integer);
    }
    const unsigned bits = ir::bits_of(to);
    if (bits >= 32) return integer;
    const auto limit = [&](const llvm::APInt& value_of_limit, ID id) {
      integer = b.CreateIntrinsic(id, {b.getInt32Ty()}, {integer, llvm::ConstantInt::get(context_, value_of_limit)});
    };
    if (is_signed) {
      limit(llvm::APInt::getSignedMaxValue(bits).sext(32), smin);
      limit(llvm::APInt::getSignedMinValue(bits).sext(32), smax);
    } else {
      limit(llvm::APInt::getMaxValue(bits).zext(32), umin);
    }
    return b.CreateTrunc(integer, value_type(context_, to));
  }
  bool fuses() const override { return true; }
  unsigned gpu_architecture() const override { return architecture_; }
  unsigned ptx_version() const override { return ptx_version_; }

  void fail(Builder& b, std::uint32_t site, Value* first, Value* second) override {
    llvm::CallInst* call = b.CreateCall(fault_function(), {record(), b.getInt32(site), first, second});
    call->setConvergent();
    call->setDoesNotReturn();
    b.CreateUnreachable();
  }
  void leave(Builder& b) override { b.CreateRetVoid(); }

  // The printer is the last parameter.
  void print(Builder& b, llvm::ArrayRef<Value*> record) override { write_record(b, function_->getArg(argument_.back()), record); }

  void at(Builder& b, const ir::Location& location) override {
    if (!debug_) return;
    if (location.line == 0 || location.file >= scopes_.size())
      return b.SetCurrentDebugLocation(llvm::DILocation::get(context_, 0, 0, subprogram_));
    b.SetCurrentDebugLocation(llvm::DILocation::get(context_, location.line, location.column, scopes_[location.file]));
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
    types.push_back(llvm::PointerType::get(context_, global_space));
    llvm::FunctionType* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, entry_name(graph_), module_);
    function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    function_->setDoesNotThrow();
    function_->setConvergent();
    record()->addAttr(llvm::Attribute::NoAlias);
    record()->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(8)));
    for (const ir::Memory& m : graph_.memories) {
      if (m.kind == ir::MemoryKind::table) continue;
      // The launch has checked that nothing that is written overlaps anything else. `noalias readonly` is what makes `ld.global.nc`.
      llvm::Argument* pointer = function_->getArg(argument_[m.parameter]);
      pointer->addAttr(llvm::Attribute::NoAlias);
      if (m.access == ir::Access::read) pointer->addAttr(llvm::Attribute::ReadOnly);
      pointer->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(ir::layout_of(m).alignment)));
      pointer->addAttr(llvm::Attribute::getWithCaptureInfo(context_, llvm::CaptureInfo::none()));
    }
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

  llvm::Argument* record() const { return function_->getArg(static_cast<unsigned>(function_->arg_size() - 1)); }

  // ---- lines: `.loc` and `.file` directives, and no other debug information

  void make_line_table() {
    debug_.emplace(module_);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module_.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 2);
    std::vector<llvm::DIFile*> files;
    for (const std::string& path : graph_.files) {
      const std::size_t slash = path.rfind('/');
      files.push_back(slash == std::string::npos ? debug_->createFile(path, "")
                                                 : debug_->createFile(path.substr(slash + 1), path.substr(0, slash)));
    }
    llvm::DIFile* main_file = files.empty() ? debug_->createFile("unknown", "") : files[0];
    debug_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C_plus_plus_14), main_file, "oxide", true, "", 0, "",
                              llvm::DICompileUnit::DebugDirectivesOnly);
    llvm::DISubroutineType* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
    const unsigned line = graph_.blocks[0].operations.empty() ? 0 : graph_.blocks[0].operations[0].location.line;
    subprogram_ = debug_->createFunction(main_file, graph_.name, function_->getName(), main_file, line, type, line, llvm::DINode::FlagZero,
                                         llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
    function_->setSubprogram(subprogram_);
    for (llvm::DIFile* file : files)
      scopes_.push_back(file == main_file ? static_cast<llvm::DIScope*>(subprogram_) : debug_->createLexicalBlockFile(subprogram_, file));
  }

  const ir::Graph& graph_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  unsigned architecture_, ptx_version_;
  const char* library_path_;
  llvm::Function* function_ = nullptr;
  llvm::Function* fault_ = nullptr;
  std::vector<unsigned> argument_;  // of each parameter: its first argument
  std::vector<llvm::GlobalVariable*> tables_;  // by memory
  const DeviceLibrary* library_ = nullptr;
  std::optional<llvm::DIBuilder> debug_;
  llvm::DISubprogram* subprogram_ = nullptr;
  std::vector<llvm::DIScope*> scopes_;  // of each file
};

}  // namespace

// What a failed check calls, given the record, the site and two values:
//   if (this is the first failure) { fill the record in; fence; ready = 1 }; exit
// The thread leaves the kernel and does not trap: a trap is an unspecified launch failure to the driver, after which a process can use no
// GPU any more (CUDA Driver API, CUDA_ERROR_LAUNCH_FAILED). The host finds the record when it next waits.
// Written in PTX, of which every instruction is older than the oldest architecture and PTX version here: it is the same in every kernel,
// and LLVM would take as long for it as for a small kernel. `[@` is `[` and the function's name.
static constexpr llvm::StringLiteral fault_body = R"(
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;

  ld.param.b64 %rd1, [@_param_0];
  atom.relaxed.sys.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.b32 %p1, %r1, 0;
  @%p1 bra $L__later;
  ld.param.b32 %r2, [@_param_1];
  ld.param.b64 %rd2, [@_param_2];
  ld.param.b64 %rd3, [@_param_3];
  st.global.b32 [%rd1+8], %r2;
  st.global.b64 [%rd1+16], %rd2;
  st.global.b64 [%rd1+24], %rd3;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ctaid.y;
  st.global.v2.b32 [%rd1+32], {%r3, %r4};
  mov.u32 %r5, %ctaid.z;
  mov.u32 %r6, %tid.x;
  st.global.v2.b32 [%rd1+40], {%r5, %r6};
  mov.u32 %r7, %tid.y;
  mov.u32 %r8, %tid.z;
  st.global.v2.b32 [%rd1+48], {%r7, %r8};
  fence.sc.sys;
  st.relaxed.sys.global.b32 [%rd1+4], 1;
  exit;
$L__later:
  exit;
}
)";
static_assert(offsetof(oxide_fault_record, claimed) == 0 && offsetof(oxide_fault_record, ready) == 4 &&
              offsetof(oxide_fault_record, site) == 8 && offsetof(oxide_fault_record, values) == 16 &&
              offsetof(oxide_fault_record, block) == 32 && offsetof(oxide_fault_record, thread) == 44);

// LLVM's text with the body of the fault function, which LLVM saw declared. LLVM numbers the calls of a process in comments; without
// those, equal graphs give equal text.
static std::string finish(llvm::StringRef text, llvm::StringRef fault) {
  constexpr llvm::StringLiteral comment = " // callseq ";
  std::string out;
  out.reserve(text.size() + 2 * fault_body.size());
  std::string definition;
  if (!fault.empty()) {
    constexpr llvm::StringLiteral external = ".extern ";
    const std::string head = ".func " + fault.str();
    const std::size_t at = text.find(external.str() + head), end = text.find(';', at);
    if (end == llvm::StringRef::npos) throw Failure{OXIDE_JIT_FAILED, "LLVM's PTX does not declare " + fault.str()};
    out += text.take_front(at);
    text = text.drop_front(at + external.size());
    // The definition repeats the declaration, as PTX asks for.
    const llvm::StringRef parameters = text.slice(head.size(), end - at - external.size()).trim();
    definition = head + parameters.str();
    for (const char c : fault_body) {
      if (c == '@' && definition.back() == '[') definition += fault;
      else definition += c;
    }
  }
  for (std::size_t at = text.find(comment); at != llvm::StringRef::npos; at = text.find(comment)) {
    out += text.take_front(at);
    text = text.drop_front(std::min(text.find('\n', at), text.size()));
  }
  out += text;
  out += definition;
  return out;
}

Ptx compile_nvptx(const ir::Graph& graph, const oxide_jit_request& request, oxide_jit_timing& timing) {
  Clock clock;
  const Machine machine(machine_for(request));
  const Held<llvm::LLVMContext> context;
  // Names of values are for readers of the IR only.
  context->setDiscardValueNames((request.flags & OXIDE_JIT_KEEP_LLVM) == 0);
  Diagnostics diagnostics(*context);
  const Held<llvm::Module> held_module(graph.name, *context);
  llvm::Module& module = *held_module;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", std::uint32_t{0});  // subnormals are kept
  Ptx out;
  out.entry = entry_name(graph);
  const Kernel kernel(graph, module, request);
  timing.build_ms = clock.lap();
  if (request.opt_level == 0 || kernel.has_library()) optimize(module, *machine, request.opt_level);
  else optimize_kernel(kernel.function(), *machine, request.opt_level);
  timing.optimize_ms = clock.lap();
  if ((request.flags & OXIDE_JIT_KEEP_LLVM) != 0) out.llvm_ir = text_of(module);
  out.text = finish(emit(module, *machine, llvm::CodeGenFileType::AssemblyFile).str(), kernel.fault_name());
  timing.emit_ms = clock.lap();
  diagnostics.check();
  return out;
}

}  // namespace oxide::jit
