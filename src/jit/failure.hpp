// How the compiler's parts report that they cannot go on. Caught at the C ABI, which turns it into a result.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <oxide/jit/abi.h>

namespace oxide::jit {

struct Failure {
  oxide_jit_status status = OXIDE_JIT_FAILED;
  std::string message;
};

// Set on a thread whose compile LLVM gave up: what that compile used of LLVM is in no known state, and is neither used again nor
// taken apart.
inline thread_local bool llvm_gave_up = false;

// Owns an object of LLVM's, and lets go of it when LLVM gave up.
template <class T>
class Held {
 public:
  template <class... A>
  explicit Held(A&&... arguments) : object_(std::make_unique<T>(std::forward<A>(arguments)...)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (llvm_gave_up) (void)object_.release();
  }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace oxide::jit
