// What operations of a trace name beside values: strings. Operations carry the number of the declaration; equal declarations are one,
// so that the number depends neither on the run nor on the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <oxide/ir/graph.hpp>

namespace oxide::trace {

// Shared by all runs of one kernel lambda.
class Declarations {
 public:
  std::uint32_t string(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>()(text);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto i = first; i != last; ++i)
      if (strings_[i->second] == text) return i->second;
    const auto number = static_cast<std::uint32_t>(strings_.size());
    strings_.emplace_back(text);
    by_hash_.emplace(hash, number);
    return number;
  }

  // Gives the graph what its operations name, numbered in the order of their first use.
  void resolve(ir::Graph& graph) const {
    std::vector<std::uint32_t> string_of(strings_.size(), unused);
    for (ir::Block& block : graph.blocks)
      for (ir::Operation& op : block.operations) {
        if (ir::row_of(op.opcode).immediate != ir::Immediate::string) continue;
        std::uint32_t& number = string_of[static_cast<std::size_t>(op.immediate)];
        if (number == unused) {
          number = static_cast<std::uint32_t>(graph.strings.size());
          graph.strings.push_back(strings_[static_cast<std::size_t>(op.immediate)]);
        }
        op.immediate = number;
      }
  }

 private:
  static constexpr std::uint32_t unused = 0xffffffff;
  std::vector<std::string> strings_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

}  // namespace oxide::trace
