// Random bodies: assignments to a pool of variables, branches, loops that end, calls, copies, dead code, blocks that are empty.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random_expressions.hpp"

namespace oxide::testing {

class RandomStatements : protected RandomExpressions {
 protected:
  using RandomExpressions::RandomExpressions;
  ~RandomStatements() = default;

  // A statement of a kind that only the derived class knows; false for none.
  virtual bool other_statement(unsigned) { return false; }

  // Variables that statements may read and assign; all are defined in the entry.
  void declare(Type type) { declare(literal(type), type); }
  void declare(Variable first, Type type) {
    const Variable v = b_.variable(type);
    b_.assign(v, first);
    pool_.push_back(v);
  }
  void put(Type type, Variable value) {
    if (one_in(3)) value = b_.op(Op::copy, {value});
    std::vector<Variable> fitting;
    for (const Variable v : pool_)
      if (b_.type_of(v) == type) fitting.push_back(v);
    if (!fitting.empty()) b_.assign(fitting[below(fitting.size())], value);
  }

  void statements(unsigned count) {
    left_ = count;
    while (left_ != 0) statement(0);
  }

  // A function that may call those before it. Its body declares what `declare_pool` says.
  template <class DeclarePool>
  void function(unsigned count, DeclarePool declare_pool) {
    std::vector<Type> parameters, results;
    for (std::uint64_t n = below(5); n != 0; --n) parameters.push_back(any_type());
    for (std::uint64_t n = below(4); n != 0; --n) results.push_back(any_type());
    const std::uint64_t number = b_.function("helper", parameters, results);
    pool_.clear();
    declare_pool();
    for (std::size_t p = 0; p != parameters.size(); ++p) put(parameters[p], b_.parameter(p));
    results_ = &results;
    statements(count);
    give_back();
    results_ = nullptr;
    functions_.push_back({number, parameters, results});
  }
  bool in_function() const { return results_ != nullptr; }

  void statement(unsigned depth) {
    if (left_ != 0) --left_;
    const std::uint64_t kind = depth < 3 ? below(12) : 11;
    if (kind == 0) return choice(depth);
    if (kind == 1) return loop(depth);
    if (kind == 2 && one_in(2)) return empty_block();
    if (kind == 4 && !functions_.empty()) return call();
    if (kind >= 3 && kind <= 6 && other_statement(depth)) return;
    const Type type = any_type();
    const Variable value = expression(type);
    if (!one_in(8)) put(type, value);  // else it is dead
  }

  // A loop that ends: its counter goes into the pool's numbers inside.
  void loop(unsigned depth) {
    const Type type = one_of({Type::u32, Type::u32, Type::i32, Type::u64});
    const auto number = [&](std::uint64_t n) { return b_.op(Op::constant, {}, n, type); };
    const Variable count = b_.variable(type), first = number(below(3)), step = number(1 + below(2));
    Variable end = number(1 + below(depth == 0 && one_in(4) ? 40 : 6));
    if (one_in(3)) end = b_.op(Op::bit_and, {b_.cast(pick(any_integer()), type), number(7)});
    b_.assign(count, first);
    const std::uint32_t head = b_.block(), inside = b_.block(), after = b_.block();
    b_.jump(head);
    b_.at(head);
    if (one_in(6)) b_.op(Op::unroll, {}, below(5));
    b_.branch(b_.op(Op::less, {count, end}), inside, after);
    b_.at(inside);
    if (const Type counts = any_integer(); one_in(2)) put(counts, b_.cast(count, counts));
    body(depth);
    b_.assign(count, b_.op(Op::add, {count, step}));
    if (one_in(4)) {  // break
      const std::uint32_t on = b_.block();
      b_.branch(pick(Type::boolean), after, on);
      b_.at(on);
    }
    b_.jump(head);
    b_.at(after);
  }

  bool exits_ = true;  // whether threads may end early

 private:
  struct Helper {
    std::uint64_t number;
    std::vector<Type> parameters, results;
  };

  void give_back() {
    for (std::size_t r = 0; r != results_->size(); ++r) b_.op(Op::return_value, {pick((*results_)[r])}, r);
    b_.exit();
  }
  void call() {
    const Helper& helper = functions_[below(functions_.size())];
    std::vector<Variable> arguments;
    for (const Type t : helper.parameters) arguments.push_back(operand(t));
    for (std::size_t k = 0; k != arguments.size(); ++k) b_.op(Op::argument, {arguments[k]}, k);
    b_.op(Op::call, {}, helper.number);
    std::vector<Variable> results;
    for (std::size_t k = 0; k != helper.results.size(); ++k) results.push_back(b_.op(Op::call_result, {}, k, helper.results[k]));
    for (std::size_t k = 0; k != results.size(); ++k) put(helper.results[k], results[k]);
  }

  void body(unsigned depth) {
    for (std::uint64_t n = 1 + below(4); n != 0; --n) statement(depth + 1);
  }
  void empty_block() {
    const std::uint32_t empty = b_.block(), after = b_.block();
    b_.jump(empty);
    b_.at(empty).jump(after);
    b_.at(after);
  }
  void choice(unsigned depth) {
    const std::uint32_t yes = b_.block(), no = b_.block(), after = b_.block();
    b_.branch(operand(Type::boolean), yes, no);
    b_.at(yes);
    body(depth);
    if (in_function() && one_in(6)) give_back();
    else if (!in_function() && exits_ && one_in(6)) b_.exit();
    else b_.jump(after);
    b_.at(no);
    if (one_in(2)) body(depth);
    b_.jump(after);
    b_.at(after);
  }

  std::vector<Helper> functions_;
  const std::vector<Type>* results_ = nullptr;  // of the function that is being made
  unsigned left_ = 0;
};

}  // namespace oxide::testing
