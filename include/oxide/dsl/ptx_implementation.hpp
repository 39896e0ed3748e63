// How inline PTX is recorded: as arguments, the string of ir/inline_ptx.hpp, and results that are assigned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/ptx.hpp>

namespace oxide::detail {

// The text with the operands' numbers in the order of the constraints: outputs first.
inline std::string renumbered_ptx(std::string_view text, const std::vector<std::size_t>& number, Where where) {
  std::string out;
  for (std::size_t at = 0; at != text.size();) {
    const char c = text[at++];
    if (c == '$') out += "$$";
    else if (c != '%') out += c;
    else if (at != text.size() && text[at] == '%') out += text[at++];
    else {
      std::size_t operand = 0;
      for (; at != text.size() && text[at] >= '0' && text[at] <= '9' && operand < 100; ++at)
        operand = 10 * operand + static_cast<std::size_t>(text[at] - '0');
      if (operand >= number.size()) refuse(where, "the PTX names an operand that is not passed");
      out.append("${").append(std::to_string(number[operand])).append("}");
    }
  }
  return out;
}

OXIDE_INLINE void record_ptx(std::string_view text, const PtxOperand* operands, std::size_t count, std::string_view options, Where where) {
  std::string flags = "v", constraints;
  for (const char option : options) {
    if (option == 'p') flags.erase(0, flags.find('v') == 0 ? 1 : 0);
    else if (flags.find(option) == std::string::npos) flags += option;
  }
  std::vector<std::size_t> number(count), outputs, inputs;
  for (std::size_t i = 0; i != count; ++i)
    if (operands[i].role != PtxRole::in) number[i] = outputs.size(), outputs.push_back(i);
  for (std::size_t i = 0; i != count; ++i)
    if (operands[i].role != PtxRole::out) {
      if (operands[i].role == PtxRole::in) number[i] = outputs.size() + inputs.size();
      inputs.push_back(i);
    }
  const auto add = [&](const std::string& constraint) { constraints.append(constraints.empty() ? "" : ",").append(constraint); };
  for (const std::size_t i : outputs) add(std::string("=") + ir::ptx_register(operands[i].type));
  for (const std::size_t i : inputs)
    add(operands[i].role == PtxRole::inout ? std::to_string(number[i]) : std::string(1, ir::ptx_register(operands[i].type)));
  const std::string string = flags + ' ' + constraints + '\n' + renumbered_ptx(text, number, where);

  for (std::size_t k = 0; k != inputs.size(); ++k)
    emit(ir::Opcode::argument, ir::Type::none, operands[inputs[k]].value, std::uint64_t{k}, where);
  emit(ir::Opcode::inline_ptx, ir::Type::none, declare_string(string, where), where);
  std::vector<trace::Handle> results;
  for (std::size_t k = 0; k != outputs.size(); ++k)
    results.push_back(emit(ir::Opcode::call_result, operands[outputs[k]].type, std::uint64_t{k}, where));
  for (std::size_t k = 0; k != outputs.size(); ++k) assign(operands[outputs[k]].variable, results[k], where);
}

}  // namespace oxide::detail
