// The compiler library through its C ABI, for tests.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <oxide/ir/encode.hpp>
#include <oxide/jit/abi.h>

namespace oxide::testing {

// The library's file: OXIDE_JIT, or where the build put it.
inline std::string compiler_path() {
  if (const char* path = std::getenv("OXIDE_JIT"); path != nullptr && *path != '\0') return path;
#ifdef OXIDE_JIT_PATH
  return OXIDE_JIT_PATH;
#else
  return "liboxide-jit.so";
#endif
}

struct Compiler {
  oxide_jit_info_fn info;
  oxide_jit_compile_fn compile;
  oxide_jit_release_fn release;

  static const Compiler& get() {
    static const Compiler compiler = [] {
      void* library = dlopen(compiler_path().c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) throw std::runtime_error(dlerror());
      const auto find = [&](const char* name) {
        void* symbol = dlsym(library, name);
        if (symbol == nullptr) throw std::runtime_error(dlerror());
        return symbol;
      };
      return Compiler{reinterpret_cast<oxide_jit_info_fn>(find("oxide_jit_get_info")),
                      reinterpret_cast<oxide_jit_compile_fn>(find("oxide_jit_compile")),
                      reinterpret_cast<oxide_jit_release_fn>(find("oxide_jit_release"))};
    }();
    return compiler;
  }
};

struct Release {
  void operator()(oxide_jit_result* result) const { Compiler::get().release(result); }
};
using Compiled = std::unique_ptr<oxide_jit_result, Release>;

inline oxide_jit_request request_for(oxide_jit_target target) {
  oxide_jit_request request{};
  request.abi_version = OXIDE_JIT_ABI_VERSION;
  request.target = target;
  request.sm = 80;
  request.opt_level = 3;
  return request;
}

inline Compiled compile(oxide_jit_request request, const std::vector<std::uint8_t>& bytes) {
  request.graph = bytes.data();
  request.graph_size = bytes.size();
  return Compiled(Compiler::get().compile(&request));
}
inline Compiled compile(const oxide_jit_request& request, const ir::Graph& graph) { return compile(request, ir::encode(graph)); }

inline std::string text_of(const oxide_jit_text& text) { return text.data == nullptr ? std::string() : std::string(text.data, text.size); }

}  // namespace oxide::testing
