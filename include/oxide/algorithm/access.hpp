// Accesses without checks, for algorithms that know where they are: elements and whole vectors of spans, atomics of shared arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <oxide/dsl/atomic.hpp>
#include <oxide/dsl/span.hpp>
#include <oxide/dsl/vector_span.hpp>

namespace oxide::detail {

template <class T>
Value<std::remove_const_t<T>> unchecked(const Span<T>& span, Index i) {
  return read<std::remove_const_t<T>>(element_of<std::remove_const_t<T>>(span.memory(), i.handle, i.where));
}

// The N elements from element i on, which is a multiple of N, of a span that starts at an aligned address, as all buffers do.
template <std::size_t N, class T>
Ref<Vector<T, N>> unchecked_vector_at(std::uint32_t memory, const Index& i) {
  Position p = element_of<T>(memory, i.handle, i.where);
  p.alignment = alignof(Vector<T, N>);
  p.claimed = true;
  return Ref<Vector<T, N>>(p);
}
template <std::size_t N, class T>
Value<Vector<std::remove_const_t<T>, N>> unchecked_vector(const Span<T>& span, Index i) {
  return unchecked_vector_at<N, std::remove_const_t<T>>(span.memory(), i);
}

// Among the threads of the block.
template <class T>
Atomic<T, Scope::block> unchecked_atomic(const SharedArray<T>& array, Index i) {
  return Atomic<T, Scope::block>(array.memory(), i.handle, i.where);
}
template <class T>
Atomic<T, Scope::device> unchecked_atomic(const Span<T>& span, Index i) {
  return Atomic<T, Scope::device>(span.memory(), i.handle, i.where);
}

}  // namespace oxide::detail
