// OpenCL on this machine's processor, loaded when PoCL is installed; declared here, so that nothing is needed to build.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oxide::bench {

class OpenCl {
 public:
  // A kernel with its arguments: buffers of the device, or numbers.
  class Kernel;

  // Empty when there is none; `why` then says so.
  static std::optional<OpenCl> load(std::string& why) {
    for (const char* name : {"libOpenCL.so.1", "libOpenCL.so", "libpocl.so.2"})
      if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
        OpenCl cl(library);
        if (cl.find_pocl()) return cl;
      }
    why = "PoCL is not installed (scripts/setup.sh bench)";
    return std::nullopt;
  }

  // "PoCL 3.1, cpu-skylake"
  std::string name() const { return text(platform_info_, platform_, 0x0901) + ", " + text(device_info_, device_, 0x102B); }

  using Buffer = void*;
  Buffer buffer(const void* data, std::size_t bytes) const {
    int error = 0;
    Buffer made = create_buffer_(context_, 1 | 32 /* read and write, a copy of the data */, bytes, const_cast<void*>(data), &error);
    check(error, "clCreateBuffer");
    return made;
  }
  template <class T>
  Buffer buffer(const std::vector<T>& data) const {
    return buffer(data.data(), data.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> read(Buffer buffer, std::size_t count) const {
    std::vector<T> data(count);
    check(read_(queue_, buffer, 1, 0, count * sizeof(T), data.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
    return data;
  }

  Kernel build(const char* source, const char* name) const;

 private:
  explicit OpenCl(void* library) {
    find(library, "clGetPlatformIDs", platforms_);
    find(library, "clGetPlatformInfo", platform_info_);
    find(library, "clGetDeviceIDs", devices_);
    find(library, "clGetDeviceInfo", device_info_);
    find(library, "clCreateContext", create_context_);
    find(library, "clCreateCommandQueue", create_queue_);
    find(library, "clCreateBuffer", create_buffer_);
    find(library, "clEnqueueReadBuffer", read_);
    find(library, "clCreateProgramWithSource", create_program_);
    find(library, "clBuildProgram", build_);
    find(library, "clCreateKernel", create_kernel_);
    find(library, "clSetKernelArg", set_argument_);
    find(library, "clEnqueueNDRangeKernel", launch_);
    find(library, "clFinish", finish_);
  }
  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("the OpenCL library has no ") + name);
  }
  static void check(int result, const char* call) {
    if (result != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
  }

  bool find_pocl() {
    std::array<void*, 16> platforms{};
    unsigned count = 0;
    if (platforms_(platforms.size(), platforms.data(), &count) != 0) return false;
    for (unsigned i = 0; i != count && i != platforms.size(); ++i) {
      if (text(platform_info_, platforms[i], 0x0902).find("Portable Computing Language") == std::string::npos) continue;
      unsigned devices = 0;
      if (devices_(platforms[i], 2 /* processors */, 1, &device_, &devices) != 0 || devices == 0) continue;
      platform_ = platforms[i];
      int error = 0;
      context_ = create_context_(nullptr, 1, &device_, nullptr, nullptr, &error);
      check(error, "clCreateContext");
      queue_ = create_queue_(context_, device_, 0, &error);
      check(error, "clCreateCommandQueue");
      return true;
    }
    return false;
  }
  using Info = int (*)(void*, unsigned, std::size_t, void*, std::size_t*);
  static std::string text(Info info, void* of, unsigned what) {
    std::string out(256, '\0');
    std::size_t size = 0;
    if (info(of, what, out.size(), out.data(), &size) != 0 || size == 0) return {};
    out.resize(size - 1);
    return out;
  }

  int (*platforms_)(unsigned, void**, unsigned*) = nullptr;
  Info platform_info_ = nullptr, device_info_ = nullptr;
  int (*devices_)(void*, std::uint64_t, unsigned, void**, unsigned*) = nullptr;
  void* (*create_context_)(const void*, unsigned, void* const*, void*, void*, int*) = nullptr;
  void* (*create_queue_)(void*, void*, std::uint64_t, int*) = nullptr;
  void* (*create_buffer_)(void*, std::uint64_t, std::size_t, void*, int*) = nullptr;
  int (*read_)(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, const void*, void*) = nullptr;
  void* (*create_program_)(void*, unsigned, const char* const*, const std::size_t*, int*) = nullptr;
  int (*build_)(void*, unsigned, void* const*, const char*, void*, void*) = nullptr;
  void* (*create_kernel_)(void*, const char*, int*) = nullptr;
  int (*set_argument_)(void*, unsigned, std::size_t, const void*) = nullptr;
  int (*launch_)(void*, void*, unsigned, const std::size_t*, const std::size_t*, const std::size_t*, unsigned, const void*,
                 void*) = nullptr;
  int (*finish_)(void*) = nullptr;
  void *platform_ = nullptr, *device_ = nullptr, *context_ = nullptr, *queue_ = nullptr;
};

class OpenCl::Kernel {
 public:
  // A launch that has ended when this returns.
  template <class... A>
  void operator()(std::array<std::size_t, 2> grid, std::array<std::size_t, 2> block, const A&... arguments) const {
    unsigned i = 0;
    (check(cl_.set_argument_(kernel_, i++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
    const std::size_t items[] = {grid[0] * block[0], grid[1] * block[1]};
    check(cl_.launch_(cl_.queue_, kernel_, 2, nullptr, items, block.data(), 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
    check(cl_.finish_(cl_.queue_), "clFinish");
  }

 private:
  friend OpenCl;
  Kernel(const OpenCl& cl, void* kernel) : cl_(cl), kernel_(kernel) {}
  const OpenCl& cl_;
  void* kernel_;
};

inline OpenCl::Kernel OpenCl::build(const char* source, const char* name) const {
  int error = 0;
  void* program = create_program_(context_, 1, &source, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(build_(program, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
  void* kernel = create_kernel_(program, name, &error);
  check(error, "clCreateKernel");
  return Kernel(*this, kernel);
}

}  // namespace oxide::bench
