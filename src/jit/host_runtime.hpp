// What code of the CPU device calls of the operating system.
#pragma once

namespace oxide::jit {

struct RuntimeFunction {
  const char* name;
  void* address;
};

inline constexpr char globaltimer_function[] = "oxide_globaltimer";  // u64()
inline constexpr char smid_function[] = "oxide_smid";                // u32()
inline constexpr char nsmid_function[] = "oxide_nsmid";              // u32()
inline constexpr char nanosleep_function[] = "oxide_nanosleep";      // void(u32)
inline constexpr char breakpoint_function[] = "oxide_breakpoint";    // void()

inline constexpr unsigned runtime_function_count = 5;
extern const RuntimeFunction runtime_functions[runtime_function_count];

}  // namespace oxide::jit
