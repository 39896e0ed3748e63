// Spans of numbers as spans of vectors, each of which is one access: span.as_vectors<4>().
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/disjoint_span.hpp>
#include <oxide/dsl/vector_operators.hpp>

namespace oxide {
namespace detail {

// A span as vectors: the memory stays the span's, an index counts vectors. Made after a check that the span is made of whole, aligned
// vectors.
template <class T, std::size_t n>
class VectorSpanBase {
  static_assert((n & (n - 1)) == 0 && n > 1 && n <= 16, "oxide: span.as_vectors<N>() takes 2, 4, 8 or 16");

 public:
  using element_type = Vector<std::remove_const_t<T>, n>;
  VectorSpanBase(std::uint32_t memory, Where where) : memory_(memory) {
    emit(ir::Opcode::check_vectors, ir::Type::none, memory | std::uint64_t{n} << 32, where);
  }
  // How many vectors.
  u64 size(Where where = Where::current()) const { return u64::from_handle(vectors(where), where); }

 protected:
  trace::Handle vectors(Where where) const {
    return emit(ir::Opcode::div, ir::Type::u64, length(where), constant(ir::Type::u64, n, where), 0, where);
  }
  trace::Handle length(Where where) const { return emit(ir::Opcode::length, ir::Type::u64, memory_, where); }
  Position position(trace::Handle vector, Where where) const {
    Position p = element_of<T>(memory_, emit(ir::Opcode::mul, ir::Type::u64, vector, constant(ir::Type::u64, n, where), 0, where), where);
    p.alignment = alignof(element_type);
    p.claimed = true;
    return p;
  }
  // Checks that the last number of the vector is there. min keeps the product from wrapping.
  Position checked_position(const Index& i) const {
    const trace::Handle vector = emit(ir::Opcode::min, ir::Type::u64, i.handle, length(i.where), 0, i.where);
    const Position p = position(vector, i.where);
    const trace::Handle last = emit(ir::Opcode::add, ir::Type::u64, p.index, constant(ir::Type::u64, n - 1, i.where), 0, i.where);
    emit(ir::Opcode::check_bounds, ir::Type::none, last, memory_, i.where);
    return p;
  }

 private:
  std::uint32_t memory_;
};

}  // namespace detail

// What span.as_vectors<N>() gives of an ox::Span: v[i] is vector i, read with one access.
template <class T, std::size_t N>
class VectorSpan : public detail::VectorSpanBase<T, N> {
  using Base = detail::VectorSpanBase<T, N>;

 public:
  using Base::Base;
  Value<typename Base::element_type> operator[](detail::Index i) const {
    return detail::read<typename Base::element_type>(Base::checked_position(i));
  }
  // Reads or writes without a check of i.
  Ref<typename Base::element_type> unchecked_mut(detail::Index i) const {
    static_assert(!std::is_const_v<T>, "oxide: this span can only be read");
    return Ref<typename Base::element_type>(Base::position(i.handle, i.where));
  }
};

// What as_vectors<N>() gives of an ox::DisjointSpan: each thread writes its own vector.
template <class T, std::size_t N>
class DisjointVectorSpan : public detail::VectorSpanBase<T, N> {
  using Base = detail::VectorSpanBase<T, N>;

 public:
  using Base::Base;
  MaybeRef<typename Base::element_type> get_mut(const ThreadIndex<Linear>& index, detail::Where where = detail::Where::current()) const {
    return {Base::position(index.handle(), where),
            detail::emit(ir::Opcode::less, ir::Type::boolean, index.handle(), Base::vectors(where), 0, where)};
  }
};

template <class T, std::size_t n>
struct detail::VectorSpans {
  static VectorSpan<T, n> span(std::uint32_t memory, Where where) { return {memory, where}; }
  static DisjointVectorSpan<T, n> disjoint(std::uint32_t memory, Where where) { return {memory, where}; }
};

}  // namespace oxide
