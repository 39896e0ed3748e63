// One run of a kernel lambda: what it did, operation by operation, and the answers its decisions were given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <oxide/error.hpp>
#include <oxide/ir/ops.hpp>
#include <oxide/ir/type.hpp>
#include <oxide/trace/declarations.hpp>
#include <oxide/trace/handle.hpp>

namespace oxide::trace {

// A place in the user's source, as the compiler gave it. Passed by value, in two registers: one that goes through memory in parts
// costs a recorded operation as much as everything else does.
struct Place {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  constexpr Place() = default;
  constexpr Place(const std::source_location& l) : file(l.file_name()), line(l.line()), column(l.column()) {}
  SourceLine source_line() const { return {file, line, column}; }
  friend bool operator==(const Place& a, const Place& b) { return a.file == b.file && a.line == b.line && a.column == b.column; }
};

// One recorded operation. `key` says what code it is: equal keys mean same operation, type, immediate and site. Operations that are
// shown to a follower come without (0): most are told by their parts, which is faster; see key_of.
struct Event {
  ir::Opcode opcode = ir::Opcode::end;
  ir::Type type = ir::Type::none;
  std::uint8_t operand_count = 0;
  bool answer = false;     // decide: the answer that was given; not part of the key
  std::uint32_t loop = 0;  // loop_head and its decide: which counted loop of this run, from 1; not part of the key
  ValueId result = no_value;
  std::array<ValueId, ir::max_operands> operands{no_value, no_value, no_value};
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
  settle,  // soon leaves every loop: true on the first visit of a site, false on the second, then by chance; counted loops see below
  no,      // always false
  random,
  biased,  // each site has an answer, which it gives 31 times in 32: one of its own, by other seeds the last that was forced on it
  cycle,   // a given sequence, again and again
};

// What follows a run while it is made, instead of storing it. Returns false when it has seen enough.
struct Follower {
  virtual bool follow(const Event& event) = 0;

 protected:
  ~Follower() = default;
};

// How one run is to be made.
struct RunPlan {
  const std::vector<bool>* forced = nullptr;  // the first answers
  Policy policy = Policy::settle;
  std::uint32_t seed = 1;
  const std::vector<bool>* cycle = nullptr;   // Policy::cycle
  std::uint64_t fixed_site = 0;               // settle: the decision with this key is always answered `fixed_answer`
  bool fixed_answer = false;
  Follower* follower = nullptr;               // when set, no events are stored
  std::size_t unwatched = 0;                  // so many first events, up to a forced answer or before it, are not shown to the follower
  std::size_t event_limit = max_events;
  std::size_t decision_limit = max_decisions;
};

// Thrown through the lambda to end a run early; deliberately not a std::exception, so that user code does not catch it by type.
struct RunStopped {};

namespace detail {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

inline std::uint64_t text_hash(const char* text) {
  std::uint64_t hash = 7;
  for (; *text != 0; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

// Keys do not depend on where the program was loaded, so that a kernel is explored the same way in every process.
inline std::uint64_t site_key(ir::Opcode opcode, ir::Type type, std::uint64_t immediate, const Place& place, std::uint64_t file_hash) {
  // Side by side, so that no two sites of a file give one number; and mixed before the immediate, which may be any number, meets it.
  const std::uint64_t site = std::uint64_t{place.line} << 40 | std::uint64_t{place.column} << 16 | static_cast<std::uint64_t>(type) << 8 |
                             static_cast<std::uint64_t>(opcode);
  return mix(mix(file_hash, site), immediate);
}

// Lies in the module that the recorder is compiled into: addresses are compared by their distance from it.
inline constinit char module_anchor = 0;

// A number of each decision site in the current run. Open addressing; a new run forgets all by raising `run`.
class SiteTable {
 public:
  void forget() { ++run_, used_ = 0; }
  // How often the site was visited before.
  std::uint32_t visit(std::uint64_t key) { return at(key, 0)++; }
  void set(std::uint64_t key, std::uint32_t number) { at(key, 0) = number; }
  std::uint32_t get(std::uint64_t key, std::uint32_t otherwise) { return at(key, otherwise); }

 private:
  struct Row {
    std::uint64_t key = 0;
    std::uint32_t run = 0;
    std::uint32_t number = 0;
  };
  std::uint32_t& at(std::uint64_t key, std::uint32_t otherwise) {
    if (used_ * 2 >= rows_.size()) grow();
    for (std::size_t i = key & (rows_.size() - 1);; i = (i + 1) & (rows_.size() - 1)) {
      Row& row = rows_[i];
      if (row.run == run_ && row.key != key) continue;
      if (row.run != run_) row = {key, run_, otherwise}, ++used_;
      return row.number;
    }
  }
  void grow() {
    std::vector<Row> old(rows_.empty() ? 64 : rows_.size() * 2);
    old.swap(rows_);
    for (const Row& row : old) {
      if (row.run != run_) continue;
      std::size_t i = row.key & (rows_.size() - 1);
      while (rows_[i].run == run_) i = (i + 1) & (rows_.size() - 1);
      rows_[i] = row;
    }
  }
  std::vector<Row> rows_;
  std::uint32_t run_ = 0;
  std::size_t used_ = 0;
};

}  // namespace detail

// The key of an event, also of one that came without.
inline std::uint64_t key_of(const Event& e) {
  return e.key != 0 ? e.key : detail::site_key(e.opcode, e.type, e.immediate, e.place, detail::text_hash(e.place.file));
}

class Recorder {
 public:
  // `of_kernel`: those of all runs of the kernel.
  Recorder(std::string kernel_name, Declarations& of_kernel) : declarations(of_kernel), kernel_name_(std::move(kernel_name)) {}

  // The recorder of the kernel that is being traced on this thread; nullptr outside of a trace.
  static Recorder*& slot() {
    thread_local Recorder* current = nullptr;
    return current;
  }
  static Recorder& current(Place place) {
    if (slot() == nullptr) outside_of_kernel(place);
    return *slot();
  }

  // ---- called by the values of dsl/

  // Records one operation and returns its result (an unset handle when it has none).
  [[gnu::noinline]] Handle emit(ir::Opcode opcode, ir::Type type, const Handle* operands, unsigned operand_count, std::uint64_t immediate,
                                Place place) {
    if (stopped_) [[unlikely]]
      return {0, run_};  // a destructor that records while the run unwinds
    for (unsigned k = 0; k < operand_count; ++k) check(operands[k], place);
    const ValueId result = type == ir::Type::none ? no_value : next_value_++;
    if (Event* event = next_event(place); event != nullptr) {
      event->opcode = opcode;
      event->type = type;
      event->operand_count = static_cast<std::uint8_t>(operand_count);
      event->answer = false;
      event->loop = 0;
      event->result = result;
      for (unsigned k = 0; k < operand_count; ++k) event->operands[k] = operands[k].id;
      event->immediate = immediate;
      event->key = plan_.follower != nullptr ? 0 : site_key(opcode, type, immediate, place, 0);
      show(*event);
    }
    return {result, result == no_value ? 0 : run_};
  }
  Handle emit(ir::Opcode opcode, ir::Type type, std::initializer_list<Handle> operands, std::uint64_t immediate, Place place) {
    return emit(opcode, type, operands.begin(), static_cast<unsigned>(operands.size()), immediate, place);
  }

  // The truth of a condition that was made at `place`. `loop` is the counted loop that asks whether to make another pass, 0 for none.
  // Decisions that share a place (std::min called twice) are told apart by `address`, where this was called from.
  bool decide(Handle condition, const void* address, std::uint32_t loop, Place place) {
    if (stopped_) [[unlikely]] {
      if (std::uncaught_exceptions() > 0) return false;
      throw RunStopped{};  // the lambda swallowed the first one
    }
    check(condition, place);
    if (enough_ || answers_.size() >= plan_.decision_limit) stop();
    const bool forced = answers_.size() < plan_.forced->size();
    std::uint64_t key = 0;
    if (event_count_ >= plan_.unwatched || !forced || repeats_)
      key = site_key(ir::Opcode::decide, ir::Type::none, way, place, reinterpret_cast<std::uintptr_t>(address));
    const bool answer = forced ? (*plan_.forced)[answers_.size()] : choose(key, loop);
    if (forced && repeats_) site_answers_.set(key, answer);
    if (loop != 0) ++loops_[loop - 1].visits;
    answers_.push_back(answer);
    if (Event* event = next_event(place); event != nullptr) {
      *event = {};
      event->opcode = ir::Opcode::decide;
      event->operand_count = 1;
      event->answer = answer;
      event->loop = loop;
      event->operands[0] = condition.id;
      event->immediate = way;
      event->key = key;
      event->place = place;
      show(*event);
    }
    return answer;
  }

  // Enters a counted loop (`loop` 0) or comes back to its head; returns the loop's number in this run.
  std::uint32_t loop_head(std::uint32_t loop, Place place) {
    if (stopped_) [[unlikely]]
      return loop;
    if (loop == 0) {
      loops_.push_back({answers_.size(), 0});
      loop = static_cast<std::uint32_t>(loops_.size());
    }
    if (Event* event = next_event(place); event != nullptr) {
      *event = {};
      event->opcode = ir::Opcode::loop_head;
      event->loop = loop;
      event->place = place;
      event->key = site_key(ir::Opcode::loop_head, ir::Type::none, 0, place, 0);
      show(*event);
    }
    return loop;
  }

  const std::string& kernel_name() const { return kernel_name_; }

  Declarations& declarations;

  // Which of several ways of doing one thing is recording; see dsl/other_way.hpp. Decisions are told apart by it, in key and immediate.
  std::uint32_t way = 0;

  // ---- called by the explorer

  // Makes one run of `lambda` by `plan`. Exceptions of the lambda pass through, and the recorder is as it was.
  template <class Lambda>
  void run(const RunPlan& plan, Lambda&& lambda) {
    static thread_local std::uint32_t runs = 0;
    plan_ = plan;
    first_seed_ = plan.seed;
    repeats_ = plan.policy == Policy::biased && (plan.seed & 2) != 0;
    run_ = ++runs == 0 ? ++runs : runs;  // 0 marks an unset handle
    events_.clear();
    answers_.clear();
    loops_.clear();
    declarations.start_run();
    visits_.forget();
    if (repeats_) site_answers_.forget();
    next_value_ = 0;
    way = 0;
    event_count_ = 0;
    replay_ = replay_end_ = 0;
    enough_ = too_long_ = ended_ = stopped_ = false;
    last_place_ = {};
    struct Slot {
      Recorder* outer = std::exchange(slot(), nullptr);
      ~Slot() { slot() = outer; }
    } guard;
    slot() = this;
    try {
      lambda();
      ended_ = !stopped_;
      if (Event* end = ended_ ? next_event({}) : nullptr; end != nullptr) {
        *end = {};
        end->key = end_key;
        show(*end);
      }
    } catch (const RunStopped&) {}
  }

  const std::vector<Event>& events() const { return events_; }
  const std::vector<bool>& answers() const { return answers_; }
  std::size_t event_count() const { return event_count_; }
  bool ended() const { return ended_; }        // the lambda returned
  bool too_long() const { return too_long_; }  // the run was stopped for its length
  const Place& last_place() const { return last_place_; }

  // Counted loops whose head was seen in an earlier run; a settling run does not enter them again of itself.
  std::vector<std::uint64_t> known_loops;

  static constexpr std::uint64_t end_key = 1;

 private:
  struct FileHash {
    const char* file = nullptr;
    std::uint64_t hash = 0;
  };
  struct Loop {
    std::size_t first_answer;  // the index of the answer to "a first pass?"
    std::uint32_t visits;      // how often that was asked
  };

  [[noreturn]] static void outside_of_kernel(Place place) {
    throw TraceError("", place.source_line(),
                     "a device value was used outside of a kernel; device values exist only while a kernel lambda is traced");
  }
  [[noreturn]] void of_another_run(Place place) const {
    throw TraceError(
        kernel_name_, place.source_line(),
        "a device value of an earlier run or of another kernel was used; a kernel lambda runs several times while it is traced, "
        "and device values must not outlive one run");
  }
  [[noreturn]] void stop() {
    too_long_ = !enough_;
    stopped_ = true;
    throw RunStopped{};
  }

  void check(Handle h, Place place) const {
    if (h.run != run_ || h.id >= next_value_) [[unlikely]]
      of_another_run(place);
  }

  std::uint64_t site_key(ir::Opcode opcode, ir::Type type, std::uint64_t immediate, Place place, std::uint64_t address) {
    const std::uint64_t h = detail::site_key(opcode, type, immediate, place, file_hash(place.file));
    return address == 0 ? h : detail::mix(h, address - reinterpret_cast<std::uintptr_t>(&detail::module_anchor));
  }

  std::uint64_t file_hash(const char* file) {
    FileHash& known = file_hashes_[(reinterpret_cast<std::uintptr_t>(file) >> 3) % std::size(file_hashes_)];
    if (known.file != file) known = {file, detail::text_hash(file)};
    return known.hash;
  }

  // Counts an event; where it is to be written before it is shown, nullptr when nobody looks at it. All but the place is the caller's.
  Event* next_event(Place place) {
    if (event_count_ >= plan_.event_limit) stop();
    last_place_ = place;
    if (event_count_++ < plan_.unwatched) return nullptr;
    Event* event = &shown_;
    if (plan_.follower == nullptr) event = &events_.emplace_back();
    else if (enough_) return nullptr;  // the run is stopped at its next decision
    event->place.file = place.file;
    event->place.line = place.line;
    event->place.column = place.column;
    return event;
  }
  void show(const Event& event) {
    if (plan_.follower != nullptr && !plan_.follower->follow(event)) enough_ = true;
  }

  bool choose(std::uint64_t key, std::uint32_t loop) {
    switch (plan_.policy) {
      case Policy::settle:
        if (key == plan_.fixed_site) return plan_.fixed_answer;
        return loop != 0 ? settle_loop(key, loops_[loop - 1]) : settle(key);
      case Policy::no:
        return false;
      case Policy::cycle:
        return (*plan_.cycle)[(answers_.size() - plan_.forced->size()) % plan_.cycle->size()];
      case Policy::random:
        return (chance() >> 20) & 1;
      case Policy::biased: {
        const std::uint32_t own = (detail::mix(key, first_seed_) >> 40) & 1;
        return (repeats_ ? site_answers_.get(key, own) : own) != (((chance() >> 20) & 31) == 0 ? 1u : 0u);
      }
    }
    return true;
  }

  std::uint32_t chance() { return plan_.seed = plan_.seed * 1664525u + 1013904223u; }

  bool settle(std::uint64_t key) {
    if (replay_ < replay_end_) return answers_[replay_++];
    const std::uint32_t visits = visits_.visit(key);
    if (visits < 2) return visits == 0;
    return detail::mix(key, visits) >> 63 != 0;
  }

  // A counted loop makes a pass when it is new, then the same pass once more, so that the second can be compared with the first.
  bool settle_loop(std::uint64_t key, const Loop& loop) {
    if (replay_ < replay_end_) return answers_[replay_++];
    if (loop.visits == 0) {
      for (const std::uint64_t known : known_loops)
        if (known == key) return false;
      return true;
    }
    if (loop.visits > 1) return false;
    replay_ = loop.first_answer;
    replay_end_ = answers_.size();
    return answers_[replay_++];
  }

  std::string kernel_name_;
  RunPlan plan_;
  std::uint32_t first_seed_ = 0;
  std::uint32_t run_ = 0;
  ValueId next_value_ = 0;
  std::vector<Event> events_;
  Event shown_;  // to a follower
  std::vector<bool> answers_;
  std::vector<Loop> loops_;
  detail::SiteTable visits_;
  detail::SiteTable site_answers_;  // that were forced, where the policy repeats them
  std::size_t event_count_ = 0;
  std::size_t replay_ = 0, replay_end_ = 0;  // answers that are being given a second time
  bool repeats_ = false;
  bool enough_ = false, too_long_ = false, ended_ = false, stopped_ = false;
  Place last_place_;
  FileHash file_hashes_[16];
};

}  // namespace oxide::trace
