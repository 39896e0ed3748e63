// A kernel compiled for a target: what may be shared by every device of that target and by kernels that differ only in names and lines.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>

#include <oxide/jit/compile.hpp>

namespace oxide::runtime {

struct CompileOptions {
  unsigned opt_level = 3;  // 0 to 3
  bool line_info = false;  // source lines for profilers and debuggers, in the machine code
  friend constexpr bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

// How long each stage took, in milliseconds; 0 for a stage that was not needed.
struct BuildTimes {
  double library_ms = 0;  // finding and loading the compiler library, once in a process
  double compile_ms = 0;  // graph to PTX or machine code; its stages are in `stages`
  oxide_jit_timing stages{};
  double link_ms = 0;     // PTX to cubin, by the driver
  double load_ms = 0;     // cubin onto the device
  double total_ms() const { return library_ms + compile_ms + link_ms + load_ms; }
};

struct CompiledKernel {
  jit::CompiledCode code;
  bool line_info = false;
  std::string cubin;  // GPUs: the bytes
  BuildTimes times;
};

namespace detail {

inline double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

// Adds the time from its making to its end.
class Stopwatch {
 public:
  explicit Stopwatch(double& to_ms) : to_(to_ms), start_(now_ms()) {}
  ~Stopwatch() { to_ += now_ms() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& to_;
  double start_;
};

}  // namespace detail
}  // namespace oxide::runtime
