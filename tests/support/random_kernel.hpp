// Random kernels for comparing compilers: a few types at a time, so that long chains of operations meet; memory of each of them, loops of
// sums that vectorize, arrays of a thread's own, functions, barriers between which nothing is exchanged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random_statements.hpp"

namespace oxide::testing {

class RandomKernel : private RandomStatements {
 public:
  // Threads that a launch has, and elements of each span but the scratch, which has `window` for each thread.
  static constexpr std::uint32_t blocks = 3, block_size = 41, elements = 128, window = 16;

  explicit RandomKernel(std::uint64_t seed, unsigned statements = 0) : RandomStatements(seed, "random", {}) {
    choose();
    if (statements == 0) statements = 3 + static_cast<unsigned>(below(one_in(4) ? 60 : 20));
    for (const Type t : types_) memories_.push_back({t, b_.span(t), b_.value(t)});
    if (one_in(3)) scratch_type_ = any_type(), scratch_ = b_.span(scratch_type_, ir::Access::write);
    if (one_in(3))
      for (std::uint64_t n = 1 + below(2); n != 0; --n) function(statements / 3 + 1, [&] { declare_all(literals); });
    b_.kernel();
    pool_.clear();
    const Variable index = one_in(2) ? b_.linear_index() : short_index();
    index_ = index;
    if (can_fault_ && one_in(2)) b_.check(memories_[0].span, index);
    declare_all(memory);
    if (one_in(3)) make_arrays();
    RandomStatements::statements(statements);
    for (const Variable v : pool_) {
      const std::uint64_t output = b_.span(b_.type_of(v), ir::Access::disjoint);
      if (can_fault_ && (v == pool_.front() || one_in(4))) b_.check(output, index);
      b_.store(output, index, v);
    }
    b_.exit();
  }

  // Spans that are read, one that is written (the scratch), spans that are written by one thread each, and values.
  ir::Graph graph() const { return b_.graph; }
  // Whether threads may fail checks.
  bool can_fault() const { return can_fault_; }

 private:
  struct Input {
    Type type;
    std::uint64_t span, value;  // memory, parameter
  };
  struct Array {
    Variable address;
    Type type;
    std::uint32_t count;  // a power of two
  };
  enum From { literals, memory };

  void choose() {
    const std::vector<Type> all = every_type();
    if (one_in(8)) {
      types_ = all;
    } else {
      for (std::uint64_t n = 1 + below(4); n != 0; --n) {
        const Type t = one_in(6) ? one_of({Type::i128, Type::u128}) : all[below(all.size())];
        if (std::find(types_.begin(), types_.end(), t) == types_.end()) types_.push_back(t);
      }
    }
    can_fault_ = one_in(4);
    barriers_ = !can_fault_ && one_in(5);
    traps_ = can_fault_;
    exits_ = !barriers_ && one_in(4);
    if (one_in(3)) b_.graph.fp_mode = ir::FpMode::strict;
  }

  void declare_all(From from) {
    for (const Type t : types_)
      for (std::uint64_t n = types_.size() > 6 ? 2 : 2 + below(3); n != 0; --n) {
        if (from == literals || one_in(5)) declare(t);
        else declare(input_of(t), t);
      }
    if (std::find(types_.begin(), types_.end(), Type::boolean) == types_.end()) declare(Type::boolean);
  }
  Variable input_of(Type type) {
    const Input& in = *std::find_if(memories_.begin(), memories_.end(), [&](const Input& i) { return i.type == type; });
    switch (below(6)) {
      case 0:
        return b_.parameter(in.value);
      case 1:
        if (ir::can_cast(Type::u64, type)) return b_.cast(index_, type);
        [[fallthrough]];
      default:
        return b_.load(in.span, index_);
    }
  }
  void make_arrays() {
    for (std::uint64_t n = 1 + below(2); n != 0; --n) {
      const Type type = any_type();
      const auto count = static_cast<std::uint32_t>(1 << below(5)), size = static_cast<std::uint32_t>(ir::size_of(type));
      arrays_.push_back({b_.local_array({size, count}), type, count});
    }
  }

  // The thread's number as CUDA's kernels make it: in 32 bits.
  Variable short_index() {
    const Variable first = binary(Op::mul, b_.coordinate(Op::block_index), b_.coordinate(Op::block_dim));
    return b_.cast(binary(Op::add, first, b_.coordinate(Op::thread_index)), Type::u64);
  }
  Variable wide(std::uint64_t n) { return b_.constant(n); }
  // A number below `count`, a power of two.
  Variable index_below(std::uint64_t count) { return b_.op(Op::bit_and, {b_.cast(operand(any_integer()), Type::u64), wide(count - 1)}); }

  bool other_statement(unsigned depth) override {
    switch (below(6)) {
      case 0:
        if (!barriers_ || depth != 0 || in_function()) return false;
        b_.op(Op::barrier, {});
        return true;
      case 1: {  // any element
        const Input& in = memories_[below(memories_.size())];
        const std::uint64_t bound = std::uint64_t{1} << below(8);
        const bool near = !in_function() && one_in(3);  // the thread's own number, and what is left of it
        Variable at = index_below(bound);
        if (near) at = one_in(2) ? b_.op(Op::bit_and, {index_, wide(bound - 1)}) : b_.op(Op::rem, {index_, wide(1 + below(bound))});
        put(in.type, b_.load(in.span, at));
        return true;
      }
      case 2:
        if (scratch_type_ == Type::none || in_function()) return false;
        access_scratch();
        return true;
      case 3:
        if (arrays_.empty() || in_function()) return false;
        access_array();
        return true;
      case 4:
        if (depth > 1 || in_function()) return false;
        sum_up();
        return true;
      default:
        if (!can_fault_ || in_function() || !one_in(3)) return false;
        b_.check(memories_[0].span, b_.op(Op::rem, {b_.cast(operand(any_integer()), Type::u64), wide(elements + 1)}));
        return true;
    }
  }
  // Elements of the thread's own.
  void access_scratch() {
    const Variable at = b_.op(Op::add, {b_.op(Op::mul, {index_, wide(window)}), index_below(window)});
    if (one_in(2)) put(scratch_type_, b_.load(scratch_, at));
    else b_.store(scratch_, at, operand(scratch_type_));
  }
  void access_array() {
    const Array& a = arrays_[below(arrays_.size())];
    const auto size = static_cast<std::uint32_t>(ir::size_of(a.type));
    const ir::AddressAccess access{size, 0, size};
    Variable index = one_in(3) ? wide(below(a.count)) : index_below(a.count);
    if (!in_function() && one_in(4)) index = b_.op(Op::bit_and, {index_, wide(a.count - 1)});
    if (can_fault_ && one_in(2)) {
      index = b_.cast(operand(any_integer()), Type::u64);
      b_.op(Op::check_index, {index}, a.count);
    }
    if (one_in(2)) put(a.type, b_.load_at(access, a.address, index, a.type));
    else b_.store_at(access, a.address, index, operand(a.type));
  }
  // A loop over elements that an optimizer can make vectors of: a sum, and now and then elements of the scratch. Counted in 64 bits, or in
  // fewer and compared as what it becomes.
  void sum_up() {
    const Input& in = memories_[below(memories_.size())];
    const Type type = any_type(), counts = one_of({Type::u64, Type::u32, Type::i32, Type::u16});
    const auto narrow = [&](std::uint64_t n) { return b_.op(Op::constant, {}, n, counts); };
    const Variable count = b_.variable(counts), sum = b_.variable(type), seen = b_.variable(in.type);
    const Variable end = one_in(2) ? wide(1 + below(elements)) : one_in(2) ? b_.length(in.span) : index_below(elements);
    b_.assign(count, narrow(0));
    b_.assign(sum, pick(type));
    b_.assign(seen, pick(in.type));
    const std::uint32_t head = b_.block(), inside = b_.block(), after = b_.block();
    b_.jump(head);
    b_.at(head);
    const Variable k = counts == Type::u64 ? count : b_.cast(count, Type::u64);
    b_.branch(b_.op(Op::less, {k, end}), inside, after);
    b_.at(inside);
    const std::uint64_t last = one_in(2) ? elements - 1 : (std::uint64_t{1} << below(8)) - 1;
    Variable place = one_in(3) ? b_.op(Op::mul, {k, wide(1 + below(4))}) : k;
    if (one_in(2)) place = b_.op(Op::add, {index_, place});
    b_.assign(seen, b_.load(in.span, b_.op(Op::bit_and, {place, wide(last)})));
    pool_.push_back(sum);
    pool_.push_back(seen);
    depth_ = 1;
    const Variable next = expression(type);
    depth_ = 0;
    if (scratch_type_ != Type::none && one_in(2)) {
      const Variable own = b_.op(Op::add, {b_.op(Op::mul, {index_, wide(window)}), b_.op(Op::bit_and, {k, wide(window - 1)})});
      b_.store(scratch_, own, pick(scratch_type_));
    }
    pool_.resize(pool_.size() - 2);
    b_.assign(sum,
              one_in(2) && ir::is_integer(type) ? b_.op(one_of({Op::add, Op::bit_xor, Op::min, Op::max, Op::mul}), {sum, next}) : next);
    b_.assign(count, b_.op(Op::add, {count, narrow(1)}));
    b_.jump(head);
    b_.at(after);
    put(type, sum);
    put(in.type, seen);
  }

  std::vector<Input> memories_;
  std::vector<Array> arrays_;
  Type scratch_type_ = Type::none;
  std::uint64_t scratch_ = 0;
  Variable index_ = ir::no_variable;
  bool can_fault_ = false, barriers_ = false;
};

}  // namespace oxide::testing
