// ox::print: text from kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/conversion.hpp>
#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/enumeration.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/print_shapes.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/print_format.hpp>
#include <oxide/runtime/print_sink.hpp>

namespace oxide {
namespace detail {

// An argument of a print: a device value that is read now, what is made of several, or something of the host that becomes part of the text.
struct PrintArgument {
  bool device = false;
  ir::Type type = ir::Type::none;  // of a number; halves and 8-bit floats are shown as the f32 that they are
  trace::Handle handle;  // device
  std::uint64_t words[2] = {};  // a number of the host; of a pair, its two numbers as f32
  std::string_view text;  // text of the host
  PrintParts parts;  // of what is made of several numbers
  runtime::PrintClass what = runtime::PrintClass::text;
};

// Records the print. The format fits the arguments.
OXIDE_INLINE void record_print(std::string_view format, const PrintArgument* arguments, std::size_t count, bool line, Where where);

template <class A>
constexpr runtime::PrintClass print_class_of() {
  using Bare = std::remove_cvref_t<A>;
  using enum runtime::PrintClass;
  if constexpr (std::is_same_v<Bare, char>) return character;
  else if constexpr (PrintedWhole<A>) return integer;
  else if constexpr (std::is_convertible_v<const Bare&, std::string_view>) return text;
  else if constexpr (std::is_enum_v<HostType<Bare>>) return integer;
  else {
    constexpr Source source = source_of<A>;
    static_assert(
        source.kind != SourceKind::unknown,
        "oxide: ox::print shows device values, structs, tuples and arrays of them, and numbers, enumerators and text of the host");
    static_assert(!(source.kind == SourceKind::element && source.lvalue),
                  "oxide: `auto x = s[i]` names the element without reading it; write its type, as in `ox::f32 x = s[i]`");
    return print_class_of_number(source.type);
  }
}
template <class A>
constexpr runtime::PrintClasses print_classes_of() {
  if constexpr (std::is_convertible_v<const std::remove_cvref_t<A>&, std::string_view> || !PrintedWhole<A>)
    return runtime::only(print_class_of<A>());
  else return PrintShape<WholeOf<A>>::classes;
}

template <class A>
PrintArgument print_argument(A&& x, Where where) {
  using Bare = std::remove_cvref_t<A>;
  PrintArgument argument;
  argument.what = print_class_of<A>();
  if constexpr (print_class_of<A>() == runtime::PrintClass::text) {
    argument.text = x;
  } else if constexpr (PrintedWhole<A>) {
    argument.parts = print_parts(std::forward<A>(x), where);
  } else if constexpr (std::is_enum_v<Bare>) {
    return print_argument(static_cast<std::underlying_type_t<Bare>>(x), where);
  } else if constexpr (std::is_enum_v<HostType<Bare>>) {
    return print_argument(cast<std::underlying_type_t<HostType<Bare>>>(std::forward<A>(x)), where);
  } else if constexpr (source_of<A>.kind == SourceKind::host) {
    constexpr ir::Type type = source_of<A>.type;
    argument.type = shown_type(type);
    if constexpr (ir::is_pair(type)) {
      argument.words[0] = host_bits(ir::Type::f32, static_cast<float>(x.x));
      argument.words[1] = host_bits(ir::Type::f32, static_cast<float>(x.y));
    } else if constexpr (ir::is_integer(type) || ir::is_boolean(type)) {
      const auto bits = static_cast<uint128>(x);
      argument.words[0] = static_cast<std::uint64_t>(bits);
      argument.words[1] = static_cast<std::uint64_t>(bits >> 64);
    } else if constexpr (ir::is_storage(type)) {
      argument.words[0] = host_bits(argument.type, static_cast<float>(x));
    } else {
      argument.words[0] = host_bits(argument.type, static_cast<double>(x));
    }
  } else if constexpr (source_of<A>.kind != SourceKind::unknown) {
    argument.device = true;
    constexpr ir::Type type = source_of<A>.type;
    argument.type = shown_type(type);
    argument.handle = convert(type, argument.type, handle_as<typename ScalarOf<type>::type>(std::forward<A>(x), where), where);
  }
  return argument;
}

// What is wrong with a format, and what the compiler says.
#define OXIDE_DSL_PRINT_ERRORS(X)                                                                                   \
  X(unmatched_brace, "oxide: the format has a brace without its other one; write {{ or }} for a brace in the text") \
  X(too_few_arguments, "oxide: the format shows more arguments than there are")                                     \
  X(too_many_arguments, "oxide: there are more arguments than the format shows")                                    \
  X(mixed_indices, "oxide: the format has fields with an index and fields without; give all of them one, or none")  \
  X(nested_field, "oxide: a width or precision of the format is a number, not another field")                       \
  X(bad_spec, "oxide: a field is {index:fill align sign # 0 width .precision type}, each part optional")            \
  X(too_wide, "oxide: a width or precision of the format is more than 1000")                                        \
  X(type_of_boolean, "oxide: a boolean is shown as {}, {:s}, {:d}, {:x}, {:o} or {:b}")                             \
  X(type_of_integer, "oxide: an integer is shown as {}, {:d}, {:x}, {:X}, {:o}, {:b} or {:c}")                      \
  X(type_of_floating, "oxide: a floating-point number is shown as {}, {:e}, {:f}, {:g} or {:a}")                    \
  X(type_of_text, "oxide: text is shown as {} or {:s}")                                                             \
  X(precision, "oxide: only floating-point numbers and text have a precision")                                      \
  X(sign, "oxide: text, characters and booleans have no sign, # or 0")

template <class... A>
constexpr runtime::PrintError print_error(std::string_view format) {
  constexpr runtime::PrintClasses classes[] = {print_classes_of<A>()..., runtime::PrintClasses{0}};
  return runtime::check_print_format(format, classes, sizeof...(A));
}

// A format that was checked against the arguments when it was compiled. In clang a lambda that calls a consteval function wrongly becomes
// one itself (P2564), and the compiler complains somewhere else; so there an attribute does it.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"  // the attribute is clang's own
#endif
template <class... A>
struct PrintFormat {
#ifdef __clang__
#define OXIDE_DSL_PRINT_ERROR(name, message) \
  __attribute__((diagnose_if(print_error<A...>(format) == runtime::PrintError::name, message, "error")))
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  constexpr PrintFormat(const S& format, Where place = Where::current()) OXIDE_DSL_PRINT_ERRORS(OXIDE_DSL_PRINT_ERROR)
      : text(format), where(place) {}
#else
#define OXIDE_DSL_PRINT_ERROR(name, message) \
  case runtime::PrintError::name:            \
    return wrong_print_format(message);
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  consteval PrintFormat(const S& format, Where place = Where::current()) : text(format), where(place) {
    check(print_error<A...>(text));
  }

 private:
  // Declared and not defined: a call of it is what the compiler shows.
  static void wrong_print_format(const char* why);
  static consteval void check(runtime::PrintError error) {
    switch (error) {
      case runtime::PrintError::none:
        return;
        OXIDE_DSL_PRINT_ERRORS(OXIDE_DSL_PRINT_ERROR)
    }
  }

 public:
#endif
  std::string_view text;
  Where where;
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#undef OXIDE_DSL_PRINT_ERROR
#undef OXIDE_DSL_PRINT_ERRORS

}  // namespace detail

// Prints the format with its fields replaced by the arguments, as {fmt} and std::format do: "{}", "{:x}", "{:08.3f}", "{1:>8}", "{{".
// The compiler checks the format against the arguments: device values of every type, elements of spans, and numbers, enumerators and text
// of the host, which are fixed when the kernel is traced. A boolean is true or false, a pair of halves (x, y), each as the field says.
// The text of one call comes whole. It goes to
// stdout, or where ox::set_print_sink says: from a GPU when the host next waits for the stream or the device, from the CPU at once.
// Example: ox::print("x = {} at {}\n", x, i);
template <class... A>
void print(detail::PrintFormat<std::type_identity_t<A>...> format, A&&... arguments) {
  const detail::PrintArgument list[] = {detail::print_argument(std::forward<A>(arguments), format.where)..., {}};
  detail::record_print(format.text, list, sizeof...(A), false, format.where);
}

// The same, and then a new line.
template <class... A>
void println(detail::PrintFormat<std::type_identity_t<A>...> format, A&&... arguments) {
  const detail::PrintArgument list[] = {detail::print_argument(std::forward<A>(arguments), format.where)..., {}};
  detail::record_print(format.text, list, sizeof...(A), true, format.where);
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/print_implementation.hpp>
#endif
