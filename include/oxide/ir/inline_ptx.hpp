// Inline PTX as a string of the graph.
//
//   string      = flags " " constraints "\n" text
//   flags       = v (has effects: stays where it is), m (reads or writes memory), c (convergent), each at most once
//   constraints = outputs "=" letter, then inputs: a letter, or the number of the output that starts as this input; with commas between
//   letter      = h r l q (16 to 128 bits), f d (f32, f64), b (a predicate)
//   text        = PTX, with $0, $1 ... for the operands in the order of the constraints and $$ for a dollar sign
#pragma once

#include <cstddef>
#include <string_view>

#include <oxide/ir/type.hpp>

namespace oxide::ir {

// The register class of a type in PTX; 0 when it has none.
constexpr char ptx_register(Type type) {
  if (type == Type::f32) return 'f';
  if (type == Type::f64) return 'd';
  if (is_boolean(type)) return 'b';
  switch (size_of(type)) {
    case 2:
      return 'h';
    case 4:
      return 'r';
    case 8:
      return 'l';
    case 16:
      return 'q';
    default:
      return 0;
  }
}

struct InlinePtx {
  std::string_view constraints, text;
  bool volatile_ = false, memory = false, convergent = false;
  bool valid = false;
  std::size_t outputs = 0, inputs = 0;

  explicit constexpr InlinePtx(std::string_view string) {
    const std::size_t space = string.find(' '), line = string.find('\n');
    if (space == std::string_view::npos || line == std::string_view::npos || space > line) return;
    for (const char c : string.substr(0, space)) {
      bool& flag = c == 'v' ? volatile_ : c == 'm' ? memory : convergent;
      if ((c != 'v' && c != 'm' && c != 'c') || flag) return;
      flag = true;
    }
    constraints = string.substr(space + 1, line - space - 1);
    text = string.substr(line + 1);
    valid = count();
  }

  // The letter of output k.
  constexpr char output(std::size_t k) const { return constraints[3 * k + 1]; }

 private:
  static constexpr bool is_letter(char c) { return std::string_view("hrlqfdb").find(c) != std::string_view::npos; }
  constexpr bool count() {
    std::size_t at = 0;
    for (; at + 1 < constraints.size() && constraints[at] == '='; at += 3, ++outputs)
      if (!is_letter(constraints[at + 1]) || (at + 2 < constraints.size() && constraints[at + 2] != ',')) return false;
    if (at != 0 && at > constraints.size()) return true;  // no inputs
    while (at < constraints.size()) {
      if (is_letter(constraints[at])) {
        ++at;
      } else {
        std::size_t number = 0, digits = 0;
        for (; at < constraints.size() && constraints[at] >= '0' && constraints[at] <= '9' && digits < 5; ++at, ++digits)
          number = 10 * number + static_cast<std::size_t>(constraints[at] - '0');
        if (digits == 0 || number >= outputs) return false;
      }
      ++inputs;
      if (at == constraints.size()) return true;
      if (constraints[at] != ',' || at + 1 == constraints.size()) return false;
      ++at;
    }
    return true;
  }
};

}  // namespace oxide::ir
