// How the compiler's parts report that they cannot go on. Caught at the C ABI, which turns it into a result.
#pragma once

#include <string>

#include <oxide/jit/abi.h>

namespace oxide::jit {

struct Failure {
  oxide_jit_status status = OXIDE_JIT_FAILED;
  std::string message;
};

}  // namespace oxide::jit
