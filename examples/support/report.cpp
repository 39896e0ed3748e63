#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <oxide/ir/graph.hpp>
#include <oxide/runtime/program.hpp>

namespace support {

void say_device(const oxide::Device& device) {
  const oxide::DeviceProperties& p = device.properties();
  if (device.is_gpu()) {
    say("device", "{}, sm_{}, {} multiprocessors, {:.0f} GiB, driver for CUDA {}.{}", p.name, p.sm, p.multiprocessors,
        static_cast<double>(p.memory) / (1 << 30), p.driver_version / 1000, p.driver_version % 1000 / 10);
  } else {
    say("device", "{}, {} thread{}", p.name, p.multiprocessors, p.multiprocessors == 1 ? "" : "s");
    if (const std::string why = oxide::Device::why_no_gpu(); !why.empty()) say("", "no GPU: {}", why);
  }
}

void say_build(std::string_view kernel, const oxide::KernelBuild& build) {
  const oxide::runtime::BuildTimes& t = build.program->times();
  const bool gpu = build.program->device_id() != 0;
  const char* const code = gpu ? "PTX" : "machine code";
  const double stages = t.stages.build_ms + t.stages.optimize_ms + t.stages.emit_ms;
  std::size_t operations = 0;
  for (const oxide::ir::Block& block : build.graph->blocks) operations += block.operations.size();

  say(kernel, "first call in {:.2f} ms", build.trace_ms + t.total_ms());
  say("", "  traced     {:8.2f} ms   {} runs of the lambda, {} operations in {} blocks", build.trace_ms, build.trace_runs, operations,
      build.graph->blocks.size());
  if (t.library_ms >= 0.005) say("", "  compiler   {:8.2f} ms   its library loaded, once in a process", t.library_ms);
  say("", "  compiled   {:8.2f} ms   to {}: {:.2f} LLVM IR, {:.2f} passes, {:.2f} {}, {:.2f} the rest", t.compile_ms, code,
      t.stages.build_ms, t.stages.optimize_ms, t.stages.emit_ms, code, std::max(t.compile_ms - stages, 0.0));
  if (gpu) {
    say("", "  assembled  {:8.2f} ms   to a cubin, by the driver", t.link_ms);
    say("", "  loaded     {:8.2f} ms   onto the device", t.load_ms);
  }
}

}  // namespace support
