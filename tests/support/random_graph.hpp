// Random graphs: every operation, branches, loops that end, copies, dead code, blocks that are empty or that nothing reaches.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

#include <oxide/ir/float_format.hpp>

#include "graph_builder.hpp"

namespace oxide::testing {

// Bits that are likely to break something: limits, zeros, infinities, NaNs, halves, and now and then anything.
inline std::uint64_t interesting_bits(ir::Type type, std::mt19937_64& random);
inline uint128 interesting_word(ir::Type type, std::mt19937_64& random) {
  if (ir::bits_of(type) != 128) return interesting_bits(type, random);
  const uint128 low = interesting_bits(ir::Type::u64, random);
  switch (random() % 4) {
    case 3: {  // the middle between two numbers of a floating type, and a little more
      const uint128 number = uint128{interesting_bits(ir::Type::u64, random)} << (random() % 64);
      return number + random() % 2;
    }
    case 0:
      return uint128{interesting_bits(ir::Type::u64, random)} << 64 | low;
    case 1:
      return low;
    default:
      return (low >> 63 != 0 ? ~uint128{0} << 64 : 0) | low;
  }
}
// Of at most 64 bits.
inline std::uint64_t interesting_bits(ir::Type type, std::mt19937_64& random) {
  if (ir::is_pair(type)) {
    const ir::Type element = ir::element_of(type);
    const std::uint64_t low = interesting_bits(element, random);
    return interesting_bits(element, random) << 16 | low;
  }
  if (ir::bits_of(type) == 128) type = ir::Type::u64;
  if (ir::is_half(type) && random() % 4 != 0) {  // what is interesting of larger ones, and what small numbers are made of
    const bool whole = random() % 2 != 0;
    const double value =
        whole ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(interesting_bits(ir::Type::f32, random))))
              : static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 16;
    return ir::round_to_format(ir::format_of(type), value);
  }
  const unsigned bits = ir::bits_of(type);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1, top = std::uint64_t{1} << (bits - 1);
  if (type == ir::Type::f32) {
    static constexpr std::uint32_t values[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                               0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
                                               0x40200000, 0xc0200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000,
                                               0x4b000001, 0x41200000, 0x3dcccccd, 0x40490fdb, 0x4effffff, 0x437f0000};
    if (random() % 2 != 0) return values[random() % std::size(values)];
    if (random() % 2 != 0)
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(random() % 20001) - 10000) / 16.0f);
    return random() & mask;
  }
  if (type == ir::Type::f64) {
    static constexpr std::uint64_t values[] = {0,
                                               0x8000000000000000,
                                               0x3ff0000000000000,
                                               0xbff0000000000000,
                                               0x7ff0000000000000,
                                               0xfff0000000000000,
                                               0x7ff8000000000000,
                                               1,
                                               0x8000000000000001,
                                               0x000fffffffffffff,
                                               0x0010000000000000,
                                               0x7fefffffffffffff,
                                               0x3fe0000000000000,
                                               0x4004000000000000,
                                               0xc004000000000000,
                                               0x41e0000000000000,
                                               0xc1e0000000000000,
                                               0x41efffffffe00000,
                                               0x43e0000000000000,
                                               0xc3e0000000000000,
                                               0x43f0000000000000,
                                               0x4330000000000001,
                                               0x36a0000000000000,
                                               0x47efffffe0000000,
                                               0x47f0000000000000};
    if (random() % 2 != 0) return values[random() % std::size(values)];
    if (random() % 2 != 0)
      return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(random() % 20001) - 10000) / 16.0);
    return random();
  }
  if (type == ir::Type::boolean) return random() & 1;
  switch (random() % 5) {
    case 0:
      return (top + random() % 5 - 2) & mask;
    case 3: {  // beside the middle between two numbers of a floating type
      static constexpr unsigned significant[] = {8, 11, 24, 53};
      const unsigned digits = significant[random() % 4], leading = bits - 1 - static_cast<unsigned>(random() % (bits / 4));
      if (leading < digits) return std::uint64_t{1} << leading;
      return ((std::uint64_t{1} << leading) + ((random() % 2 * 2 + 1) << (leading - digits)) + random() % 3 - 1) & mask;
    }
    case 1:
      return (random() % 9 - 4) & mask;
    case 2:
      return (random() % 200 - 100) & mask;
    default:
      return random() & mask;
  }
}

class RandomGraph {
 public:
  // Types and operations are those that give the same bits wherever they are computed, so no transcendental functions.
  explicit RandomGraph(std::uint64_t seed, unsigned statements = 30) : random_(seed), b_("random") {
    input_ = b_.span(ir::Type::u64);
    output_ = b_.span(ir::Type::u64, ir::Access::disjoint);
    floats_ = b_.span(ir::Type::f32);
    scale_ = b_.value(ir::Type::f32);
    for (unsigned k = 0; k != 2 && statements != 0; ++k) function(statements / 4);
    b_.kernel();
    pool_.clear();
    declare_all();
    const ir::Variable index = b_.linear_index();
    b_.check(input_, index);
    put(ir::Type::u64, b_.load(input_, index));
    b_.check(floats_, index);
    put(ir::Type::f32, b_.load(floats_, index));
    put(ir::Type::f32, b_.parameter(scale_));
    left_ = statements;
    while (left_ != 0) statement(0);
    b_.check(output_, index);
    b_.store(output_, index, fingerprint());
    b_.exit();
    const std::uint32_t lost = b_.block();  // nothing reaches it
    b_.at(lost);
    b_.op(ir::Opcode::add, {pick(ir::Type::u32), pick(ir::Type::u32)});
    b_.exit();
  }

  // Parameters: span u64 read, span u64 disjoint, span f32 read, f32. Each thread uses the element of its linear index; with fewer
  // than 45 elements some threads fail a check.
  ir::Graph graph() const { return b_.graph; }

 private:
  void declare_all() {
    for (unsigned t = static_cast<unsigned>(ir::Type::boolean); t != ir::type_count; ++t)
      for (unsigned k = 0; k != 2; ++k) declare(static_cast<ir::Type>(t));
  }

  // A function that may call those before it.
  void function(unsigned statements) {
    std::vector<ir::Type> parameters, results;
    for (std::uint64_t n = below(5); n != 0; --n) parameters.push_back(any_type());
    for (std::uint64_t n = below(4); n != 0; --n) results.push_back(any_type());
    const std::uint64_t number = b_.function("helper", parameters, results);
    pool_.clear();
    declare_all();
    for (std::size_t p = 0; p != parameters.size(); ++p) put(parameters[p], b_.parameter(p));
    results_ = &results;
    left_ = statements;
    while (left_ != 0) statement(0);
    give_back();
    results_ = nullptr;
    functions_.push_back({number, parameters, results});
  }
  void give_back() {
    for (std::size_t r = 0; r != results_->size(); ++r) b_.op(ir::Opcode::return_value, {pick((*results_)[r])}, r);
    b_.exit();
  }
  void call() {
    const Helper& helper = functions_[below(functions_.size())];
    std::vector<ir::Variable> arguments;
    for (const ir::Type t : helper.parameters) arguments.push_back(pick(t));
    for (std::size_t k = 0; k != arguments.size(); ++k) b_.op(ir::Opcode::argument, {arguments[k]}, k);
    b_.op(ir::Opcode::call, {}, helper.number);
    std::vector<ir::Variable> results;
    for (std::size_t k = 0; k != helper.results.size(); ++k) results.push_back(b_.op(ir::Opcode::call_result, {}, k, helper.results[k]));
    for (std::size_t k = 0; k != results.size(); ++k) put(helper.results[k], results[k]);
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  ir::Type any_type() { return static_cast<ir::Type>(ir::first_number + below(ir::type_count - ir::first_number)); }

  // Variables that statements may read and assign; all are defined in the entry.
  void declare(ir::Type type) {
    const ir::Variable v = b_.variable(type);
    b_.assign(v, literal(type));
    pool_.push_back(v);
  }
  ir::Variable literal(ir::Type type) { return b_.op(ir::Opcode::constant, {}, interesting_bits(type, random_), type); }
  ir::Variable pick(ir::Type type) {
    if (below(6) == 0) return literal(type);
    for (;;) {
      const ir::Variable v = pool_[below(pool_.size())];
      if (b_.type_of(v) == type) return v;
    }
  }
  void put(ir::Type type, ir::Variable value) {
    if (below(3) == 0) value = b_.op(ir::Opcode::copy, {value});
    for (;;) {
      const ir::Variable v = pool_[below(pool_.size())];
      if (b_.type_of(v) != type) continue;
      return b_.assign(v, value);
    }
  }

  ir::Variable expression(ir::Type type) {
    using enum ir::Opcode;
    const auto one_of = [&](std::initializer_list<ir::Opcode> ops) { return ops.begin()[below(ops.size())]; };
    switch (below(8)) {
      case 0:
        return b_.op(select, {pick(ir::Type::boolean), pick(type), pick(type)}, 0, type);
      case 1: {
        ir::Type from = any_type();
        while (!ir::can_cast(from, type)) from = any_type();
        return b_.cast(pick(from), type);
      }
      case 2: {
        ir::Type from = any_type();
        while (ir::size_of(from) != ir::size_of(type) || ir::is_boolean(from) != ir::is_boolean(type)) from = any_type();
        // NaNs have no certain bits, so none may become visible: only numbers go from floats to integers.
        if (from != type && (ir::is_floating(from) || ir::is_pair(from) || ir::is_storage(from)))
          return ir::can_cast(from, type) ? b_.cast(pick(from), type) : pick(type);
        return b_.op(bit_cast, {pick(from)}, 0, type);
      }
      default:
        break;
    }
    if (ir::is_boolean(type)) {
      if (below(2) == 0) return b_.op(one_of({bit_and, bit_or, bit_xor}), {pick(type), pick(type)});
      if (below(4) == 0) return b_.op(bit_not, {pick(type)});
      ir::Type operands = any_type();
      if (!ir::is_arithmetic(operands)) return b_.op(one_of({equal, not_equal}), {pick(operands), pick(operands)});
      return b_.op(one_of({equal, not_equal, less, less_equal}), {pick(operands), pick(operands)});
    }
    if (ir::is_storage(type)) return pick(type);
    if (ir::is_pair(type)) {
      if (below(3) == 0) return b_.op(one_of({neg, abs}), {pick(type)});
      if (below(4) == 0) return b_.op(fma, {pick(type), pick(type), pick(type)});
      if (below(3) == 0) return b_.op(one_of({add, sub}), {b_.op(mul, {pick(type), pick(type)}), pick(type)});
      return b_.op(one_of({add, sub, mul, min, max}), {pick(type), pick(type)});
    }
    if (ir::is_floating(type)) {
      if (below(3) == 0) return b_.op(one_of({sqrt, floor, ceil, trunc, round_even, neg, abs}), {pick(type)});
      if (below(5) == 0) return b_.op(fma, {pick(type), pick(type), pick(type)});
      if (below(3) == 0) {  // a product in a sum
        const ir::Variable product = b_.op(mul, {pick(type), pick(type)});
        return below(2) != 0 ? b_.op(one_of({add, sub}), {product, pick(type)}) : b_.op(one_of({add, sub}), {pick(type), product});
      }
      return b_.op(one_of({add, sub, mul, div, rem, min, max}), {pick(type), pick(type)});
    }
    if (below(4) == 0) return b_.op(one_of({neg, abs, bit_not}), {pick(type)});
    if (below(4) == 0) return b_.op(one_of({div, rem}), {pick(type), pick(type)}, below(2) == 0);
    return b_.op(one_of({add, sub, mul, min, max, bit_and, bit_or, bit_xor, shift_left, shift_right}), {pick(type), pick(type)});
  }

  void statement(unsigned depth) {
    if (left_ != 0) --left_;
    const std::uint64_t kind = depth < 3 ? below(12) : 11;
    if (kind == 0) return choice(depth);
    if (kind == 1) return loop(depth);
    if (kind == 2) {  // an empty block on the way
      const std::uint32_t empty = b_.block(), after = b_.block();
      b_.jump(empty);
      b_.at(empty).jump(after);
      b_.at(after);
      return;
    }
    if (kind == 4 && !functions_.empty()) return call();
    if (kind == 3 && below(3) == 0) {  // a check that now and then fails
      const ir::Variable index = b_.op(ir::Opcode::rem, {pick(ir::Type::u64), b_.constant(std::uint64_t{45})});
      return b_.check(input_, index);
    }
    const ir::Type type = any_type();
    const ir::Variable value = expression(type);
    if (below(5) != 0) put(type, value);  // else it is dead
  }
  void body(unsigned depth) {
    for (std::uint64_t n = 1 + below(4); n != 0; --n) statement(depth + 1);
  }
  void choice(unsigned depth) {
    const std::uint32_t yes = b_.block(), no = b_.block(), after = b_.block();
    b_.branch(pick(ir::Type::boolean), yes, no);
    b_.at(yes);
    body(depth);
    if (below(6) == 0 && results_ != nullptr) give_back();
    else if (results_ == nullptr && below(6) == 0) b_.exit();
    else b_.jump(after);
    b_.at(no);
    if (below(2) == 0) body(depth);
    b_.jump(after);
    b_.at(after);
  }
  void loop(unsigned depth) {
    const ir::Variable count = b_.variable(ir::Type::u32);
    b_.assign(count, b_.constant(std::uint32_t{0}));
    const std::uint32_t head = b_.block(), inside = b_.block(), after = b_.block();
    b_.jump(head);
    b_.at(head);
    b_.branch(b_.op(ir::Opcode::less, {count, b_.constant(static_cast<std::uint32_t>(1 + below(6)))}), inside, after);
    b_.at(inside);
    body(depth);
    b_.assign(count, b_.op(ir::Opcode::add, {count, b_.constant(std::uint32_t{1})}));
    if (below(3) == 0) {  // break
      const std::uint32_t on = b_.block();
      b_.branch(pick(ir::Type::boolean), after, on);
      b_.at(on);
    }
    b_.jump(head);
    b_.at(after);
  }

  // Every variable, in one number. NaNs count as one value.
  ir::Variable fingerprint() {
    using enum ir::Opcode;
    ir::Variable sum = b_.constant(std::uint64_t{14695981039346656037u});
    const ir::Variable prime = b_.constant(std::uint64_t{1099511628211u});
    for (ir::Variable v : pool_) {
      const ir::Type type = b_.type_of(v);
      ir::Variable bits = v;
      if (ir::is_storage(type)) {
        bits = b_.cast(b_.cast(v, ir::Type::f32), ir::Type::i32);  // a NaN is 0
      } else if (ir::is_pair(type)) {
        bits = b_.op(equal, {v, b_.op(constant, {}, 0x3c003c00, type)});
      } else if (ir::is_floating(type)) {
        const ir::Type same_size = ir::is_half(type) ? ir::Type::u16 : type == ir::Type::f32 ? ir::Type::u32 : ir::Type::u64;
        const ir::Variable zero = b_.op(constant, {}, 0, type);
        const ir::Variable number = b_.op(select, {b_.op(equal, {v, v}), v, zero}, 0, type);
        bits = b_.op(bit_cast, {number}, 0, same_size);
      }
      sum = b_.op(mul, {b_.op(bit_xor, {sum, b_.cast(bits, ir::Type::u64)}), prime});
    }
    return sum;
  }

  std::mt19937_64 random_;
  GraphBuilder b_;
  std::vector<ir::Variable> pool_;
  struct Helper {
    std::uint64_t number;
    std::vector<ir::Type> parameters, results;
  };
  std::vector<Helper> functions_;
  const std::vector<ir::Type>* results_ = nullptr;  // of the function that is being made
  std::uint64_t input_ = 0, output_ = 0, floats_ = 0, scale_ = 0;
  unsigned left_ = 0;
};

}  // namespace oxide::testing
