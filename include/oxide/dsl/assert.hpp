// Checks of the kernel's own: ox::assert_ and ox::trap.
#pragma once

#include <string_view>

#include <oxide/dsl/value.hpp>

namespace oxide {

// Goes on where the condition holds. A thread where it does not ends here, and the others go on; the host gets a KernelFault with the
// message, the kernel, the line and the thread: on a GPU from the next call that waits, on the CPU from the launch. The device goes on.
// Example: ox::assert_(x >= 0, "x is a length");
OXIDE_INLINE void assert_(detail::Operand<bool> condition, std::string_view message = {});

// Ends the thread as a failed assert_ does. The code behind it is never reached.
// Example: if (node == root) ox::trap("the tree has a ring");
inline void trap(std::string_view message = "the kernel trapped", detail::Where where = detail::Where::current()) {
  detail::check(detail::constant(ir::Type::boolean, 0, where), message, where);
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/assert_implementation.hpp>
#endif
