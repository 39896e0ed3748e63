// Time to compile a translation unit with the umbrella header and one kernel, against one with <fmt/format.h>. Both as their CMake
// targets for linked use have it (oxide::linked, fmt::fmt); the details say what both cost header-only.
#include <sys/resource.h>

#include <cstdlib>

#include "support/figure.hpp"

namespace {

using namespace oxide::bench;

// Processor seconds of this process's finished children: other work on the machine disturbs it less than the clock on the wall.
double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

struct CompileFailed {};

constexpr char linked[] = "-DOXIDE_LINKED";

double compile_seconds(const std::string& compiler, const std::string& unit, const std::string& flags = "") {
  const std::string command =
      fmt::format("{} -std=c++20 -O2 -w {} -I{} -c {}/{} -o /dev/null", compiler, flags, OXIDE_INCLUDE, OXIDE_UNITS, unit);
  const double before = children_seconds();
  if (std::system(command.c_str()) != 0) throw CompileFailed{};
  return children_seconds() - before;
}

bool present(const std::string& compiler) { return std::system((compiler + " --version >/dev/null 2>&1").c_str()) == 0; }

}  // namespace

int main() {
  Report report("header_weight");
  for (const std::string compiler : {"g++", "clang++-22"}) {
    if (!present(compiler)) {
      report.skip(compiler, "this compiler is not installed");
      continue;
    }
    try {
      compile_seconds(compiler, "oxide_unit.cpp", linked);  // fills the file cache
      compile_seconds(compiler, "fmt_unit.cpp");
      const Comparison c = compare(
          9, [&] { return compile_seconds(compiler, "oxide_unit.cpp", linked); },
          [&] { return compile_seconds(compiler, "fmt_unit.cpp"); });
      report.detail(compiler, fmt::format("oxide {:.0f} ms (the umbrella alone {:.0f} ms), fmt {:.0f} ms", c.ours * 1e3,
                                          compile_seconds(compiler, "umbrella_unit.cpp", linked) * 1e3, c.theirs * 1e3));
      report.detail(compiler, fmt::format("header-only: oxide {:.0f} ms, fmt {:.0f} ms", compile_seconds(compiler, "oxide_unit.cpp") * 1e3,
                                          compile_seconds(compiler, "fmt_unit.cpp", "-DFMT_HEADER_ONLY") * 1e3));
      report.figure(compiler, c.ratio(), at_most(1.3));
    } catch (const CompileFailed&) {
      report.error(compiler, "a unit does not compile");
    }
  }
  return report.exit_code();
}
