// A random program as readable source, for reports.
#pragma once

#include <string>

#include "program.hpp"

namespace fuzz {

inline std::string text(const Expression& e) {
  switch (e.kind) {
    case Expression::constant:
      return std::to_string(e.value);
    case Expression::variable:
      return "v" + std::to_string(e.value);
    case Expression::host:
      return "host" + std::to_string(e.value);
    case Expression::load:
      return "m[" + text(*e.a) + "]";
    case Expression::call:
      return "helper(" + text(*e.a) + ", " + text(*e.b) + ")";
    case Expression::add:
      return "(" + text(*e.a) + " + " + text(*e.b) + ")";
    case Expression::subtract:
      return "(" + text(*e.a) + " - " + text(*e.b) + ")";
    case Expression::multiply:
      return "(" + text(*e.a) + " * " + text(*e.b) + ")";
  }
  return {};
}

inline std::string text(const Test& t) {
  switch (t.kind) {
    case Test::less:
      return text(*t.a) + " < " + text(*t.b);
    case Test::equal:
      return text(*t.a) + " == " + text(*t.b);
    case Test::both:
      return "(" + text(*t.left) + " && " + text(*t.right) + ")";
    case Test::either:
      return "(" + text(*t.left) + " || " + text(*t.right) + ")";
    case Test::negate:
      return "!(" + text(*t.left) + ")";
  }
  return {};
}

inline std::string text(const Block& block, int indent);

inline std::string text(const Statement& s, int indent) {
  const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
  const std::string v = "v" + std::to_string(s.target);
  const auto body = [&] { return " {\n" + text(s.then, indent + 1) + pad + "}\n"; };
  const std::string line = "  // " + std::to_string(s.line + 1) + "\n";
  switch (s.kind) {
    case Statement::assign:
      return pad + v + " = " + text(*s.a) + ";" + line;
    case Statement::store:
      return pad + "m[" + text(*s.b) + "] = " + text(*s.a) + " + host;" + line;
    case Statement::scoped:
      return pad + v + " += " + text(*s.a) + ";" + line;
    case Statement::conditional:
      return pad + v + " = " + text(*s.test) + " ? " + text(*s.a) + " : " + text(*s.b) + ";" + line;
    case Statement::branch:
      return pad + "if (" + text(*s.test) + ")" + body() +
             (s.otherwise.empty() ? "" : pad + "else {\n" + text(s.otherwise, indent + 1) + pad + "}\n");
    case Statement::leave_loop:
      return pad + "break;\n";
    case Statement::next_pass:
      return pad + "continue;\n";
    case Statement::leave:
      return pad + "return;\n";
    case Statement::set_host:
      return pad + "host" + std::to_string(s.target) + " = " + std::to_string(s.line % 5) + ";" + line;
    case Statement::host_loop:
      return pad + "for (host: 3)" + body();
    case Statement::host_break_loop:
      return pad + "for (silent host: 4)" + body();
    case Statement::counted_loop:
      return pad + "for (i : range(0, min(" + text(*s.a) + ", 4))) // adds i to " + v + line + pad + body();
    case Statement::for_loop:
      return pad + "for (L i = 0; i < " + text(*s.a) + " && i < 4; ++i)" + body();
    case Statement::while_loop:
      return pad + "for (fuel 5; fuel-- && " + text(*s.test) + ";)" + body();
    case Statement::do_loop:
      return pad + "fuel 5; do" + body() + pad + "while (" + text(*s.test) + " && fuel--);" + line;
    case Statement::kinds:
      break;
  }
  return {};
}

inline std::string text(const Block& block, int indent) {
  std::string out;
  for (const auto& s : block) out += text(*s, indent);
  return out;
}

inline std::string text(const Program& p) {
  return "helper(a, b): if (" + text(*p.helper.first) + ") return a + b + " + text(*p.helper.a) + "; if (" + text(*p.helper.second) +
         ") return a + b - " + text(*p.helper.b) + "; return (a + b) * " + text(*p.helper.c) + ";\n" + text(p.body, 0);
}

}  // namespace fuzz
