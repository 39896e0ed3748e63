// The CUDA driver, loaded at run time: libcuda.so.1, or the file that the environment variable OXIDE_LIBCUDA names.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>

#include <cstdint>
#include <string>

#include <oxide/error.hpp>
#include <oxide/jit/target.hpp>
#include <oxide/runtime/cuda/driver_api.hpp>

namespace oxide::runtime::cuda {

class Driver : public DriverFunctions {
 public:
  // The process's driver, loaded and initialized at the first call. Throws DeviceError when there is none, when it is older than
  // CUDA 12.0 (driver 525), or when it does not start; every later call throws the same.
  static const Driver& get();

  std::uint32_t version() const { return version_; }  // 1000 * major + 10 * minor of CUDA
  int device_count() const { return device_count_; }

  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string error_text(Result error) const;
  // Throws DeviceError when a call failed. For calls that are not about one context; see Context::check for those that are.
  void check(Result result, const char* doing) const {
    if (result != SUCCESS) [[unlikely]]
      throw DeviceError(doing, error_text(result), result);
  }

 private:
  Driver() = default;
  void load();
  void start();

  std::uint32_t version_ = 0;
  int device_count_ = 0;
};

namespace detail {
inline std::string cuda_version_text(std::uint32_t version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}
}  // namespace detail

inline std::string Driver::error_text(Result error) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(error, &name) != SUCCESS || name == nullptr) return "CUDA error " + std::to_string(error);
  std::string s = name;
  if (GetErrorString(error, &text) == SUCCESS && text != nullptr) s.append(" (").append(text).append(")");
  return s;
}

inline void Driver::load() {
  const char* named = getenv("OXIDE_LIBCUDA");
  const char* const file = named != nullptr && *named != '\0' ? named : "libcuda.so.1";
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw DeviceError("loading the CUDA driver", std::string("no driver: ") + (why == nullptr ? file : why));
  }
  // The version first, with the two oldest functions there are: an old driver lacks others, and its age is the better message.
  const auto get_version = reinterpret_cast<decltype(DriverGetVersion)>(dlsym(handle, "cuDriverGetVersion"));
  int found = 0;
  if (get_version == nullptr || get_version(&found) != SUCCESS)
    throw DeviceError("loading the CUDA driver", std::string("'") + file + "' does not answer cuDriverGetVersion");
  version_ = static_cast<std::uint32_t>(found);
  if (version_ < jit::oldest_driver)
    throw DeviceError("loading the CUDA driver", "the driver is too old: needed CUDA " + detail::cuda_version_text(jit::oldest_driver) +
                                                     " (driver 525) or newer, found CUDA " + detail::cuda_version_text(version_));
#define OXIDE_CUDA_LOAD(name, symbol, parameters)                                       \
  if (name = reinterpret_cast<decltype(name)>(dlsym(handle, #symbol)); name == nullptr) \
    throw DeviceError("loading the CUDA driver", std::string("'") + file + "' has no function " #symbol);
  OXIDE_CUDA_FUNCTIONS(OXIDE_CUDA_LOAD)
#undef OXIDE_CUDA_LOAD
}

inline void Driver::start() {
  check(Init(0), "initializing the CUDA driver (cuInit)");
  check(DeviceGetCount(&device_count_), "counting the GPUs (cuDeviceGetCount)");
}

inline const Driver& Driver::get() {
  struct Attempt {
    Driver driver;
    std::string doing, error;
    int code = 0;
    bool ready = false;
  };
  // Never freed: buffers of static storage duration outlive every static object here.
  static const Attempt& attempt = *[] {
    auto* a = new Attempt;
    try {
      a->driver.load();
      a->driver.start();
      a->ready = true;
    } catch (const DeviceError& e) {
      a->doing = e.doing;
      a->error = e.error;
      a->code = e.code;
    }
    return a;
  }();
  if (!attempt.ready) throw DeviceError(attempt.doing, attempt.error, attempt.code);
  return attempt.driver;
}

}  // namespace oxide::runtime::cuda
