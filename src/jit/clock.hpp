#pragma once

#include <chrono>

namespace oxide::jit {

class Clock {
 public:
  // Milliseconds since the last lap, or since the clock was made.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace oxide::jit
