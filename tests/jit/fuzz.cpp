// Random kernels, by the interpreter of graphs and by the compiler: simplified, as host code, and on a GPU where there is one. What they
// leave in memory has the same bits, but for those of NaNs. PTX of all of them is compiled, of some assembled.
//
// Bounded by time, and always the same kernels in the same order. For long runs:
//   OXIDE_FUZZ_SECONDS     when to stop (15)
//   OXIDE_FUZZ_PROGRAMS    how many at most
//   OXIDE_FUZZ_SEED        the first seed (1); every kernel has one of its own, counted up
//   OXIDE_FUZZ_STATEMENTS  statements in a kernel (by the seed)
//   OXIDE_FUZZ_LEVEL       the optimization level (by the seed)
//   OXIDE_FUZZ_ASSEMBLE    how many kernels go through ptxas (24)
// A kernel that is wrong is made smaller and printed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <oxide/ir/print.hpp>
#include <oxide/ir/simplify.hpp>
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>

#include "jit/operations.hpp"
#include "support/ptxas.hpp"
#include "support/random_kernel.hpp"
#include "support/shrink_graph.hpp"

namespace {

namespace ir = oxide::ir;
using namespace oxide::testing;

constexpr std::uint64_t most_steps = 4'000'000;  // of the interpreter; what takes more is left out
constexpr double largest_left_out_share = 0.02;
constexpr unsigned seconds_to_shrink = 60, kernels_to_shrink = 4;
constexpr unsigned longest_kernel = 300;  // seconds; then the process ends with the seed
constexpr unsigned assembled_for[] = {75, 90};

long long setting(const char* name, long long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::atoll(text);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const Shape shape{{RandomKernel::blocks, 1, 1}, {RandomKernel::block_size, 1, 1}};

// One element of each value, the memory of each span.
using Data = std::vector<Elements>;

std::optional<ir::Access> access_of(const ir::Graph& graph, std::size_t parameter) {
  for (const ir::Memory& m : graph.memories)
    if (m.kind == ir::MemoryKind::span && m.parameter == parameter) return m.access;
  return std::nullopt;
}

Data make_data(const ir::Graph& graph, std::uint64_t seed, bool short_outputs) {
  std::mt19937_64 random(seed);
  Data data;
  for (std::size_t p = 0; p != graph.parameters.size(); ++p) {
    const auto access = access_of(graph, p);
    const bool output = access == ir::Access::disjoint, scratch = access == ir::Access::write;
    std::size_t count = RandomKernel::elements;
    if (!access) count = 1;
    else if (scratch) count *= RandomKernel::window;
    else if (output && short_outputs) count -= 11;  // fewer than there are threads
    data.emplace_back(graph.parameters[p].type, count);
    for (std::size_t i = 0; i != count && !output; ++i) data[p].set(i, interesting_word(data[p].type, random));
  }
  return data;
}

std::vector<Argument> arguments_of(const ir::Graph& graph, Data& data) {
  std::vector<Argument> arguments;
  for (std::size_t p = 0; p != data.size(); ++p) {
    arguments.push_back(data[p].argument());
    if (graph.parameters[p].kind == ir::ParameterKind::value) arguments.back() = {data[p].bits(0), nullptr, 0};
  }
  return arguments;
}

struct Outcome {
  Data data;
  Fault fault;
};

// One way to run a graph.
struct Way {
  enum Kind { interpreter, host, gpu } kind = interpreter;
  bool simplify = false;
  unsigned level = 0;

  std::string name() const {
    const std::string what = kind == interpreter ? "the interpreter" : kind == host ? "host code" : "the GPU";
    return (simplify ? "simplified, by " : "by ") + what + (kind == interpreter ? "" : " at optimization level " + std::to_string(level));
  }
  bool fuses() const { return kind == gpu || host_fuses(); }
};

const oxide::Device* gpu() {
  static const std::optional<oxide::Device> device = [] {
    std::optional<oxide::Device> found;
    for (const oxide::Device& d : oxide::Device::all())
      if (d.is_gpu() && !found) found = d;
    return found;
  }();
  return device ? &*device : nullptr;
}

Outcome run_on_gpu(const ir::Graph& graph, const Way& way, Data data) {
  namespace rt = oxide::runtime;
  const oxide::Stream stream = gpu()->default_stream();
  const auto program = rt::load_program(*gpu(), oxide::make_counted<const ir::Graph>(graph), {.opt_level = way.level});
  std::vector<oxide::DeviceBuffer<unsigned char>> buffers;
  std::vector<rt::Argument> arguments;
  for (std::size_t p = 0; p != data.size(); ++p) {
    buffers.push_back(oxide::DeviceBuffer<unsigned char>::from_host(stream, data[p].bytes));
    if (graph.parameters[p].kind == ir::ParameterKind::value) arguments.push_back(rt::Argument::of_value(data[p].bytes.data()));
    else arguments.push_back(rt::Argument::of_span(buffers.back().data(), data[p].size(), buffers.back().device_id()));
  }
  rt::launch(*program, stream, {.grid = {RandomKernel::blocks}, .block = {RandomKernel::block_size}}, arguments);
  for (std::size_t p = 0; p != data.size(); ++p)
    if (access_of(graph, p) && access_of(graph, p) != ir::Access::read) data[p].bytes = buffers[p].to_host(stream);
  return {std::move(data), {}};
}

// Throws std::runtime_error with what the compiler says.
Compiled compiled(const ir::Graph& graph, oxide_jit_target target, unsigned level, unsigned sm = 80) {
  oxide_jit_request request = request_for(target);
  request.opt_level = level;
  request.sm = sm;
  Compiled code = compile(request, graph);
  if (code->status != OXIDE_JIT_OK)
    throw std::runtime_error("it does not compile for " + (target == OXIDE_JIT_HOST ? "the host" : "sm_" + std::to_string(sm)) +
                             " at level " + std::to_string(level) + ": " + text_of(code->message));
  return code;
}

Outcome interpreted(const ir::Graph& graph, Data data, bool fuses) {
  const Fault fault = Interpreter(graph, fuses).run(shape, arguments_of(graph, data), most_steps);
  return {std::move(data), fault};
}

Outcome run(const ir::Graph& graph, const Way& way, Data data) {
  if (way.simplify) {
    ir::Graph simple = graph;
    ir::simplify(simple);
    return run(simple, {way.kind, false, way.level}, std::move(data));
  }
  if (way.kind == Way::interpreter) return interpreted(graph, std::move(data), way.fuses());
  if (way.kind == Way::gpu) return run_on_gpu(graph, way, std::move(data));
  const Compiled code = compiled(graph, OXIDE_JIT_HOST, way.level);
  const Fault fault = run_host(*code, graph, shape, arguments_of(graph, data));
  return {std::move(data), fault};
}

// The first difference, as text; empty where there is none.
std::string difference(const ir::Graph& graph, const Outcome& wanted, const Outcome& got, const Data& given, bool faults) {
  for (std::size_t p = 0; p != graph.parameters.size(); ++p) {
    if (!access_of(graph, p) || access_of(graph, p) == ir::Access::read) continue;
    for (std::size_t i = 0; i != wanted.data[p].size(); ++i) {
      const Word a = wanted.data[p].bits(i), b = got.data[p].bits(i);
      if (same_number(graph.parameters[p].type, a, b)) continue;
      std::string text =
          "parameter " + std::to_string(p) + ", element " + std::to_string(i) + ": wanted " + hex(a) + ", got " + hex(b) + "\n";
      const std::size_t thread = access_of(graph, p) == ir::Access::write ? i / RandomKernel::window : i;
      for (std::size_t q = 0; q != graph.parameters.size(); ++q) {
        if (access_of(graph, q) == ir::Access::disjoint || access_of(graph, q) == ir::Access::write) continue;
        const std::size_t at = access_of(graph, q) ? thread : 0;
        text += "  given " + std::to_string(q) + ": " + hex(given[q].bits(at)) + "\n";
      }
      return text;
    }
  }
  if (faults && !(wanted.fault == got.fault))
    return "another fault: wanted " + std::to_string(wanted.fault.happened) + " at site " + std::to_string(wanted.fault.site) + ", got " +
           std::to_string(got.fault.happened) + " at site " + std::to_string(got.fault.site) + "\n";
  return {};
}
std::string difference(const ir::Graph& graph, const Outcome& wanted, const Way& way, const Data& given) {
  try {
    return difference(graph, wanted, run(graph, way, given), given, way.kind != Way::gpu && !way.simplify);
  } catch (const std::exception& e) {
    return std::string(e.what()) + "\n";
  }
}

struct Tally {
  unsigned kernels = 0, wrong = 0, left_out = 0, assembled = 0;
  double model_seconds = 0, host_seconds = 0, ptx_seconds = 0, gpu_seconds = 0;
};

void report(std::uint64_t seed, const ir::Graph& graph, const Way& way, const Data& given, const std::string& what, Tally& tally) {
  std::printf("seed %llu WRONG %s: %s", static_cast<unsigned long long>(seed), way.name().c_str(), what.c_str());
  if (++tally.wrong > kernels_to_shrink) return;
  const auto wrong = [&](const ir::Graph& candidate) {
    try {
      return !difference(candidate, interpreted(candidate, given, way.fuses()), way, given).empty();
    } catch (const std::exception&) {  // it goes where it may not
      return false;
    }
  };
  const ir::Graph small = GraphShrinker(graph, wrong, seconds_to_shrink).run();
  std::printf("%s%s", ir::print(small).c_str(), difference(small, interpreted(small, given, way.fuses()), way, given).c_str());
  if (way.kind == Way::host) {
    oxide_jit_request request = request_for(OXIDE_JIT_HOST);
    request.opt_level = way.level;
    request.flags = OXIDE_JIT_KEEP_LLVM;
    std::printf("%s", text_of(compile(request, small)->llvm_ir).c_str());
  }
  std::fflush(stdout);
}

void try_kernel(std::uint64_t seed, Tally& tally) {
  ++tally.kernels;
  auto time = [start = Clock::now()](double& total) mutable {
    total += seconds_since(start);
    start = Clock::now();
  };
  const RandomKernel kernel(seed, static_cast<unsigned>(setting("OXIDE_FUZZ_STATEMENTS", 0)));
  const ir::Graph graph = kernel.graph();
  const Data given = make_data(graph, seed, kernel.can_fault());
  std::optional<Outcome> wanted;
  try {
    wanted = interpreted(graph, given, host_fuses());
  } catch (const std::runtime_error& e) {
    ++tally.left_out;
    if (std::getenv("OXIDE_FUZZ_SEED") != nullptr) std::printf("seed %llu left out: %s\n", static_cast<unsigned long long>(seed), e.what());
    return;
  }
  std::mt19937_64 random(seed * 3 + 1);
  const auto level = static_cast<unsigned>(setting("OXIDE_FUZZ_LEVEL", static_cast<long long>(random() % 4)));
  const bool simplify = random() % 2 == 0;
  const auto compare = [&](const Way& way) {
    const std::string what = difference(graph, *wanted, way, given);
    if (!what.empty()) report(seed, graph, way, given, what, tally);
  };
  compare({Way::interpreter, true, 0});
  time(tally.model_seconds);
  compare({Way::host, simplify, level});
  time(tally.host_seconds);
  static constexpr unsigned architectures[] = {75, 80, 86, 89, 90, 100, 120};
  const bool assembles = tally.assembled < setting("OXIDE_FUZZ_ASSEMBLE", 24) && !ptxas_path().empty();
  try {
    if (!assembles) compiled(graph, OXIDE_JIT_NVPTX, random() % 2 == 0 ? 0 : 3, architectures[random() % std::size(architectures)]);
    for (const unsigned sm : assembled_for) {
      if (!assembles) break;
      const std::string complaint = ptxas_complaint(text_of(compiled(graph, OXIDE_JIT_NVPTX, random() % 2 == 0 ? 0 : 3, sm)->ptx), sm);
      if (!complaint.empty()) throw std::runtime_error("ptxas for sm_" + std::to_string(sm) + ": " + complaint);
    }
    if (assembles) ++tally.assembled;
  } catch (const std::exception& e) {
    ++tally.wrong;
    std::printf("seed %llu WRONG: %s\n", static_cast<unsigned long long>(seed), e.what());
  }
  time(tally.ptx_seconds);
  if (gpu() != nullptr && !kernel.can_fault()) {
    if (!host_fuses()) wanted = interpreted(graph, given, true);
    compare({Way::gpu, simplify, level});
  }
  time(tally.gpu_seconds);
}

}  // namespace

TEST_CASE("fuzz: random kernels do what the interpreter does", "[fuzz]") {
  const auto first = static_cast<std::uint64_t>(setting("OXIDE_FUZZ_SEED", 1));
  const long long most = setting("OXIDE_FUZZ_PROGRAMS", 1'000'000'000);
  const auto seconds =
      static_cast<double>(setting("OXIDE_FUZZ_SECONDS", std::getenv("OXIDE_FUZZ_PROGRAMS") == nullptr ? 15 : 1'000'000'000));
  std::signal(SIGALRM, [](int) { std::abort(); });  // Catch2 says which seed it was

  Tally tally;
  const Clock::time_point start = Clock::now();
  double said = 0;
  for (std::uint64_t seed = first; tally.kernels < most && (tally.kernels < 20 || seconds_since(start) < seconds); ++seed) {
    INFO("seed " << seed);
    alarm(longest_kernel);
    try_kernel(seed, tally);
    alarm(0);
    if (const double now = seconds_since(start); now > said + 60) {
      std::printf("  %u kernels in %.0f s, %u wrong, %u left out\n", tally.kernels, now, tally.wrong, tally.left_out);
      std::fflush(stdout);
      said = now;
    }
  }
  const double each = 1e3 / tally.kernels;
  std::printf(
      "fuzz: %u kernels from seed %llu, %u wrong, %u left out, %u assembled; models %.1f ms each, host code %.1f, PTX %.1f, GPU %.1f\n",
      tally.kernels, static_cast<unsigned long long>(first), tally.wrong, tally.left_out, tally.assembled, each * tally.model_seconds,
      each * tally.host_seconds, each * tally.ptx_seconds, each * tally.gpu_seconds);
  CHECK(tally.wrong == 0);
  CHECK((tally.left_out <= largest_left_out_share * tally.kernels || tally.kernels < 100));
}

// Of differences of integers, a compiler that is wrong on purpose makes exclusive ors, and of the greater numbers the lesser ones.
TEST_CASE("fuzz: a wrong compiler is noticed, and what shows it made small", "[fuzz]") {
  const auto wrongly_compiled = [](ir::Graph graph) {
    for (ir::Block& block : graph.blocks)
      for (ir::Operation& op : block.operations)
        if (op.opcode == ir::Opcode::sub && ir::is_integer(op.type)) op.opcode = ir::Opcode::bit_xor;
        else if (op.opcode == ir::Opcode::max) op.opcode = ir::Opcode::min;
    return graph;
  };
  unsigned noticed = 0;
  std::size_t operations = 0;
  for (std::uint64_t seed = 1; seed != 21; ++seed) {
    const RandomKernel kernel(seed, 40);
    const ir::Graph graph = kernel.graph();
    const Data given = make_data(graph, seed, kernel.can_fault());
    const auto wrong = [&](const ir::Graph& candidate, Way::Kind by) {
      try {
        const Outcome wanted = interpreted(candidate, given, true), got = run(wrongly_compiled(candidate), {by, false, 1}, given);
        return !difference(candidate, wanted, got, given, false).empty();
      } catch (const std::runtime_error&) {  // it goes where it may not
        return false;
      }
    };
    if (!wrong(graph, Way::host)) continue;
    if (++noticed > 3) continue;
    const ir::Graph small = GraphShrinker(graph, [&](const ir::Graph& candidate) { return wrong(candidate, Way::interpreter); }, 20).run();
    CHECK(wrong(small, Way::host));
    for (std::size_t body = 0; body != ir::body_count(small); ++body)
      for (const ir::Block& block : ir::body_of(small, body).blocks) operations += block.operations.size();
  }
  CHECK(noticed >= 7);
  CHECK(operations <= 3 * 25);
}
