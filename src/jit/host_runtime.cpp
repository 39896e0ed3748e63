#include "host_runtime.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace oxide::jit {

namespace {

std::uint64_t globaltimer() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint32_t smid() {
  const int cpu = sched_getcpu();
  return cpu < 0 ? 0 : static_cast<std::uint32_t>(cpu);
}

std::uint32_t nsmid() {
  static const long processors = sysconf(_SC_NPROCESSORS_CONF);
  return processors < 1 ? 1 : static_cast<std::uint32_t>(processors);
}

void sleep_for(std::uint32_t nanoseconds) {
  timespec left{static_cast<time_t>(nanoseconds / 1000000000u), static_cast<long>(nanoseconds % 1000000000u)};
  while (nanosleep(&left, &left) != 0) {}
}

// Without a debugger a trap would end the process.
void stop_in_debugger() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return;
  char line[256];
  long tracer = 0;
  while (std::fgets(line, sizeof line, status) != nullptr)
    if (std::strncmp(line, "TracerPid:", 10) == 0) tracer = std::strtol(line + 10, nullptr, 10);
  std::fclose(status);
  if (tracer != 0) std::raise(SIGTRAP);
}

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

const RuntimeFunction runtime_functions[runtime_function_count] = {{globaltimer_function, address_of(globaltimer)},
                                                                   {smid_function, address_of(smid)},
                                                                   {nsmid_function, address_of(nsmid)},
                                                                   {nanosleep_function, address_of(sleep_for)},
                                                                   {breakpoint_function, address_of(stop_in_debugger)}};

}  // namespace oxide::jit
