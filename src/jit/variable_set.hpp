// A set of a body's variables.
#pragma once

#include <oxide/ir/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oxide::jit {

class VariableSet {
 public:
  explicit VariableSet(std::size_t size = 0) : words_((size + 63) / 64, 0) {}
  void insert(ir::Variable v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void erase(ir::Variable v) { words_[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }
  bool contains(ir::Variable v) const { return words_[v / 64] >> (v % 64) & 1; }
  bool merge(const VariableSet& other) {
    bool changed = false;
    for (std::size_t w = 0; w != words_.size(); ++w) {
      const std::uint64_t both = words_[w] | other.words_[w];
      changed |= both != words_[w];
      words_[w] = both;
    }
    return changed;
  }
  template <class F>
  void each(F&& f) const {
    for (std::size_t w = 0; w != words_.size(); ++w)
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
        f(static_cast<ir::Variable>(64 * w + static_cast<std::size_t>(__builtin_ctzll(bits))));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace oxide::jit
