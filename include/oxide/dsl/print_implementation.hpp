// How a print is recorded: what is known now becomes text of the format, and device values its arguments.
#pragma once

#include <algorithm>
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

// What a print shows of device values: they get numbers, and their fields are text.
class DeviceFields {
 public:
  explicit DeviceFields(Where where) : where_(where) {}

  // A pair of halves is two.
  std::string field(ir::Type type, trace::Handle handle, const runtime::PrintSpec& spec) {
    if (!ir::is_pair(type)) return field_text(add(handle), spec);
    const auto half = [&](std::uint64_t which) {
      const ir::Type of = ir::element_of(type);
      return field_text(add(convert(of, ir::Type::f32, emit(ir::Opcode::pair_element, of, handle, which, where_), where_)), spec);
    };
    const std::string first = half(0);
    return '(' + first + ", " + half(1) + ')';
  }

  std::string fields(const std::vector<PrintPart>& parts, const runtime::PrintSpec& spec) {
    std::size_t at = 0;
    return fields(parts, at, spec);
  }

  const std::vector<trace::Handle>& all() const { return all_; }

 private:
  std::size_t add(trace::Handle handle) {
    const auto known = std::find(all_.begin(), all_.end(), handle);
    if (known != all_.end()) return static_cast<std::size_t>(known - all_.begin());
    all_.push_back(handle);
    return all_.size() - 1;
  }
  // To the end of a condition, or to the end.
  std::string fields(const std::vector<PrintPart>& parts, std::size_t& at, const runtime::PrintSpec& spec) {
    std::string text;
    while (at != parts.size()) {
      const PrintPart& part = parts[at++];
      if (part.kind == PrintPart::Kind::end) break;
      if (part.kind == PrintPart::Kind::text) append_literal(text, part.text);
      else if (part.kind == PrintPart::Kind::number) text += field(part.type, part.handle, spec);
      else {
        const std::size_t number = add(part.handle);
        const std::string inner = fields(parts, at, spec);
        text += '{' + std::to_string(number) + '=' + std::to_string(part.value) + '?' + std::to_string(inner.size()) + '}' + inner;
      }
    }
    return text;
  }

  Where where_;
  std::vector<trace::Handle> all_;
};

OXIDE_INLINE void record_print(std::string_view format, const PrintArgument* arguments, std::size_t count, bool line, Where where) {
  DeviceFields on_device(where);
  std::string text;
  runtime::PrintFormatReader reader(format);
  for (;;) {
    const auto piece = reader.next();
    if (piece == runtime::PrintFormatReader::Piece::end) break;
    if (piece == runtime::PrintFormatReader::Piece::literal) {
      append_literal(text, reader.literal);
      continue;
    }
    if (piece == runtime::PrintFormatReader::Piece::condition || reader.index >= count)
      refuse(where, "the format of ox::print shows more arguments than there are");
    const PrintArgument& argument = arguments[reader.index];
    if (!argument.parts.all().empty()) text += on_device.fields(argument.parts.all(), reader.spec);
    else if (argument.device) text += on_device.field(argument.type, argument.handle, reader.spec);
    else append_literal(text, host_text(argument, reader.spec));
  }
  if (reader.error != runtime::PrintError::none)
    refuse(where, "the format of ox::print cannot be read; it should be known when it is compiled");
  if (line) text += '\n';
  std::uint64_t n = 0;
  for (const trace::Handle h : on_device.all()) emit(ir::Opcode::argument, ir::Type::none, h, n++, where);
  emit(ir::Opcode::print, ir::Type::none, declare_string(text, where), where);
}

}  // namespace oxide::detail
