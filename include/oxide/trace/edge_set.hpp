// A set of edges of the graph that is being explored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <oxide/trace/walker.hpp>

namespace oxide::trace {

// Bit 2 * node + side.
class EdgeSet {
 public:
  void reset(std::size_t nodes) { words_.assign((2 * nodes + 63) / 64, 0); }
  void insert(Edge e) { words_[index(e) / 64] |= std::uint64_t{1} << (index(e) % 64); }
  void erase(Edge e) { words_[index(e) / 64] &= ~(std::uint64_t{1} << (index(e) % 64)); }
  bool contains(Edge e) const { return words_[index(e) / 64] >> (index(e) % 64) & 1; }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
  }
  void subtract(const EdgeSet& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= ~other.words_[k];
  }

 private:
  static std::size_t index(Edge e) { return 2 * static_cast<std::size_t>(e.node) + static_cast<std::size_t>(e.side); }
  std::vector<std::uint64_t> words_;
};

}  // namespace oxide::trace
