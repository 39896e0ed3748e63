// What a launch passes for each parameter of a kernel lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/parameter.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/argument.hpp>

namespace oxide::detail {

// Whether an argument of type A (deduced for a forwarding reference) can be passed for a parameter P; if not, says why.
template <class P, class A>
constexpr bool check_argument() {
  using Bare = std::remove_cvref_t<A>;
  if constexpr (Parameter<P>::kind == ParameterClass::span) {
    constexpr bool is_buffer = is_device_buffer<Bare>;
    static_assert(is_buffer, "oxide: this parameter of the kernel is an array; pass an ox::DeviceBuffer");
    if constexpr (is_buffer) {
      constexpr bool same = std::is_same_v<ElementType<typename Bare::value_type>, typename Parameter<P>::element>;
      constexpr bool writable = !Parameter<P>::writes || !std::is_const_v<std::remove_reference_t<A>>;
      static_assert(same, "oxide: the elements of the buffer are not of the type that the kernel's span has");
      static_assert(writable, "oxide: the kernel writes through this parameter; pass a buffer that is not const");
      return same && writable;
    } else {
      return false;
    }
  } else if constexpr (Parameter<P>::kind == ParameterClass::value) {
    constexpr bool is_number = source_of<Bare>.kind == SourceKind::host;
    static_assert(is_number, "oxide: this parameter of the kernel is a number; pass a host number");
    if constexpr (is_number) explain<verdict(source_of<Bare>, P::type)>();
    return is_number && verdict(source_of<Bare>, P::type) == Verdict::fits;
  } else if constexpr (Parameter<P>::kind == ParameterClass::structure) {
    constexpr bool same = std::is_same_v<typename Parameter<P>::host_type, Bare>;
    static_assert(same, "oxide: this parameter of the kernel is a struct or enumeration; pass a host object of that type");
    return same;
  } else {
    static_assert(std::is_same_v<P, Bare>, "oxide: this parameter of the kernel is a callable of another type");
    return std::is_same_v<P, Bare>;
  }
}

// 16 bytes that hold any number.
struct alignas(16) ArgumentBytes {
  std::uint64_t low, high;
};

// A host number as an argument. An integer that the parameter's type does not hold throws LaunchError.
OXIDE_INLINE ArgumentBytes integer_argument(std::string_view kernel, std::size_t parameter, ir::Type type, HostInteger x);
OXIDE_INLINE ArgumentBytes floating_argument(ir::Type type, double x);

// The arguments of one launch, while it lasts.
template <std::size_t n>
class LaunchArguments {
 public:
  explicit LaunchArguments(std::string_view kernel) : kernel_(kernel) {}
  const runtime::Argument* list() const { return list_; }
  static constexpr std::size_t size() { return n; }

  template <class P, class A>
  void add(const A& argument) {
    ++argument_;
    if constexpr (Parameter<P>::kind == ParameterClass::span) {
      list_[count_++] = argument.argument();
    } else if constexpr (Parameter<P>::kind == ParameterClass::value) {
      store<P::type>(argument);
    } else if constexpr (Parameter<P>::kind == ParameterClass::structure) {
      add_leaves<typename Parameter<P>::host_type>(&argument);
    } else if constexpr (Parameter<P>::kind == ParameterClass::bound) {
      std::apply([&]<class... T>(const T&... values) { (add_leaves<T>(&values), ...); }, argument.values());
    }
  }

 private:
  // The bytes of each number of a host object, where they lie.
  template <class T>
  void add_leaves(const void* object) {
    const Leaf* leaves = leaves_of<T>();
    for (std::size_t i = 0; i != leaf_count<T>; ++i)
      list_[count_++] = runtime::Argument::of_value(static_cast<const char*>(object) + leaves[i].offset);
  }

  template <ir::Type type, class H>
  void store(H x) {
    ArgumentBytes& bytes = storage_[count_];
    constexpr ir::Type from = ir::type_for<H>();
    if constexpr (from == type && type != ir::Type::boolean) std::memcpy(&bytes, &x, sizeof x);
    else if constexpr (ir::is_floating(from)) bytes = floating_argument(type, static_cast<double>(x));
    else bytes = integer_argument(kernel_, argument_ - 1, type, host_integer(x));
    list_[count_++] = runtime::Argument::of_value(&bytes);
  }

  std::string_view kernel_;
  std::size_t count_ = 0, argument_ = 0;  // parameters, and what the user passed
  runtime::Argument list_[n == 0 ? 1 : n];
  ArgumentBytes storage_[n == 0 ? 1 : n];
};

}  // namespace oxide::detail
