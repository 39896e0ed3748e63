// Random programs with every control statement a kernel may have, and one interpreter that runs them on host integers or traces them.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "site_value.hpp"

namespace fuzz {

inline constexpr int variable_count = 4;
inline constexpr int host_variable_count = 2;

struct Expression {
  enum Kind { constant, variable, host, add, subtract, multiply, load, call } kind = constant;
  std::uint32_t line = 0;
  std::int64_t value = 0;  // constant, or index
  std::unique_ptr<Expression> a, b;
};

struct Test {
  enum Kind { less, equal, both, either, negate } kind = less;
  std::uint32_t line = 0;
  std::unique_ptr<Expression> a, b;
  std::unique_ptr<Test> left, right;
};

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

struct Statement {
  enum Kind {
    assign,
    store,
    branch,
    counted_loop,
    leave_loop,
    next_pass,
    leave,
    host_loop,
    conditional,
    scoped,
    while_loop,
    do_loop,
    for_loop,
    host_break_loop,
    set_host,
    kinds
  } kind = assign;
  std::uint32_t line = 0;
  int target = 0;
  std::unique_ptr<Expression> a, b;
  std::unique_ptr<Test> test;
  Block then, otherwise;
};

// A helper with early returns that expressions call: its operations have the same sites at every call.
struct Helper {
  std::unique_ptr<Test> first, second;
  std::unique_ptr<Expression> a, b, c;
};

struct Program {
  Block body;
  Helper helper;
};

class Maker {
 public:
  Maker(std::uint32_t seed, int statements) : random_(seed), left_(statements) {}

  Program program() {
    Program p;
    p.helper = {test(0), test(0), expression(1), expression(1), expression(1)};
    calls_ = true;
    p.body = block(3, false, false, 3 + pick(8));
    while (left_ > 0) {  // use all statements that were asked for
      Block more = block(3, false, false, left_);
      if (more.empty()) break;
      for (auto& s : more) p.body.push_back(std::move(s));
      if (p.body.back()->kind == Statement::leave) break;
    }
    return p;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::unique_ptr<Expression> expression(int depth) {
    auto e = std::make_unique<Expression>();
    e->line = lines_++;
    const int k = depth <= 0 ? pick(9) : pick(20);
    if (k < 3) e->kind = Expression::constant, e->value = pick(9) - 2;
    else if (k < 8) e->kind = Expression::variable, e->value = pick(variable_count);
    else if (k < 9) e->kind = calls_ ? Expression::host : Expression::variable, e->value = pick(host_variable_count);
    else if (k < 18) {
      static constexpr Expression::Kind kinds[] = {Expression::add, Expression::subtract, Expression::multiply, Expression::load};
      e->kind = kinds[pick(4)];
      e->a = expression(depth - 1);
      if (e->kind != Expression::load) e->b = expression(depth - 1);
    } else if (calls_) {
      e->kind = Expression::call;
      e->a = expression(depth - 1);
      e->b = expression(depth - 1);
    } else e->kind = Expression::variable, e->value = pick(variable_count);
    return e;
  }

  std::unique_ptr<Test> test(int depth) {
    auto t = std::make_unique<Test>();
    t->line = lines_++;
    const int k = depth <= 0 ? pick(2) : pick(5);
    t->kind = static_cast<Test::Kind>(k);
    if (k < 2) {
      t->a = expression(1), t->b = expression(1);
      return t;
    }
    t->left = test(depth - 1);
    if (k < 4) t->right = test(depth - 1);
    return t;
  }

  // in_loop: break and continue may be used here. in_device: inside a loop whose passes the device counts, so that host state
  // must not change.
  Block block(int depth, bool in_loop, bool in_device, int n) {
    Block out;
    for (int i = 0; i < n && left_ > 0; ++i) {
      --left_;
      auto s = std::make_unique<Statement>();
      s->line = lines_++;
      int k = pick(Statement::kinds + 3);
      if (k >= Statement::kinds) k = k == Statement::kinds ? Statement::assign : Statement::branch;
      const bool nests = k == Statement::branch || k == Statement::counted_loop || k == Statement::host_loop ||
                         k == Statement::while_loop || k == Statement::do_loop || k == Statement::for_loop ||
                         k == Statement::host_break_loop;
      if (nests && depth <= 0) k = Statement::assign;
      if (!in_loop && (k == Statement::leave_loop || k == Statement::next_pass)) k = depth > 0 ? Statement::branch : Statement::assign;
      if (k == Statement::leave && pick(3) != 0) k = Statement::conditional;
      if (k == Statement::set_host && in_device) k = Statement::scoped;
      s->kind = static_cast<Statement::Kind>(k);
      s->target = pick(variable_count);
      switch (s->kind) {
        case Statement::assign:
        case Statement::store:
        case Statement::scoped:
          s->a = expression(2), s->b = expression(1);
          break;
        case Statement::conditional:
          s->test = test(1), s->a = expression(1), s->b = expression(1);
          break;
        case Statement::set_host:
          s->target = pick(host_variable_count), s->a = nullptr;
          break;
        case Statement::branch:
          s->test = test(2);
          s->then = block(depth - 1, in_loop, in_device, 1 + pick(3));
          if (pick(2)) s->otherwise = block(depth - 1, in_loop, in_device, 1 + pick(3));
          break;
        case Statement::counted_loop:
          s->a = expression(0), s->then = block(depth - 1, true, true, 1 + pick(4));
          break;
        case Statement::for_loop:
          s->a = expression(0), s->then = block(depth - 1, true, true, 1 + pick(3));
          break;
        case Statement::while_loop:
        case Statement::do_loop:
          s->test = test(1), s->then = block(depth - 1, true, true, 1 + pick(3));
          break;
        case Statement::host_loop:
          s->then = block(depth - 1, false, in_device, 1 + pick(2));
          break;
        case Statement::host_break_loop:
          s->then = block(depth - 1, true, in_device, 1 + pick(3));
          break;
        default:
          break;
      }
      const bool leaves = k == Statement::leave_loop || k == Statement::next_pass || k == Statement::leave;
      out.push_back(std::move(s));
      if (leaves) break;
    }
    return out;
  }

  std::mt19937 random_;
  int left_;
  std::uint32_t lines_ = 1;
  bool calls_ = false;
};

// L is std::int64_t or Integer. Loops of the device are bounded by fuel, so that every program ends.
template <class L, class Memory, class Loop>
class Interpreter {
 public:
  Interpreter(const Program& program, L* variables, Memory memory) : program_(program), v_(variables), memory_(memory) {}

  void run() { run(program_.body, 0); }

 private:
  enum Flow { on, broke, continued, returned };

  L eval(const Expression& e) {
    switch (e.kind) {
      case Expression::constant:
        at(e.line);
        return L(e.value);
      case Expression::variable:
        at(e.line);
        return L(v_[e.value]);
      case Expression::host:
        at(e.line);
        return L(host_[e.value]);
      default:
        break;
    }
    L a = eval(*e.a);
    if (e.kind == Expression::load) return at(e.line), memory_.load(a);
    L b = eval(*e.b);
    if (e.kind == Expression::call) return call(a, b);
    at(e.line);
    return e.kind == Expression::add ? wrapping_add(a, b) : e.kind == Expression::subtract ? wrapping_sub(a, b) : wrapping_mul(a, b);
  }

  L call(const L& a, const L& b) {
    const Helper& h = program_.helper;
    at(0, 10);
    L s = wrapping_add(a, b);
    if (test(*h.first)) return at(0, 11), wrapping_add(s, eval(*h.a));
    if (test(*h.second)) return at(0, 12), wrapping_sub(s, eval(*h.b));
    L c = eval(*h.c);
    at(0, 13);
    return wrapping_mul(s, c);
  }

  bool test(const Test& t) {
    switch (t.kind) {
      case Test::both:
        return test(*t.left) && test(*t.right);
      case Test::either:
        return test(*t.left) || test(*t.right);
      case Test::negate:
        return !test(*t.left);
      default:
        break;
    }
    L a = eval(*t.a), b = eval(*t.b);
    at(t.line);
    return t.kind == Test::less ? static_cast<bool>(a < b) : static_cast<bool>(a == b);
  }

  Flow run(const Block& block, int host) {
    for (const auto& s : block)
      if (const Flow flow = one(*s, host); flow != on) return flow;
    return on;
  }

  Flow one(const Statement& s, int host) {
    switch (s.kind) {
      case Statement::assign: {
        L a = eval(*s.a);
        at(s.line);
        v_[s.target] = a;
        return on;
      }
      case Statement::store: {
        L i = eval(*s.b), x = eval(*s.a);
        at(s.line);
        memory_.store(i, wrapping_add(x, L(host)));
        return on;
      }
      case Statement::scoped: {
        L t = eval(*s.a);
        at(s.line);
        v_[s.target] = wrapping_add(v_[s.target], t);
        return on;
      }
      case Statement::conditional: {
        const bool c = test(*s.test);
        L x = c ? eval(*s.a) : eval(*s.b);
        at(s.line);
        v_[s.target] = x;
        return on;
      }
      case Statement::branch:
        return test(*s.test) ? run(s.then, host) : run(s.otherwise, host);
      case Statement::leave_loop:
        return broke;
      case Statement::next_pass:
        return continued;
      case Statement::leave:
        return returned;
      case Statement::set_host:
        host_[s.target] = static_cast<int>(s.line % 5);
        return on;
      case Statement::host_loop:
        for (int k = 0; k < 3; ++k)
          if (run(s.then, host * 3 + k) == returned) return returned;
        return on;
      case Statement::host_break_loop:
        for (int k = 0; k < 4; ++k) {
          const Flow f = run(s.then, host);
          if (f == broke) break;
          if (f == returned) return returned;
        }
        return on;
      case Statement::counted_loop: {
        L to = eval(*s.a);
        at(s.line, 3);
        L limit = to < L(4) ? L(to) : L(4);
        at(s.line, 1);
        for (Loop loop(L(0), limit); loop.more(); at(s.line, 1), loop.next()) {
          at(s.line, 2);
          v_[s.target] = wrapping_add(v_[s.target], L(loop.i()));
          const Flow f = run(s.then, host);
          at(s.line, 1);
          if (f == broke) break;
          if (f == returned) return returned;
        }
        return on;
      }
      case Statement::for_loop: {
        L to = eval(*s.a);
        at(s.line, 1);
        L i(0), four(4);
        for (;;) {
          at(s.line, 2);
          if (!static_cast<bool>(i < to)) break;
          at(s.line, 3);
          if (!static_cast<bool>(i < four)) break;
          const Flow f = run(s.then, host);
          if (f == broke) break;
          if (f == returned) return returned;
          at(s.line, 4);
          i = wrapping_add(i, L(1));
        }
        return on;
      }
      case Statement::while_loop:
      case Statement::do_loop: {
        at(s.line);
        L fuel(5);
        for (;;) {
          at(s.line, 1);
          L zero(0);
          if (!static_cast<bool>(zero < fuel)) break;
          at(s.line, 2);
          fuel = wrapping_sub(fuel, L(1));
          if (s.kind == Statement::while_loop && !test(*s.test)) break;
          const Flow f = run(s.then, host);
          if (f == broke) break;
          if (f == returned) return returned;
          if (s.kind == Statement::do_loop && !test(*s.test)) break;
        }
        return on;
      }
      case Statement::kinds:
        break;
    }
    return on;
  }

  const Program& program_;
  L* v_;
  Memory memory_;
  std::int64_t host_[host_variable_count] = {1, 2};
};

inline void run_native(const Program& program, const std::int64_t (&parameters)[variable_count], std::vector<std::int64_t>& memory) {
  std::int64_t v[variable_count];
  for (int k = 0; k < variable_count; ++k) v[k] = parameters[k];
  Interpreter<std::int64_t, HostMemory, HostLoop>(program, v, {&memory}).run();
  for (int k = 0; k < variable_count; ++k) HostMemory{&memory}.store(60 + k, v[k]);
}

inline void run_traced(const Program& program) {
  at(0, 1);
  Integer v[variable_count] = {parameter(0), parameter(1), parameter(2), parameter(3)};
  Interpreter<Integer, DeviceMemory, CountedLoop>(program, v, {}).run();
  at(0, 2);
  for (int k = 0; k < variable_count; ++k) DeviceMemory{}.store(Integer(60 + k), v[k]);
}

}  // namespace fuzz
