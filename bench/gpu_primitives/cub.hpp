// CUB's device-wide algorithms, compiled by nvcc where that is installed and loaded; declared here, so that no toolkit is needed to build.
#pragma once

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

namespace oxide::bench {

// Each: with no temporary memory, says how much it wants; else runs in the stream. 0 when all went well.
inline constexpr const char* cub_source = R"(
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cstdint>
using u32 = std::uint32_t;
using i64 = long long;
extern "C" int bench_reduce(void* temp, size_t* bytes, const u32* in, u32* out, i64 n, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(temp, *bytes, in, out, n, stream);
}
extern "C" int bench_scan(void* temp, size_t* bytes, const u32* in, u32* out, i64 n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(temp, *bytes, in, out, n, stream);
}
extern "C" int bench_sort(void* temp, size_t* bytes, const u32* in, u32* out, i64 n, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortKeys(temp, *bytes, in, out, n, 0, 32, stream);
}
)";

class Cub {
 public:
  using Algorithm = int (*)(void* temp, std::size_t* bytes, const std::uint32_t* in, std::uint32_t* out, long long n, void* stream);

  // The library that OXIDE_BENCH_CUB names, or one that is made now. Empty when this machine has no nvcc; `why` then says so.
  static std::optional<Cub> load(unsigned sm, std::string& why) {
    if (const char* given = getenv("OXIDE_BENCH_CUB"); given != nullptr) return Cub(given);
    std::string folder = std::filesystem::temp_directory_path() / "oxide-cub-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    const std::string library = folder + "/cub.so";
    const bool made = build(sm, library, why);
    std::optional<Cub> cub;
    if (made) cub = Cub(library.c_str());
    unlink(library.c_str());
    rmdir(folder.c_str());
    return cub;
  }

  // Compiles for one architecture. False when there is no nvcc.
  static bool build(unsigned sm, const std::string& library, std::string& why) {
    const std::string nvcc = find_nvcc();
    if (nvcc.empty()) return why = "nvcc is not installed", false;
    const std::string source = library + ".cu";
    std::ofstream(source) << cub_source;
    const std::string command = "'" + nvcc + "' -O3 -std=c++17 -shared -Xcompiler -fPIC -arch=sm_" + std::to_string(sm) + " -o '" +
                                library + "' '" + source + "' >&2";
    const int status = system(command.c_str());
    unlink(source.c_str());
    if (status != 0) throw std::runtime_error("nvcc failed on CUB's algorithms");
    return true;
  }

  Algorithm reduce = nullptr, scan = nullptr, sort = nullptr;

 private:
  explicit Cub(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(std::string("loading CUB's algorithms: ") + dlerror());
    reduce = reinterpret_cast<Algorithm>(dlsym(library, "bench_reduce"));
    scan = reinterpret_cast<Algorithm>(dlsym(library, "bench_scan"));
    sort = reinterpret_cast<Algorithm>(dlsym(library, "bench_sort"));
    if (reduce == nullptr || scan == nullptr || sort == nullptr)
      throw std::runtime_error(std::string(path) + " has not all of CUB's algorithms");
  }

  static std::string find_nvcc() {
    if (system("command -v nvcc >/dev/null 2>&1") == 0) return "nvcc";
    glob_t found{};
    std::string path;
    if (glob("/usr/local/cuda*/bin/nvcc", 0, nullptr, &found) == 0 && found.gl_pathc != 0) path = found.gl_pathv[found.gl_pathc - 1];
    globfree(&found);
    return path;
  }
};

}  // namespace oxide::bench
