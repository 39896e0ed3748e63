// Starting the compiler before it is needed.
#pragma once

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/jit/abi.h>
#include <oxide/jit/library.hpp>
#include <oxide/jit/target.hpp>

namespace oxide::jit {

namespace detail {

// No library may be opened while the process ends: glibc's loader then runs the initializers of all that it depends on again. An exit waits
// for the one that is being opened, and none is opened behind it.
class Opening {
 public:
  static Opening& get() {
    static Opening& opening = *new Opening;
    static const AtExit at_exit;
    return opening;
  }
  // Whether the library is there.
  bool open() {
    const std::lock_guard lock(mutex_);
    if (!ended_) Library::get();
    return !ended_;
  }

 private:
  struct AtExit {
    ~AtExit() {
      Opening& opening = get();
      const std::lock_guard lock(opening.mutex_);
      opening.ended_ = true;
    }
  };
  std::mutex mutex_;
  bool ended_ = false;  // guarded by mutex_
};

}  // namespace detail

// Loads the compiler library and makes it ready for a target, once, on a thread of its own. Called where the driver takes a tenth of a
// second to make a GPU's context: the first kernel then finds a compiler that is warm. What fails here fails again, and is reported, at
// the first compile. Once the library is open the thread is not waited for: it has nothing that the end of the process destroys
// (src/jit/exit.cpp).
inline void prepare(const Target& target) {
  static std::mutex mutex;
  static std::vector<Target>& begun = *new std::vector<Target>;  // guarded by mutex
  {
    const std::lock_guard lock(mutex);
    if (std::find(begun.begin(), begun.end(), target) != begun.end()) return;
    begun.push_back(target);
  }
  detail::Opening& opening = detail::Opening::get();
  try {
    std::thread([target, &opening] {
      oxide_jit_request request{};
      request.abi_version = OXIDE_JIT_ABI_VERSION;
      request.target = static_cast<std::uint32_t>(target.kind);
      request.sm = target.sm;
      request.ptx_version = target.ptx_version;
      request.opt_level = 3;
      try {
        if (opening.open()) Library::get().prepare(request);
      } catch (const CompileError&) {}
    }).detach();
  } catch (const std::system_error&) {  // no thread to be had
  }
}

}  // namespace oxide::jit
