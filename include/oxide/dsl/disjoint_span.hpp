// ox::DisjointSpan<T, Space>: an array of which each thread writes its own element only.
#pragma once

#include <cstdint>
#include <type_traits>

#include <oxide/dsl/index_space.hpp>
#include <oxide/dsl/span.hpp>

namespace oxide {
namespace detail {

// Notes a further use of a memory; none takes back what another one needs. `access` may be null.
inline void raise_access(ir::Access* access, ir::Access used) {
  if (access != nullptr && (*access == ir::Access::read || used == ir::Access::write)) *access = used;
}

template <class T>
class Arrow;

}  // namespace detail

// The element of this thread, if the array is long enough to have one. Test it, then read or write it with *:
// Example: if (auto out = c.get_mut(idx)) *out = x;
template <class T>
class MaybeRef {
 public:
  // Whether there is such an element: a decision.
  [[gnu::always_inline]] explicit operator bool() const { return exists_ = detail::decide(condition_, element_.where); }

  // The element; throws TraceError where this path has not found that there is one.
  Ref<T> operator*() const {
    if (!exists_)
      detail::refuse(element_.where, "the element of get_mut was used where it was not tested; write `if (auto e = s.get_mut(i)) *e = x;`");
    return Ref<T>(element_);
  }
  // A member of an element that is a struct. Example: if (auto p = particles.get_mut(i)) p->mass += 1;
  auto operator->() const
    requires std::is_class_v<T>
  {
    (void)**this;
    return detail::Arrow<T>(element_);
  }

#define OXIDE_DSL_UNTESTED(symbol)                                                                                                      \
  template <class A>                                                                                                                    \
    requires(!std::is_same_v<std::remove_cvref_t<A>, MaybeRef>)                                                                         \
  void operator symbol(A&&) {                                                                                                           \
    static_assert(sizeof(A) == 0, "oxide: what get_mut gives may be an element; write `if (auto e = s.get_mut(i)) *e " #symbol " x;`"); \
  }
  OXIDE_DSL_UNTESTED(=)
  OXIDE_DSL_UNTESTED(+=)
  OXIDE_DSL_UNTESTED(-=)
  OXIDE_DSL_UNTESTED(*=)
  OXIDE_DSL_UNTESTED(/=)
#undef OXIDE_DSL_UNTESTED

  // For oxide's own headers.
  MaybeRef(std::uint32_t memory, trace::Handle index, trace::Handle condition, detail::Where where)
      : MaybeRef(detail::element_of<T>(memory, index, where), condition) {}
  MaybeRef(const detail::Position& element, trace::Handle condition) : element_(element), condition_(condition) {}

 private:
  detail::Position element_;
  trace::Handle condition_;
  mutable bool exists_ = false;
};

// No operator[] compiles: an element is reached only through the ThreadIndex of the thread that owns it.
template <class T, class Space = Linear>
class DisjointSpan : public detail::SpanBase {
  static_assert(
      detail::Element<T>,
      "oxide: the elements of a span are bool, integers, floating-point numbers, enumerations, and structs, tuples and arrays of them");
  static_assert(!std::is_const_v<T>, "oxide: an ox::DisjointSpan is written; for reading use ox::Span<const T>");

 public:
  using element_type = T;
  using space = Space;

  // This thread's element: there is one where the index is below size() and, in a Grid2D, the column is below the row's length.
  MaybeRef<T> get_mut(const ThreadIndex<Space>& index, detail::Where where = detail::Where::current()) const {
    return MaybeRef<T>(memory(), index.handle(), exists(index, where), where);
  }
  template <class Other>
  MaybeRef<T> get_mut(const Other&, detail::Where where = detail::Where::current()) const {
    static_assert(
        sizeof(Other) == 0,
        "oxide: get_mut takes the thread index of the span's own space, which only ox::thread::index_1d(), index_2d<Stride>() and "
        "the like and ox::grid_stride(n) make; any element is s.unchecked_mut(i), unchecked");
    return MaybeRef<T>(memory(), {}, {}, where);
  }
  template <class I>
  Ref<T> operator[](const I&) const {
    static_assert(sizeof(I) == 0,
                  "oxide: an ox::DisjointSpan has no operator[]: each thread has an element of its own, `if (auto e = "
                  "s.get_mut(ox::thread::index_1d())) *e = x;`; to read others, take an ox::Span<const T>");
    return Ref<T>(memory(), {}, {});
  }

  // The array as vectors of N elements, of which each thread writes its own; see <oxide/dsl/vector.hpp>.
  template <std::size_t N>
  auto as_vectors(detail::Where where = detail::Where::current()) const {
    return detail::VectorSpans<T, N>::disjoint(memory(), where);
  }

  // Reads or writes any element without any check: i must be below size(), and no other thread may touch it.
  Ref<T> unchecked_mut(detail::Index i) const {
    detail::raise_access(access_, ir::Access::write);
    return Ref<T>(memory(), i.handle, i.where);
  }

  // For oxide's own headers; `access` becomes `write` when the kernel reaches elements that are not this thread's own.
  explicit DisjointSpan(std::uint32_t memory, ir::Access* access = nullptr) : detail::SpanBase(memory), access_(access) {}
  ir::Access* access() const { return access_; }

 private:
  trace::Handle exists(const ThreadIndex<Space>& index, detail::Where where) const {
    const trace::Handle length = detail::emit(ir::Opcode::length, ir::Type::u64, memory(), where);
    const trace::Handle in_length = detail::emit(ir::Opcode::less, ir::Type::boolean, index.handle(), length, 0, where);
    if constexpr (std::is_empty_v<detail::IndexParts<Space>>) {
      return in_length;
    } else {
      const trace::Handle stride = detail::constant(ir::Type::u64, Space::stride, where);
      const trace::Handle in_row = detail::emit(ir::Opcode::less, ir::Type::boolean, index.parts().column, stride, 0, where);
      return detail::emit(ir::Opcode::bit_and, ir::Type::boolean, in_row, in_length, 0, where);
    }
  }

  ir::Access* access_;
};

}  // namespace oxide
