// A compiler library that knows one kernel, vecadd, by hand: what it is given decides only what it says about it. It lets the tests of
// loading, caching and launching run without LLVM, and fail on demand.
//
// Kernel: c[i] = a[i] + b[i] for the threads below c's length; an index outside of a or b is a fault at site 0 or 1.
#include <oxide/jit/abi.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fake_jit.hpp"

namespace {

std::atomic<int> compiles{0}, alive{0}, next_status{0};
std::atomic<unsigned> delay_us{0};
oxide_jit_request last{};

void report(oxide_fault_record* fault, std::uint32_t site, std::uint64_t index, std::uint64_t length, std::uint64_t block,
            std::uint64_t thread) {
  if (__atomic_exchange_n(&fault->claimed, 1u, __ATOMIC_ACQ_REL) != 0) return;
  fault->site = site;
  fault->values[0] = index;
  fault->values[1] = length;
  fault->block[0] = static_cast<std::uint32_t>(block);
  fault->thread[0] = static_cast<std::uint32_t>(thread);
  __atomic_store_n(&fault->ready, 1u, __ATOMIC_RELEASE);
}

struct FloatSpan {
  float* data;
  std::uint64_t length;
  FloatSpan(const void* const* argument)
      : data(*static_cast<float* const*>(argument[0])), length(*static_cast<const std::uint64_t*>(argument[1])) {}
};

void vecadd(const oxide_host_launch* launch, std::uint64_t first_block, std::uint64_t end_block) {
  const FloatSpan a(launch->arguments), b(launch->arguments + 2), c(launch->arguments + 4);
  for (std::uint64_t block = first_block; block != end_block; ++block)
    for (std::uint64_t thread = 0; thread != launch->block[0]; ++thread) {
      const std::uint64_t i = block * launch->block[0] + thread;
      if (i >= c.length) continue;
      if (i >= a.length) report(launch->fault, 0, i, a.length, block, thread);
      else if (i >= b.length) report(launch->fault, 1, i, b.length, block, thread);
      else c.data[i] = a.data[i] + b.data[i];
    }
}

struct OwnedResult : oxide_jit_result {
  std::string text_of_message, text_of_ptx;
};

oxide_jit_text view(const std::string& s) { return {s.c_str(), s.size()}; }

// Where vecadd_graph() has its bounds checks.
const oxide_fault_site sites[] = {{OXIDE_FAULT_BOUNDS, 0, 1, 0, 0, 0}, {OXIDE_FAULT_BOUNDS, 1, 1, 1, 0, 0}};

}  // namespace

extern "C" {

const oxide_jit_info* oxide_jit_get_info() {
#ifdef FAKE_ABI_VERSION
  static const oxide_jit_info info{FAKE_ABI_VERSION, "0", "none", "", "fake"};
#else
  static const oxide_jit_info info{OXIDE_JIT_ABI_VERSION, "0", "none", "", "fake"};
#endif
  return &info;
}

#ifdef FAKE_WITHOUT_COMPILE
#define oxide_jit_compile fake_jit_compile_by_another_name
#endif
oxide_jit_result* oxide_jit_compile(const oxide_jit_request* request) {
  ++compiles;
  ++alive;
  last = *request;
  if (const unsigned us = delay_us; us != 0) usleep(us);
  auto* result = new OwnedResult{};
  result->status = static_cast<oxide_jit_status>(next_status.exchange(OXIDE_JIT_OK));
  if (result->status != OXIDE_JIT_OK) {
    result->text_of_message = "asked to fail";
    result->message = view(result->text_of_message);
    return result;
  }
  result->sites = sites;
  result->site_count = 2;
  result->timing.emit_ms = 0.25;
  if (request->target == OXIDE_JIT_HOST) {
    result->entry = vecadd;
  } else {
    result->text_of_ptx = "vecadd for sm_" + std::to_string(request->sm) + " in PTX " + std::to_string(request->ptx_version);
    result->ptx = view(result->text_of_ptx);
    result->entry_name = "vecadd_entry";
  }
  return result;
}

void oxide_jit_release(oxide_jit_result* result) {
  --alive;
  delete static_cast<OwnedResult*>(result);
}

void oxide_jit_prepare(const oxide_jit_request*) {}

void fake_jit_fail_next(int status) { next_status = status; }
void fake_jit_delay(unsigned us) { delay_us = us; }
int fake_jit_compiles() { return compiles; }
int fake_jit_alive() { return alive; }
oxide_jit_request fake_jit_last_request() { return last; }

}  // extern "C"
