// What benchmarks print and how they measure: one line a figure, ratios of medians taken side by side.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oxide::bench {

// What a figure is held against.
struct Goal {
  enum class Kind { at_most, at_least } kind;
  double bound;

  bool met_by(double ratio) const { return kind == Kind::at_most ? ratio <= bound : ratio >= bound; }
  std::string text() const { return fmt::format("{}{:.4g}", kind == Kind::at_most ? "<=" : ">=", bound); }
};
inline Goal at_most(double bound) { return {Goal::Kind::at_most, bound}; }
inline Goal at_least(double bound) { return {Goal::Kind::at_least, bound}; }

// Prints the figures of one benchmark on stdout, details on stderr, and remembers whether all goals were met.
class Report {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}

  // `NAME CASE ratio=X goal=Y pass|fail`
  void figure(std::string_view what, double ratio, Goal goal) {
    const bool pass = goal.met_by(ratio);
    failed_ = failed_ || !pass;
    fmt::print("{} {} ratio={:.4g} goal={} {}\n", name_, what, ratio, goal.text(), pass ? "pass" : "fail");
    std::fflush(stdout);
  }
  // `NAME CASE skip WHY`: the figure cannot be taken on this machine.
  void skip(std::string_view what, std::string_view why) {
    fmt::print("{} {} skip {}\n", name_, what, why);
    std::fflush(stdout);
  }
  // `NAME CASE error WHY`: the figure should have been taken and was not; counts as a failure.
  void error(std::string_view what, std::string_view why) {
    failed_ = true;
    fmt::print("{} {} error {}\n", name_, what, why);
    std::fflush(stdout);
  }
  void detail(std::string_view what, std::string_view text) const { fmt::print(stderr, "# {} {}: {}\n", name_, what, text); }

  int exit_code() const { return failed_ ? 1 : 0; }

 private:
  std::string name_;
  bool failed_ = false;
};

inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// Seconds of this thread's processor time that one call of `work` takes: for work of one thread, which then does not feel what else the
// machine does.
template <typename Work>
double thread_seconds(Work&& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// Seconds that one call of `work` takes.
template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Comparison {
  double ours, theirs;  // medians
  double ratio() const { return ours / theirs; }
};

// Samples `ours` and `theirs` in turn, so that both see the same machine. Each returns what it measured.
template <typename Ours, typename Theirs>
Comparison compare(int times, Ours&& ours, Theirs&& theirs) {
  std::vector<double> a, b;
  for (int i = 0; i < times; ++i) {
    a.push_back(ours());
    b.push_back(theirs());
  }
  return {median(std::move(a)), median(std::move(b))};
}

}  // namespace oxide::bench
