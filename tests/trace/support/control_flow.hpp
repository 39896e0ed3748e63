// Kernels written once in plain C++ control flow, and run natively on host numbers and traced on device values.
//
//   KERNEL(name) { ... }               over 64-bit integers
//   KERNEL_OF(name, scalar) { ... }    over another integer type
//   FLOAT_KERNEL(name, scalar) { ... } over floats, with 32-bit integers I beside them
//
// The body sees two numbers x and y, a small count n, and a memory m of 64 numbers of which every index is taken modulo 64. Its only
// results are what it leaves in m. The types are I (integers), F (floats) and M (the memory).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <oxide/dsl/cast.hpp>
#include <oxide/dsl/math.hpp>
#include <oxide/dsl/range.hpp>
#include <oxide/dsl/span.hpp>

namespace ox = oxide;

namespace control_flow {

inline constexpr std::size_t window_size = 64;

template <class T>
inline constexpr bool on_device = !std::is_arithmetic_v<T>;

// What a comparison of two T gives.
template <class T>
using bool_of = std::conditional_t<on_device<T>, ox::boolean, bool>;

// An explicit conversion.
template <class To, class From>
To to(const From& x) {
  if constexpr (on_device<To>) return ox::cast<To>(x);
  else return static_cast<To>(x);
}

// ---- the host's side

template <class T>
class HostWindow {
 public:
  explicit HostWindow(T* first) : first_(first) {}
  template <class I>
  T& operator[](I i) const {
    return first_[static_cast<std::size_t>(i) % window_size];
  }

 private:
  T* first_;
};

// ox::range on host integers.
template <class T>
class HostRange {
 public:
  struct Iterator {
    T i, last, step;
    T operator*() const { return i; }
    void operator++() { i += step; }
    bool operator!=(Iterator) const { return step < T(1) ? last < i : i < last; }
  };
  HostRange(T first, T last, T step) : begin_{first, last, step} {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return begin_; }

 private:
  Iterator begin_;
};

template <std::integral N>
HostRange<N> range(N n) {
  return {0, n, 1};
}
template <std::integral A, std::integral B>
HostRange<std::common_type_t<A, B>> range(A low, B high) {
  using T = std::common_type_t<A, B>;
  return {static_cast<T>(low), static_cast<T>(high), 1};
}
template <std::integral A, std::integral B, std::integral C>
HostRange<std::common_type_t<A, B, C>> range(A low, B high, C step) {
  using T = std::common_type_t<A, B, C>;
  return {static_cast<T>(low), static_cast<T>(high), static_cast<T>(step)};
}

// ---- the device's side

// 64 elements of a span, from `first` on. An element has the place of the expression m[i] in the kernel.
template <class T>
class DeviceWindow {
 public:
  DeviceWindow(std::uint32_t memory, ox::trace::Handle first) : memory_(memory), first_(first) {}
  ox::Ref<T> operator[](ox::detail::Index i) const {
    using ox::ir::Opcode, ox::ir::Type;
    const auto size = ox::detail::constant(Type::u64, window_size - 1, i.where);
    const auto offset = ox::detail::emit(Opcode::bit_and, Type::u64, i.handle, size, 0, i.where);
    return ox::Ref<T>(memory_, ox::detail::emit(Opcode::add, Type::u64, first_, offset, 0, i.where), i.where);
  }

 private:
  std::uint32_t memory_;
  ox::trace::Handle first_;
};

// ---- one kernel, without its types

struct Case {
  const char* name;
  ox::ir::Type number;  // of x, y and m
  ox::ir::Type count;   // of n
  void (*native)(const void* x, const void* y, const void* n, void* memory);
  void (*traced)(ox::trace::Handle x, ox::trace::Handle y, ox::trace::Handle n, std::uint32_t memory, ox::trace::Handle first);
};

// Runs it natively, through the graph's interpreter, and on every device, on many random inputs: all must leave the same bits.
void check(const Case& kernel);

template <class Kernel, class T, class N>
Case make_case(const char* name) {
  return {name, ox::ir::type_for<T>(), ox::ir::type_for<N>(),
          [](const void* x, const void* y, const void* n, void* memory) {
            Kernel()(*static_cast<const T*>(x), *static_cast<const T*>(y), *static_cast<const N*>(n),
                     HostWindow<T>(static_cast<T*>(memory)));
          },
          [](ox::trace::Handle x, ox::trace::Handle y, ox::trace::Handle n, std::uint32_t memory, ox::trace::Handle first) {
            using Number = ox::detail::ValueFor<T>;
            using Count = ox::detail::ValueFor<N>;
            Kernel()(Number::from_handle(x, {}), Number::from_handle(y, {}), Count::from_handle(n, {}), DeviceWindow<T>(memory, first));
          }};
}

}  // namespace control_flow

using control_flow::bool_of;
using control_flow::range;
using control_flow::to;

#define KERNEL_OF(name, scalar)                                                                                                      \
  struct name {                                                                                                                      \
    template <class I, class M>                                                                                                      \
    void operator()(I x, I y, I n, M m) const;                                                                                       \
  };                                                                                                                                 \
  TEST_CASE("control flow: " #name, "[control_flow]") { control_flow::check(control_flow::make_case<name, scalar, scalar>(#name)); } \
  template <class I, class M>                                                                                                        \
  void name::operator()([[maybe_unused]] I x, [[maybe_unused]] I y, [[maybe_unused]] I n, [[maybe_unused]] M m) const

#define KERNEL(name) KERNEL_OF(name, std::int64_t)

#define FLOAT_KERNEL(name, scalar)                                                                                                         \
  struct name {                                                                                                                            \
    template <class F, class I, class M>                                                                                                   \
    void operator()(F x, F y, I n, M m) const;                                                                                             \
  };                                                                                                                                       \
  TEST_CASE("control flow: " #name, "[control_flow]") { control_flow::check(control_flow::make_case<name, scalar, std::int32_t>(#name)); } \
  template <class F, class I, class M>                                                                                                     \
  void name::operator()([[maybe_unused]] F x, [[maybe_unused]] F y, [[maybe_unused]] I n, [[maybe_unused]] M m) const
