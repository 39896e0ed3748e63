// A device integer whose place in the source is set by hand: programs that are interpreted have no sites of their own.
#pragma once

#include <cstdint>
#include <vector>

#include <oxide/trace/recorder.hpp>

namespace fuzz {

using oxide::ir::Opcode;
using oxide::ir::Type;
using oxide::trace::Handle;
using oxide::trace::Place;
using oxide::trace::Recorder;

inline thread_local Place site;

inline Recorder& recorder() { return Recorder::current(site); }

inline void at(std::uint32_t line, std::uint32_t part = 0) {
  site.file = "program";
  site.line = line + 1;
  site.column = part;
}

// A condition. Asking for its truth is a decision.
class Condition {
 public:
  explicit Condition(Handle h) : handle_(h) {}
  explicit operator bool() const {
    return recorder().decide(handle_, &oxide::trace::detail::module_anchor + (site.line * 64 + site.column), 0, site);
  }
  Handle handle() const { return handle_; }

 private:
  Handle handle_;
};

class Integer {
 public:
  explicit Integer(Handle h) : handle_(h) {}
  Integer(std::int64_t x) : handle_(recorder().emit(Opcode::constant, Type::i64, {}, static_cast<std::uint64_t>(x), site)) {}
  Integer(const Integer& other) : handle_(recorder().emit(Opcode::copy, Type::i64, {other.handle_}, 0, site)) {}
  Integer& operator=(const Integer& other) {
    recorder().emit(Opcode::assign, Type::none, {handle_, other.handle_}, 0, site);
    return *this;
  }
  friend Integer operator+(const Integer& a, const Integer& b) { return binary(Opcode::add, a, b); }
  friend Integer operator-(const Integer& a, const Integer& b) { return binary(Opcode::sub, a, b); }
  friend Integer operator*(const Integer& a, const Integer& b) { return binary(Opcode::mul, a, b); }
  friend Condition operator<(const Integer& a, const Integer& b) {
    return Condition(recorder().emit(Opcode::less, Type::boolean, {a.handle_, b.handle_}, 0, site));
  }
  friend Condition operator==(const Integer& a, const Integer& b) {
    return Condition(recorder().emit(Opcode::equal, Type::boolean, {a.handle_, b.handle_}, 0, site));
  }
  Handle handle() const { return handle_; }

 private:
  static Integer binary(Opcode op, const Integer& a, const Integer& b) {
    return Integer(recorder().emit(op, Type::i64, {a.handle_, b.handle_}, 0, site));
  }
  Handle handle_;
};

inline Integer parameter(std::uint64_t index) { return Integer(recorder().emit(Opcode::parameter, Type::i64, {}, index, site)); }

// A counted loop over device bounds: head, comparison, decision; increment.
class CountedLoop {
 public:
  CountedLoop(const Integer& from, const Integer& to) : i_(from), to_(to) {}
  bool more() {
    loop_ = recorder().loop_head(loop_, site);
    const Condition c = i_ < to_;
    return recorder().decide(c.handle(), &oxide::trace::detail::module_anchor, loop_, site);
  }
  const Integer& i() const { return i_; }
  void next() { i_ = i_ + Integer(1); }

 private:
  Integer i_, to_;
  std::uint32_t loop_ = 0;
};

// Memory of 64 integers; every index is taken modulo 64.
struct DeviceMemory {
  Integer load(const Integer& index) const { return Integer(recorder().emit(Opcode::load, Type::i64, {wrapped(index)}, 0, site)); }
  void store(const Integer& index, const Integer& value) const {
    recorder().emit(Opcode::store, Type::none, {wrapped(index), value.handle()}, 0, site);
  }

 private:
  static Handle wrapped(const Integer& index) {
    const Handle mask = recorder().emit(Opcode::constant, Type::i64, {}, 63, site);
    const Handle masked = recorder().emit(Opcode::bit_and, Type::i64, {index.handle(), mask}, 0, site);
    return recorder().emit(Opcode::cast, Type::u64, {masked}, 0, site);
  }
};

// The same on the host.
class HostLoop {
 public:
  HostLoop(std::int64_t from, std::int64_t to) : i_(from), to_(to) {}
  bool more() const { return i_ < to_; }
  std::int64_t i() const { return i_; }
  void next() { ++i_; }

 private:
  std::int64_t i_, to_;
};

struct HostMemory {
  std::vector<std::int64_t>* memory;
  std::int64_t load(std::int64_t index) const { return (*memory)[static_cast<std::size_t>(index & 63)]; }
  void store(std::int64_t index, std::int64_t value) const { (*memory)[static_cast<std::size_t>(index & 63)] = value; }
};

inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline Integer wrapping_add(const Integer& a, const Integer& b) { return a + b; }
inline Integer wrapping_sub(const Integer& a, const Integer& b) { return a - b; }
inline Integer wrapping_mul(const Integer& a, const Integer& b) { return a * b; }

}  // namespace fuzz
