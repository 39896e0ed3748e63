// Stack for kernels whose functions call themselves: as much as they may use, on the thread that runs them or on another one.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <oxide/error.hpp>
#include <oxide/ir/analysis/call_graph.hpp>
#include <oxide/ir/graph.hpp>

namespace oxide::runtime::cpu {

// What a call may use behind the limit, before it is checked again.
inline constexpr std::size_t stack_reserve = std::size_t{128} * 1024;

// The bytes that a kernel's calls may use on the CPU, whose frames are larger than a GPU's; 0 when no function calls itself.
inline std::size_t stack_bytes(const ir::Graph& graph) {
  if (graph.functions.empty() || !ir::CallGraph(graph).reaches_recursion(0)) return 0;
  return std::max<std::size_t>(std::size_t{1} << 20, 16 * std::size_t{ir::stack_size(graph.attributes)});
}

namespace detail {

// The lowest address of this thread's stack and the one behind its highest.
struct StackBounds {
  std::uintptr_t low = 0, high = 0;

  static const StackBounds& get() {
    static thread_local const StackBounds bounds = [] {
      StackBounds b;
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return b;
      void* low = nullptr;
      std::size_t size = 0;
      if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        b.low = reinterpret_cast<std::uintptr_t>(low);
        b.high = b.low + size;
      }
      pthread_attr_destroy(&attributes);
      return b;
    }();
    return bounds;
  }
};

}  // namespace detail

// Calls f(limit): f may use `bytes` of stack down to that address. Where this thread has no such room (it is deep already, was made with a
// small stack, or runs on one that is not its own), another thread makes the call meanwhile.
// Throws DeviceError when there is no memory for one.
template <class F>
void with_stack(std::size_t bytes, F&& f) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const detail::StackBounds& stack = detail::StackBounds::get();
  if (here > stack.low && here < stack.high && here - stack.low >= bytes + stack_reserve) return f(here - bytes);
  struct Call {
    F& f;
    std::size_t bytes;
    static void* run(void* call) {
      const Call& c = *static_cast<const Call*>(call);
      c.f(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - c.bytes);
      return nullptr;
    }
  } call{f, bytes};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes + 2 * stack_reserve);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, &Call::run, &call);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    throw DeviceError("making a thread with " + std::to_string(bytes) + " bytes of stack for a kernel's calls", "out of memory", error);
  pthread_join(thread, nullptr);
}

}  // namespace oxide::runtime::cpu
