// The C ABI: requests in, results out. Nothing throws across it, and LLVM's fatal errors end here too.
#include <oxide/jit/abi.h>

#include "body.hpp"
#include "clock.hpp"
#include "device_library.hpp"
#include "failure.hpp"
#include "host.hpp"
#include "inline_functions.hpp"
#include "llvm.hpp"
#include "nvptx.hpp"
#include "optimize.hpp"
#include "prepare.hpp"

#include <oxide/ir/encode.hpp>
#include <oxide/ir/verify.hpp>

#include <exception>
#include <new>

namespace oxide::jit {

namespace {

struct Result : oxide_jit_result {
  std::string message_text, ptx_text, llvm_text, assembly_text, name;
  std::vector<oxide_fault_site> site_list;
  std::vector<oxide_local_array> array_list;
  std::unique_ptr<LoadedCode> code;

  Result() : oxide_jit_result{} {}

  static void give(oxide_jit_text& out, const std::string& text) { out = {text.c_str(), text.size()}; }
};

// LLVM's fatal error handler may not return. It throws, which unwinds LLVM's frames without running their destructors; what the
// failed compile held is lost, and nothing else is.
void on_fatal_error(void*, const char* reason, bool) {
  llvm_gave_up = true;
  throw Failure{OXIDE_JIT_FAILED, std::string("LLVM: ") + reason};
}
void on_bad_alloc(void*, const char*, bool) { throw std::bad_alloc(); }

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    configure_optimizer();
  });
}

void check(const oxide_jit_request& request) {
  const auto refuse = [](const std::string& why) { throw Failure{OXIDE_JIT_BAD_REQUEST, why}; };
  if (request.abi_version != OXIDE_JIT_ABI_VERSION)
    refuse("the program speaks ABI version " + std::to_string(request.abi_version) + " of the compiler library, which speaks version " +
           std::to_string(OXIDE_JIT_ABI_VERSION) + "; use the library of the same oxide version as the headers");
  if (request.target != OXIDE_JIT_NVPTX && request.target != OXIDE_JIT_HOST) refuse("unknown target " + std::to_string(request.target));
  if (request.opt_level > 3) refuse("the optimization level is 0 to 3, given " + std::to_string(request.opt_level));
  if ((request.flags & ~7u) != 0) refuse("unknown flags");
  if (request.graph == nullptr && request.graph_size != 0) refuse("no graph");
}

ir::Graph read_graph(const oxide_jit_request& request) {
  std::string why;
  std::optional<ir::Graph> graph = ir::decode({request.graph, static_cast<std::size_t>(request.graph_size)}, why);
  if (!graph) throw Failure{OXIDE_JIT_BAD_GRAPH, "the graph does not decode: " + why};
  if (const auto defect = ir::verify(*graph)) throw Failure{OXIDE_JIT_BAD_GRAPH, "the graph does not verify: " + defect->text()};
  return std::move(*graph);
}

// Branches on whether this is a GPU become jumps, so that what is for other machines is not compiled. Blocks keep their numbers: sites name
// them.
void take_sides(ir::Body& body, bool gpu) {
  std::vector<std::uint8_t> definitions(body.variables.size(), 0);
  std::vector<bool> asks(body.variables.size());
  for (const ir::Block& block : body.blocks)
    for (const ir::Operation& op : block.operations) {
      const ir::OpcodeRow& row = ir::row_of(op.opcode);
      const ir::Variable v = row.effect == ir::Effect::writes_variable ? op.operands[0] : op.result;
      if (v == ir::no_variable) continue;
      if (definitions[v] != 2) ++definitions[v];
      asks[v] = op.opcode == ir::Opcode::on_gpu;
    }
  for (ir::Block& block : body.blocks) {
    ir::Terminator& t = block.terminator;
    if (t.kind != ir::TerminatorKind::branch || !asks[t.condition] || definitions[t.condition] != 1) continue;
    t = {ir::TerminatorKind::jump, ir::no_variable, {t.targets[gpu ? 0 : 1], 0}, t.location};
  }
}
void take_sides(ir::Graph& graph, bool gpu) {
  take_sides(static_cast<ir::Body&>(graph), gpu);
  for (ir::Function& f : graph.functions) take_sides(static_cast<ir::Body&>(f), gpu);
}

// What a GPU does in kernels only. Whether there is such an operation decides what a launch passes, so none is dropped.
bool waits_for_grid(const ir::Operation& op) { return op.opcode == ir::Opcode::grid_barrier; }

void compile(const oxide_jit_request& request, Result& result) {
  check(request);
  initialize();
  llvm_gave_up = false;
  Clock clock;
  ir::Graph graph = read_graph(request);
  const bool gpu = request.target == OXIDE_JIT_NVPTX;
  take_sides(graph, gpu);
  const Origins origins = inline_functions(graph, gpu ? waits_for_grid : is_collective, /*drop=*/!gpu);
  result.site_list = origins.sites(graph);
  result.sites = result.site_list.data();
  result.site_count = result.site_list.size();
  result.timing.decode_ms = clock.lap();
  if (gpu) {
    Ptx ptx = compile_nvptx(graph, request, result.timing);
    result.ptx_text = std::move(ptx.text);
    result.llvm_text = std::move(ptx.llvm_ir);
    result.name = std::move(ptx.entry);
    result.array_list = std::move(ptx.local_arrays);
    for (oxide_local_array& array : result.array_list) origins.place(array);
    result.local_arrays = result.array_list.data();
    result.local_array_count = result.array_list.size();
    Result::give(result.ptx, result.ptx_text);
    result.entry_name = result.name.c_str();
  } else {
    HostCode host = compile_host(graph, request, result.timing);
    result.code = std::move(host.code);
    result.entry = result.code->entry;
    result.needs = host.needs;
    result.llvm_text = std::move(host.llvm_ir);
    result.assembly_text = std::move(host.assembly);
    if ((request.flags & OXIDE_JIT_KEEP_ASM) != 0) Result::give(result.assembly, result.assembly_text);
  }
  if ((request.flags & OXIDE_JIT_KEEP_LLVM) != 0) Result::give(result.llvm_ir, result.llvm_text);
}

void report(Result& result, oxide_jit_status status, std::string message) {
  result.status = status;
  result.message_text = std::move(message);
  Result::give(result.message, result.message_text);
}

// What is returned when there is no memory for a result.
oxide_jit_result out_of_memory = [] {
  static constexpr char text[] = "out of memory";
  oxide_jit_result result{};
  result.status = OXIDE_JIT_FAILED;
  result.message = {text, sizeof text - 1};
  return result;
}();

std::string find_library_name() {
  try {
    return DeviceLibrary::get(nullptr).name();
  } catch (const Failure&) {
    return {};
  }
}

}  // namespace

}  // namespace oxide::jit

using namespace oxide::jit;

extern "C" const oxide_jit_info* oxide_jit_get_info(void) {
  static const std::string device_library = find_library_name(), cpu = host_cpu();
  static const oxide_jit_info info{OXIDE_JIT_ABI_VERSION, OXIDE_VERSION, LLVM_VERSION_STRING, device_library.c_str(), cpu.c_str()};
  return &info;
}

extern "C" oxide_jit_result* oxide_jit_compile(const oxide_jit_request* request) {
  auto* result = new (std::nothrow) Result;
  if (result == nullptr) return &out_of_memory;
  try {
    if (request == nullptr) throw Failure{OXIDE_JIT_BAD_REQUEST, "no request"};
    compile(*request, *result);
  } catch (const Failure& failure) {
    report(*result, failure.status, failure.message);
  } catch (const std::bad_alloc&) {
    report(*result, OXIDE_JIT_FAILED, "out of memory");
  } catch (const std::exception& e) {
    report(*result, OXIDE_JIT_FAILED, e.what());
  }
  return result;
}

extern "C" void oxide_jit_prepare(const oxide_jit_request* request) {
  try {
    check(*request);
    map_code();
    initialize();
    oxide_jit_timing timing;
    const oxide::ir::Graph graph = typical_graph();
    if (request->target == OXIDE_JIT_NVPTX) compile_nvptx(graph, *request, timing);
    else compile_host(graph, *request, timing);
  } catch (const Failure&) {
  } catch (const std::exception&) {}
}

extern "C" void oxide_jit_release(oxide_jit_result* result) {
  if (result != nullptr && result != &out_of_memory) delete static_cast<Result*>(result);
}
