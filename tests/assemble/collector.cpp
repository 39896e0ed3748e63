// A compiler library that is the real one, and that also writes the PTX of every kernel it is given, for every architecture, into a
// folder. Whatever a program compiles, for whichever device, is collected so that ptxas can be asked about it afterwards.
//
//   OXIDE_COLLECT_WITH  the real compiler library
//   OXIDE_COLLECT_IN    the folder: sm_75-<hash>.ptx and so on; <hash>.error where a kernel does not compile for an architecture
#include <oxide/jit/abi.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr std::uint32_t architectures[] = {75, 80, 86, 89, 90, 100, 120};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) {
    std::fprintf(stderr, "the collector of PTX needs %s\n", name);
    std::abort();
  }
  return value;
}

template <typename Function>
Function real(const char* name) {
  static void* const library = dlopen(setting("OXIDE_COLLECT_WITH"), RTLD_NOW | RTLD_LOCAL);
  void* const address = library == nullptr ? nullptr : dlsym(library, name);
  if (address == nullptr) {
    std::fprintf(stderr, "the collector of PTX: %s\n", dlerror());
    std::abort();
  }
  return reinterpret_cast<Function>(address);
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// Written under another name first: several programs may collect at once.
void write_file(const std::string& name, std::string_view text) {
  const std::string path = setting("OXIDE_COLLECT_IN") + ("/" + name), draft = path + "." + std::to_string(getpid());
  if (access(path.c_str(), F_OK) == 0) return;
  std::FILE* const file = std::fopen(draft.c_str(), "w");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !written || std::rename(draft.c_str(), path.c_str()) != 0) {
    std::perror(draft.c_str());
    std::abort();
  }
}

void collect(oxide_jit_request request, std::uint32_t sm) {
  request.target = OXIDE_JIT_NVPTX;
  request.sm = sm;
  request.ptx_version = 0;
  request.flags = 0;
  oxide_jit_result* const result = real<oxide_jit_compile_fn>("oxide_jit_compile")(&request);
  const std::string_view ptx(result->ptx.data == nullptr ? "" : result->ptx.data, result->ptx.size);
  char name[32];
  if (result->status == OXIDE_JIT_OK) {
    std::snprintf(name, sizeof name, "sm_%u-%016llx.ptx", sm, static_cast<unsigned long long>(hash_of(ptx)));
    write_file(name, ptx);
  } else if (result->status == OXIDE_JIT_FAILED) {  // a graph or a request that is refused is another test's matter
    const std::string message = "sm_" + std::to_string(sm) + ": " + (result->message.data == nullptr ? "" : result->message.data) + "\n";
    std::snprintf(name, sizeof name, "%016llx.error", static_cast<unsigned long long>(hash_of(message)));
    write_file(name, message);
  }
  real<oxide_jit_release_fn>("oxide_jit_release")(result);
}

}  // namespace

extern "C" {

const oxide_jit_info* oxide_jit_get_info() { return real<oxide_jit_info_fn>("oxide_jit_get_info")(); }

oxide_jit_result* oxide_jit_compile(const oxide_jit_request* request) {
  if (request != nullptr)
    for (const std::uint32_t sm : architectures) collect(*request, sm);
  return real<oxide_jit_compile_fn>("oxide_jit_compile")(request);
}

void oxide_jit_release(oxide_jit_result* result) { real<oxide_jit_release_fn>("oxide_jit_release")(result); }

void oxide_jit_prepare(const oxide_jit_request*) {}

}  // extern "C"
