// Random graphs: every operation, branches, loops that end, copies, dead code, blocks that are empty or that nothing reaches.
#pragma once

#include <cstdint>

#include "support/random_statements.hpp"

namespace oxide::testing {

class RandomGraph : private RandomStatements {
 public:
  explicit RandomGraph(std::uint64_t seed, unsigned statements = 30) : RandomStatements(seed, "random", every_type()) {
    input_ = b_.span(Type::u64);
    output_ = b_.span(Type::u64, ir::Access::disjoint);
    floats_ = b_.span(Type::f32);
    scale_ = b_.value(Type::f32);
    for (unsigned k = 0; k != 2 && statements != 0; ++k) function(statements / 4, [&] { declare_all(); });
    b_.kernel();
    pool_.clear();
    declare_all();
    const Variable index = b_.linear_index();
    b_.check(input_, index);
    put(Type::u64, b_.load(input_, index));
    b_.check(floats_, index);
    put(Type::f32, b_.load(floats_, index));
    put(Type::f32, b_.parameter(scale_));
    RandomStatements::statements(statements);
    b_.check(output_, index);
    b_.store(output_, index, fingerprint());
    b_.exit();
    const std::uint32_t lost = b_.block();  // nothing reaches it
    b_.at(lost);
    b_.op(Op::add, {pick(Type::u32), pick(Type::u32)});
    b_.exit();
  }

  // Parameters: span u64 read, span u64 disjoint, span f32 read, f32. Each thread uses the element of its linear index; with fewer
  // than 45 elements some threads fail a check.
  ir::Graph graph() const { return b_.graph; }

 private:
  void declare_all() {
    for (const Type t : types_)
      for (unsigned k = 0; k != 2; ++k) declare(t);
  }

  // A check that now and then fails.
  bool other_statement(unsigned) override {
    if (!one_in(3)) return false;
    const Variable index = b_.op(Op::rem, {pick(Type::u64), b_.constant(std::uint64_t{45})});
    b_.check(input_, index);
    return true;
  }

  // Every variable, in one number. NaNs count as one value.
  Variable fingerprint() {
    using enum ir::Opcode;
    Variable sum = b_.constant(std::uint64_t{14695981039346656037u});
    const Variable prime = b_.constant(std::uint64_t{1099511628211u});
    for (const Variable v : pool_) {
      const Type type = b_.type_of(v);
      Variable bits = v;
      if (ir::is_storage(type)) {
        bits = b_.cast(b_.cast(v, Type::f32), Type::i32);  // a NaN is 0
      } else if (ir::is_pair(type)) {
        bits = b_.op(equal, {v, b_.op(constant, {}, 0x3c003c00, type)});
      } else if (ir::is_floating(type)) {
        bits = b_.op(bit_cast, {number(v)}, 0, integer(ir::bits_of(type), false));
      }
      sum = b_.op(mul, {b_.op(bit_xor, {sum, b_.cast(bits, Type::u64)}), prime});
    }
    return sum;
  }

  std::uint64_t input_ = 0, output_ = 0, floats_ = 0, scale_ = 0;
};

}  // namespace oxide::testing
