// The text of assertions.
#pragma once

#include <string>
#include <string_view>

#include <oxide/dsl/assert.hpp>

namespace oxide {

OXIDE_INLINE void assert_(detail::Operand<bool> condition, std::string_view message) {
  detail::check(condition.handle, message.empty() ? "assertion failed" : "assertion failed: " + std::string(message), condition.where);
}

}  // namespace oxide
