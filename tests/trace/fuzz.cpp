// Random programs, run natively and traced: through the interpreter of graphs, the compiler's host code, and, for a few, every device.
//
// Bounded by time, and always the same programs in the same order. For long runs:
//   OXIDE_FUZZ_SECONDS     when to stop (20)
//   OXIDE_FUZZ_PROGRAMS    how many at most
//   OXIDE_FUZZ_SEED        the first seed (1); every program has one of its own, counted up
//   OXIDE_FUZZ_STATEMENTS  statements in a program; 0 for 3 to 30, by the seed
//   OXIDE_FUZZ_LEVEL       the optimization level of the host code (by the seed); at 0, most of the time goes to tracing
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <oxide/error.hpp>
#include <oxide/jit/compile.hpp>
#include <oxide/trace/to_graph.hpp>

#include "support/graph_runs.hpp"
#include "support/print_program.hpp"
#include "support/program.hpp"

namespace {

namespace ir = oxide::ir;

constexpr std::size_t inputs = 128;  // that one launch tries
constexpr std::size_t window = 64;   // numbers in the memory of one input
constexpr std::uint32_t block_size = 32;
constexpr int programs_on_devices = 10;
constexpr double largest_refused_share = 0.03;

long long setting(const char* name, long long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::atoll(text);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// ---- one launch for many inputs: thread t reads its parameters at 4 t and has the 64 numbers from 64 t on

constexpr std::uint32_t window_memory = 0, parameter_memory = 1;

struct ThreadMemory {
  fuzz::Handle first;
  fuzz::Integer load(const fuzz::Integer& index) const {
    return fuzz::Integer(fuzz::recorder().emit(ir::Opcode::load, ir::Type::i64, {at(index)}, window_memory, fuzz::site));
  }
  void store(const fuzz::Integer& index, const fuzz::Integer& value) const {
    fuzz::recorder().emit(ir::Opcode::store, ir::Type::none, {at(index), value.handle()}, window_memory, fuzz::site);
  }

 private:
  fuzz::Handle at(const fuzz::Integer& index) const {
    using enum ir::Opcode;
    const auto emit = [](ir::Opcode opcode, ir::Type type, fuzz::Handle a, fuzz::Handle b, unsigned count) {
      const fuzz::Handle operands[] = {a, b};
      return fuzz::recorder().emit(opcode, type, operands, count, 0, fuzz::site);
    };
    const fuzz::Handle mask = fuzz::recorder().emit(constant, ir::Type::i64, {}, window - 1, fuzz::site);
    const fuzz::Handle offset = emit(cast, ir::Type::u64, emit(bit_and, ir::Type::i64, index.handle(), mask, 2), {}, 1);
    return emit(add, ir::Type::u64, first, offset, 2);
  }
};

void run_in_thread(const fuzz::Program& program) {
  using enum ir::Opcode;
  fuzz::at(0, 1);
  fuzz::Recorder& r = fuzz::recorder();
  const auto number = [&](std::uint64_t n) { return r.emit(constant, ir::Type::u64, {}, n, fuzz::site); };
  const auto wide = [&](ir::Opcode opcode) {
    return r.emit(cast, ir::Type::u64, {r.emit(opcode, ir::Type::u32, {}, 0, fuzz::site)}, 0, fuzz::site);
  };
  const auto both = [&](ir::Opcode opcode, fuzz::Handle a, fuzz::Handle b) { return r.emit(opcode, ir::Type::u64, {a, b}, 0, fuzz::site); };
  const fuzz::Handle thread = both(add, both(mul, wide(block_index), wide(block_dim)), wide(thread_index));
  const fuzz::Handle first_parameter = both(mul, thread, number(fuzz::variable_count));
  const auto parameter_of_thread = [&](std::uint64_t k) {
    fuzz::at(0, 20 + static_cast<std::uint32_t>(k));
    return fuzz::Integer(r.emit(load, ir::Type::i64, {both(add, first_parameter, number(k))}, parameter_memory, fuzz::site));
  };
  fuzz::Integer v[fuzz::variable_count] = {parameter_of_thread(0), parameter_of_thread(1), parameter_of_thread(2), parameter_of_thread(3)};
  const ThreadMemory memory{both(mul, thread, number(window))};
  fuzz::Interpreter<fuzz::Integer, ThreadMemory, fuzz::CountedLoop>(program, v, memory).run();
  for (int k = 0; k < fuzz::variable_count; ++k) {
    fuzz::at(0, 30 + static_cast<std::uint32_t>(k));
    memory.store(fuzz::Integer(60 + k), v[k]);
  }
}

oxide::Counted<const ir::Graph> trace(const fuzz::Program& program, oxide::trace::Statistics& statistics) {
  auto lambda = [&program] { run_in_thread(program); };
  const auto describe = [](ir::Graph& graph) {
    for (const std::uint32_t k : {window_memory, parameter_memory}) {
      graph.parameters.push_back({ir::ParameterKind::span, ir::Type::i64});
      graph.memories.push_back({ir::MemoryKind::span, ir::Type::i64, k == window_memory ? ir::Access::write : ir::Access::read, k});
    }
  };
  return oxide::make_counted<const ir::Graph>(oxide::trace::trace("fuzz", lambda, describe, &statistics));
}

// ---- inputs and results

struct Numbers {
  std::vector<unsigned char> memory, parameters;
};

std::int64_t* numbers(std::vector<unsigned char>& bytes) { return reinterpret_cast<std::int64_t*>(bytes.data()); }

Numbers make_inputs(std::uint32_t seed) {
  Numbers n;
  n.memory.resize(inputs * window * sizeof(std::int64_t));
  n.parameters.resize(inputs * fuzz::variable_count * sizeof(std::int64_t));
  std::mt19937 random(seed * 7u + 1);
  for (std::size_t k = 0; k < inputs * window; ++k) numbers(n.memory)[k] = static_cast<std::int64_t>(random() % 14) - 4;
  for (std::size_t k = 0; k < inputs * fuzz::variable_count; ++k) numbers(n.parameters)[k] = static_cast<std::int64_t>(random() % 12) - 3;
  return n;
}

void run_natively(const fuzz::Program& program, Numbers& n) {
  std::vector<std::int64_t> memory(window);
  for (std::size_t t = 0; t < inputs; ++t) {
    std::int64_t parameters[fuzz::variable_count];
    std::copy_n(numbers(n.parameters) + t * fuzz::variable_count, fuzz::variable_count, parameters);
    std::copy_n(numbers(n.memory) + t * window, window, memory.begin());
    fuzz::run_native(program, parameters, memory);
    std::copy_n(memory.begin(), window, numbers(n.memory) + t * window);
  }
}

// Without the program cache, which keeps what it compiles: a long run compiles a hundred thousand programs.
void run_host_code(const ir::Graph& graph, unsigned opt_level, Numbers& n) {
  const oxide::jit::CompiledCode code = oxide::jit::compile(graph, {oxide::jit::Target::host(), opt_level, 0});
  void* pointers[] = {n.memory.data(), n.parameters.data()};
  const std::uint64_t lengths[] = {inputs * window, inputs * fuzz::variable_count};
  const void* arguments[] = {&pointers[0], &lengths[0], &pointers[1], &lengths[1]};
  oxide_fault_record fault{};
  const oxide_host_launch launch{arguments, &fault, {inputs / block_size, 1, 1}, {block_size, 1, 1}, 0, 0, nullptr};
  code.entry()(&launch, 0, inputs / block_size);
}

struct Tally {
  int programs = 0, wrong = 0, refused = 0;
  std::size_t runs = 0;
  double worst_ms = 0, trace_seconds = 0;
};

// One program through everything; `native` is what the results are compared with, the program itself unless the comparison is tested.
void try_program(std::uint32_t seed, const fuzz::Program& program, const fuzz::Program& native, bool on_devices, Tally& tally) {
  ++tally.programs;
  oxide::trace::Statistics statistics;
  oxide::Counted<const ir::Graph> graph;
  const Clock::time_point start = Clock::now();
  try {
    graph = trace(program, statistics);
  } catch (const oxide::TraceError& e) {
    ++tally.refused;
    if (std::getenv("OXIDE_FUZZ_SEED") != nullptr) std::printf("seed %u refused: %s\n", seed, e.what());
  }
  const double seconds = seconds_since(start);
  tally.trace_seconds += seconds;
  tally.worst_ms = std::max(tally.worst_ms, 1e3 * seconds);
  tally.runs += statistics.runs;
  if (graph == nullptr) return;

  const Numbers given = make_inputs(seed);
  Numbers wanted = given;
  run_natively(native, wanted);
  bool wrong = false;
  const auto compare = [&](Numbers& got, const std::string& by) {
    if (got.memory == wanted.memory) return;
    std::size_t k = 0;
    while (numbers(got.memory)[k] == numbers(wanted.memory)[k]) ++k;
    if (!wrong && &program == &native) std::printf("seed %u:\n%s", seed, fuzz::text(program).c_str());
    if (&program == &native)
      std::printf("seed %u WRONG by %s: input %zu, m[%zu] wanted %lld, got %lld\n", seed, by.c_str(), k / window, k % window,
                  static_cast<long long>(numbers(wanted.memory)[k]), static_cast<long long>(numbers(got.memory)[k]));
    wrong = true;
  };
  const auto run = [&](const graph_runs::Runner& runner) {
    Numbers n = given;
    runner.run(graph, inputs, {{ir::Type::i64, &n.memory}, {ir::Type::i64, &n.parameters}});
    compare(n, runner.name());
  };
  const auto& runners = graph_runs::all();
  run(*runners.front());  // the interpreter
  for (std::size_t k = 1; on_devices && k < runners.size(); ++k) run(*runners[k]);
  const auto opt_level = static_cast<unsigned>(setting("OXIDE_FUZZ_LEVEL", seed % 4));
  Numbers n = given;
  run_host_code(*graph, opt_level, n);
  compare(n, "host code at optimization level " + std::to_string(opt_level));
  tally.wrong += wrong ? 1 : 0;
}

fuzz::Program make_program(std::uint32_t seed, int statements) {
  if (statements == 0) statements = 3 + static_cast<int>(seed * 2654435761u % 28);
  return fuzz::Maker(seed, statements).program();
}

}  // namespace

TEST_CASE("fuzz: random programs", "[fuzz]") {
  const auto first = static_cast<std::uint32_t>(setting("OXIDE_FUZZ_SEED", 1));
  const long long most = setting("OXIDE_FUZZ_PROGRAMS", 1'000'000'000);
  const auto seconds =
      static_cast<double>(setting("OXIDE_FUZZ_SECONDS", std::getenv("OXIDE_FUZZ_PROGRAMS") == nullptr ? 20 : 1'000'000'000));
  const auto statements = static_cast<int>(setting("OXIDE_FUZZ_STATEMENTS", 0));

  Tally tally;
  const Clock::time_point start = Clock::now();
  double said = 0;
  const auto goes_on = [&] { return tally.programs < programs_on_devices || seconds_since(start) < seconds; };  // a slow machine's too
  for (std::uint32_t seed = first; tally.programs < most && goes_on(); ++seed) {
    const fuzz::Program program = make_program(seed, statements);
    try_program(seed, program, program, tally.programs < programs_on_devices, tally);
    if (const double now = seconds_since(start); now > said + 60) {
      std::printf("  %d programs in %.0f s, %d wrong, %d refused\n", tally.programs, now, tally.wrong, tally.refused);
      std::fflush(stdout);
      said = now;
    }
  }
  const double share = static_cast<double>(tally.refused) / tally.programs;
  std::printf("fuzz: %d programs from seed %u, %d wrong, %d refused (%.2f %%), %.1f runs each, tracing %.2f ms each, at most %.1f ms\n",
              tally.programs, first, tally.wrong, tally.refused, 1e2 * share, static_cast<double>(tally.runs) / tally.programs,
              1e3 * tally.trace_seconds / tally.programs, tally.worst_ms);
  CHECK(tally.wrong == 0);
  CHECK((share <= largest_refused_share || tally.programs < 100));
}

TEST_CASE("fuzz: a graph of another program is noticed", "[fuzz]") {
  Tally tally;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const fuzz::Program program = make_program(seed, 8), other = make_program(seed + 100, 8);
    try_program(seed, program, other, false, tally);
  }
  CHECK(tally.wrong + tally.refused == 10);
}
