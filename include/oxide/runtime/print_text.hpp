// Makes the text of ox::print. One function for both devices, so that the text is the same.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <oxide/ir/type.hpp>
#include <oxide/runtime/print_format.hpp>

namespace oxide::runtime {

constexpr PrintClass print_class(ir::Type type) {
  return ir::is_boolean(type) ? PrintClass::boolean : ir::is_floating(type) ? PrintClass::floating : PrintClass::integer;
}

// How many 64-bit words an argument takes in a record.
constexpr std::size_t print_words(ir::Type type) { return ir::size_of(type) > 8 ? 2 : 1; }

namespace detail {

inline void append_padded(std::string& out, std::string_view text, const PrintSpec& spec, char default_align) {
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t pad = width > text.size() ? width - text.size() : 0;
  const char align = spec.align != 0 ? spec.align : default_align;
  const std::size_t before = align == '<' ? 0 : align == '>' ? pad : pad / 2;
  out.append(before, spec.fill).append(text).append(pad - before, spec.fill);
}

// Zeros of the flag `0` stand between the sign or prefix and the digits, where no alignment is asked for.
inline void append_number(std::string& out, std::string_view prefix, std::string_view digits, const PrintSpec& spec) {
  const std::size_t length = prefix.size() + digits.size();
  const auto width = static_cast<std::size_t>(spec.width);
  std::string text(prefix);
  if (spec.zero && spec.align == 0 && width > length) text.append(width - length, '0');
  append_padded(out, text.append(digits), spec, '>');
}

inline std::string sign_text(bool negative, const PrintSpec& spec) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

inline void append_integer(std::string& out, bool negative, uint128 magnitude, const PrintSpec& spec) {
  if (spec.type == 'c') {
    const char c = static_cast<char>(static_cast<unsigned char>(magnitude));
    return append_padded(out, {&c, 1}, spec, '<');
  }
  std::string prefix = sign_text(negative, spec);
  unsigned base = 10;
  if (spec.type == 'x' || spec.type == 'X') base = 16;
  if (spec.type == 'o') base = 8;
  if (spec.type == 'b' || spec.type == 'B') base = 2;
  if (spec.alternate && (base == 16 || base == 2)) prefix.append(1, '0').append(1, spec.type);
  if (spec.alternate && base == 8 && magnitude != 0) prefix += '0';
  char digits[130] = {};
  std::size_t at = sizeof digits;
  do {
    digits[--at] = (spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[static_cast<unsigned>(magnitude % base)];
    magnitude /= base;
  } while (magnitude != 0);
  append_number(out, prefix, {digits + at, sizeof digits - at}, spec);
}

// The shortest digits that read back to the number, in scientific notation below 1e-4 and from 1e16 on; with a precision as %g does.
template <class Float>
std::string float_digits(Float x, const PrintSpec& spec) {
  char buffer[2048];  // 308 digits before the point and max_print_width behind it
  const auto digits = [&](std::chars_format format, int precision) {
    const auto end = precision < 0 ? std::to_chars(buffer, buffer + sizeof buffer, x, format).ptr
                                   : std::to_chars(buffer, buffer + sizeof buffer, x, format, precision).ptr;
    return std::string(buffer, end);
  };
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 'e':
    case 'E':
      return digits(std::chars_format::scientific, precision);
    case 'f':
    case 'F':
      return digits(std::chars_format::fixed, precision);
    case 'g':
    case 'G':
      return digits(std::chars_format::general, precision);
    case 'a':
    case 'A': {  // as a double, so that a subnormal float starts with a 1 as others do
      const auto wide = static_cast<double>(x);
      const auto end = spec.precision < 0 ? std::to_chars(buffer, buffer + sizeof buffer, wide, std::chars_format::hex).ptr
                                          : std::to_chars(buffer, buffer + sizeof buffer, wide, std::chars_format::hex, spec.precision).ptr;
      return std::string(buffer, end);
    }
    default:
      if (spec.precision >= 0) return digits(std::chars_format::general, spec.precision);
      return x != 0 && (x < Float(1e-4) || x >= Float(1e16)) ? digits(std::chars_format::scientific, -1)
                                                             : digits(std::chars_format::fixed, -1);
  }
}

template <class Float>
void append_float(std::string& out, Float x, PrintSpec spec) {
  const bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G' || spec.type == 'A';
  const bool is_nan = x != x;
  const bool negative = !is_nan && __builtin_signbit(x) != 0;  // the sign of a NaN is not certain
  std::string prefix = sign_text(negative, spec), digits;
  if (is_nan || __builtin_isinf(x)) {
    digits = is_nan ? "nan" : "inf";
    spec.zero = false;
  } else {
    digits = float_digits(negative ? -x : x, spec);
    if (spec.type == 'a' || spec.type == 'A') prefix += "0x";
  }
  if (upper)
    for (std::string* s : {&prefix, &digits})
      for (char& c : *s)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  append_number(out, prefix, digits, spec);
}

inline void append_text(std::string& out, std::string_view text, const PrintSpec& spec) {
  if (spec.precision >= 0) text = text.substr(0, static_cast<std::size_t>(spec.precision));
  append_padded(out, text, spec, '<');
}

inline void append_boolean(std::string& out, bool x, const PrintSpec& spec) {
  if (spec.type == 0 || spec.type == 's') return append_padded(out, x ? "true" : "false", spec, '<');
  append_integer(out, false, x, spec);
}

}  // namespace detail

// An argument of a type, whose bits `words` hold.
inline void append_argument(std::string& out, ir::Type type, const std::uint64_t* words, const PrintSpec& spec) {
  using namespace detail;
  if (check_print_spec(spec, print_class(type)) != PrintError::none) {
    out += '?';
    return;
  }
  if (ir::is_boolean(type)) return append_boolean(out, words[0] != 0, spec);
  if (type == ir::Type::f32) return append_float(out, std::bit_cast<float>(static_cast<std::uint32_t>(words[0])), spec);
  if (type == ir::Type::f64) return append_float(out, std::bit_cast<double>(words[0]), spec);
  const unsigned bits = ir::bits_of(type);
  uint128 value = words[0];
  if (bits > 64) value |= uint128{words[1]} << 64;
  const bool negative = ir::is_signed_integer(type) && (value >> (bits - 1) & 1) != 0;
  if (negative) value = 0 - value;
  if (bits < 128) value &= (uint128{1} << bits) - 1;
  append_integer(out, negative, value, spec);
}

// The text of a format and the arguments' words, one after the other. What does not fit the format becomes a question mark.
inline std::string print_text(std::string_view format, std::span<const ir::Type> types, std::span<const std::uint64_t> words) {
  std::string out;
  PrintFormatReader reader(format);
  const auto words_of = [&](std::size_t index) -> const std::uint64_t* {
    std::size_t at = 0;
    for (std::size_t i = 0; i < index && i < types.size(); ++i) at += print_words(types[i]);
    return index < types.size() && at + print_words(types[index]) <= words.size() ? words.data() + at : nullptr;
  };
  for (;;) {
    switch (reader.next()) {
      case PrintFormatReader::Piece::end:
        return out;
      case PrintFormatReader::Piece::literal:
        out += reader.literal;
        break;
      case PrintFormatReader::Piece::field:
        if (const std::uint64_t* const word = words_of(reader.index)) append_argument(out, types[reader.index], word, reader.spec);
        else out += '?';
        break;
      case PrintFormatReader::Piece::condition:
        if (const std::uint64_t* const word = words_of(reader.index); word == nullptr || *word != reader.value) reader.skip(reader.length);
    }
  }
}

}  // namespace oxide::runtime
