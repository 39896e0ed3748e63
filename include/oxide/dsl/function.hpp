// ox::function: a device function that is compiled once for a kernel and called, and that may call itself.
//
// A plain C++ function is traced where it is called, as often as it is called: most helpers want to be that. A function made here is
// traced once and stays one function in the machine code: for recursion, and for large helpers that are called from many places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/dsl/bind.hpp>
#include <oxide/dsl/disjoint_span.hpp>
#include <oxide/dsl/kernel_build.hpp>
#include <oxide/dsl/leaves.hpp>
#include <oxide/dsl/signature.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/linkage.hpp>
#include <oxide/trace/called_function.hpp>

namespace oxide {
namespace detail {

enum class PassedAs : std::uint8_t { unsupported, scalars, in_and_out, memory, type };  // arrays are a scalar: their address

template <class T>
inline constexpr bool is_span = false;
template <class T>
inline constexpr bool is_span<Span<T>> = true;
template <class T, class Space>
inline constexpr bool is_span<DisjointSpan<T, Space>> = true;

// A shared array, which goes by reference.
template <class T>
concept SharedMemory = requires { typename T::oxide_borrowed; };

// How a parameter that is written as P is passed.
template <class P>
constexpr PassedAs passed_as() {
  using Bare = std::remove_cvref_t<P>;
  constexpr bool changes = std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;
  if constexpr (std::is_rvalue_reference_v<P>) return PassedAs::unsupported;
  else if constexpr (is_local_array<Bare>) return PassedAs::scalars;
  else if constexpr (has_leaves<Bare>) return changes ? PassedAs::in_and_out : PassedAs::scalars;
  else if constexpr (SharedMemory<Bare>) return std::is_reference_v<P> ? PassedAs::memory : PassedAs::unsupported;
  else if constexpr (changes) return PassedAs::unsupported;
  else if constexpr (is_span<Bare>) return PassedAs::memory;
  else if constexpr (captureless<Bare>) return PassedAs::type;
  else return PassedAs::unsupported;
}

template <class T>
constexpr std::size_t scalars_in() {
  if constexpr (has_leaves<std::remove_cvref_t<T>>) return Leaves<std::remove_cvref_t<T>>::count;
  else return 0;
}
// A span by its memory, and again from it.
template <class S>
trace::MemoryArgument memory_argument(const S& span) {
  if constexpr (requires { span.access(); }) return {span.memory(), span.access()};
  else return {span.memory(), nullptr};
}
template <class S>
S span_of(const trace::MemoryArgument& argument) {
  if constexpr (SharedMemory<S>) return S(typename S::oxide_borrowed{argument.memory});
  else if constexpr (requires(const S& s) { s.access(); }) return S(argument.memory, argument.access);
  else return S(argument.memory);
}

template <class P>
inline constexpr bool is_in_and_out = passed_as<P>() == PassedAs::in_and_out;

template <class T>
void list_types(ir::Type* types) {
  if constexpr (has_leaves<std::remove_cvref_t<T>>) Leaves<std::remove_cvref_t<T>>::list(types);
}

// Traced functions by what they are; see kernel_implementation.hpp.
OXIDE_INLINE void call_function(const trace::CalledFunction& function, const trace::Handle* arguments, trace::Handle* results, Where where);
// In a run of a function: its parameters, and giving back its results.
OXIDE_INLINE void receive(const trace::CalledFunction& function, trace::Handle* parameters);
OXIDE_INLINE void give_back(trace::Handle* results, const ir::Type* types, std::size_t count, Where where);
[[noreturn]] OXIDE_INLINE void not_a_function_name(std::string_view name);

template <class R, class... P>
constexpr bool check_signature() {
  static_assert(
      (... && (passed_as<P>() != PassedAs::unsupported)),
      "oxide: a function's parameters are device values and structs of them (by value, const reference, or reference: then they are "
      "copied in and out), arrays, spans, shared arrays by reference, and lambdas without captures");
  constexpr bool returns = std::is_void_v<R> || (has_leaves<R> && !is_local_array<R>);
  static_assert(returns,
                "oxide: a function returns nothing, a device value, or a struct, std::tuple or std::array of device values, by value");
  return (returns && ... && (passed_as<P>() != PassedAs::unsupported));
}

// Calls and traces functions that are written R(P...).
template <class R, class... P>
struct CallOf {
  static_assert(check_signature<R, P...>());

  static constexpr std::size_t parameters = (std::size_t{0} + ... + scalars_in<P>());
  static constexpr std::size_t returned = [] {
    if constexpr (std::is_void_v<R>) return std::size_t{0};
    else return scalars_in<R>();
  }();
  static constexpr std::size_t results = (returned + ... + (is_in_and_out<P> ? scalars_in<P>() : 0));
  static constexpr std::size_t memories = (std::size_t{0} + ... + (passed_as<P>() == PassedAs::memory ? 1 : 0));

  // Each parameter's first scalar, first scalar among the results, and memory.
  struct Place {
    std::size_t scalar = 0, result = 0, memory = 0;
  };
  static constexpr std::array<Place, sizeof...(P) + 1> places = [] {
    std::array<Place, sizeof...(P) + 1> all{};
    constexpr std::size_t scalars[] = {scalars_in<P>()..., 0};
    constexpr PassedAs kinds[] = {passed_as<P>()..., PassedAs::type};
    all[0].result = returned;
    for (std::size_t i = 0; i != sizeof...(P); ++i)
      all[i + 1] = {all[i].scalar + scalars[i], all[i].result + (kinds[i] == PassedAs::in_and_out ? scalars[i] : 0),
                    all[i].memory + (kinds[i] == PassedAs::memory ? 1 : 0)};
    return all;
  }();

  static const ir::Type* parameter_types() {
    static const std::array<ir::Type, parameters + 1> types = [] {
      std::array<ir::Type, parameters + 1> all{};
      std::size_t i = 0;
      (list_types<P>(all.data() + places[i++].scalar), ...);
      return all;
    }();
    return types.data();
  }
  static const ir::Type* result_types() {
    static const std::array<ir::Type, results + 1> types = [] {
      std::array<ir::Type, results + 1> all{};
      if constexpr (!std::is_void_v<R>) Leaves<R>::list(all.data());
      std::size_t i = 0;
      ((is_in_and_out<P> ? list_types<P>(all.data() + places[i].result) : void(), ++i), ...);
      return all;
    }();
    return types.data();
  }

  // A call in the run that is being made.
  static R call(std::string_view name, const void* identity, trace::CalledFunction::Code code, trace::CalledFunction::Run run, Where where,
                const std::remove_reference_t<P>&... arguments) {
    trace::Handle handles[parameters + 1], out[results + 1];
    trace::MemoryArgument spans[memories + 1];
    std::size_t i = 0;
    (pass<P>(arguments, handles, spans, places[i++]), ...);
    call_function({identity, code, run, name, parameter_types(), parameters, result_types(), results, spans, memories}, handles, out,
                  where);
    i = 0;
    (take_back<P>(handles + places[i].scalar, out + places[i].result, i, where), ...);
    if constexpr (!std::is_void_v<R>) return Leaves<R>::make(out, where);
  }

  // One run of the function's body: calls body(parameters...).
  template <class Body>
  static void run(const trace::CalledFunction& function, Body&& body) {
    trace::Handle in[parameters + 1];
    receive(function, in);
    run_with(body, in, function.memories, std::index_sequence_for<P...>());
  }

 private:
  template <class T>
  static void pass(const std::remove_reference_t<T>& argument, trace::Handle* handles, trace::MemoryArgument* spans, const Place& at) {
    if constexpr (has_leaves<std::remove_cvref_t<T>>) Leaves<std::remove_cvref_t<T>>::get(argument, handles + at.scalar);
    else if constexpr (passed_as<T>() == PassedAs::memory) spans[at.memory] = memory_argument(argument);
  }
  template <class T>
  static void take_back(const trace::Handle* variables, const trace::Handle* given, std::size_t& i, Where where) {
    ++i;
    if constexpr (is_in_and_out<T>)
      for (std::size_t k = 0; k != scalars_in<T>(); ++k) assign(variables[k], given[k], where);
  }

  template <class T>
  static std::remove_cvref_t<T> make(const trace::Handle* in, const trace::MemoryArgument* spans, const Place& at) {
    using Bare = std::remove_cvref_t<T>;
    if constexpr (has_leaves<Bare>) return Leaves<Bare>::make(in + at.scalar, Where());
    else if constexpr (passed_as<T>() == PassedAs::memory) return span_of<Bare>(spans[at.memory]);
    else return Bare{};
  }
  template <class Body, std::size_t... I>
  static void run_with(Body& body, const trace::Handle* in, const trace::MemoryArgument* spans, std::index_sequence<I...>) {
    run_on(body, make<P>(in, spans, places[I])...);
  }
  template <class Body>
  static void run_on(Body& body, std::remove_cvref_t<P>&&... made) {
    trace::Handle out[results + 1];
    std::size_t i = 0;
    const auto give = [&] {
      ((is_in_and_out<P> ? give_leaves(made, out + places[i].result) : void(), ++i), ...);
      give_back(out, result_types(), results, Where());
    };
    if constexpr (std::is_void_v<R>) {
      body(static_cast<P>(made)...);
      give();
    } else {
      const R result = body(static_cast<P>(made)...);
      Leaves<R>::get(result, out);
      give();
    }
  }
  template <class T>
  static void give_leaves(const T& value, trace::Handle* out) {
    if constexpr (has_leaves<T>) Leaves<T>::get(value, out);
  }
};

}  // namespace detail

// A device function of a written signature. Called in a kernel or another function, with the conversions that C++ makes for the call.
// Made by ox::function, or, where its own body calls it, declared with its type:
//   inline const ox::Function<ox::u64(ox::u64)> factorial("factorial", [](ox::u64 n) -> ox::u64 {
//     if (n <= 1) return 1;
//     return n * factorial(n - 1);
//   });
template <class Signature>
class Function;

template <class R, class... P>
class Function<R(P...)> {
  static_assert(detail::check_signature<R, P...>());

 public:
  using code_type = R (*)(P...);

  // Throws Error (in a constant expression: does not compile) when the name is not made of letters, digits and underscores.
  constexpr Function(std::string_view name, code_type code) : name_(name), code_(code) {
    if (!detail::is_kernel_name(name)) detail::not_a_function_name(name);
  }
  constexpr std::string_view name() const { return name_; }

  R operator()(P... arguments, detail::Where where = detail::Where::current()) const {
    return detail::CallOf<R, P...>::call(name_, reinterpret_cast<const void*>(code_), reinterpret_cast<trace::CalledFunction::Code>(code_),
                                         &run, where, arguments...);
  }

 private:
  static void run(const trace::CalledFunction& function) {
    detail::CallOf<R, P...>::run(function, reinterpret_cast<code_type>(function.code));
  }

  std::string_view name_;
  code_type code_;
};

namespace detail {

// The parameter that an argument of a generic function makes.
template <class A>
struct PassedParameter {
  using Bare = std::remove_cvref_t<A>;
  static auto parameter() {
    if constexpr (source_of<Bare>.kind != SourceKind::unknown) return std::type_identity<DeviceValue<source_of<Bare>.type>>();
    else if constexpr (SharedMemory<Bare>) return std::type_identity<const Bare&>();
    else return std::type_identity<Bare>();
  }
  using type = typename decltype(parameter())::type;
};

template <class... P>
inline constexpr char function_identity = 0;

}  // namespace detail

// A device function with `auto` parameters: another function for each list of argument types. A first parameter that takes the function
// itself is how one that has no name of its own calls itself; its result type is then written.
// Example: auto power = ox::function("power", [](auto self, ox::f32 x, auto n) -> ox::f32 { ... self(x, n - 1) ... });
template <class F>
class GenericFunction {
 public:
  constexpr explicit GenericFunction(std::string_view name) : name_(name) {
    if (!detail::is_kernel_name(name)) detail::not_a_function_name(name);
  }
  constexpr std::string_view name() const { return name_; }

  template <class... A>
  auto operator()(A&&... arguments) const {
    detail::Where where;
    ((where = place_of(arguments, where)), ...);
    return call<typename detail::PassedParameter<A>::type...>(where, std::forward<A>(arguments)...);
  }

 private:
  template <class... P>
  static constexpr bool takes_itself = !std::is_invocable_v<F, P...>;

  template <class... P>
  struct Result {
    static auto result() {
      if constexpr (takes_itself<P...>) return std::type_identity<std::invoke_result_t<F, GenericFunction, P...>>();
      else return std::type_identity<std::invoke_result_t<F, P...>>();
    }
    using type = typename decltype(result())::type;
  };

  template <class A>
  static detail::Where place_of(const A& argument, detail::Where otherwise) {
    if constexpr (requires { argument.where(); }) return argument.where();
    else return otherwise;
  }

  template <class... P>
  auto call(detail::Where where, P... arguments) const {
    return detail::CallOf<typename Result<P...>::type, P...>::call(name_, &detail::function_identity<F, P...>, nullptr, &run<P...>, where,
                                                                   arguments...);
  }
  template <class... P>
  static void run(const trace::CalledFunction& function) {
    detail::CallOf<typename Result<P...>::type, P...>::run(function, [&](P... parameters) {
      if constexpr (takes_itself<P...>) return F{}(GenericFunction(function.name), parameters...);
      else return F{}(parameters...);
    });
  }

  std::string_view name_;
};

namespace detail {

template <class F, class R, class... P>
constexpr auto typed_function(std::string_view name, SignatureOf<R, P...>) {
  if constexpr (check_signature<R, P...>())
    return Function<R(P...)>(name, [](P... arguments) -> R { return F{}(std::forward<P>(arguments)...); });
}

template <class F>
constexpr bool can_be_function() {
  static_assert(captureless<F>,
                "oxide: ox::function takes a plain function or a lambda without captures; pass what it needs as its arguments");
  return captureless<F>;
}

}  // namespace detail

// Makes a device function of a plain function, of a lambda without captures, or of a function object without members. The name appears in
// errors, in the graph and in PTX; letters, digits and underscores.
// Example: inline constexpr auto hash = ox::function("hash", [](ox::u32 x) { return (x ^ (x >> 16)) * 0x45d9f3bu; });
template <class R, class... P>
constexpr Function<R(P...)> function(std::string_view name, R (*code)(P...)) {
  return Function<R(P...)>(name, code);
}
template <class F>
  requires std::is_class_v<F>
constexpr auto function(std::string_view name, F) {
  if constexpr (detail::can_be_function<F>()) {
    using S = typename detail::Signature<F>::type;
    if constexpr (S::known) return detail::typed_function<F>(name, S());
    else return GenericFunction<F>(name);
  }
}

}  // namespace oxide
