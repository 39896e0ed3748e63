// The floating-point control that kernels run under: round to nearest, subnormals kept, no exception raises a signal.
#pragma once

#if !defined(__x86_64__)
#include <cfenv>
#endif

namespace oxide::runtime::cpu {

// Sets the control for a scope and restores the thread's own after it, with its exception flags.
class FloatingEnvironment {
 public:
  FloatingEnvironment(const FloatingEnvironment&) = delete;
  FloatingEnvironment& operator=(const FloatingEnvironment&) = delete;

#if defined(__x86_64__)
  // MXCSR (Intel SDM volume 1, 10.2.3): exceptions masked, round to nearest, no flush to zero, no denormals-are-zero.
  static constexpr unsigned kernel_control = 0x1f80;

  FloatingEnvironment() : saved_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(kernel_control); }
  ~FloatingEnvironment() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  unsigned saved_;
#else
  FloatingEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatingEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace oxide::runtime::cpu
