// Where the text of kernels goes.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/counted.hpp>
#include <oxide/linkage.hpp>

namespace oxide {

// Takes the text of whole calls of ox::print. Called from one thread at a time; on the CPU device from the threads that run the kernel.
// What it throws reaches the launch (CPU) or the call that waits (GPU). It must not launch kernels that print.
// A callable of any type, copied as a handle; as std::function, whose header weighs more than all of the kernel language.
class PrintSink {
 public:
  PrintSink() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, PrintSink> && std::invocable<F&, std::string_view>)
  PrintSink(F&& f)
      : callable_(make_counted<std::decay_t<F>>(std::forward<F>(f))),
        call_([](void* self, std::string_view text) { (*static_cast<std::decay_t<F>*>(self))(text); }) {}

  explicit operator bool() const { return callable_ != nullptr; }
  void operator()(std::string_view text) const { call_(callable_.get(), text); }

 private:
  Counted<void> callable_;
  void (*call_)(void* self, std::string_view text) = nullptr;
};

// Sends what kernels print to `sink` from now on; to stdout when it is empty. Returns the sink before.
// Example: std::string text; ox::set_print_sink([&](std::string_view s) { text += s; });
OXIDE_INLINE PrintSink set_print_sink(PrintSink sink);

// How many bytes of output a GPU stream holds until the host next waits for it, from a stream's first kernel that prints on. What does not
// fit is lost, and the sink is told how many calls that were. A call takes 16 bytes, and 8 for each device value. The default is 1 MiB.
OXIDE_INLINE void set_print_buffer_size(std::size_t bytes);

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/runtime/print_implementation.hpp>
#endif
