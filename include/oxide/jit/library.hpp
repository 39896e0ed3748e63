// Finding and loading the compiler library, at the first compile and never before.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/jit/abi.h>
#include <oxide/jit/library_path.hpp>

namespace oxide::jit {

// The compiler library, loaded. It stays loaded until the process ends.
//
// Looked for in this order; the first that exists is taken, and must then be good:
//   1. the file that the environment variable OXIDE_JIT names;
//   2. the path that the build compiled in (the macro OXIDE_JIT_PATH, which CMake's oxide::oxide defines);
//   3. liboxide-jit.so beside the executable, then in ../lib from there;
//   4. liboxide-jit.so as the dynamic loader finds it (LD_LIBRARY_PATH, /etc/ld.so.conf).
class Library {
 public:
  // The process's library. Throws CompileError when there is none or it does not fit; the next call then tries again.
  static const Library& get();

  // One file, or a name for the dynamic loader. Throws CompileError with the file and what is wrong with it.
  static Library open(const std::string& file);

  const oxide_jit_info& info() const { return *info_; }
  const std::string& file() const { return file_; }
  oxide_jit_result* compile(const oxide_jit_request& request) const { return compile_(&request); }
  void release(oxide_jit_result* result) const { release_(result); }
  void prepare(const oxide_jit_request& request) const { prepare_(&request); }

 private:
  Library() = default;
  static Library find();
  template <class Function>
  static Function symbol(void* handle, const char* name, const std::string& file);

  std::string file_;
  const oxide_jit_info* info_ = nullptr;
  oxide_jit_compile_fn compile_ = nullptr;
  oxide_jit_release_fn release_ = nullptr;
  oxide_jit_prepare_fn prepare_ = nullptr;
};

namespace detail {

inline constexpr char library_name[] = "liboxide-jit.so";
inline constexpr char library_hint[] = "; the environment variable OXIDE_JIT can name the compiler library's file";

// The folder of the running executable, with a slash at the end; empty when the system does not say.
inline std::string executable_folder() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return {};
  path.resize(static_cast<std::size_t>(size));
  return path.substr(0, path.rfind('/') + 1);
}

inline bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

inline std::string environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace detail

template <class Function>
Function Library::symbol(void* handle, const char* name, const std::string& file) {
  void* address = dlsym(handle, name);
  if (address == nullptr)
    throw CompileError("", "'" + file + "' is not oxide's compiler library: it has no function " + name + detail::library_hint);
  return reinterpret_cast<Function>(address);
}

inline Library Library::open(const std::string& file) {
  // Local: nothing else in the process may bind to the library's symbols.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw CompileError(
        "", "cannot load the compiler library '" + file + "': " + (why == nullptr ? "unknown reason" : why) + detail::library_hint);
  }
  try {
    Library library;
    library.file_ = file;
    const auto get_info = symbol<oxide_jit_info_fn>(handle, "oxide_jit_get_info", file);
    library.compile_ = symbol<oxide_jit_compile_fn>(handle, "oxide_jit_compile", file);
    library.release_ = symbol<oxide_jit_release_fn>(handle, "oxide_jit_release", file);
    library.prepare_ = symbol<oxide_jit_prepare_fn>(handle, "oxide_jit_prepare", file);
    library.info_ = get_info();
    if (library.info_->abi_version != OXIDE_JIT_ABI_VERSION)
      throw CompileError("", "the compiler library '" + file + "' has ABI version " + std::to_string(library.info_->abi_version) +
                                 ", and these headers need " + std::to_string(OXIDE_JIT_ABI_VERSION) +
                                 ": headers and library must come from one oxide" + detail::library_hint);
    return library;
  } catch (...) {
    dlclose(handle);
    throw;
  }
}

inline Library Library::find() {
  if (const std::string named = detail::environment("OXIDE_JIT"); !named.empty()) return open(named);
  std::vector<std::string> files;
  if (detail::library_path_hint != nullptr) files.push_back(detail::library_path_hint);
  if (const std::string folder = detail::executable_folder(); !folder.empty()) {
    files.push_back(folder + detail::library_name);
    files.push_back(folder + "../lib/" + detail::library_name);
  }
  std::string tried;
  for (const std::string& file : files) {
    if (detail::file_exists(file)) return open(file);
    tried += file + ", ";
  }
  try {
    return open(detail::library_name);
  } catch (const CompileError& e) {
    throw CompileError("", std::string(e.what()) + " (no file " + tried + "and the dynamic loader has none)");
  }
}

inline const Library& Library::get() {
  static std::mutex mutex;
  static const Library* loaded = nullptr;
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) loaded = new Library(find());  // never freed: kernels may run until the process ends
  return *loaded;
}

}  // namespace oxide::jit
