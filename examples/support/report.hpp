// What an example says: the device, what the first call of a kernel did and how long that took, and whether the result is right.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <oxide/oxide.hpp>

namespace support {

// One line: a name, then what there is to say about it.
template <class... A>
void say(std::string_view what, fmt::format_string<A...> format, A&&... arguments) {
  fmt::print("{:<14} {}\n", what, fmt::format(format, std::forward<A>(arguments)...));
  std::fflush(stdout);
}

// The device's name and size; for the CPU also why no GPU is used.
void say_device(const oxide::Device& device);

// What the first call of a kernel did before it could launch, stage by stage.
void say_build(std::string_view kernel, const oxide::KernelBuild& build);

inline double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The shortest time of some launches, each waited for.
template <class Launch>
double best_launch_ms(const oxide::Stream& stream, int launches, Launch launch) {
  double best = std::numeric_limits<double>::infinity();
  stream.synchronize();
  for (int i = 0; i < launches; ++i) {
    const double start = now_ms();
    launch();
    stream.synchronize();
    best = std::min(best, now_ms() - start);
  }
  return best;
}

// The larger of two errors, where NaN is larger than all: std::max would forget it.
constexpr double worse(double a, double b) { return b <= a ? a : (a != a ? a : b); }

// Comparisons with a host model; the program's exit status says whether all held.
class Checks {
 public:
  template <class... A>
  void expect(bool holds, fmt::format_string<A...> format, A&&... arguments) {
    passed_ = passed_ && holds;
    say(holds ? "check passed" : "check FAILED", "{}", fmt::format(format, std::forward<A>(arguments)...));
  }
  int exit_status() const { return passed_ ? 0 : 1; }

 private:
  bool passed_ = true;
};

// Runs an example's body; an exception becomes one line and exit status 1.
template <class Body>
int run(std::string_view example, Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", example, error.what());
    return 1;
  }
}

}  // namespace support
