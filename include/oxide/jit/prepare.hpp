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

// Loads the compiler library and makes it ready for a target, once, on a thread of its own. Called where the driver takes a tenth of a
// second to make a GPU's context: the first kernel then finds a compiler that is warm. What fails here fails again, and is reported, at
// the first compile. The thread is not waited for: the library has nothing that the end of the process destroys (src/jit/exit.cpp).
inline void prepare(const Target& target) {
  static std::mutex mutex;
  static std::vector<Target>& begun = *new std::vector<Target>;  // guarded by mutex
  {
    const std::lock_guard lock(mutex);
    if (std::find(begun.begin(), begun.end(), target) != begun.end()) return;
    begun.push_back(target);
  }
  try {
    std::thread([target] {
      oxide_jit_request request{};
      request.abi_version = OXIDE_JIT_ABI_VERSION;
      request.target = static_cast<std::uint32_t>(target.kind);
      request.sm = target.sm;
      request.ptx_version = target.ptx_version;
      request.opt_level = 3;
      try {
        Library::get().prepare(request);
      } catch (const CompileError&) {}
    }).detach();
  } catch (const std::system_error&) {  // no thread to be had
  }
}

}  // namespace oxide::jit
