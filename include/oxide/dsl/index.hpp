// What s[i] takes as i.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/conversion.hpp>
#include <oxide/dsl/emit.hpp>
#include <oxide/dsl/operand.hpp>

namespace oxide::detail {

// A position in a span, in elements, as u64: from any integer value, a ThreadIndex or a host integer. A negative value becomes a
// huge position, and so fails the check against the length.
struct Index {
  template <class A>
    requires Number<A>
  Index(A&& index, Where place = Where::current()) : handle(position(std::forward<A>(index), place)), where(place) {
    if constexpr (source_of<A>.kind == SourceKind::host) {
      known = true;
      number = static_cast<std::uint64_t>(index);  // NOLINT(bugprone-use-after-move): a number stays what it is
    }
  }

  trace::Handle handle;
  Where where;
  bool known = false;  // a host integer
  std::uint64_t number = 0;

 private:
  template <class A>
  static trace::Handle position(A&& index, Where place) {
    constexpr Source from = source_of<A>;
    explain<verdict(from, from.kind == SourceKind::host ? ir::Type::u64 : from.type)>();
    static_assert(ir::is_integer(from.type), "oxide: a span is indexed by an integer; write ox::cast<ox::u64>(x)");
    if constexpr (from.kind == SourceKind::host) return host_constant(ir::Type::u64, index, place);
    else return convert(from.type, ir::Type::u64, handle_as<typename ScalarOf<from.type>::type>(std::forward<A>(index), place), place);
  }
};

// What an array of values takes instead: the host's integers, and those of the device.
struct HostIndex {
  template <class I>
    requires(source_of<I>.kind == SourceKind::host)
  constexpr HostIndex(I index, Where place = Where::current()) : number(host_integer(index)), where(place) {
    static_assert(std::is_integral_v<I>, "oxide: an array is indexed by an integer");
  }
  HostInteger number;
  Where where;
};
struct DeviceIndex : Index {
  template <class A>
    requires(Number<A> && source_of<A>.kind != SourceKind::host)
  DeviceIndex(A&& index, Where place = Where::current()) : Index(static_cast<A&&>(index), place) {}
};

}  // namespace oxide::detail
