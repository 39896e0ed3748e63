// Arrays that are members of structs or elements of memory: float a[4] and std::array<float, 4>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <oxide/dsl/structure.hpp>

namespace oxide {
namespace detail {

template <HostArray T>
  requires Element<typename ArrayTraits<T>::element>
struct Flat<T> {
  using element = typename ArrayTraits<T>::element;
  static constexpr std::size_t size = ArrayTraits<T>::size;
  static constexpr std::size_t count = size * leaf_count<element>;
  static void leaves(Leaf*& out, std::uint32_t offset) {
    for (std::size_t i = 0; i != size; ++i) Flat<element>::leaves(out, offset + static_cast<std::uint32_t>(i * sizeof(element)));
  }
  static Value<T> from(const trace::Handle*& in, Where where) { return Value<T>::oxide_adopt(in, where); }
  static void into(const Value<T>& value, trace::Handle*& out) {
    for (std::size_t i = 0; i != size; ++i) Flat<element>::into(value.begin()[i], out);
  }
  static trace::Handle equal(const Value<T>& a, const Value<T>& b, Where where) {
    trace::Handle all[size];
    for (std::size_t i = 0; i != size; ++i) all[i] = Flat<element>::equal(a.begin()[i], b.begin()[i], where);
    return all_of(all, size, where);
  }
};

// A host index into `count` elements; throws TraceError when there is no such element.
inline std::size_t host_index(const HostIndex& i, std::size_t count) {
  if (i.number.negative || i.number.high != 0 || i.number.magnitude >= count) refuse_index(i.where, i.number, count);
  return static_cast<std::size_t>(i.number.magnitude);
}

// An index, checked against the number of elements: a host integer now, a value when the kernel runs. A copy, so that what is used is what
// was checked.
inline trace::Handle checked_index(const Index& i, std::size_t count) {
  if (i.known) {
    if (i.number >= count) refuse_index(i.where, {i.number, false}, count);
    return i.handle;
  }
  const trace::Handle index = emit(ir::Opcode::copy, ir::Type::u64, i.handle, 0, i.where);
  emit(ir::Opcode::check_index, ir::Type::none, index, count, i.where);
  return index;
}

// What elements that are arrays have in common: their elements are elements too.
template <class T>
class ArrayElement {
  using Host = std::remove_const_t<T>;
  using element = std::conditional_t<std::is_const_v<T>, const typename ArrayTraits<Host>::element, typename ArrayTraits<Host>::element>;

 public:
  static constexpr std::size_t size() { return ArrayTraits<Host>::size; }

  // A host index is checked while tracing, a value when the kernel runs.
  Ref<element> operator[](Index i) const {
    const trace::Handle index = checked_index(i, size());
    if (i.known) return Ref<element>(part_of(position_, static_cast<std::uint32_t>(i.number * sizeof(element))));
    return Ref<element>(element_in(position_, index, sizeof(element), size()));
  }

  const Position& oxide_position() const { return position_; }

 protected:
  explicit ArrayElement(const Position& p) : position_(p) {}
  void write(const Value<Host>& value) const {
    static_assert(!std::is_const_v<T>, "oxide: this element can only be read");
    detail::write<Host>(position_, value, position_.where);
  }

 private:
  Position position_;
};

// The elements of an array of values, and an array that is made of one value an element (of up to 64).
template <class T, class Places = std::make_index_sequence<ArrayTraits<T>::size <= 64 ? ArrayTraits<T>::size : 0>>
class ArrayOfValues;
template <class T, std::size_t... I>
class ArrayOfValues<T, std::index_sequence<I...>> {
 protected:
  using element_type = typename ArrayTraits<T>::element;
  using value_type = ValueOf<element_type>;
  template <std::size_t>
  using Argument = MemberArgument<element_type>;

 public:
  explicit(sizeof...(I) == 1) ArrayOfValues(Argument<I>... elements)
    requires(sizeof...(I) != 0)
  {
    value_type* out = elements_;
    (::new (static_cast<void*>(out++)) value_type(elements.value), ...);
  }

 protected:
  ArrayOfValues(const trace::Handle*& in, Where where) {
    for (std::size_t i = 0; i != ArrayTraits<T>::size; ++i)
      ::new (static_cast<void*>(elements_ + i)) value_type(Flat<element_type>::from(in, where));
  }

  union {  // made one by one
    value_type elements_[ArrayTraits<T>::size];
  };
};

}  // namespace detail

// An array of values, one variable an element: p.cells[1] is a value; p.cells[i] with a value i reads or writes the one of them by
// comparing i with every index, for arrays that are small. Larger ones are an ox::LocalArray or stay in memory.
// Made of nothing (zeros), of a host T, of one value an element, or of an element of memory.
template <class T>
  requires detail::HostArray<T>
class Value<T> : public detail::ArrayOfValues<T> {
  using Base = detail::ArrayOfValues<T>;
  using Base::elements_;

 public:
  using element_type = typename detail::ArrayTraits<T>::element;
  using value_type = detail::ValueOf<element_type>;
  using Base::Base;

  Value(detail::Where where = detail::Where::current()) : Value(detail::constants<T>(nullptr, where), where) {}
  Value(const Value& other, detail::Where where = detail::Where::current()) : Value(detail::copied<T>(other, where), where) {}
  Value(const T& host, detail::Where where = detail::Where::current()) : Value(detail::constants<T>(&host, where), where) {}
  Value(Ref<T>&& e) : Value(detail::loaded<T>(e.oxide_position()), e.oxide_position().where) {}
  Value(Ref<const T>&& e) : Value(detail::loaded<T>(e.oxide_position()), e.oxide_position().where) {}
  Value(const detail::Place<T>& e) : Value(detail::loaded<T>(e.oxide_position()), e.oxide_position().where) {}
  Value(const detail::Place<const T>& e) : Value(detail::loaded<T>(e.oxide_position()), e.oxide_position().where) {}

  template <class A>
  void operator=(A&&) && {
    detail::refuse_assignment<A>();
  }
  Value& operator=(Value other) & {
    detail::assign_value<T>(*this, other);
    return *this;
  }

  static constexpr std::size_t size() { return detail::ArrayTraits<T>::size; }
  value_type* begin() { return elements_; }
  value_type* end() { return elements_ + size(); }
  const value_type* begin() const { return elements_; }
  const value_type* end() const { return elements_ + size(); }

  value_type& operator[](detail::HostIndex i) { return elements_[detail::host_index(i, size())]; }
  const value_type& operator[](detail::HostIndex i) const { return elements_[detail::host_index(i, size())]; }
  Ref<element_type> operator[](detail::DeviceIndex i) { return Ref<element_type>(position(i)); }
  Ref<const element_type> operator[](detail::DeviceIndex i) const { return Ref<const element_type>(position(i)); }

  friend boolean operator==(detail::ValueOperand<T> a, detail::ValueOperand<T> b) { return detail::equal_values<T>(a, b); }
  friend boolean operator!=(detail::ValueOperand<T> a, detail::ValueOperand<T> b) { return !detail::equal_values<T>(a, b); }

  // For oxide's own headers.
  static Value oxide_adopt(const trace::Handle*& in, detail::Where where) { return Value(in, where, Adopt{}); }

 private:
  struct Adopt {};
  Value(const trace::Handle*& in, detail::Where where, Adopt) : Base(in, where) {}
  Value(const detail::Handles<T>& all, detail::Where where, const trace::Handle* in = nullptr) : Base((in = all.of, in), where) {}

  static trace::Handle number_at(const void* elements, std::size_t k, std::uint32_t offset, ir::Type type) {
    const detail::Handles<element_type> all = detail::handles_of<element_type>(static_cast<const value_type*>(elements)[k]);
    const detail::Leaf* leaves = detail::leaves_of<element_type>();
    std::size_t n = 0;
    while (leaves[n].offset != offset || leaves[n].type != type) ++n;
    return all.of[n];
  }
  detail::Position position(const detail::Index& i) const {
    detail::Position p = detail::element_of<element_type>(0, detail::checked_index(i, size()), i.where);
    p.registers = {elements_, &number_at, size()};
    return p;
  }
};

// An element that is an array. Example: s.unchecked_mut(i).cells[k] += 1;
template <class T>
  requires detail::HostArray<std::remove_const_t<T>>
class Ref<T> : public detail::ArrayElement<T> {
  using Base = detail::ArrayElement<T>;
  using Host = std::remove_const_t<T>;

 public:
  void operator=(const Value<Host>& value) && { Base::write(value); }
  void operator=(Ref&& source) && { Base::write(Value<Host>(std::move(source))); }

  explicit Ref(const detail::Position& position) : Base(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<T>(memory, index, where)) {}
  Ref(const Ref&) = delete;
};

namespace detail {

template <class T>
  requires HostArray<std::remove_const_t<T>>
class Place<T> : public ArrayElement<T> {
  using Base = ArrayElement<T>;
  using Host = std::remove_const_t<T>;

 public:
  void operator=(const Value<Host>& value) { Base::write(value); }
  void operator=(const Place& source) { Base::write(Value<Host>(source)); }
  explicit Place(const Position& position) : Base(position) {}
  Place(const Place&) = delete;
};

}  // namespace detail
}  // namespace oxide
