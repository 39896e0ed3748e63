// Where the code of a key stands in the graph that is being explored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <oxide/trace/walker.hpp>

namespace oxide::trace {

// The newest node of each key.
class KeyTable {
 public:
  void clear() { rows_.assign(256, {}), used_ = 0; }
  int find(std::uint64_t key) const {
    for (std::size_t i = key & (rows_.size() - 1);; i = (i + 1) & (rows_.size() - 1)) {
      if (rows_[i].node == no_node) return no_node;
      if (rows_[i].key == key) return rows_[i].node;
    }
  }
  int exchange(std::uint64_t key, int node) {
    if (used_ * 2 >= rows_.size()) grow();
    for (std::size_t i = key & (rows_.size() - 1);; i = (i + 1) & (rows_.size() - 1)) {
      if (rows_[i].node == no_node) return rows_[i] = {key, node}, ++used_, no_node;
      if (rows_[i].key == key) return std::exchange(rows_[i].node, node);
    }
  }

 private:
  struct Row {
    std::uint64_t key = 0;
    int node = no_node;
  };
  void grow() {
    std::vector<Row> old(rows_.size() * 2);
    old.swap(rows_);
    for (const Row& row : old) {
      if (row.node == no_node) continue;
      std::size_t i = row.key & (rows_.size() - 1);
      while (rows_[i].node != no_node) i = (i + 1) & (rows_.size() - 1);
      rows_[i] = row;
    }
  }
  std::vector<Row> rows_;
  std::size_t used_ = 0;
};

}  // namespace oxide::trace
