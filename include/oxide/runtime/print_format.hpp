// The format of ox::print: what its fields may say, and how it is read. Used by the compiler of the program, which checks the format
// against the arguments, and by the host when it makes the text.
//
//   format = { text | "{{" | "}}" | "{" [index] [":" spec] "}" }
//   spec   = [[fill] align] [sign] ["#"] ["0"] [width] ["." precision] [type]
//   align  = "<" | "^" | ">"     sign = "+" | "-" | " "
//   type   = d x X o b B c (integers)  e E f F g G a A (floating)  s (text, booleans)
//
// Where a kernel chooses what is shown, its format also has conditions, which no user writes: "{" index "=" number "?" length "}" leaves
// out the next so many characters unless the argument is the number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oxide::runtime {

// What an argument is to a format.
enum class PrintClass : std::uint8_t { boolean, integer, floating, text, character };
// A set of them: what an argument consists of. A field shows each of its numbers in the same way.
using PrintClasses = std::uint8_t;
constexpr PrintClasses only(PrintClass c) { return static_cast<PrintClasses>(1u << static_cast<unsigned>(c)); }

struct PrintSpec {
  char fill = ' ';
  char align = 0;
  char sign = '-';
  char type = 0;
  bool alternate = false, zero = false;
  int width = 0;
  int precision = -1;
};

enum class PrintError : std::uint8_t {
  none,
  unmatched_brace,
  too_few_arguments,
  too_many_arguments,
  mixed_indices,
  nested_field,
  bad_spec,
  too_wide,
  type_of_boolean,
  type_of_integer,
  type_of_floating,
  type_of_text,
  precision,
  sign,
};

inline constexpr int max_print_width = 1000;

// Reads a format piece by piece. After an error every further piece is the end.
class PrintFormatReader {
 public:
  explicit constexpr PrintFormatReader(std::string_view text) : text_(text) {}

  enum class Piece : std::uint8_t { end, literal, field, condition };
  // The next piece: `literal` then is its text, `index` and `spec` are the field's, or `index`, `value` and `length` the condition's.
  constexpr Piece next() {
    if (error != PrintError::none || at_ == text_.size()) return Piece::end;
    const std::size_t begin = at_;
    while (at_ != text_.size() && text_[at_] != '{' && text_[at_] != '}') ++at_;
    if (at_ != begin) {
      literal = text_.substr(begin, at_ - begin);
      return Piece::literal;
    }
    const char brace = text_[at_++];
    if (at_ != text_.size() && text_[at_] == brace) {
      literal = text_.substr(at_++, 1);
      return Piece::literal;
    }
    if (brace == '}') return fail(PrintError::unmatched_brace);
    return field();
  }

  // Leaves out so many characters.
  constexpr void skip(std::uint64_t characters) { at_ = characters < text_.size() - at_ ? at_ + characters : text_.size(); }

  std::string_view literal;
  std::size_t index = 0;
  std::uint64_t value = 0, length = 0;
  PrintSpec spec;
  PrintError error = PrintError::none;

 private:
  constexpr Piece fail(PrintError e) {
    error = e;
    return Piece::end;
  }
  constexpr bool is(char c) const { return at_ != text_.size() && text_[at_] == c; }
  constexpr bool skip(char c) { return is(c) && ++at_ != 0; }
  constexpr bool is_digit() const { return at_ != text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  static constexpr bool is_align(char c) { return c == '<' || c == '>' || c == '^'; }

  constexpr std::uint64_t number(std::uint64_t most) {
    std::uint64_t n = 0;
    for (; is_digit(); ++at_) n = n > most ? n : 10 * n + static_cast<unsigned char>(text_[at_] - '0');
    return n;
  }
  constexpr int number() { return static_cast<int>(number(max_print_width)); }

  constexpr Piece condition() {
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    value = number(most);
    if (!skip('?')) return fail(PrintError::bad_spec);
    length = number(most);
    return skip('}') ? Piece::condition : fail(PrintError::bad_spec);
  }

  constexpr Piece field() {
    const bool given = is_digit();
    if (given) index = static_cast<std::size_t>(number());
    else index = next_index_++;
    if (given ? numbering_ == 1 : numbering_ == 2) return fail(PrintError::mixed_indices);
    numbering_ = given ? 2 : 1;
    spec = {};
    if (given && skip('=')) return condition();
    if (skip(':')) read_spec();
    if (error != PrintError::none) return Piece::end;
    if (is('{')) return fail(PrintError::nested_field);
    if (at_ == text_.size()) return fail(PrintError::unmatched_brace);
    if (!skip('}')) return fail(PrintError::bad_spec);
    return Piece::field;
  }

  constexpr void read_spec() {
    if (at_ + 1 < text_.size() && text_[at_] != '{' && text_[at_] != '}' && is_align(text_[at_ + 1])) spec.fill = text_[at_++];
    if (at_ != text_.size() && is_align(text_[at_])) spec.align = text_[at_++];
    if (is('+') || is('-') || is(' ')) spec.sign = text_[at_++];
    spec.alternate = skip('#');
    spec.zero = skip('0');
    spec.width = number();
    if (skip('.')) {
      if (!is_digit()) error = is('{') ? PrintError::nested_field : PrintError::bad_spec;
      spec.precision = number();
    }
    if (spec.width > max_print_width || spec.precision > max_print_width) error = PrintError::too_wide;
    if (at_ != text_.size() && text_[at_] != '}' && text_[at_] != '{') spec.type = text_[at_++];
  }

  std::string_view text_;
  std::size_t at_ = 0, next_index_ = 0;
  int numbering_ = 0;  // 1 automatic, 2 by index
};

constexpr bool print_type_is(char type, std::string_view allowed) { return type == 0 || allowed.find(type) != std::string_view::npos; }

// Whether a field may show an argument of a class.
constexpr PrintError check_print_spec(const PrintSpec& spec, PrintClass what) {
  constexpr std::string_view integer = "dxXobBc";
  switch (what) {
    case PrintClass::boolean:
      if (!print_type_is(spec.type, "sdxXobB")) return PrintError::type_of_boolean;
      break;
    case PrintClass::integer:
      if (!print_type_is(spec.type, integer)) return PrintError::type_of_integer;
      break;
    case PrintClass::character:
      if (!print_type_is(spec.type, integer)) return PrintError::type_of_integer;
      break;
    case PrintClass::floating:
      if (!print_type_is(spec.type, "eEfFgGaA") || spec.alternate) return PrintError::type_of_floating;
      return PrintError::none;
    case PrintClass::text:
      if (!print_type_is(spec.type, "s") || spec.alternate || spec.zero) return PrintError::type_of_text;
      if (spec.sign != '-') return PrintError::sign;
      return PrintError::none;
  }
  if (spec.precision >= 0) return PrintError::precision;
  const bool as_text = (what == PrintClass::boolean && (spec.type == 0 || spec.type == 's')) || spec.type == 'c' ||
                       (what == PrintClass::character && spec.type == 0);
  if (as_text && (spec.sign != '-' || spec.alternate || spec.zero)) return PrintError::sign;
  return PrintError::none;
}

// The same for each of several.
constexpr PrintError check_print_spec(const PrintSpec& spec, PrintClasses all) {
  for (std::uint8_t c = 0; all >> c != 0; ++c)
    if ((all >> c & 1) != 0)
      if (const PrintError error = check_print_spec(spec, static_cast<PrintClass>(c)); error != PrintError::none) return error;
  return PrintError::none;
}

// The first thing that is wrong with a format for arguments of these classes.
constexpr PrintError check_print_format(std::string_view format, const PrintClasses* arguments, std::size_t count) {
  PrintFormatReader reader(format);
  bool used[64] = {};
  if (count > 64) return PrintError::too_many_arguments;
  for (;;) {
    const PrintFormatReader::Piece piece = reader.next();
    if (piece == PrintFormatReader::Piece::end) break;
    if (piece == PrintFormatReader::Piece::literal) continue;
    if (piece == PrintFormatReader::Piece::condition) return PrintError::bad_spec;
    if (reader.index >= count) return PrintError::too_few_arguments;
    used[reader.index] = true;
    if (const PrintError error = check_print_spec(reader.spec, arguments[reader.index]); error != PrintError::none) return error;
  }
  if (reader.error != PrintError::none) return reader.error;
  for (std::size_t i = 0; i != count; ++i)
    if (!used[i]) return PrintError::too_many_arguments;
  return PrintError::none;
}

}  // namespace oxide::runtime
