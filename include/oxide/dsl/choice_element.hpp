// What options, results and variants have in common: elements of memory that are one.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <oxide/dsl/bits.hpp>
#include <oxide/dsl/print_shapes.hpp>

namespace oxide {

namespace detail {

template <class T>
inline constexpr bool is_choice = false;
template <class T>
concept ChoiceElement = is_choice<std::remove_const_t<T>>;

// a where the condition holds, else b, of any type; no branch.
template <class T>
ValueOf<T> select_value(trace::Handle condition, const ValueOf<T>& a, const ValueOf<T>& b, Where where) {
  Handles<T> x = handles_of<T>(a);
  const Handles<T> y = handles_of<T>(b);
  const Leaf* leaves = leaves_of<T>();
  for (std::size_t i = 0; i != leaf_count<T>; ++i) {
    const trace::Handle operands[] = {condition, x.of[i], y.of[i]};
    x.of[i] = record(ir::Opcode::select, leaves[i].type, operands, 3, 0, where);
  }
  return value_from<T>(x, where);
}

}  // namespace detail

// Read when it becomes a value, written when it is assigned to.
template <class T>
  requires detail::ChoiceElement<T>
class Ref<T> {
  using Host = std::remove_const_t<T>;

 public:
  void operator=(const Value<Host>& value) && {
    static_assert(!std::is_const_v<T>, "oxide: this element can only be read");
    detail::write<Host>(position_, value, position_.where);
  }
  void operator=(Ref&& source) && { std::move(*this) = Value<Host>(std::move(source)); }

  // For oxide's own headers.
  explicit Ref(const detail::Position& position) : position_(position) {}
  Ref(std::uint32_t memory, trace::Handle index, detail::Where where) : Ref(detail::element_of<T>(memory, index, where)) {}
  Ref(const Ref&) = delete;
  const detail::Position& oxide_position() const { return position_; }

 private:
  detail::Position position_;
};

namespace detail {
template <class T>
  requires ChoiceElement<T>
class Place<T> : public Ref<T> {
 public:
  using Ref<T>::Ref;
  void operator=(const Value<std::remove_const_t<T>>& value) { static_cast<Ref<T>&&>(*this) = value; }
  operator Value<std::remove_const_t<T>>() const {
    return value_from<std::remove_const_t<T>>(loaded<std::remove_const_t<T>>(this->oxide_position()), this->oxide_position().where);
  }
};
}  // namespace detail

}  // namespace oxide
