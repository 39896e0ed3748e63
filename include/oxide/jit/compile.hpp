// The compiler's C ABI as C++: a graph in, a result that releases itself out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/encode.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/jit/abi.h>
#include <oxide/jit/library.hpp>
#include <oxide/jit/target.hpp>

namespace oxide::jit {

// What the compiler made of a graph. Move-only; host code lives as long as this does.
class CompiledCode {
 public:
  CompiledCode(const Library& library, oxide_jit_result* result) : library_(&library), result_(result) {}
  CompiledCode(CompiledCode&& other) noexcept : library_(other.library_), result_(std::exchange(other.result_, nullptr)) {}
  CompiledCode& operator=(CompiledCode&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(result_, other.result_);
    return *this;
  }
  ~CompiledCode() {
    if (result_ != nullptr) library_->release(result_);
  }

  std::string_view ptx() const { return view(result_->ptx); }
  std::string_view llvm_ir() const { return view(result_->llvm_ir); }
  std::string_view assembly() const { return view(result_->assembly); }
  std::string_view message() const { return view(result_->message); }
  const char* entry_name() const { return result_->entry_name; }
  oxide_host_kernel entry() const { return result_->entry; }
  std::span<const oxide_fault_site> sites() const { return {result_->sites, static_cast<std::size_t>(result_->site_count)}; }
  const oxide_host_needs& needs() const { return result_->needs; }
  // Those that lie in local memory.
  std::span<const oxide_local_array> local_arrays() const {
    return {result_->local_arrays, static_cast<std::size_t>(result_->local_array_count)};
  }
  const oxide_jit_timing& timing() const { return result_->timing; }
  oxide_jit_status status() const { return result_->status; }

 private:
  static std::string_view view(const oxide_jit_text& text) {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, static_cast<std::size_t>(text.size));
  }

  const Library* library_;
  oxide_jit_result* result_;
};

struct CompileRequest {
  Target target;
  unsigned opt_level = 3;
  std::uint32_t flags = 0;  // oxide_jit_flags
};

// Compiles a graph. Throws CompileError with the kernel's name and the compiler's message when the library is missing, the
// target cannot do what the graph asks for, or the compiler failed. May be called from several threads at once.
CompiledCode compile(const ir::Graph& graph, const CompileRequest& request);

namespace detail {
inline const Library& library_for(const ir::Graph& graph) {
  try {
    return Library::get();
  } catch (const CompileError& e) {
    throw CompileError(graph.name, e.what());
  }
}
}  // namespace detail

inline CompiledCode compile(const ir::Graph& graph, const CompileRequest& request) {
  const Library& library = detail::library_for(graph);
  const std::vector<std::uint8_t> bytes = ir::encode(graph);
  oxide_jit_request r{};
  r.abi_version = OXIDE_JIT_ABI_VERSION;
  r.target = static_cast<std::uint32_t>(request.target.kind);
  r.graph = bytes.data();
  r.graph_size = bytes.size();
  r.sm = request.target.sm;
  r.ptx_version = request.target.ptx_version;
  r.opt_level = request.opt_level;
  r.flags = request.flags;
  CompiledCode code(library, library.compile(r));
  if (code.status() == OXIDE_JIT_OK) return code;

  constexpr std::string_view reasons[] = {"", "the compiler library refuses the request", "the graph is not valid",
                                          "the target cannot do this", "the compiler failed"};
  const auto status = static_cast<std::size_t>(code.status());
  std::string text = "cannot compile for " + request.target.text() + ": ";
  text += status < std::size(reasons) ? reasons[status] : reasons[OXIDE_JIT_FAILED];
  if (!code.message().empty()) text.append(": ").append(code.message());
  throw CompileError(graph.name, text);
}

}  // namespace oxide::jit
