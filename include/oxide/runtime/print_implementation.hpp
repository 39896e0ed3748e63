// From records of output to text, and to the sink.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oxide/ir/output.hpp>
#include <oxide/jit/abi.h>
#include <oxide/runtime/print_sink.hpp>
#include <oxide/runtime/print_text.hpp>

namespace oxide::runtime {

// The formats of all programs that were loaded, and the sink; the one place that owns them.
class Printer {
 public:
  static Printer& get() {
    static Printer& printer = *new Printer;  // never freed: kernels may run until the process ends
    return printer;
  }

  // Has to know a graph before its records come.
  void learn(const ir::Graph& graph) {
    const std::lock_guard lock(formats_mutex_);
    ir::for_each_output(graph, [&](const std::string& format, const std::vector<ir::Type>& types) {
      formats_.try_emplace(ir::output_key(format, types), Format{format, types});
    });
  }

  // Appends the text of a record, which starts with its number of words and its key.
  void append(std::string& out, std::span<const std::uint64_t> record) {
    const std::lock_guard lock(formats_mutex_);
    const auto format = record.size() < 2 ? formats_.end() : formats_.find(record[1]);
    if (format == formats_.end()) out += "oxide: output of an unknown kernel\n";
    else out += print_text(format->second.text, format->second.types, record.subspan(2));
  }

  // Gives text to the sink.
  void write(std::string_view text) {
    const std::lock_guard lock(sink_mutex_);
    if (sink_) return sink_(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);  // so that it stands before what the program says about a crash
  }

  PrintSink exchange_sink(PrintSink sink) {
    const std::lock_guard lock(sink_mutex_);
    return std::exchange(sink_, std::move(sink));
  }

  std::atomic<std::size_t> buffer_bytes{std::size_t{1} << 20};

 private:
  struct Format {
    std::string text;
    std::vector<ir::Type> types;
  };
  std::mutex formats_mutex_, sink_mutex_;
  std::unordered_map<std::uint64_t, Format> formats_;  // guarded by formats_mutex_
  PrintSink sink_;                                     // guarded by sink_mutex_
};

// What a kernel of the CPU device calls. Its code cannot be unwound, so what the sink throws is kept until the launch is over.
struct CpuPrintSink : oxide_print_sink {
  static CpuPrintSink& get() {
    static CpuPrintSink& sink = *new CpuPrintSink;
    return sink;
  }
  // Throws what the sink threw, once.
  void rethrow() {
    if (!failed.load(std::memory_order_relaxed)) [[likely]]
      return;
    std::exception_ptr thrown;
    {
      const std::lock_guard lock(mutex);
      thrown = std::exchange(exception, nullptr);
      failed = false;
    }
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  CpuPrintSink() : oxide_print_sink{&CpuPrintSink::print} {}
  static void print(oxide_print_sink* self, const std::uint64_t* record) {
    try {
      std::string text;
      Printer::get().append(text, {record, static_cast<std::size_t>(record[0])});
      Printer::get().write(text);
    } catch (...) {
      auto& sink = *static_cast<CpuPrintSink*>(self);
      const std::lock_guard lock(sink.mutex);
      sink.exception = std::current_exception();
      sink.failed = true;
    }
  }
  std::mutex mutex;
  std::exception_ptr exception;  // guarded by mutex
  std::atomic<bool> failed{false};
};

}  // namespace oxide::runtime

namespace oxide {

OXIDE_INLINE PrintSink set_print_sink(PrintSink sink) { return runtime::Printer::get().exchange_sink(std::move(sink)); }
OXIDE_INLINE void set_print_buffer_size(std::size_t bytes) { runtime::Printer::get().buffer_bytes = bytes < 256 ? 256 : bytes; }

}  // namespace oxide
