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
  else {
    if (argument.what == runtime::PrintClass::character && spec.type == 0) spec.type = 'c';
    runtime::append_argument(out, argument.type, argument.words, spec);
  }
  return out;
}

OXIDE_INLINE void record_print(std::string_view format, const PrintArgument* arguments, std::size_t count, bool line, Where where) {
  std::vector<std::size_t> number(count, 0);  // of a device argument among the device arguments
  std::size_t on_device = 0;
  for (std::size_t i = 0; i != count; ++i)
    if (arguments[i].device) number[i] = on_device++;
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
    if (argument.device) text += field_text(number[reader.index], reader.spec);
    else append_literal(text, host_text(argument, reader.spec));
  }
  if (reader.error != runtime::PrintError::none)
    refuse(where, "the format of ox::print cannot be read; it should be known when it is compiled");
  if (line) text += '\n';
  for (std::size_t i = 0; i != count; ++i)
    if (arguments[i].device) emit(ir::Opcode::argument, ir::Type::none, arguments[i].handle, std::uint64_t{number[i]}, where);
  emit(ir::Opcode::print, ir::Type::none, declare_string(text, where), where);
}

}  // namespace oxide::detail
