// ox::ptx: PTX in a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/machine.hpp>
#include <oxide/dsl/operand.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/inline_ptx.hpp>
#include <oxide/linkage.hpp>

namespace oxide {
namespace detail {

enum class PtxRole : std::uint8_t { out, in, inout, option, fallback };

// An operand of a ptx: the variable that it writes, the value that it reads, or both.
struct PtxOperand {
  PtxRole role = PtxRole::option;
  ir::Type type = ir::Type::none;
  trace::Handle variable, value;
};

template <ir::Type type>
constexpr void needs_ptx_register() {
  static_assert(ir::ptx_register(type) != 0, "oxide: PTX has no 8-bit registers; write ox::cast<ox::u16>(x) or wider");
}

template <PtxRole r>
struct PtxArgument {
  static constexpr PtxRole role = r;
  PtxOperand operand;
};
struct PtxOption {
  static constexpr PtxRole role = PtxRole::option;
  char flag;
};
template <class F>
struct PtxFallback {
  static constexpr PtxRole role = PtxRole::fallback;
  F run;
};

enum class PtxError : std::uint8_t { none, no_operand, unused_operand, stray_percent };

// The text names operands as %0, %1 ... in the order of out, in and inout, and writes %% for a percent sign of PTX.
constexpr PtxError check_ptx(std::string_view text, std::size_t operands) {
  bool used[64] = {};
  if (operands > 64) return PtxError::unused_operand;
  for (std::size_t at = 0; at != text.size();) {
    if (text[at++] != '%') continue;
    if (at != text.size() && text[at] == '%') {
      ++at;
      continue;
    }
    if (at == text.size() || text[at] < '0' || text[at] > '9') return PtxError::stray_percent;
    std::size_t number = 0;
    for (; at != text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      number = number > operands ? number : 10 * number + static_cast<std::size_t>(text[at] - '0');
    if (number >= operands) return PtxError::no_operand;
    used[number] = true;
  }
  for (std::size_t i = 0; i != operands; ++i)
    if (!used[i]) return PtxError::unused_operand;
  return PtxError::none;
}

#define OXIDE_DSL_PTX_ERRORS(X)                                                                                         \
  X(no_operand, "oxide: the PTX names an operand that is not passed; %0 is the first of ox::out, ox::in and ox::inout") \
  X(unused_operand, "oxide: an operand is passed that the PTX does not name")                                           \
  X(stray_percent, "oxide: in ox::ptx an operand is %0, %1 ..., and a register of PTX is written with %%, as in %%laneid")

template <class... A>
inline constexpr std::size_t ptx_operands =
    (std::size_t{std::remove_cvref_t<A>::role != PtxRole::option && std::remove_cvref_t<A>::role != PtxRole::fallback} + ... + 0);

// A text that was checked against the operands when it was compiled; see PrintFormat in print.hpp.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"  // the attribute is clang's own
#endif
template <class... A>
struct PtxText {
#ifdef __clang__
#define OXIDE_DSL_PTX_ERROR(name, message) \
  __attribute__((diagnose_if(check_ptx(ptx, ptx_operands<A...>) == PtxError::name, message, "error")))
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  constexpr PtxText(const S& ptx, Where place = Where::current()) OXIDE_DSL_PTX_ERRORS(OXIDE_DSL_PTX_ERROR) : text(ptx), where(place) {}
#else
#define OXIDE_DSL_PTX_ERROR(name, message) \
  case PtxError::name:                     \
    return wrong_ptx(message);
  template <class S>
    requires std::is_convertible_v<const S&, std::string_view>
  consteval PtxText(const S& ptx, Where place = Where::current()) : text(ptx), where(place) {
    check(check_ptx(text, ptx_operands<A...>));
  }

 private:
  static void wrong_ptx(const char* why);  // declared and not defined: a call of it is what the compiler shows
  static consteval void check(PtxError error) {
    switch (error) {
      case PtxError::none:
        return;
        OXIDE_DSL_PTX_ERRORS(OXIDE_DSL_PTX_ERROR)
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
#undef OXIDE_DSL_PTX_ERROR
#undef OXIDE_DSL_PTX_ERRORS

// Records the PTX with its operands.
OXIDE_INLINE void record_ptx(std::string_view text, const PtxOperand* operands, std::size_t count, std::string_view options, Where where);

}  // namespace detail

// A variable that the PTX writes; its value before does not matter.
template <class T>
detail::PtxArgument<detail::PtxRole::out> out(Value<T>& variable) {
  detail::needs_ptx_register<Value<T>::type>();
  return {{detail::PtxRole::out, Value<T>::type, variable.handle(), {}}};
}
// A value that the PTX reads: a device value, an element, or a host number.
template <class A>
  requires detail::Number<A>
detail::PtxArgument<detail::PtxRole::in> in(A&& value, detail::Where where = detail::Where::current()) {
  constexpr detail::Source source = detail::source_of<A>;
  detail::explain<detail::verdict(source, source.type)>();
  detail::needs_ptx_register<source.type>();
  return {{detail::PtxRole::in,
           source.type,
           {},
           detail::handle_as<typename detail::ScalarOf<source.type>::type>(std::forward<A>(value), where)}};
}
// A variable that the PTX reads and writes.
template <class T>
detail::PtxArgument<detail::PtxRole::inout> inout(Value<T>& variable) {
  detail::needs_ptx_register<Value<T>::type>();
  return {{detail::PtxRole::inout, Value<T>::type, variable.handle(), variable.handle()}};
}

// Options of ox::ptx. The PTX accesses memory: no access is moved over it.
inline constexpr detail::PtxOption clobber_memory{'m'};
// It does nothing but compute its outputs from its inputs: it may be merged with an equal one, moved and dropped.
inline constexpr detail::PtxOption pure{'p'};
// It makes threads wait for, or exchange values with, each other: it is never put under another condition.
inline constexpr detail::PtxOption convergent{'c'};

// What runs in its place where there is no PTX: on the CPU.
template <class F>
detail::PtxFallback<F> otherwise(F run) {
  return {std::move(run)};
}

// Instructions of PTX, in a kernel for a GPU. %0, %1 ... are the operands, in the order of ox::out, ox::in and ox::inout; the register of
// each is of its type (.b16 to .b128, .f32, .f64, .pred for a boolean), and a percent sign of PTX is written twice. It stays where it is
// and is done each time, unless ox::pure is passed. The CPU device refuses it with its line (CompileError), unless ox::otherwise is
// passed. What the driver cannot assemble is a CompileError with its log and the line.
// Example: ox::ptx("add.u32 %0, %1, %2;", ox::out(x), ox::in(y), ox::in(z));
template <class... A>
[[gnu::always_inline]] inline void ptx(detail::PtxText<std::type_identity_t<A>...> text, A&&... operands_and_options) {
  detail::PtxOperand operands[sizeof...(A) + 1];
  char options[sizeof...(A) + 1] = {};
  std::size_t count = 0, flags = 0;
  [[maybe_unused]] const auto take = [&](const auto& a) {
    using enum detail::PtxRole;
    constexpr detail::PtxRole role = std::remove_cvref_t<decltype(a)>::role;
    if constexpr (role == option) options[flags++] = a.flag;
    else if constexpr (role != fallback) operands[count++] = a.operand;
  };
  (take(operands_and_options), ...);
  if constexpr (((std::remove_cvref_t<A>::role == detail::PtxRole::fallback) || ...)) {
    if (on_gpu(text.where)) {
      detail::record_ptx(text.text, operands, count, {options, flags}, text.where);
    } else {
      const auto run = [](const auto& a) {
        if constexpr (std::remove_cvref_t<decltype(a)>::role == detail::PtxRole::fallback) a.run();
      };
      (run(operands_and_options), ...);
    }
  } else {
    detail::record_ptx(text.text, operands, count, {options, flags}, text.where);
  }
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/ptx_implementation.hpp>
#endif
