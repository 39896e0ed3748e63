// How a print is recorded: what is known now becomes text of the format, and device values its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/print.hpp>
#include <oxide/runtime/print_text.hpp>

namespace oxide::detail {

inline void append_literal(std::string& format, std::string_view text) {
  for (const char c : text) format.append(c == '{' || c == '}' ? 2 : 1, c);
}

// A field of a format, as it is written.
inline std::string field_text(std::size_t index, const runtime::PrintSpec& spec) {
  std::string out;
  if (spec.align != 0) out.append(spec.fill == ' ' ? 0 : 1, spec.fill).append(1, spec.align);
  if (spec.sign != '-') out += spec.sign;
  if (spec.alternate) out += '#';
  if (spec.zero) out += '0';
  if (spec.width != 0) out += std::to_string(spec.width);
  if (spec.precision >= 0) out.append(1, '.').append(std::to_string(spec.precision));
  if (spec.type != 0) out += spec.type;
  return '{' + std::to_string(index) + (out.empty() ? "" : ":" + out) + '}';
}

inline std::string host_text(const PrintArgument& argument, runtime::PrintSpec spec) {
  std::string out;
  if (argument.what == runtime::PrintClass::text) runtime::detail::append_text(out, argument.text, spec);
  else if (ir::is_pair(argument.type)) {
    runtime::append_argument(out += '(', ir::Type::f32, argument.words, spec);
    runtime::append_argument(out += ", ", ir::Type::f32, argument.words + 1, spec);
    out += ')';
  } else {
    if (argument.what == runtime::PrintClass::character && spec.type == 0) spec.type = 'c';
    runtime::append_argument(out, argument.type, argument.words, spec);
  }
  return out;
}

OXIDE_INLINE void record_print(std::string_view format, const PrintArgument* arguments, std::size_t count, bool line, Where where) {
  std::vector<std::size_t> number(count, 0);  // of a device argument among `on_device`, where a pair is two
  std::vector<trace::Handle> on_device;
  for (std::size_t i = 0; i != count; ++i) {
    if (!arguments[i].device) continue;
    number[i] = on_device.size();
    if (!ir::is_pair(arguments[i].type)) on_device.push_back(arguments[i].handle);
    else
      for (const std::uint64_t which : {0u, 1u}) {
        const ir::Type half = ir::element_of(arguments[i].type);
        on_device.push_back(convert(half, ir::Type::f32, emit(ir::Opcode::pair_element, half, arguments[i].handle, which, where), where));
      }
  }
  std::string text;
  runtime::PrintFormatReader reader(format);
  for (;;) {
    const auto piece = reader.next();
    if (piece == runtime::PrintFormatReader::Piece::end) break;
    if (piece == runtime::PrintFormatReader::Piece::literal) {
      append_literal(text, reader.literal);
      continue;
    }
    if (reader.index >= count) refuse(where, "the format of ox::print shows more arguments than there are");
    const PrintArgument& argument = arguments[reader.index];
    const std::size_t first = number[reader.index];
    if (argument.device && ir::is_pair(argument.type))
      text += '(' + field_text(first, reader.spec) + ", " + field_text(first + 1, reader.spec) + ')';
    else if (argument.device) text += field_text(first, reader.spec);
    else append_literal(text, host_text(argument, reader.spec));
  }
  if (reader.error != runtime::PrintError::none)
    refuse(where, "the format of ox::print cannot be read; it should be known when it is compiled");
  if (line) text += '\n';
  for (std::size_t i = 0; i != on_device.size(); ++i) emit(ir::Opcode::argument, ir::Type::none, on_device[i], std::uint64_t{i}, where);
  emit(ir::Opcode::print, ir::Type::none, declare_string(text, where), where);
}

}  // namespace oxide::detail
