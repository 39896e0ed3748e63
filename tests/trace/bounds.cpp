// How much tracing may cost, and what happens to a kernel that asks for more.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <oxide/dsl/math.hpp>
#include <oxide/dsl/range.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/trace/to_graph.hpp>

#include "support/patience.hpp"

namespace ox = oxide;

namespace {

using Out = ox::Span<std::int32_t>;

struct Traced {
  ox::Counted<const ox::ir::Graph> graph;
  ox::trace::Statistics statistics;
  std::size_t operations = 0;
};

// Traces a lambda of one number and one array.
template <class F>
Traced traced(F lambda) {
  Traced out;
  auto run = [&] {
    const auto nowhere = ox::detail::Where();
    lambda(ox::i32::from_handle(ox::detail::emit(ox::ir::Opcode::parameter, ox::ir::Type::i32, 0, nowhere), nowhere), Out(0));
  };
  const auto describe = [](ox::ir::Graph& graph) {
    graph.parameters = {{ox::ir::ParameterKind::value, ox::ir::Type::i32}, {ox::ir::ParameterKind::span, ox::ir::Type::i32}};
    graph.memories = {{ox::ir::MemoryKind::span, ox::ir::Type::i32, ox::ir::Access::write, 1}};
  };
  out.graph = ox::make_counted<const ox::ir::Graph>(ox::trace::trace("bounded", run, describe, &out.statistics));
  for (const ox::ir::Block& block : out.graph->blocks) out.operations += block.operations.size() + 1;
  return out;
}

// The error that tracing ends with, within two seconds of this process.
template <class F>
std::string refusal(F lambda) {
  std::string text = "(not refused)";
  const Patience patience;
  try {
    traced(lambda);
  } catch (const ox::TraceError& e) {
    text = e.what();
    CHECK(e.line.line != 0);
  }
  INFO(text << ", after " << patience.seconds() << " s");
  CHECK(patience.lasts());
  CHECK(ox::trace::Recorder::slot() == nullptr);
  return text;
}

std::string here(int line) { return "bounds.cpp:" + std::to_string(line); }

using Catch::Matchers::Contains;

// Thirty ifs, each with a place of its own.
void thirty_ifs(const ox::i32& x, ox::i32& r) {
  if (x < 1) r += 1;
  if (x < 2) r += 2;
  if (x < 3) r += 3;
  if (x < 4) r += 4;
  if (x < 5) r += 5;
  if (x < 6) r += 6;
  if (x < 7) r += 7;
  if (x < 8) r += 8;
  if (x < 9) r += 9;
  if (x < 10) r += 10;
  if (x < 11) r += 11;
  if (x < 12) r += 12;
  if (x < 13) r += 13;
  if (x < 14) r += 14;
  if (x < 15) r += 15;
  if (x < 16) r += 16;
  if (x < 17) r += 17;
  if (x < 18) r += 18;
  if (x < 19) r += 19;
  if (x < 20) r += 20;
  if (x < 21) r += 21;
  if (x < 22) r += 22;
  if (x < 23) r += 23;
  if (x < 24) r += 24;
  if (x < 25) r += 25;
  if (x < 26) r += 26;
  if (x < 27) r += 27;
  if (x < 28) r += 28;
  if (x < 29) r += 29;
  if (x < 30) r += 30;
}
void thirty_more_ifs(const ox::i32& x, ox::i32& r) {
  if (x > 1) r *= 1;
  if (x > 2) r *= 2;
  if (x > 3) r *= 3;
  if (x > 4) r *= 4;
  if (x > 5) r *= 5;
  if (x > 6) r *= 6;
  if (x > 7) r *= 7;
  if (x > 8) r *= 8;
  if (x > 9) r *= 9;
  if (x > 10) r *= 10;
  if (x > 11) r *= 11;
  if (x > 12) r *= 12;
  if (x > 13) r *= 13;
  if (x > 14) r *= 14;
  if (x > 15) r *= 15;
  if (x > 16) r *= 16;
  if (x > 17) r *= 17;
  if (x > 18) r *= 18;
  if (x > 19) r *= 19;
  if (x > 20) r *= 20;
  if (x > 21) r *= 21;
  if (x > 22) r *= 22;
  if (x > 23) r *= 23;
  if (x > 24) r *= 24;
  if (x > 25) r *= 25;
  if (x > 26) r *= 26;
  if (x > 27) r *= 27;
  if (x > 28) r *= 28;
  if (x > 29) r *= 29;
  if (x > 30) r *= 30;
}

// The second has twice what the first has: neither its graph nor its runs may more than double.
void check_linear(const Traced& half, const Traced& whole) {
  INFO(half.operations << " operations, " << half.statistics.runs << " runs for half; " << whole.operations << ", " << whole.statistics.runs
                       << " for the whole");
  CHECK(whole.operations <= 2 * half.operations);
  CHECK(whole.statistics.runs <= 2 * half.statistics.runs + 8);
  CHECK(half.operations > 90);  // a comparison, a branch and an addition for each if
}

}  // namespace

// ---- what grows

TEST_CASE("operations of one place have keys of their own, whatever their immediates are") {
  std::vector<std::uint64_t> keys;
  const ox::trace::Place place = std::source_location::current();
  for (std::size_t op = 0; op != ox::ir::opcode_count; ++op)
    for (std::size_t type = 0; type != ox::ir::type_count; ++type)
      for (std::uint64_t number = 0; number != 4096; number += number < 16 ? 1 : 17)
        keys.push_back(ox::trace::detail::site_key(static_cast<ox::ir::Opcode>(op), static_cast<ox::ir::Type>(type), number, place, 77));
  std::sort(keys.begin(), keys.end());
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE("bounds: 60 ifs in sequence are traced in under 400 runs into a graph of linear size", "[bounds]") {
  const Traced half = traced([](const ox::i32& x, Out out) {
    ox::i32 r = 0;
    thirty_ifs(x, r);
    out.unchecked_mut(0) = r;
  });
  const Traced whole = traced([](const ox::i32& x, Out out) {
    ox::i32 r = 0;
    thirty_ifs(x, r);
    thirty_more_ifs(x, r);
    out.unchecked_mut(0) = r;
  });
  check_linear(half, whole);
  CHECK(whole.statistics.runs < 400);
}

TEST_CASE("bounds: 60 ifs at 30 places", "[bounds]") {
  const Traced half = traced([](const ox::i32& x, Out out) {
    ox::i32 r = 0;
    thirty_ifs(x, r);
    out.unchecked_mut(0) = r;
  });
  const Traced whole = traced([](const ox::i32& x, Out out) {
    ox::i32 r = 0;
    thirty_ifs(x, r);
    thirty_ifs(x, r);
    out.unchecked_mut(0) = r;
  });
  CHECK(whole.operations <= 2 * half.operations + 8);
  CHECK(whole.statistics.runs < 3000);
}

TEST_CASE("bounds: 60 ifs at one place", "[bounds]") {
  const auto ifs = [](int count) {
    return traced([count](const ox::i32& x, Out out) {
      ox::i32 r = 0;
      for (int k = 0; k < count; ++k)
        if (x < k) r += k;
      out.unchecked_mut(0) = r;
    });
  };
  const Traced half = ifs(30), whole = ifs(60);
  CHECK(whole.operations <= 2 * half.operations);
  CHECK(whole.statistics.runs < 2000);
}

TEST_CASE("bounds: accesses that are guarded one by one cost a few runs each", "[bounds]") {
  const auto guarded = [](int count) {
    return traced([count](const ox::i32& x, Out out) {
      ox::i32 sum = 0;
      for (int k = 0; k < count; ++k)
        if (x + k < 1000) sum += x * k;
      for (int k = 0; k < count; ++k)
        if (x + k < 1000) out.unchecked_mut(k) = sum;
    });
  };
  const Traced half = guarded(8), whole = guarded(16);
  CHECK(whole.operations <= 2 * half.operations);
  INFO(whole.statistics.runs << " runs");
  CHECK(whole.statistics.runs < 180);
}

TEST_CASE("bounds: chains and early returns of 40 branches", "[bounds]") {
  const auto chain = [](int count) {
    return traced([count](const ox::i32& x, Out out) {
      for (int k = 0; k < count; ++k) {
        if (x == 3 * k) {
          out.unchecked_mut(0) = k;
          return;
        }
        if (x == 3 * k + 1) out.unchecked_mut(k) = 1;
        else if (x == 3 * k + 2) out.unchecked_mut(k) = 2;
      }
      out.unchecked_mut(1) = 100;
    });
  };
  const Traced half = chain(7), whole = chain(14);
  CHECK(whole.operations <= 2 * half.operations);
  CHECK(whole.statistics.runs < 2000);
}

TEST_CASE("bounds: short circuits of 60 conditions", "[bounds]") {
  const auto conditions = [](int count) {
    return traced([count](const ox::i32& x, Out out) {
      bool all = true;
      for (int k = 0; k < count; ++k) all = all && (x < k || x > 2 * k);
      if (all) out.unchecked_mut(0) = 1;
      else out.unchecked_mut(0) = 2;
    });
  };
  const Traced half = conditions(15), whole = conditions(30);
  CHECK(whole.operations <= 2 * half.operations);
  CHECK(whole.statistics.runs < 2500);
}

TEST_CASE("bounds: four device loops nested cost a few runs each", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 sum = 0;
    for (ox::i32 a = 0; a < x; ++a)
      for (ox::i32 b = 0; b < a; ++b)
        for (ox::i32 c = 0; c < b; ++c)
          for (ox::i32 d = 0; d < c; ++d) sum += a * b + c * d;
    out.unchecked_mut(0) = sum;
  });
  INFO(kernel.statistics.runs << " runs");
  CHECK(kernel.statistics.runs < 200);
  CHECK(kernel.operations < 80);
}

TEST_CASE("bounds: four counted loops nested cost a run or two each", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 sum = 0;
    for (auto a : ox::range(x))
      for (auto b : ox::range(a))
        for (auto c : ox::range(b))
          for (auto d : ox::range(c)) sum += a * b + c * d;
    out.unchecked_mut(0) = sum;
  });
  INFO(kernel.statistics.runs << " runs");
  CHECK(kernel.statistics.runs < 60);
  CHECK(kernel.operations < 80);
}

TEST_CASE("bounds: a straight kernel needs its replays only", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (int k = 0; k < 100; ++k) v = v * 3 + k;
    out.unchecked_mut(0) = v;
  });
  CHECK(kernel.statistics.runs < 60);  // replays
}

// ---- the largest trace

TEST_CASE("bounds: a host loop with branches beyond the largest trace is refused", "[bounds]") {
  const int line = __LINE__ + 4;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (int k = 0; k < 1000000; ++k)
      if (v < k) v += 1;
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains(here(line)));
}

// ---- what never ends

TEST_CASE("bounds: a device loop without an exit is refused", "[bounds]") {
  const int line = __LINE__ + 5;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (;;) {
      v += 1;
      if (v < 3) v += 2;
    }
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains("bounds.cpp:") && Contains("loop") && (Contains(here(line)) || Contains(here(line - 1))));
}

TEST_CASE("bounds: a device loop that is never left on one way through it is refused", "[bounds]") {
  const int line = __LINE__ + 4;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    if (x < 10) {
      for (;;) v = v < 3 ? v + 2 : v - 1;
    }
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains(here(line)));
}

TEST_CASE("bounds: a loop that is left only by its own condition is kept, though nothing in it changes the condition", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    while (x < 3) out.unchecked_mut(0) = 1;
  });
  CHECK(kernel.operations < 12);
}

// ---- what cannot be settled: refused soon, with the lines

TEST_CASE("bounds: a host counter in a device loop", "[bounds]") {
  const int line = __LINE__ + 5;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    int passes = 0;
    while (v > 0) {
      v -= 1;
      ++passes;
    }
    out.unchecked_mut(0) = passes;
  });
  CHECK_THAT(text, Contains(here(line - 0)) || Contains(here(line - 1)));
}

TEST_CASE("bounds: a host counter that steers a device loop", "[bounds]") {
  const int line = __LINE__ + 5;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    int weight = 1;
    while (v > 0) {
      if (out[v] < 3) ++weight;
      v -= weight;
    }
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains(here(line)) || Contains(here(line + 1)));
}

TEST_CASE("bounds: a host stack in a device loop", "[bounds]") {
  const std::string text = refusal([](const ox::i32& x, Out out) {
    std::vector<int> stack{1};
    ox::i32 v = x;
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      if (v < k) stack.push_back(k + 1), stack.push_back(k + 2);
      v += k;
    }
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains("bounds.cpp:"));
}

// ---- exceptions

TEST_CASE("bounds: an exception in the n-th run leaves the tracer as it was", "[bounds]") {
  int runs = 0, throws = 0;
  const auto kernel = [&](const ox::i32& x, Out out) {
    ox::i32 v = 0;
    if (++runs == throws) throw std::domain_error("of the lambda");
    while (v < x) {
      if (v < 5) v += 1;
      else v += 2;
    }
    out.unchecked_mut(0) = v;
  };
  traced(kernel);
  const int all = runs;
  CHECK(all > 8);
  for (throws = 1; throws <= all; ++throws) {
    runs = 0;
    CHECK_THROWS_AS(traced(kernel), std::domain_error);
    CHECK(runs == throws);
    CHECK(ox::trace::Recorder::slot() == nullptr);
  }
  const auto same = [](const ox::i32& x, Out out) {
    if (x < 3) out.unchecked_mut(0) = 1;
  };
  CHECK(traced(same).operations == traced(same).operations);
}

TEST_CASE("bounds: a kernel traced inside another does not disturb it", "[bounds]") {
  const auto alone = [](const ox::i32& x, Out out) {
    ox::i32 v = x;
    while (v < 10) v += 3;
    if (v < 12) out.unchecked_mut(0) = v;
  };
  const Traced outer = traced([&](const ox::i32& x, Out out) {
    ox::i32 v = x;
    CHECK(traced(alone).operations > 5);
    while (v < 10) v += 3;
    CHECK(traced(alone).operations > 5);
    if (v < 12) out.unchecked_mut(0) = v;
  });
  CHECK(outer.operations == traced(alone).operations);
}

TEST_CASE("bounds: a host loop within the largest trace is unrolled", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (int k = 0; k < 10000; ++k) v = v * 3 + k;  // six operations each
    out.unchecked_mut(0) = v;
  });
  CHECK(kernel.operations > 30000);
}

TEST_CASE("bounds: a host loop beyond the largest trace is refused", "[bounds]") {
  const int line = __LINE__ + 3;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (int k = 0; k < 1000000; ++k) v += k;
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains(here(line)) && Contains(std::to_string(ox::trace::max_events)) && Contains("host loop too long"));
}

TEST_CASE("bounds: a host loop that never ends is refused", "[bounds]") {
  const int line = __LINE__ + 3;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    for (;;) v += 1;
    out.unchecked_mut(0) = v;
  });
  CHECK_THAT(text, Contains(here(line)) && Contains("never left"));
}

TEST_CASE("bounds: host state of two to the twentieth kinds", "[bounds]") {
  const int line = __LINE__ + 4;
  const std::string text = refusal([](const ox::i32& x, Out out) {
    std::int32_t bits = 0;
    for (int k = 0; k < 20; ++k)
      if (x == k) bits |= 1 << k;
    out.unchecked_mut(0) = bits;
  });
  CHECK_THAT(text, Contains(here(line)) && Contains("bounds"));
}

TEST_CASE("bounds: a lambda that swallows every exception does not keep the tracer from stopping its runs", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    try {
      while (v < 10) v += 3;
      if (v < 12) out.unchecked_mut(0) = v;
    } catch (...) {}
    out.unchecked_mut(1) = v;
  });
  CHECK(kernel.operations < 24);
}

namespace {
// Records when it goes out of scope.
struct Guard {
  Out out;
  ox::i32& v;
  ~Guard() { out.unchecked_mut(1) = v; }
};
}  // namespace

TEST_CASE("bounds: objects whose destructors record operations", "[bounds]") {
  const Traced kernel = traced([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    Guard guard{out, v};
    while (v < 10) {
      Guard inner{out, v};
      if (v == 7) return;
      v += 3;
    }
    out.unchecked_mut(0) = v;
  });
  CHECK(kernel.operations < 40);
}

TEST_CASE("bounds: objects whose destructors record operations, in a loop that never ends", "[bounds]") {
  const std::string text = refusal([](const ox::i32& x, Out out) {
    ox::i32 v = x;
    Guard guard{out, v};
    for (;;) v += 1;
  });
  CHECK_THAT(text, Contains("bounds.cpp:"));
}
