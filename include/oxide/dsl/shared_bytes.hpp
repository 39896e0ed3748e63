// Alternatives that share their bytes, as words that are variables of the kernel.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include <oxide/dsl/choice_element.hpp>

namespace oxide {

namespace detail {

template <class... T>
struct SharedBytes {
  static constexpr std::size_t most(std::initializer_list<std::size_t> all) {
    std::size_t n = 1;
    for (const std::size_t x : all) n = x > n ? x : n;
    return n;
  }
  static constexpr std::size_t alignment = most({alignof(T)...});
  static constexpr std::size_t size = (most({sizeof(T)...}) + alignment - 1) / alignment * alignment;
  static constexpr std::size_t word = word_size(size, alignment), words = size / word;

  static void leaves(Leaf*& out, std::uint32_t offset) {
    for (std::size_t w = 0; w != words; ++w) *out++ = {word_type(word), offset + static_cast<std::uint32_t>(w * word)};
  }
};

// The words of alternatives, as variables.
template <class... T>
class SharedWords {
  using S = SharedBytes<T...>;

 public:
  explicit SharedWords(Where where) {
    for (trace::Handle& w : words_) w = constant(word_type(S::word), 0, where);
  }
  explicit SharedWords(const trace::Handle*& in) {
    for (trace::Handle& w : words_) w = *in++;
  }
  SharedWords(const SharedWords& other, Where where) {
    for (std::size_t w = 0; w != S::words; ++w) words_[w] = emit(ir::Opcode::copy, word_type(S::word), other.words_[w], 0, where);
  }
  void assign(const SharedWords& other, Where where) { assign_leaves(S::words, words_, other.words_, where); }
  void into(trace::Handle*& out) const {
    for (const trace::Handle w : words_) *out++ = w;
  }
  template <class A>
  static SharedWords made_of(const ValueOf<A>& value, Where where) {
    trace::Handle words[S::words];
    pack(leaves_of<A>(), leaf_count<A>, handles_of<A>(value).of, S::word, S::words, words, where);
    const trace::Handle* in = words;
    SharedWords made(in);
    return SharedWords(made, where);
  }
  template <class A>
  ValueOf<A> as(Where where) const {
    Handles<A> all;
    unpack(leaves_of<A>(), leaf_count<A>, words_, S::word, all.of, where);
    copy_leaves(leaves_of<A>(), leaf_count<A>, all.of, where);
    return value_from<A>(all, where);
  }

 private:
  trace::Handle words_[S::words];
};

template <class T, class... Ts>
constexpr std::size_t place_of() {
  constexpr bool same[] = {std::is_same_v<T, Ts>...};
  std::size_t found = sizeof...(Ts);
  for (std::size_t i = 0; i != sizeof...(Ts); ++i)
    if (same[i]) found = i;
  return found;
}

}  // namespace detail

}  // namespace oxide
