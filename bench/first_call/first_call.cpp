// From a kernel to PTX and to a cubin: oxide (lambda, trace, compile, and for the cubin the driver's linker) against NVRTC (source text).
//
//   first   the first compile of a process that has opened its device, as a program has that launches; each sample is a process of its
//           own. oxide loads its compiler while the driver makes the GPU's context, NVRTC's user loads it when it is called. Without a
//           GPU, and in the detail line `cold`, oxide's time includes the loading too.
//   later   the median of later compiles of different kernels in one process
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <oxide/ir/graph.hpp>
#include <oxide/jit/compile.hpp>
#include <oxide/runtime/backend.hpp>
#include <oxide/runtime/compiled.hpp>

#include "first_call/kernels.hpp"
#include "first_call/nvrtc.hpp"
#include "support/figure.hpp"

namespace {

using namespace oxide::bench;
namespace ir = oxide::ir;
namespace jit = oxide::jit;
namespace runtime = oxide::runtime;

constexpr int variants = 9;
constexpr int processes = 7;
constexpr std::uint32_t default_sm = 90;

using In = oxide::DeviceBuffer<float>;
using GraphMaker = oxide::Counted<const ir::Graph> (*)();

template <int V>
oxide::Counted<const ir::Graph> vecadd_graph() {
  return vecadd<V>.template graph<In, In, In>();
}
template <int V>
oxide::Counted<const ir::Graph> stencil_graph() {
  return stencil<V>.template graph<In, In, std::uint32_t>();
}
template <int V>
oxide::Counted<const ir::Graph> branches_graph() {
  return branches<V>.template graph<In, In, In>();
}
template <int V>
oxide::Counted<const ir::Graph> nbody_graph() {
  return nbody<V>.template graph<In, In, In, In, In, In, In>();
}

struct Case {
  const char* name;
  const char* cuda;
  GraphMaker graphs[variants];
};

template <int... V>
std::vector<Case> make_cases(std::integer_sequence<int, V...>) {
  return {{"vecadd", vecadd_cuda, {vecadd_graph<V>...}},
          {"stencil", stencil_cuda, {stencil_graph<V>...}},
          {"branches", branches_cuda, {branches_graph<V>...}},
          {"nbody", nbody_cuda, {nbody_graph<V>...}}};
}
const std::vector<Case>& cases() {
  static const std::vector<Case> all = make_cases(std::make_integer_sequence<int, variants>());
  return all;
}

enum class Output { ptx, cubin };

std::optional<oxide::Device> gpu() {
  try {
    return oxide::Device::gpu(0);
  } catch (const oxide::DeviceError&) {
    return std::nullopt;
  }
}

double oxide_seconds(const Case& kernel, int variant, Output output, const std::optional<oxide::Device>& device) {
  const jit::Target target = device ? device->target() : jit::Target::nvptx(default_sm);
  return seconds([&] {
    const auto graph = kernel.graphs[variant]();
    runtime::CompiledKernel compiled{jit::compile(*graph, {target}), false, {}, {}};
    if (compiled.code.ptx().empty()) throw std::runtime_error("no PTX came out");
    if (output == Output::cubin) {
      device->state().link(compiled, *graph);
      if (compiled.cubin.empty()) throw std::runtime_error("no cubin came out");
    }
  });
}

double nvrtc_seconds(const Nvrtc& nvrtc, const Case& kernel, int variant, Output output, std::uint32_t sm) {
  const std::string arch = (output == Output::ptx ? "compute_" : "sm_") + std::to_string(sm);
  return seconds([&] { nvrtc.compile(kernel.cuda, arch, {"-DVARIANT=" + std::to_string(variant)}); });
}

// What a process started as `first SIDE KERNEL OUTPUT` does: one compile, its seconds on stdout.
int first_in_process(const char* side, const char* name, const char* output_name) {
  const Output output = std::strcmp(output_name, "cubin") == 0 ? Output::cubin : Output::ptx;
  for (const Case& kernel : cases()) {
    if (std::strcmp(kernel.name, name) != 0) continue;
    const std::optional<oxide::Device> device = gpu();
    const bool cold = std::strcmp(side, "oxide_cold") == 0;
    if (device && !cold) device->default_stream();  // the driver's start is neither side's cost
    const std::uint32_t sm = device ? device->target().sm : default_sm;
    double taken = 0;
    if (cold || std::strcmp(side, "oxide") == 0) {
      taken = oxide_seconds(kernel, 0, output, device);
    } else {
      std::optional<Nvrtc> nvrtc;
      taken = seconds([&] { nvrtc = Nvrtc::load(); });
      if (!nvrtc) return 1;
      taken += nvrtc_seconds(*nvrtc, kernel, 0, output, sm);
    }
    std::printf("%.9f\n", taken);
    return 0;
  }
  return 1;
}

double in_new_process(const char* side, const char* name, Output output) {
  const std::string command = fmt::format("/proc/{}/exe first {} {} {}", getpid(), side, name, output == Output::ptx ? "ptx" : "cubin");
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start a process");
  double taken = 0;
  const bool read = std::fscanf(pipe, "%lf", &taken) == 1;
  if (pclose(pipe) != 0 || !read) throw std::runtime_error(std::string("the process for ") + side + " failed");
  return taken;
}

// A cubin takes both sides the same assembler, the driver's and NVRTC's own, and longer than all that came before.
void report_case(Report& report, const std::string& what, Output output, const Comparison& c) {
  report.detail(what, fmt::format("oxide {:.2f} ms, NVRTC {:.2f} ms", c.ours * 1e3, c.theirs * 1e3));
  report.figure(what, c.theirs / c.ours, at_least(output == Output::ptx ? 4.0 : 1.0));
}

void compare_case(Report& report, const Nvrtc& nvrtc, const Case& kernel, Output output, const std::optional<oxide::Device>& device) {
  const std::string what = fmt::format("{}_to_{}", kernel.name, output == Output::ptx ? "ptx" : "cubin");
  const std::uint32_t sm = device ? device->target().sm : default_sm;
  report_case(report, what + "_first", output,
              compare(
                  processes, [&] { return in_new_process("oxide", kernel.name, output); },
                  [&] { return in_new_process("nvrtc", kernel.name, output); }));
  if (device && output == Output::ptx) {
    std::vector<double> cold;
    for (int i = 0; i != processes; ++i) cold.push_back(in_new_process("oxide_cold", kernel.name, output));
    report.detail(what + "_cold", fmt::format("oxide {:.2f} ms", median(std::move(cold)) * 1e3));
  }
  int ours = 0, theirs = 0;
  oxide_seconds(kernel, ours++, output, device);  // the first of this process is the other figure
  nvrtc_seconds(nvrtc, kernel, theirs++, output, sm);
  report_case(report, what + "_later", output,
              compare(
                  variants - 1, [&] { return oxide_seconds(kernel, ours++, output, device); },
                  [&] { return nvrtc_seconds(nvrtc, kernel, theirs++, output, sm); }));
}

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // the driver would keep what an earlier sample assembled
  if (argc == 5 && std::strcmp(argv[1], "first") == 0) return first_in_process(argv[2], argv[3], argv[4]);

  Report report("first_call");
  const std::optional<Nvrtc> nvrtc = Nvrtc::load();
  const std::optional<oxide::Device> device = gpu();
  for (const Case& kernel : cases()) {
    for (const Output output : {Output::ptx, Output::cubin}) {
      const std::string what = fmt::format("{}_to_{}", kernel.name, output == Output::ptx ? "ptx" : "cubin");
      try {
        if (!nvrtc) report.skip(what, "NVRTC is not installed");
        else if (output == Output::cubin && !device) report.skip(what, "the driver's linker needs a GPU: " + oxide::Device::why_no_gpu());
        else compare_case(report, *nvrtc, kernel, output, device);
      } catch (const std::exception& e) {
        report.error(what, e.what());
      }
    }
  }
  return report.exit_code();
}
