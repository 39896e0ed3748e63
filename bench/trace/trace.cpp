// What tracing costs: from a lambda to a verified graph.
#include <oxide/ir/graph.hpp>

#include "support/figure.hpp"
#include "trace/kernels.hpp"

namespace {

using namespace oxide::bench;
using In = oxide::DeviceBuffer<float>;

constexpr int times = 101;

std::size_t operation_count(const oxide::ir::Graph& graph) {
  std::size_t count = 0;
  for (const auto& block : graph.blocks) count += block.operations.size() + 1;
  return count;
}

// The median time of a trace against `bound_ms`.
template <typename Trace>
void time_trace(Report& report, const char* what, double bound_ms, Trace trace) {
  try {
    runs = 0;
    const auto graph = trace();
    const int runs_of_one = runs;
    std::vector<double> samples;
    for (int i = 0; i < times; ++i) samples.push_back(thread_seconds(trace));
    const double ms = 1e3 * median(std::move(samples));
    if (runs < times * runs_of_one / 2) throw std::runtime_error("the trace came from a cache");
    report.detail(what, fmt::format("{:.3f} ms, {} runs of the lambda, {} operations in {} blocks", ms, runs_of_one,
                                    operation_count(*graph), graph->blocks.size()));
    report.figure(what, ms / bound_ms, at_most(1.0));
  } catch (const std::exception& e) {
    report.error(what, e.what());
  }
}

}  // namespace

int main() {
  Report report("trace");
  time_trace(report, "operations_300_decisions_20_ms", 1.0, [] { return operations_300.graph<In, In, In>(); });
  time_trace(report, "four_nested_loops_ms", 5.0, [] { return nested_loops.graph<In, In, std::uint32_t>(); });
  time_trace(report, "four_nested_ranges_ms", 5.0, [] { return nested_ranges.graph<In, In, std::uint32_t>(); });

  time_trace(report, "guarded_scan_ms", 4.0, [] { return guarded_scan.graph<In, In, std::uint32_t>(); });
  time_trace(report, "branching_reduction_ms", 2.0, [] { return branching_reduction.graph<In, oxide::DeviceBuffer<std::uint32_t>>(); });

  runs = 0;
  try {
    const auto graph = sequential_ifs.graph<In, In, In>();
    report.detail("sequential_ifs_60_runs", fmt::format("{} runs, {} blocks", runs, graph->blocks.size()));
    report.figure("sequential_ifs_60_runs", runs / 400.0, at_most(1.0));
    report.figure("sequential_ifs_60_blocks", static_cast<double>(graph->blocks.size()) / (3 * 60), at_most(1.1));
  } catch (const std::exception& e) {
    report.error("sequential_ifs_60_runs", e.what());
  }
  return report.exit_code();
}
