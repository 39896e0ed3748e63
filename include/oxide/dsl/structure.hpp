// Structs, tuples and arrays as values and as elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <oxide/dsl/enumeration.hpp>
#include <oxide/dsl/fields.hpp>
#include <oxide/dsl/index.hpp>

// Classes here have members that users name, and functions whose parameters may have the same names.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

namespace oxide {
namespace detail {

template <class M>
constexpr std::size_t leaf_count_or_none() {
  static_assert(Element<M>,
                "oxide: a member of this struct has no place in a kernel: members are bool, integers, floating-point numbers, "
                "enumerations, arrays, and structs of them");
  if constexpr (Element<M>) return leaf_count<M>;
  else return 0;
}
template <class List>
inline constexpr std::size_t list_leaf_count = 0;
template <class... M>
inline constexpr std::size_t list_leaf_count<TypeList<M...>> = (std::size_t{0} + ... + leaf_count_or_none<M>());

template <class List>
struct MemberList;
template <class... M>
struct MemberList<TypeList<M...>> {
  static void leaves(Leaf*& out, std::uint32_t offset, const std::uint32_t* at) { (Flat<M>::leaves(out, offset + *at++), ...); }
  template <class F>
  static void each(F&& f) {
    (f(std::type_identity<M>()), ...);
  }
};

template <Structure T>
struct Flat<T> {
  using Members = MemberList<typename Fields<T>::types>;
  static constexpr std::size_t count = list_leaf_count<typename Fields<T>::types>;
  static void leaves(Leaf*& out, std::uint32_t offset) { Members::leaves(out, offset, Fields<T>::offsets()); }
  static Value<T> from(const trace::Handle*& in, Where where) { return Value<T>::oxide_adopt(in, where); }
  static void into(const Value<T>& value, trace::Handle*& out) {
    each(value, [&]<class M>(std::type_identity<M>, const auto& member) { Flat<M>::into(member, out); });
  }
  static trace::Handle equal(const Value<T>& a, const Value<T>& b, Where where) {
    trace::Handle all[Fields<T>::count + 1];
    trace::Handle* out = all;
    const Handles<T> right = handles_of<T>(b);
    const trace::Handle* in = right.of;
    each(a, [&]<class M>(std::type_identity<M>, const auto& member) { *out++ = Flat<M>::equal(member, Flat<M>::from(in, where), where); });
    return all_of(all, Fields<T>::count, where);
  }

 private:
  template <class F>
  static void each(const Value<T>& value, F&& f) {
    [&]<class... M>(TypeList<M...>) {
      Value<T>::oxide_each(value, [&](const auto&... member) { (f(std::type_identity<M>(), member), ...); });
    }(typename Fields<T>::types());
  }
};

// What a member of host type M is made from when a struct is made of its members: variables of its own.
template <class M>
struct MemberArgument {
  template <class A>
    requires std::is_constructible_v<ValueOf<M>, A&&, Where>
  MemberArgument(A&& a, Where place = Where::current()) : value(std::forward<A>(a), place), where(place) {}
  ValueOf<M> value;
  Where where;
};

// Operators of structs that have some of their own: ox::Vector.
template <class T>
struct StructOperators {
  static constexpr bool whole_equality = true;  // == gives one boolean
};

template <class A, class T>
concept RefusedForVector = !StructOperators<T>::whole_equality && !std::is_same_v<HostType<A>, T> &&
                           (Number<A> || (AggregateArgument<A> && !StructOperators<HostType<A>>::whole_equality));

// Makes the members of a value of recorded numbers.
template <class List>
struct ValueMembers;
template <class... M>
struct ValueMembers<TypeList<M...>> {
  const trace::Handle*& in;
  Where where;
  template <std::size_t i>
  auto operator()(std::integral_constant<std::size_t, i>) const {
    return Flat<TypeAt<i, TypeList<M...>>>::from(in, where);
  }
};

// Makes the members of an element: parts of its place.
template <class T, class Shape, class List>
struct ElementMembers;
template <class T, class Shape, class... M>
struct ElementMembers<T, Shape, TypeList<M...>> {
  const Position& position;
  template <std::size_t i>
  auto operator()(std::integral_constant<std::size_t, i>) const {
    return typename Shape::template Member<TypeAt<i, TypeList<M...>>>(part_of(position, Fields<T>::offsets()[i]));
  }
};

// What all values of T have in common, and what is made of a list of members.
template <class T, class List = typename Fields<T>::types>
class StructValue;
template <class T, class... M>
class StructValue<T, TypeList<M...>> : public Structured<T, ValueShape> {
 public:
  StructValue(const trace::Handle*& in, Where where)
      : Structured<T, ValueShape>(ValueMembers<TypeList<M...>>{in, where}, std::bool_constant<Named<T>>()) {}
  StructValue(const Handles<T>& all, Where where, const trace::Handle* in = nullptr) : StructValue((in = all.of), where) {}
};

// From one value a member.
template <class T, class Self, class List = typename Fields<T>::types>
class MadeOfMembers : public StructValue<T> {
 protected:
  using StructValue<T>::StructValue;
};
template <class T, class Self, class First, class... M>
class MadeOfMembers<T, Self, TypeList<First, M...>> : public StructValue<T> {
 public:
  MadeOfMembers(MemberArgument<First> first, MemberArgument<M>... rest) : MadeOfMembers(oxide_together(first, rest...), first.where) {}

 protected:
  using StructValue<T>::StructValue;
  MadeOfMembers(const Handles<T>& all, Where where) : StructValue<T>(all, where) {}

 private:
  static Handles<T> oxide_together(const MemberArgument<First>& first, const MemberArgument<M>&... rest) {
    Handles<T> all;
    trace::Handle* out = all.of;
    Flat<First>::into(first.value, out);
    (Flat<M>::into(rest.value, out), ...);
    return all;
  }
};

}  // namespace detail

// A struct or tuple: the members are values, by name with OXIDE_STRUCT, else p[&T::name] or p.get<i>().
// Made of nothing (zeros), of a host T, of one value a member, or of an element; copied, assigned, compared as the T would be.
template <class T>
  requires detail::Structure<T>
class Value<T> : public detail::MadeOfMembers<T, Value<T>>, public detail::StructOperators<T> {
  using Base = detail::MadeOfMembers<T, Value<T>>;

 public:
  Value(detail::Where where = detail::Where::current()) : Base(detail::constants<T>(nullptr, where), where) {}
  Value(const Value& other, detail::Where where = detail::Where::current()) : Base(detail::copied<T>(other, where), where) {}
  Value(const T& host, detail::Where where = detail::Where::current()) : Base(detail::constants<T>(&host, where), where) {}
  Value(Ref<T>&& element) : Value(element.oxide_position()) {}
  Value(Ref<const T>&& element) : Value(element.oxide_position()) {}
  Value(const detail::Place<T>& element) : Value(element.oxide_position()) {}
  Value(const detail::Place<const T>& element) : Value(element.oxide_position()) {}
  using Base::Base;
  // A vector of a number or of another vector: does not compile, and says what to write.
  template <class A>
    requires detail::RefusedForVector<A, T>
  Value(A&&, detail::Where where = detail::Where::current()) : Value(where) {
    detail::StructOperators<T>::template refuse_initializer<A>();
  }

  explicit operator bool() const
    requires(!detail::StructOperators<T>::whole_equality)
  {
    detail::StructOperators<T>::refuse_condition();
    return false;
  }

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
  Value& operator=(Value other) & {
    detail::assign_value<T>(*this, other);
    return *this;
  }

  // The member that &T::name names.
  template <class M, class C>
    requires std::is_base_of_v<C, T>
  auto& operator[](M C::* member) {
    return *Base::oxide_find(*this, static_cast<M T::*>(member));
  }
  template <class M, class C>
    requires std::is_base_of_v<C, T>
  const auto& operator[](M C::* member) const {
    return *Base::oxide_find(*this, static_cast<M T::*>(member));
  }

  // The numbers of a vector by their place: p[1] is a value, p[i] with a value i one that is chosen at run time.
  auto& operator[](detail::HostIndex i)
    requires(!detail::StructOperators<T>::whole_equality)
  {
    return detail::StructOperators<T>::at(*this, i);
  }
  const auto& operator[](detail::HostIndex i) const
    requires(!detail::StructOperators<T>::whole_equality)
  {
    return detail::StructOperators<T>::at(*this, i);
  }
  auto operator[](detail::DeviceIndex i)
    requires(!detail::StructOperators<T>::whole_equality)
  {
    return detail::StructOperators<T>::at(*this, i);
  }
  auto operator[](detail::DeviceIndex i) const
    requires(!detail::StructOperators<T>::whole_equality)
  {
    return detail::StructOperators<T>::at(*this, i);
  }

  friend boolean operator==(detail::ValueOperand<T> a, detail::ValueOperand<T> b)
    requires detail::StructOperators<T>::whole_equality
  {
    return detail::equal_values<T>(a, b);
  }
  friend boolean operator!=(detail::ValueOperand<T> a, detail::ValueOperand<T> b)
    requires detail::StructOperators<T>::whole_equality
  {
    return !detail::equal_values<T>(a, b);
  }

  // For oxide's own headers.
  static Value oxide_adopt(const trace::Handle*& in, detail::Where where) { return Value(in, where, Adopt{}); }

 private:
  struct Adopt {};
  Value(const trace::Handle*& in, detail::Where where, Adopt) : Base(in, where) {}
  explicit Value(const detail::Position& p) : Base(detail::loaded<T>(p), p.where) {}
};

namespace detail {

// What elements that are structs have in common.
template <class T, class Shape>
class StructElement : public Structured<std::remove_const_t<T>, Shape> {
  using Host = std::remove_const_t<T>;
  using Base = Structured<Host, Shape>;

 public:
  const Position& oxide_position() const { return oxide_position_; }

 protected:
  explicit StructElement(const Position& p)
      : Base(ElementMembers<Host, Shape, typename Fields<Host>::types>{p}, std::bool_constant<Named<Host>>()), oxide_position_(p) {}

  template <class M>
  auto oxide_member(M Host::* m) const {
    return Ref<std::conditional_t<std::is_const_v<T>, const M, M>>(part_of(oxide_position_, offset_of(m)));
  }
  void oxide_write(const Value<Host>& value) const {
    static_assert(!std::is_const_v<T>,
                  "oxide: this element can only be read; write through get_mut of an ox::DisjointSpan, or unchecked as "
                  "s.unchecked_mut(i) = x");
    detail::write<Host>(oxide_position_, value, oxide_position_.where);
  }

 private:
  Position oxide_position_;
};

template <class T>
using RefShapeOf = std::conditional_t<std::is_const_v<T>, ConstRefShape, RefShape>;
template <class T>
using PlaceShapeOf = std::conditional_t<std::is_const_v<T>, ConstPlaceShape, PlaceShape>;

}  // namespace detail

// An element that is a struct: read when it becomes a Value, written when it is assigned to; its members are elements themselves.
// Example: s.unchecked_mut(i).mass = 2;  ox::Value<Particle> p = s[i];
template <class T>
  requires detail::Structure<std::remove_const_t<T>>
class Ref<T> : public detail::StructElement<T, detail::RefShapeOf<T>>, public detail::StructOperators<std::remove_const_t<T>> {
  using Host = std::remove_const_t<T>;
  using Base = detail::StructElement<T, detail::RefShapeOf<T>>;

 public:
  void operator=(const Value<Host>& value) && { Base::oxide_write(value); }
  void operator=(Ref&& source) && { Base::oxide_write(Value<Host>(std::move(source))); }

  template <class M, class C>
    requires std::is_base_of_v<C, Host>
  auto operator[](M C::* m) && {
    return Base::oxide_member(static_cast<M Host::*>(m));
  }

  // For oxide's own headers.
  explicit Ref(const detail::Position& position) : Base(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<T>(memory, index, where)) {}
  Ref(const Ref&) = delete;
};

namespace detail {

template <class T>
  requires Structure<std::remove_const_t<T>>
class Place<T> : public StructElement<T, PlaceShapeOf<T>>, public StructOperators<std::remove_const_t<T>> {
  using Host = std::remove_const_t<T>;
  using Base = StructElement<T, PlaceShapeOf<T>>;

 public:
  void operator=(const Value<Host>& value) { Base::oxide_write(value); }
  void operator=(const Place& source) { Base::oxide_write(Value<Host>(source)); }

  template <class M, class C>
    requires std::is_base_of_v<C, Host>
  auto operator[](M C::* m) const {
    return Base::oxide_member(static_cast<M Host::*>(m));
  }

  explicit Place(const Position& position) : Base(position) {}
  Place(const Place&) = delete;
};

// What p->name goes through, of a p that get_mut gave.
template <class T>
class Arrow {
 public:
  explicit Arrow(const Position& position) : place_(position) {}
  Place<T>* operator->() { return &place_; }

 private:
  Place<T> place_;
};

}  // namespace detail
}  // namespace oxide

// auto [a, b] = value; of a struct without names or a tuple.
// NOLINTBEGIN(bugprone-std-namespace-modification): what the language asks for, of types of our own
template <class T>
  requires(oxide::detail::Structure<T> && !oxide::detail::Named<T>)
struct std::tuple_size<oxide::Value<T>> : std::integral_constant<std::size_t, oxide::detail::Fields<T>::count> {};
template <std::size_t n, class T>
  requires(oxide::detail::Structure<T> && !oxide::detail::Named<T>)
struct std::tuple_element<n, oxide::Value<T>> {
  using type = oxide::detail::ValueOf<oxide::detail::TypeAt<n, typename oxide::detail::Fields<T>::types>>;
};
// NOLINTEND(bugprone-std-namespace-modification)

#pragma GCC diagnostic pop
