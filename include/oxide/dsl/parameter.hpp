// How each kind of kernel parameter appears in the graph, and what stands for it while the lambda is traced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/bind.hpp>
#include <oxide/dsl/disjoint_span.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/dsl/value.hpp>
#include <oxide/ir/graph.hpp>
#include <oxide/linkage.hpp>

namespace oxide {

template <class T>
class DeviceBuffer;

namespace detail {

// The graph's side of a kernel's parameters, and their values in the run that is being made. See kernel_implementation.hpp.
struct ParameterTable;
OXIDE_INLINE void add_value(ParameterTable& table, ir::Type type);
OXIDE_INLINE void add_span(ParameterTable& table, const ElementLayout& element, ir::Access access);
OXIDE_INLINE void add_values(ParameterTable& table, const Leaf* leaves, std::size_t count);
OXIDE_INLINE const trace::Handle* value_at(const ParameterTable& table, std::size_t parameter);
OXIDE_INLINE ir::Access* access_at(ParameterTable& table, std::uint32_t memory);

// Two spans fit each other when this is one type: integers go by size and sign, all else by itself.
template <class T>
struct ElementTypeOf {
  using type = std::remove_const_t<T>;
};
template <ir::Scalar T>
struct ElementTypeOf<T> {
  using type = typename ScalarOf<ir::type_for<T>()>::type;
};
template <class T>
using ElementType = typename ElementTypeOf<std::remove_const_t<T>>::type;

// Where a lambda parameter's first kernel parameter and first memory are.
struct ParameterPlace {
  std::size_t parameter = 0;
  std::uint32_t memory = 0;
};

enum class ParameterClass : std::uint8_t { unsupported, value, structure, span, bound, callable };

// parameters, memories: how many the lambda parameter makes. describe: adds them to a table. make: stands for them in a run.
template <class P>
struct Parameter {
  static constexpr ParameterClass kind = ParameterClass::unsupported;
};

template <ir::Scalar T>
struct Parameter<Value<T>> {
  static constexpr ParameterClass kind = ParameterClass::value;
  static constexpr std::size_t parameters = 1;
  static constexpr std::uint32_t memories = 0;
  static void describe(ParameterTable& table) { add_value(table, ir::type_for<T>()); }
  static Value<T> make(ParameterTable& table, ParameterPlace at) { return Value<T>::from_handle(*value_at(table, at.parameter), {}); }
};

// A struct by value: a parameter for each of its numbers.
template <class T>
  requires(!ir::Scalar<T> && Element<T>)
struct Parameter<Value<T>> {
  static constexpr ParameterClass kind = ParameterClass::structure;
  static constexpr std::size_t parameters = leaf_count<T>;
  static constexpr std::uint32_t memories = 0;
  using host_type = T;
  static void describe(ParameterTable& table) { add_values(table, leaves_of<T>(), leaf_count<T>); }
  static Value<T> make(ParameterTable& table, ParameterPlace at) {
    const trace::Handle* in = value_at(table, at.parameter);
    return Flat<T>::from(in, Where());
  }
};

template <class T>
struct Parameter<Span<T>> {
  static constexpr ParameterClass kind = ParameterClass::span;
  static constexpr std::size_t parameters = 1;
  static constexpr std::uint32_t memories = 1;
  using element = ElementType<Stored<T>>;
  static constexpr bool writes = !std::is_const_v<T>;
  static void describe(ParameterTable& table) {
    add_span(table, element_layout<Stored<T>>(), writes ? ir::Access::write : ir::Access::read);
  }
  static Span<T> make(ParameterTable&, ParameterPlace at) { return Span<T>(at.memory); }
};

template <class T, class Space>
struct Parameter<DisjointSpan<T, Space>> {
  static constexpr ParameterClass kind = ParameterClass::span;
  static constexpr std::size_t parameters = 1;
  static constexpr std::uint32_t memories = 1;
  using element = ElementType<T>;
  static constexpr bool writes = true;
  static void describe(ParameterTable& table) { add_span(table, element_layout<T>(), ir::Access::disjoint); }
  static DisjointSpan<T, Space> make(ParameterTable& table, ParameterPlace at) {
    return DisjointSpan<T, Space>(at.memory, access_at(table, at.memory));
  }
};

template <class F, class... Ts>
struct Parameter<Bound<F, Ts...>> {
  static constexpr ParameterClass kind = ParameterClass::bound;
  static constexpr std::size_t parameters = Bound<F, Ts...>::count;
  static constexpr std::uint32_t memories = 0;
  static void describe(ParameterTable& table) { (add_values(table, leaves_of<Ts>(), leaf_count<Ts>), ...); }
  static Bound<F, Ts...> make(ParameterTable& table, ParameterPlace at) {
    return Bound<F, Ts...>::from_handles(value_at(table, at.parameter));
  }
};

// A lambda passed to a generic kernel is its type, and nothing is passed.
template <class F>
  requires captureless<F>
struct Parameter<F> {
  static constexpr ParameterClass kind = ParameterClass::callable;
  static constexpr std::size_t parameters = 0;
  static constexpr std::uint32_t memories = 0;
  static void describe(ParameterTable&) {}
  static F make(ParameterTable&, ParameterPlace) { return F{}; }
};

// A parameter of a lambda with `auto` parameters, whose types are known only when it is called: stands for a buffer until the lambda
// says as what it takes it.
template <class T, bool writable>
class BufferParameter {
 public:
  BufferParameter(std::uint32_t memory, ir::Access* access) : memory_(memory), access_(access) {}

  template <class U>
  operator Span<U>() const {
    check<U, std::is_const_v<U>>();
    if (!std::is_const_v<U>) raise_access(access_, ir::Access::write);
    return Span<U>(memory_);
  }
  template <class U, class Space>
  operator DisjointSpan<U, Space>() const {
    check<U, false>();
    raise_access(access_, ir::Access::disjoint);
    return DisjointSpan<U, Space>(memory_, access_);
  }

  template <class I>
  u64 operator[](I&&) const {
    return name_the_type<I>();
  }
  template <class I>
  u64 get_mut(I&&) const {
    return name_the_type<I>();
  }

 private:
  template <class U, bool reads_only>
  static constexpr void check() {
    static_assert(std::is_same_v<ElementType<Stored<U>>, ElementType<T>>,
                  "oxide: the elements of the buffer are not of the type that the kernel's span has");
    static_assert(reads_only || writable, "oxide: the kernel writes through this parameter; pass a buffer that is not const");
  }
  template <class I>
  static u64 name_the_type() {
    static_assert(sizeof(I) == 0,
                  "oxide: an array parameter of a kernel needs a type: ox::Span<const T>, ox::DisjointSpan<T> or ox::Span<T>, not auto");
    return {};
  }

  std::uint32_t memory_;
  ir::Access* access_;
};

template <class T, bool writable>
struct Parameter<BufferParameter<T, writable>> {
  static constexpr ParameterClass kind = ParameterClass::span;
  static constexpr std::size_t parameters = 1;
  static constexpr std::uint32_t memories = 1;
  using element = ElementType<T>;
  static constexpr bool writes = writable;
  static void describe(ParameterTable& table) { add_span(table, element_layout<T>(), ir::Access::read); }
  static BufferParameter<T, writable> make(ParameterTable& table, ParameterPlace at) {
    return BufferParameter<T, writable>(at.memory, access_at(table, at.memory));
  }
};

template <class T>
inline constexpr bool is_device_buffer = false;
template <class T>
inline constexpr bool is_device_buffer<DeviceBuffer<T>> = true;

// What an argument becomes where the lambda says `auto`.
template <class A>
struct ParameterForArgument {
  using Bare = std::remove_cvref_t<A>;
  static auto parameter() {
    if constexpr (ir::Scalar<Bare>) return std::type_identity<ValueFor<Bare>>();
    else if constexpr (!captureless<Bare> && Element<Bare>) return std::type_identity<Value<Bare>>();
    else return std::type_identity<Bare>();
  }
  using type = typename decltype(parameter())::type;
};
template <class A>
  requires is_device_buffer<std::remove_cvref_t<A>>
struct ParameterForArgument<A> {
  using type = BufferParameter<typename std::remove_cvref_t<A>::value_type, !std::is_const_v<std::remove_reference_t<A>>>;
};

// Whether a kernel can have this parameter; if not, does not compile, and says in one sentence why.
template <class Written>
constexpr bool check_parameter() {
  using P = std::remove_cvref_t<Written>;
  constexpr bool changes = std::is_lvalue_reference_v<Written> && !std::is_const_v<std::remove_reference_t<Written>>;
  constexpr bool supported = Parameter<P>::kind != ParameterClass::unsupported;
  static_assert(!changes || !supported,
                "oxide: a kernel cannot change its arguments; take parameters by value, and write through an ox::DisjointSpan");
  static_assert(!std::is_arithmetic_v<P>,
                "oxide: a kernel's parameters are device values; write ox::f32 for float, ox::i32 for int, and so on");
  static_assert(
      !std::is_pointer_v<P>,
      "oxide: a kernel takes no pointers; write ox::Span<const T> for an array that it reads, ox::DisjointSpan<T> for one that it writes");
  static_assert(!is_device_buffer<P>,
                "oxide: a kernel takes an ox::DeviceBuffer<T> as ox::Span<const T>, ox::DisjointSpan<T> or ox::Span<T>");
  constexpr bool said = std::is_arithmetic_v<P> || std::is_pointer_v<P> || is_device_buffer<P>;
  static_assert(supported || said,
                "oxide: a kernel's parameters are ox::f32 and the like, ox::Value of structs, ox::Span, ox::DisjointSpan, results of "
                "ox::bind, and lambdas "
                "without captures");
  return supported && !changes;
}

}  // namespace detail
}  // namespace oxide
