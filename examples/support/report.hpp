// What an example says: the device, what the first call of a kernel did and how long that took, and whether the result is right.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <oxide/oxide.hpp>

namespace support {

inline double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// One line: a name, then what there is to say about it.
template <class... A>
void say(std::string_view what, fmt::format_string<A...> format, A&&... arguments) {
  fmt::print("{:<14} {}\n", what, fmt::format(format, std::forward<A>(arguments)...));
  std::fflush(stdout);
}

inline void say_device(const oxide::Device& device) {
  const oxide::DeviceProperties& p = device.properties();
  if (device.is_gpu()) {
    say("device", "{}, sm_{}, {} multiprocessors, {:.0f} GiB, driver for CUDA {}.{}", p.name, p.sm, p.multiprocessors,
        static_cast<double>(p.memory) / (1 << 30), p.driver_version / 1000, p.driver_version % 1000 / 10);
  } else {
    say("device", "{}, {} thread{}", p.name, p.multiprocessors, p.multiprocessors == 1 ? "" : "s");
    if (const std::string why = oxide::Device::why_no_gpu(); !why.empty()) say("", "no GPU: {}", why);
  }
}

inline std::size_t operations_in(const oxide::ir::Graph& graph) {
  std::size_t operations = 0;
  for (const oxide::ir::Block& block : graph.blocks) operations += block.operations.size();
  return operations;
}

// What the first call of a kernel did before it could launch, stage by stage.
inline void say_build(std::string_view kernel, const oxide::KernelBuild& build) {
  const oxide::runtime::BuildTimes& t = build.program->times();
  const double stages = t.stages.decode_ms + t.stages.build_ms + t.stages.optimize_ms + t.stages.emit_ms;
  const bool gpu = build.program->device_id() != 0;
  say(kernel, "first call in {:.2f} ms", build.trace_ms + t.total_ms());
  say("", "  traced     {:8.2f} ms   {} runs of the lambda, {} operations in {} blocks", build.trace_ms, build.trace_runs,
      operations_in(*build.graph), build.graph->blocks.size());
  if (t.library_ms >= 0.005) say("", "  compiler   {:8.2f} ms   its library loaded, once in a process", t.library_ms);
  say("", "  compiled   {:8.2f} ms   to {}: {:.2f} LLVM IR, {:.2f} passes, {:.2f} {}, {:.2f} the rest", t.compile_ms,
      gpu ? "PTX" : "machine code", t.stages.build_ms, t.stages.optimize_ms, t.stages.emit_ms, gpu ? "PTX" : "machine code",
      std::max(t.compile_ms - stages + t.stages.decode_ms, 0.0));
  if (gpu) {
    say("", "  assembled  {:8.2f} ms   to a cubin, by the driver", t.link_ms);
    say("", "  loaded     {:8.2f} ms   onto the device", t.load_ms);
  }
}

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
