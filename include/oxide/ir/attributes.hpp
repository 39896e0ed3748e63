// Which attributes a kernel may have.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <oxide/ir/graph.hpp>

namespace oxide::ir {

// What is wrong with attributes; nothing when they make sense. The limits are those of compute capability 7.5 and newer (CUDA C++
// Programming Guide, "Technical Specifications"), for clusters of 9.0, of which 8 blocks are portable.
constexpr std::string_view defect_of(const Attributes& a) {
  constexpr std::uint32_t most_threads = 1024, most_blocks = 32, most_registers = 255, largest_cluster = 16, largest_stack = 512 * 1024;
  const auto count = [](const std::array<std::uint32_t, 3>& extent) { return std::uint64_t{extent[0]} * extent[1] * extent[2]; };
  const auto partial = [](const std::array<std::uint32_t, 3>& e) {
    return (e[0] == 0 || e[1] == 0 || e[2] == 0) && (e[0] != 0 || e[1] != 0 || e[2] != 0);
  };
  const auto small = [](const std::array<std::uint32_t, 3>& e) { return e[0] <= 1024 && e[1] <= 1024 && e[2] <= 64; };
  if (a.max_threads > most_threads) return "launch_bounds takes 1 to 1024 threads a block";
  if (a.min_blocks > most_blocks || (a.min_blocks != 0 && a.max_threads == 0 && a.block[0] == 0))
    return "launch_bounds takes at most 32 blocks a multiprocessor, and needs threads with them";
  if (partial(a.block) || !small(a.block) || count(a.block) > most_threads)
    return "a block has 1 to 1024 threads, at most 1024 x 1024 x 64";
  if (a.block[0] != 0 && a.max_threads != 0 && count(a.block) > a.max_threads) return "the block is larger than the launch_bounds";
  if (partial(a.cluster) || !small(a.cluster) || count(a.cluster) > largest_cluster) return "a cluster has 1 to 16 blocks";
  if (a.max_registers > most_registers || (a.max_registers != 0 && a.max_registers < 16)) return "max_registers takes 16 to 255 registers";
  if (a.stack_size > largest_stack) return "stack_size takes at most 512 KiB";
  return {};
}

}  // namespace oxide::ir
