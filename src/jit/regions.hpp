// A kernel's graph cut at its barriers and warp operations, for processors, which run the threads of a block one after another.
//
// A *point* is a place where threads wait for each other: a collective operation, or (a transfer) nothing but the start of code that
// several regions would otherwise each have a copy of. A *region* is the code after a point, up to the next points.
#pragma once

#include <oxide/ir/graph.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace oxide::jit {

struct Region {
  ir::Graph graph;                       // with the variables of the kernel's; its blocks end in `exit` where it ends
  std::vector<std::uint32_t> exits;      // of each block that ends in `exit`: the point it comes to, or `thread_ends`
  std::vector<std::uint32_t> sites;      // of each check of `graph`: its number in the kernel
  std::vector<ir::Variable> inherited;   // variables that it reads as they were at its point
  std::vector<std::vector<ir::Variable>> saved;  // of each block that ends in `exit`: what must be kept for the regions behind
};

struct Point {
  bool collective = false;    // else a transfer
  ir::Operation operation;    // of a collective
  std::uint32_t site = 0;     // its number among the kernel's sites
  std::array<std::optional<std::uint64_t>, ir::max_operands> constants;  // operands that are the same everywhere, which are not kept
};

struct Regions {
  static constexpr std::uint32_t thread_ends = 0xffffffff;
  std::vector<Point> points;    // in the order in which threads come to them; 0 is a transfer, the kernel's start
  std::vector<Region> regions;  // of each point
  ir::Graph graph;              // the kernel's, as it was cut: no product is to be fused any more
  struct Array {
    ir::Variable variable;  // its address: of one `local_array`
    ir::ArrayShape shape;
  };
  std::vector<Array> arrays;
  std::uint32_t function_sites = 0;  // the number of the first check that is in a function
  std::vector<bool> kept;       // variables whose values live from one region to another
};

// `fuses`: whether a*b + c becomes one operation where the graph allows it. That is decided before the graph is cut.
Regions cut(const ir::Graph& graph, bool fuses);

}  // namespace oxide::jit
