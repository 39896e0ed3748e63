// The members of a host struct as a list of types and offsets, and classes with a member for each: in values, and in elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <oxide/dsl/flat.hpp>
#include <oxide/dsl/reflect.hpp>
#include <oxide/dsl/type_list.hpp>

namespace oxide {
namespace detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;

template <class T>
struct TupleTypes;
template <class... T>
struct TupleTypes<std::tuple<T...>> {
  using type = TypeList<T...>;
};
template <class A, class B>
struct TupleTypes<std::pair<A, B>> {
  using type = TypeList<A, B>;
};

// A tuple of what values of host types are made of; a std::tuple<ox::f32> consists of values itself.
template <class T>
inline constexpr bool is_tuple_of_elements = false;
template <class... T>
inline constexpr bool is_tuple_of_elements<std::tuple<T...>> = (Element<T> && ...);
template <class A, class B>
inline constexpr bool is_tuple_of_elements<std::pair<A, B>> = Element<A> && Element<B>;

// Arrays are values of their own kind.
template <class T>
struct ArrayTraits {
  static constexpr std::size_t size = 0;
};
template <class T, std::size_t n>
struct ArrayTraits<T[n]> {
  using element = T;
  static constexpr std::size_t size = n;
};
template <class T, std::size_t n>
struct ArrayTraits<std::array<T, n>> {
  using element = T;
  static constexpr std::size_t size = n;
};
template <class T>
concept HostArray = ArrayTraits<T>::size != 0;

// Whether OXIDE_STRUCT names the members. By an exact type, because a pointer would take classes that are derived from it.
template <class T>
concept Named = requires { oxide_member_count(std::type_identity<T>()); };

// Whether T is a struct for kernels: tuples, structs with OXIDE_STRUCT, and aggregates.
template <class T>
concept Structure =
    !ir::Scalar<T> && !HostArray<T> &&
    (is_tuple_of_elements<T> ||
     (std::is_class_v<T> && !std::is_const_v<T> &&
      (Named<T> || (std::is_aggregate_v<T> && std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>))));

// What the members are for values and for elements.
struct ValueShape {
  template <class M>
  using Member = ValueOf<M>;
};
struct RefShape {
  template <class M>
  using Member = Ref<std::remove_volatile_t<M>>;
};
struct ConstRefShape {
  template <class M>
  using Member = Ref<const M>;
};
struct PlaceShape {
  template <class M>
  using Member = Place<M>;
};
struct ConstPlaceShape {
  template <class M>
  using Member = Place<const M>;
};

struct MemberTypes {
  template <class... M>
  using Of = TypeList<std::remove_cv_t<M>...>;
};

inline std::uint32_t bytes_between(const volatile void* from, const volatile void* to) {
  return static_cast<std::uint32_t>(static_cast<const volatile char*>(to) - static_cast<const volatile char*>(from));
}
// Where a member lies, asked of an object that is never read.
template <class T, class M>
std::uint32_t offset_of(M T::* member) {
  alignas(T) static unsigned char storage[sizeof(T)];
  const T* object = reinterpret_cast<const T*>(storage);
  return bytes_between(storage, &(object->*member));
}

template <class T>
constexpr std::size_t member_count() {
  if constexpr (Named<T>) {
    return oxide_member_count(std::type_identity<T>());
  } else if constexpr (is_tuple<T>) {
    return std::tuple_size_v<T>;
  } else {
    constexpr std::size_t n = count_members<T>();
    static_assert(n <= most_members, "oxide: a struct in a kernel has at most 64 members; give some of them a struct of their own");
    return n <= most_members ? n : 0;
  }
}

template <class T>
auto member_types() {
  if constexpr (Named<T>) {
    return oxide_member_types(std::type_identity<T>(), MemberTypes());
  } else if constexpr (is_tuple<T>) {
    return typename TupleTypes<T>::type();
  } else {
    return decltype(with_fields<member_count<T>()>(std::declval<T&>(),
                                                   [](auto&... m) { return TypeList<std::remove_cvref_t<decltype(m)>...>(); }))();
  }
}

// How T's members lie in it.
template <class T>
struct Fields {
  static constexpr std::size_t count = member_count<T>();
  using types = decltype(member_types<T>());

  static const std::uint32_t* offsets() {
    static const std::array<std::uint32_t, count + 1> table = [] {
      std::array<std::uint32_t, count + 1> all{};
      if constexpr (Named<T>) {
        oxide_member_offsets(std::type_identity<T>(), all.data());
      } else {
        static T object{};
        with_fields<count>(object, [&](auto&... m) {
          std::uint32_t* out = all.data();
          ((*out++ = bytes_between(&object, &m)), ...);
        });
      }
      return all;
    }();
    return table.data();
  }
};

// Members without names.
template <std::size_t i, class V>
struct Field {
  V value;
  template <class Make>
  explicit Field(const Make& make) : value(make(std::integral_constant<std::size_t, i>())) {}
};
template <class Shape, class Is, class... M>
struct FieldList;
template <class Shape, std::size_t... i, class... M>
struct FieldList<Shape, std::index_sequence<i...>, M...> : Field<i, typename Shape::template Member<M>>... {
  template <class Make>
  explicit FieldList(const Make& make) : Field<i, typename Shape::template Member<M>>(make)... {}
  template <std::size_t n>
  auto& get() {
    return value_of<n>(*this);
  }
  template <std::size_t n>
  const auto& get() const {
    return value_of<n>(*this);
  }

 private:
  template <std::size_t n, class V>
  static V& value_of(Field<n, V>& f) {
    return f.value;
  }
  template <std::size_t n, class V>
  static const V& value_of(const Field<n, V>& f) {
    return f.value;
  }
};

// To, const where From is.
template <class From, class To>
using As = std::conditional_t<std::is_const_v<std::remove_reference_t<From>>, const To, To>;

template <class T, class Shape, class List>
struct MembersFor;
template <class T, class Shape, class... M>
struct MembersFor<T, Shape, TypeList<M...>> {
  static auto type_of() {
    if constexpr (Named<T>) return oxide_members(std::type_identity<T>(), static_cast<Shape*>(nullptr));
    else return std::type_identity<FieldList<Shape, std::index_sequence_for<M...>, M...>>();
  }
  using type = typename decltype(type_of())::type;
};

// A class with a member for each of T's. `make(integral_constant i)` gives member i. It and what derives from it have names of their own
// that start with oxide_, because they would hide members.
template <class T, class Shape, class List = typename Fields<T>::types, class Is = std::make_index_sequence<Fields<T>::count>>
class Structured;
template <class T, class Shape, class... M, std::size_t... i>
class Structured<T, Shape, TypeList<M...>, std::index_sequence<i...>> : public MembersFor<T, Shape, TypeList<M...>>::type {
  using Members = typename MembersFor<T, Shape, TypeList<M...>>::type;

 public:
  // f(member...), in order.
  template <class F>
  static decltype(auto) oxide_each(auto& self, F&& f) {
    if constexpr (Named<T>) {
      return with_fields<sizeof...(M)>(static_cast<As<decltype(self), Members>&>(self), f);
    } else {
      return f(self.template get<i>()...);
    }
  }

  // The member that &T::name names.
  template <class Member>
  static auto* oxide_find(auto& self, Member T::* member) {
    using Wanted = As<decltype(self), typename Shape::template Member<std::remove_cv_t<Member>>>;
    const std::uint32_t offset = offset_of(member);
    const std::uint32_t* offsets = Fields<T>::offsets();
    Wanted* found = nullptr;
    oxide_each(self, [&](auto&... m) {
      std::size_t n = 0;
      const auto look = [&]<class Type>(std::type_identity<Type>, auto& candidate) {
        if constexpr (std::is_same_v<Type, std::remove_cv_t<Member>>)
          if (offsets[n] == offset) found = &candidate;
        ++n;
      };
      (look(std::type_identity<M>(), m), ...);
    });
    return found;
  }

 protected:
  template <class Make>
  Structured(const Make& make, std::true_type) : Members{make(std::integral_constant<std::size_t, i>())...} {}
  template <class Make>
  Structured(const Make& make, std::false_type) : Members(make) {}
};

}  // namespace detail
}  // namespace oxide

// ---- OXIDE_STRUCT(Type, member, member, ...)
//
// Names the members of a struct for kernels: values and elements of it have members of the same names. Stands in the namespace of the
// struct, behind it; at most 64 members, all of them. Of a template: OXIDE_STRUCT_TEMPLATE((class T, int n), (Matrix<T, n>), rows, data)
// Example: struct Particle { Vec3 position; float mass; };  OXIDE_STRUCT(Particle, position, mass)
#define OXIDE_STRUCT(Type, ...)           \
  template <class OxideShape>             \
  OXIDE_STRUCT_MEMBERS(Type, __VA_ARGS__) \
  template <class OxideList>              \
  OXIDE_STRUCT_TYPES(Type, __VA_ARGS__)   \
  [[maybe_unused]] inline OXIDE_STRUCT_OFFSETS(Type, __VA_ARGS__) [[maybe_unused]] constexpr OXIDE_STRUCT_COUNT(Type, __VA_ARGS__)

#define OXIDE_STRUCT_TEMPLATE(Parameters, Type, ...)  \
  template <OXIDE_PLAIN Parameters, class OxideShape> \
  OXIDE_STRUCT_MEMBERS(OXIDE_PLAIN Type, __VA_ARGS__) \
  template <OXIDE_PLAIN Parameters, class OxideList>  \
  OXIDE_STRUCT_TYPES(OXIDE_PLAIN Type, __VA_ARGS__)   \
  template <OXIDE_PLAIN Parameters>                   \
  OXIDE_STRUCT_OFFSETS(OXIDE_PLAIN Type, __VA_ARGS__) \
  template <OXIDE_PLAIN Parameters>                   \
  constexpr OXIDE_STRUCT_COUNT(OXIDE_PLAIN Type, __VA_ARGS__)

#define OXIDE_STRUCT_MEMBERS(Type, ...)                       \
  auto oxide_members(std::type_identity<Type>, OxideShape*) { \
    using OxideHost = Type;                                   \
    struct Members {                                          \
      OXIDE_EACH(OXIDE_STRUCT_MEMBER, __VA_ARGS__)            \
    };                                                        \
    return std::type_identity<Members>();                     \
  }
#define OXIDE_STRUCT_TYPES(Type, ...)                                         \
  auto oxide_member_types(std::type_identity<Type>, OxideList) {              \
    using OxideHost = Type;                                                   \
    return typename OxideList::template Of<OXIDE_STRUCT_LIST(__VA_ARGS__)>(); \
  }
#define OXIDE_STRUCT_OFFSETS(Type, ...)                                           \
  void oxide_member_offsets(std::type_identity<Type>, std::uint32_t* oxide_out) { \
    using OxideHost = Type;                                                       \
    OXIDE_EACH(OXIDE_STRUCT_OFFSET, __VA_ARGS__)                                  \
  }
#define OXIDE_STRUCT_COUNT(Type, ...) \
  std::size_t oxide_member_count(std::type_identity<Type>) { return 0 OXIDE_EACH(OXIDE_STRUCT_ONE, __VA_ARGS__); }

#define OXIDE_STRUCT_MEMBER(member) typename OxideShape::template Member<decltype(OxideHost::member)> member;
#define OXIDE_STRUCT_LIST(first, ...) decltype(OxideHost::first) OXIDE_EACH(OXIDE_STRUCT_NEXT, __VA_ARGS__)
#define OXIDE_STRUCT_NEXT(member) , decltype(OxideHost::member)
#define OXIDE_STRUCT_OFFSET(member) *oxide_out++ = ::oxide::detail::offset_of(&OxideHost::member);
#define OXIDE_STRUCT_ONE(member) +1
#define OXIDE_PLAIN(...) __VA_ARGS__

// macro(argument) for each argument, up to 64.
#define OXIDE_EACH(macro, ...) __VA_OPT__(OXIDE_EXPAND(OXIDE_EACH_ONE(macro, __VA_ARGS__)))
#define OXIDE_EACH_ONE(macro, first, ...) macro(first) __VA_OPT__(OXIDE_EACH_AGAIN OXIDE_PARENTHESES(macro, __VA_ARGS__))
#define OXIDE_EACH_AGAIN() OXIDE_EACH_ONE
#define OXIDE_PARENTHESES ()
#define OXIDE_EXPAND(...) OXIDE_EXPAND3(OXIDE_EXPAND3(OXIDE_EXPAND3(OXIDE_EXPAND3(__VA_ARGS__))))
#define OXIDE_EXPAND3(...) OXIDE_EXPAND2(OXIDE_EXPAND2(OXIDE_EXPAND2(OXIDE_EXPAND2(__VA_ARGS__))))
#define OXIDE_EXPAND2(...) OXIDE_EXPAND1(OXIDE_EXPAND1(OXIDE_EXPAND1(OXIDE_EXPAND1(__VA_ARGS__))))
#define OXIDE_EXPAND1(...) __VA_ARGS__
