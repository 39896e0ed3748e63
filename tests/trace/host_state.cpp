// A kernel lambda runs several times while it is traced, so it must not depend on host state that its runs or its loops change.
// Mistakes with host state are refused with the lines; host state that every path sets the same way is right.
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <oxide/oxide.hpp>
#include <oxide/trace/recorder.hpp>

#include "support/patience.hpp"

namespace ox = oxide;

namespace {

using Out = ox::Span<std::int32_t>;

// Traces the lambda, which must be refused with an error that holds all `parts`: words, or lines of this file.
struct Part {
  std::string text;
  Part(const char* words) : text(words) {}
  Part(int line) : text("host_state.cpp:" + std::to_string(line)) {}
};
template <class F>
void check_refused(F lambda, std::initializer_list<Part> parts) {
  std::string refusal = "(not refused)";
  const Patience patience;
  try {
    ox::kernel("stateful", lambda).graph();
  } catch (const ox::TraceError& e) {
    refusal = e.what();
    CHECK(e.kernel == "stateful");
    CHECK(e.line.line != 0);
  }
  CHECK(patience.lasts());
  CHECK(ox::trace::Recorder::slot() == nullptr);
  INFO("the error: " << refusal);
  for (const Part& part : parts) {
    INFO("should have: " << part.text);
    CHECK(refusal.find(part.text) != std::string::npos);
  }
}

// Runs the kernel on the CPU device for each x below 16 and returns what it leaves in out[0..3], for all x.
template <class F>
std::vector<std::int32_t> run(F lambda) {
  const auto kernel = ox::kernel("stateful", [lambda](ox::Span<std::int32_t> out) {
    const ox::i32 x = ox::cast<ox::i32>(ox::thread::index_1d().value());
    lambda(x, [&](int k) { return out.unchecked_mut(x * 4 + k); });
  });
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto out = ox::DeviceBuffer<std::int32_t>::zeroed(stream, 64);
  kernel(stream, ox::LaunchConfig{.grid = {1}, .block = {16}}, out);
  return out.to_host(stream);
}
// The same by a model on host numbers.
template <class F>
std::vector<std::int32_t> model(F lambda) {
  std::vector<std::int32_t> out(64);
  for (std::int32_t x = 0; x < 16; ++x) lambda(x, [&](int k) -> std::int32_t& { return out[static_cast<std::size_t>(x * 4 + k)]; });
  return out;
}

constexpr char counted_loop[] = "host state changed inside the counted loop";
constexpr char did_something_else[] = "did something else when it was run again";

}  // namespace

// ---- host state changed inside a counted loop: the body is recorded once

TEST_CASE("host state: an int counted up in a range loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        int k = 0;
        for (auto i : ox::range(n)) {
          out.unchecked_mut(i) = k;
          ++k;
        }
      },
      {counted_loop, loop, loop + 1});
}

TEST_CASE("host state: an int counted in a range loop and used after it", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        int k = 0;
        for (auto i : ox::range(n)) {
          out.unchecked_mut(i) = 1;
          ++k;
        }
        out.unchecked_mut(0) = k;
      },
      {"host state", loop});
}

TEST_CASE("host state: a bool toggled in a range loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        bool even = true;
        for (auto i : ox::range(n)) {
          if (even) out.unchecked_mut(i) = 1;
          else out.unchecked_mut(i) = 2;
          even = !even;
        }
      },
      {counted_loop, loop, loop + 1, loop + 2});
}

TEST_CASE("host state: a first pass that is special", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        bool first = true;
        for (auto i : ox::range(n)) {
          if (!first) out.unchecked_mut(i) = out[i - 1] + 1;
          first = false;
        }
      },
      {counted_loop, loop});
}

TEST_CASE("host state: a float that grows in a range loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, ox::Span<float> out) {
        float weight = 1;
        for (auto i : ox::range(n)) {
          out.unchecked_mut(i) = weight;
          weight *= 0.5f;
        }
      },
      {counted_loop, loop, loop + 1});
}

TEST_CASE("host state: a vector grown in a range loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        std::vector<int> seen;
        for (auto i : ox::range(n)) {
          seen.push_back(0);
          for (std::size_t k = 0; k < seen.size(); ++k) out.unchecked_mut(i) = 1;
        }
      },
      {counted_loop, loop});
}

TEST_CASE("host state: device values collected in a range loop and used after it", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        std::vector<ox::i32> found;
        for (auto i : ox::range(n)) {
          found.push_back(out[i]);
        }
        ox::i32 sum = 0;
        for (const ox::i32& v : found) sum += v;
        out.unchecked_mut(0) = sum;
      },
      {"host state", loop});
}

TEST_CASE("host state: an index into a host array of values rotated in a range loop", "[host_state]") {
  const int loop = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        std::array<ox::i32, 3> window{};
        std::size_t newest = 0;
        for (auto i : ox::range(n)) {
          window[newest] = out[i];
          newest = (newest + 1) % 3;
        }
        out.unchecked_mut(0) = window[0];
      },
      {"host state", loop});
}

TEST_CASE("host state: pointers to values swapped in a range loop", "[host_state]") {
  const int loop = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        ox::i32 a = 1, b = 2;
        ox::i32 *current = &a, *next = &b;
        for (auto i : ox::range(n)) {
          *next = *current + i;
          std::swap(current, next);
        }
        out.unchecked_mut(0) = *current;
      },
      {"host state", loop});
}

TEST_CASE("host state: the kind of pass decided by the last one", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        int state = 0;
        for (auto i : ox::range(n)) {
          if (out[i] < 0) state = 1;
          out.unchecked_mut(i) = state;
        }
      },
      {"host state", loop});
}

TEST_CASE("host state: a counter in the inner of two range loops", "[host_state]") {
  const int inner = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        for (auto i : ox::range(n)) {
          int k = 0;
          for (auto j : ox::range(i)) {
            out.unchecked_mut(j) = k;
            ++k;
          }
        }
      },
      {counted_loop, inner, inner + 1});
}

TEST_CASE("host state: a counter of the outer of two range loops", "[host_state]") {
  const int outer = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        int k = 0;
        for (auto i : ox::range(n)) {
          for (auto j : ox::range(i)) out.unchecked_mut(j) = k;
          ++k;
        }
      },
      {"host state", outer});
}

TEST_CASE("host state: a counter in grid_stride", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32, ox::DisjointSpan<std::int32_t> out) {
        int pass = 0;
        for (auto i : ox::grid_stride(out.size())) {
          if (auto e = out.get_mut(i)) *e = pass;
          ++pass;
        }
      },
      {counted_loop, loop, loop + 1});
}

// ---- host state changed inside a loop on a device condition

TEST_CASE("host state: an int counted up in a while loop", "[host_state]") {
  const int loop = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        int k = 0;
        ox::i32 sum = 0;
        while (sum < n) {
          sum += k;
          ++k;
        }
        out.unchecked_mut(0) = sum;
      },
      {"host", loop});
}

TEST_CASE("host state: a string grown in a for loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        std::string text;
        for (ox::i32 i = 0; i < n; ++i) {
          text += 'x';
          out.unchecked_mut(i) = static_cast<int>(text.size());
        }
      },
      {"host", loop});
}

// ---- host state that one run leaves to the next

TEST_CASE("host state: a static counter", "[host_state]") {
  const int line = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        static int calls = 0;
        ++calls;
        out.unchecked_mut(0) = calls;
        if (n < 3) out.unchecked_mut(1) = n;
      },
      {did_something_else, line});
}

TEST_CASE("host state: a captured counter that only a branch reads", "[host_state]") {
  int calls = 0;
  const int line = __LINE__ + 3;
  check_refused(
      [&](ox::i32 n, Out out) {
        if (calls++ % 2 == 0) out.unchecked_mut(0) = 1;
        if (n < 3) out.unchecked_mut(1) = n;
      },
      {did_something_else, line});
}

TEST_CASE("host state: random numbers", "[host_state]") {
  std::mt19937 random;
  const int line = __LINE__ + 4;
  check_refused(
      [&](ox::i32 n, Out out) {
        if (n < 3) n += 1;
        out.unchecked_mut(0) = n + static_cast<std::int32_t>(random() & 0xffff);
      },
      {did_something_else, line});
}

TEST_CASE("host state: random numbers without any branch", "[host_state]") {
  std::mt19937 random;
  const int line = __LINE__ + 1;
  check_refused([&](ox::i32 n, Out out) { out.unchecked_mut(0) = n + static_cast<std::int32_t>(random() & 0xffff); },
                {did_something_else, line});
}

TEST_CASE("host state: the clock", "[host_state]") {
  const int line = __LINE__ + 5;
  check_refused(
      [](ox::i32 n, Out out) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        if (n < 3) out.unchecked_mut(1) = n;
        out.unchecked_mut(0) = static_cast<std::int32_t>(now & 0xfffffff);
      },
      {did_something_else, line});
}

TEST_CASE("host state: a captured vector grown by every run", "[host_state]") {
  std::vector<int> log;
  const int line = __LINE__ + 4;
  check_refused(
      [&](ox::i32 n, Out out) {
        log.push_back(1);
        if (n < 3) out.unchecked_mut(0) = static_cast<int>(log.size());
      },
      {did_something_else, line});
}

TEST_CASE("host state: a captured flag set in a branch and read at the next run's start", "[host_state]") {
  bool seen = false;
  const int line = __LINE__ + 3;
  check_refused(
      [&](ox::i32 n, Out out) {
        if (seen) out.unchecked_mut(2) = 1;
        if (n < 3) {
          seen = true;
          out.unchecked_mut(0) = 1;
        }
      },
      {did_something_else, line});
}

TEST_CASE("host state: the number of branches grows with every run", "[host_state]") {
  int calls = 0;
  check_refused(
      [&](ox::i32 n, Out out) {
        ++calls;
        for (int k = 0; k < calls; ++k)
          if (n < k) out.unchecked_mut(k) = k;
      },
      {"host"});
}

TEST_CASE("host state: the parity of runs inside a while loop", "[host_state]") {
  int calls = 0;
  check_refused(
      [&](ox::i32 n, Out out) {
        ++calls;
        while (n > 0) {
          if (calls % 3 == 0) n -= 1;
          else n -= 2;
        }
        out.unchecked_mut(0) = n;
      },
      {"host"});
}

TEST_CASE("host state: a memo that only the first run fills", "[host_state]") {
  std::map<int, int> memo;
  check_refused(
      [&](ox::i32 n, Out out) {
        if (memo.emplace(7, 1).second) out.unchecked_mut(0) = 1;
        if (n < 3) out.unchecked_mut(1) = 2;
      },
      {did_something_else});
}

TEST_CASE("host state: the order of addresses", "[host_state]") {
  std::vector<std::unique_ptr<int>> kept;  // so that every run gets another address
  check_refused(
      [&](ox::i32 n, Out out) {
        kept.push_back(std::make_unique<int>(1));
        if (n < 3) n += 1;
        out.unchecked_mut(0) = static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(kept.back().get()) & 0xffff);
      },
      {did_something_else});
}

// ---- device values where they do not live

TEST_CASE("host state: a device value kept from one run to the next", "[host_state]") {
  std::optional<ox::i32> kept;
  const int line = __LINE__ + 4;
  check_refused(
      [&](ox::i32 n, Out out) {
        if (n < 3) out.unchecked_mut(1) = 1;
        if (kept) out.unchecked_mut(0) = *kept;
        kept.emplace(n);
      },
      {"earlier run", line});
}

TEST_CASE("host state: device values collected over runs", "[host_state]") {
  std::vector<ox::i32> all;
  const int line = __LINE__ + 6;
  check_refused(
      [&](ox::i32 n, Out out) {
        all.reserve(1000);
        all.push_back(n);
        if (n < 3) out.unchecked_mut(1) = 1;
        out.unchecked_mut(0) = all.front();
      },
      {"earlier run", line});
}

TEST_CASE("host state: a static device value", "[host_state]") {
  check_refused(
      [](ox::i32 n, Out out) {
        static ox::i32 total = 0;
        if (n < 3) total += 1;
        out.unchecked_mut(0) = total;
      },
      {"earlier run"});
}

TEST_CASE("host state: a device value outside of a kernel", "[host_state]") {
  const int line = __LINE__ + 2;
  try {
    [[maybe_unused]] ox::i32 x = 3;
    FAIL("not refused");
  } catch (const ox::TraceError& e) {
    CHECK(std::string(e.what()).find("outside of a kernel") != std::string::npos);
    CHECK(e.line.line == static_cast<unsigned>(line));
    CHECK(e.line.file.find("host_state.cpp") != std::string::npos);
  }
}

TEST_CASE("host state: a device value used after its kernel was traced", "[host_state]") {
  std::optional<ox::i32> kept;
  ox::kernel("keeps", [&](ox::i32 n, Out out) {
    out.unchecked_mut(0) = n;
    kept.reset();
    kept.emplace(n);
  }).graph();
  const int line = __LINE__ + 2;
  try {
    *kept = *kept + 1;
    FAIL("not refused");
  } catch (const ox::TraceError& e) {
    CHECK(std::string(e.what()).find("outside of a kernel") != std::string::npos);
    CHECK(e.line.line == static_cast<unsigned>(line));
  }
}

TEST_CASE("host state: a device value of the outer kernel in a kernel that is traced inside it", "[host_state]") {
  const int line = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        if (n < 3) out.unchecked_mut(0) = 1;
        ox::kernel("stateful", [&](Out other) { other.unchecked_mut(0) = n; }).graph();
      },
      {"another kernel", line});
}

TEST_CASE("host state: a device value on another thread", "[host_state]") {
  const int line = __LINE__ + 8;
  std::string refusal;
  ox::kernel("threads", [&](ox::i32 n, Out out) {
    out.unchecked_mut(0) = n;
    refusal.clear();
    std::thread([&] {
      try {
        n + 1;
      } catch (const ox::TraceError& e) {
        refusal = e.what();
      }
    }).join();
  }).graph();
  INFO(refusal);
  CHECK(refusal.find("outside of a kernel") != std::string::npos);
  CHECK(refusal.find("host_state.cpp:" + std::to_string(line - 1)) != std::string::npos);
}

TEST_CASE("host state: a launch inside a kernel", "[host_state]") {
  const auto inner = ox::kernel("inner", [](Out out) { out.unchecked_mut(0) = 1; });
  const ox::Stream stream = ox::Device::cpu().default_stream();
  auto buffer = ox::DeviceBuffer<std::int32_t>::zeroed(stream, 4);
  const int line = __LINE__ + 4;
  check_refused(
      [&](ox::i32 n, Out) {
        if (n < 3) n += 1;
        inner(stream, ox::LaunchConfig{.grid = {1}, .block = {1}}, buffer);
      },
      {"launched inside a kernel", line});
}

// ---- exceptions

TEST_CASE("host state: an exception of the lambda reaches the caller, and tracing goes on after it", "[host_state]") {
  const auto throws_in_a_branch = [](ox::i32 n, Out out) {
    out.unchecked_mut(0) = n;
    if (n < 3) throw std::out_of_range("of the lambda");
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    CHECK_THROWS_WITH(ox::kernel("throws", throws_in_a_branch).graph(), "of the lambda");
    CHECK(ox::trace::Recorder::slot() == nullptr);
    CHECK_NOTHROW(ox::kernel("fine", [](ox::i32 n, Out out) {
                    if (n < 3) out.unchecked_mut(0) = n;
                  }).graph());
  }
}

TEST_CASE("host state: an exception in a kernel that is traced inside another leaves the outer one as it was", "[host_state]") {
  const auto kernel = ox::kernel("outer", [](ox::i32 n, Out out) {
    if (n < 3) out.unchecked_mut(0) = 1;
    bool thrown = false;
    try {
      ox::kernel("inner", [](Out) { throw std::runtime_error("inner"); }).graph();
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    if (thrown) out.unchecked_mut(1) = n;
  });
  CHECK(kernel.graph()->blocks.size() >= 3);
}

// ---- host state that is right

TEST_CASE("host state: exceptions that the lambda throws and catches itself are control flow", "[host_state]") {
  const auto body = [](auto x, auto out) {
    using I = decltype(x);
    I r = x;
    try {
      if (x < 4) throw 1;
      r = r + 10;
      if (x > 9) throw std::runtime_error("high");
      r = r * 2;
    } catch (int) {
      out(1) = 1;
    } catch (const std::exception&) {
      out(1) = 2;
    }
    out(0) = r;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: variables that live in one run", "[host_state]") {
  const auto body = [](auto x, auto out) {
    std::map<std::string, int> names;
    std::vector<decltype(x)> kept;
    if (x < 5) names["low"] = 3, kept.push_back(x);
    if (x > 2) names["high"] += 4, kept.push_back(x + 1);
    int total = 0;
    for (const auto& [name, count] : names) total += count * static_cast<int>(name.size());
    out(0) = total;
    for (const auto& v : kept) out(1) += v;
    std::function<int(int)> square = [](int k) { return k * k; };
    out(2) = square(total);
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: a static table that is made once and never changed", "[host_state]") {
  const auto body = [](auto x, auto out) {
    static const std::vector<int> table = [] {
      std::vector<int> t;
      for (int k = 0; k < 5; ++k) t.push_back(k * k);
      return t;
    }();
    for (std::size_t k = 0; k < table.size(); ++k)
      if (x > table[k]) out(0) = table[k];
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: scratch memory that every run clears", "[host_state]") {
  static std::vector<int> scratch;
  const auto body = [](auto x, auto out) {
    scratch.clear();
    for (int k = 0; k < 4; ++k)
      if (x > k * 3) scratch.push_back(k);
    int code = 0;
    for (const int k : scratch) code = code * 4 + k;
    out(0) = code;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: what a mutable lambda keeps is its own in every run", "[host_state]") {
  const auto traced = ox::kernel("keeps_its_own", [calls = 0](ox::i32 n, Out out) mutable {
    ++calls;
    if (n < 3) ++calls;
    out.unchecked_mut(0) = calls;
  });
  CHECK_NOTHROW(traced.graph());
}

TEST_CASE("host state: a log that nothing depends on", "[host_state]") {
  int runs = 0;
  const auto body = [](auto x, auto out) {
    if (x < 5) out(0) = 1;
    else out(0) = 2;
  };
  CHECK(run([&](auto x, auto out) { ++runs, body(x, out); }) == model(body));
  CHECK(runs > 1);
}

TEST_CASE("host state: host variables set anew in every pass of a loop", "[host_state]") {
  const auto body = [](auto x, auto out) {
    using I = decltype(x);
    I i = 0, sum = 0;
    while (i < x) {
      int weight = 2;
      bool small = false;
      if (i < 3) small = true, ++weight;
      if (i > 6) ++weight;
      sum += i * weight;
      if (small) sum += 1;
      i = i + 1;
    }
    out(0) = sum;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: a flag toggled by every pass of a while loop is two passes in one", "[host_state]") {
  const auto body = [](auto x, auto out) {
    using I = decltype(x);
    I i = 0, sum = 0;
    bool even = true;
    while (i < x) {
      if (even) sum += i;
      else sum -= 1;
      even = !even;
      i = i + 1;
    }
    out(0) = sum;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: a first pass of a while loop that is special", "[host_state]") {
  const auto body = [](auto x, auto out) {
    using I = decltype(x);
    I i = 0, sum = 0;
    bool first = true;
    while (i < x) {
      if (!first) sum = sum * 2;
      first = false;
      sum += i;
      i = i + 1;
    }
    out(0) = sum;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: a host counter with a bound in a while loop", "[host_state]") {
  const auto body = [](auto x, auto out) {
    using I = decltype(x);
    I v = x;
    int tries = 0;
    while (v > 2 && tries < 5) {
      v = v - 2;
      ++tries;
    }
    out(0) = v;
    out(1) = tries;
  };
  CHECK(run(body) == model(body));
}

TEST_CASE("host state: values collected in a while loop", "[host_state]") {
  const int loop = __LINE__ + 4;
  check_refused(
      [](ox::i32 n, Out out) {
        std::vector<ox::i32> list;
        while (n > 0) {
          list.push_back(n);
          n -= 1;
        }
        for (const ox::i32& v : list) out.unchecked_mut(v) = v;
      },
      {"host", loop});
}
