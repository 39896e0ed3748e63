// The text of targets, for messages.
#pragma once

#include <string>

#include <oxide/jit/target.hpp>

namespace oxide::jit {

OXIDE_INLINE std::string Target::text() const {
  if (is_host()) return "host";
  std::string s = "sm_" + std::to_string(sm);
  if (ptx_version != 0) s += ", PTX " + std::to_string(ptx_version / 10) + '.' + std::to_string(ptx_version % 10);
  return s;
}

}  // namespace oxide::jit
