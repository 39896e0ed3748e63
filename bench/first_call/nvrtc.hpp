// NVIDIA's run-time compiler, loaded when it is installed; declared here, so that no toolkit is needed to build.
#pragma once

#include <dlfcn.h>
#include <glob.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace oxide::bench {

class Nvrtc {
 public:
  // Empty when this machine has no libnvrtc.
  static std::optional<Nvrtc> load() {
    for (const std::string& name : candidates()) {
      if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Nvrtc(handle);
    }
    return std::nullopt;
  }

  std::string version() const {
    int major = 0, minor = 0;
    version_(&major, &minor);
    return std::to_string(major) + '.' + std::to_string(minor);
  }

  // `arch` is compute_XY for PTX, sm_XY for a cubin; `macros` are "-DNAME=VALUE".
  std::string compile(const char* source, const std::string& arch, const std::vector<std::string>& macros) const {
    Program program = nullptr;
    check(create_(&program, source, "kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    const std::string arch_option = "--gpu-architecture=" + arch;
    std::vector<const char*> options{arch_option.c_str()};
    for (const std::string& macro : macros) options.push_back(macro.c_str());
    check(compile_(program, static_cast<int>(options.size()), options.data()), "nvrtcCompileProgram");
    const bool cubin = arch.rfind("sm_", 0) == 0;
    std::size_t size = 0;
    check((cubin ? cubin_size_ : ptx_size_)(program, &size), "nvrtcGet...Size");
    std::string code(size, '\0');
    check((cubin ? cubin_ : ptx_)(program, code.data()), "nvrtcGet...");
    destroy_(&program);
    return code;
  }

 private:
  using Program = void*;
  using Result = int;

  static std::vector<std::string> candidates() {
    std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    glob_t found{};
    if (glob("/usr/local/cuda*/lib64/libnvrtc.so.1[0-9]", 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
    }
    globfree(&found);
    return names;
  }

  explicit Nvrtc(void* handle) {
    find(handle, "nvrtcVersion", version_);
    find(handle, "nvrtcCreateProgram", create_);
    find(handle, "nvrtcCompileProgram", compile_);
    find(handle, "nvrtcGetPTXSize", ptx_size_);
    find(handle, "nvrtcGetPTX", ptx_);
    find(handle, "nvrtcGetCUBINSize", cubin_size_);
    find(handle, "nvrtcGetCUBIN", cubin_);
    find(handle, "nvrtcDestroyProgram", destroy_);
  }

  template <typename Function>
  static void find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) throw std::runtime_error(std::string("libnvrtc has no ") + name);
  }
  static void check(Result result, const char* call) {
    if (result != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
  }

  Result (*version_)(int*, int*) = nullptr;
  Result (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Result (*compile_)(Program, int, const char* const*) = nullptr;
  Result (*ptx_size_)(Program, std::size_t*) = nullptr;
  Result (*ptx_)(Program, char*) = nullptr;
  Result (*cubin_size_)(Program, std::size_t*) = nullptr;
  Result (*cubin_)(Program, char*) = nullptr;
  Result (*destroy_)(Program*) = nullptr;
};

}  // namespace oxide::bench
