// How long tracing may take before a test calls it a hang.
#pragma once

#include <cstdlib>
#include <ctime>

// Seconds of this process, however busy the machine is. Sanitizers make everything slower, and say so in the environment.
class Patience {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }
  bool lasts() const { return seconds() < (std::getenv("OXIDE_SANITIZED") == nullptr ? 2 : 40); }

 private:
  std::clock_t start_ = std::clock();
};
