// One run of a kernel lambda: what it did, operation by operation, and the answers its decisions were given.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>
#include <unordered_map>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/ops.hpp>
#include <oxide/ir/type.hpp>

namespace oxide::trace {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = 0xffffffff;

// What a device value holds on the host: which value of which run it is. A handle of another run is a mistake that is caught.
struct Handle {
  ValueId id = no_value;
  std::uint32_t run = 0;
};

// A place in the user's source, as the compiler gave it.
struct Place {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  constexpr Place() = default;
  constexpr Place(const std::source_location& l) : file(l.file_name()), line(l.line()), column(l.column()) {}
  SourceLine source_line() const { return {file, line, column}; }
};

// One recorded operation. `key` says what code it is: equal keys mean same operation, type, immediate and site.
struct Event {
  ir::Opcode opcode = ir::Opcode::end;
  ir::Type type = ir::Type::none;
  std::uint8_t operand_count = 0;
  bool answer = false;  // decide: the answer that was given; it is not part of the key
  ValueId result = no_value;
  std::array<ValueId, ir::max_operands> operands{no_value, no_value, no_value};
  std::uint32_t loop = 0;  // loop_head and its decide: which loop of this run, from 1; 0 for none. Not part of the key
  std::uint64_t immediate = 0;
  std::uint64_t key = 0;
  Place place;
};

// The largest trace that is accepted. What does not end within it could not have been unrolled either, so these bounds also tell
// a loop of the device from a loop of the host.
inline constexpr std::size_t max_events = 65536;
inline constexpr std::size_t max_decisions = 4096;

// How decisions are answered after the forced ones.
enum class Policy : std::uint8_t {
  settle,           // true on the first visit of a site, false on the second, then by chance: leaves every loop soon
  yes,              // always true
  no,               // always false
  repeat_else_yes,  // as the site's decision was last answered on this run, true on the first visit
  repeat_else_no,
  random,
};

// Thrown through the lambda to end a run early. Not an exception that user code would catch by type.
struct RunStopped {};

class Walker;

class Recorder {
 public:
  explicit Recorder(std::string kernel_name) : kernel_name_(std::move(kernel_name)) {}

  // The recorder of the kernel that is being traced on this thread; nullptr outside of a trace.
  static Recorder*& slot() {
    thread_local Recorder* current = nullptr;
    return current;
  }
  static Recorder& current(const Place& place) {
    if (slot() == nullptr) outside_of_kernel(place);
    return *slot();
  }

  // ---- called by the values of dsl/

  [[gnu::noinline]] Handle emit(ir::Opcode opcode, ir::Type result, std::array<Handle, ir::max_operands> operands, unsigned operand_count,
                                std::uint64_t immediate, const Place& place);
  // `address` tells apart decisions that share a place: the return address of the call that asks.
  bool decide(Handle condition, const void* address, std::uint32_t loop = 0);
  // Enters a counted loop (`loop` 0) or comes back to its head; returns the loop's number in this run.
  std::uint32_t loop_head(std::uint32_t loop, const Place& place);

  const std::string& kernel_name() const { return kernel_name_; }

  // ---- called by the explorer

  void start(const std::vector<bool>* forced, Policy policy, std::uint32_t seed, Walker* walker, std::size_t event_limit);
  void finish();

  std::vector<Event> events;     // not filled in while a walker follows the run
  std::vector<bool> answers;     // of all decisions so far
  std::size_t event_count = 0;
  bool too_long = false;         // the run was stopped for its length
  Place last_place;

 private:
  [[noreturn]] static void outside_of_kernel(const Place& place) {
    throw TraceError("", place.source_line(), "a device value was used outside of a kernel; device values exist only while a kernel lambda is traced");
  }
  bool choose(std::uint64_t key, std::uint32_t loop);
  void add(const Event& event);

  std::string kernel_name_;
  const std::vector<bool>* forced_ = nullptr;
  Policy policy_ = Policy::settle;
  std::uint32_t seed_ = 1;
  std::uint32_t run_ = 0;
  Walker* walker_ = nullptr;
  std::size_t event_limit_ = max_events;
  ValueId next_value_ = 0;
  std::uint32_t loops_ = 0;
  std::vector<Place> value_places_;
};

}  // namespace oxide::trace
