// The launch shapes that cover a number of elements.
#pragma once

#include <cstdint>
#include <string>

#include <oxide/error.hpp>
#include <oxide/linkage.hpp>
#include <oxide/runtime/launch_config.hpp>

namespace oxide {

namespace detail {
constexpr std::uint64_t blocks_for(std::uint64_t n, std::uint64_t block) { return n / block + (n % block != 0); }
}  // namespace detail

OXIDE_INLINE std::string Dim3::text() const { return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z); }
OXIDE_INLINE std::string LaunchConfig::text() const { return "grid " + grid.text() + ", block " + block.text(); }

OXIDE_INLINE LaunchConfig LaunchConfig::for_num_elems(std::uint64_t n) {
  std::uint32_t block = default_block;
  while (block < largest_block && detail::blocks_for(n, block) > largest_grid_x) block *= 2;
  const std::uint64_t grid = detail::blocks_for(n, block);
  if (grid > largest_grid_x)
    throw LaunchError("", -1, "at most " + std::to_string(std::uint64_t{largest_grid_x} * largest_block) + " threads in one launch",
                      std::to_string(n) + " elements");
  return {Dim3(static_cast<std::uint32_t>(grid)), Dim3(block)};
}

OXIDE_INLINE LaunchConfig LaunchConfig::for_2d(std::uint64_t width, std::uint64_t height) {
  // A warp along the row, so that its accesses are contiguous; taller blocks only when the rows ask for more blocks than fit.
  std::uint32_t rows = default_block / 32;
  while (32 * rows < largest_block && detail::blocks_for(height, rows) > largest_grid_yz) rows *= 2;
  const std::uint64_t x = detail::blocks_for(width, 32), y = detail::blocks_for(height, rows);
  if (x > largest_grid_x || y > largest_grid_yz)
    throw LaunchError("", -1,
                      "at most " + std::to_string(std::uint64_t{largest_grid_x} * 32) + " columns and " +
                          std::to_string(std::uint64_t{largest_grid_yz} * (largest_block / 32)) + " rows in one launch",
                      std::to_string(width) + " columns and " + std::to_string(height) + " rows");
  return {Dim3(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)), Dim3(32, rows)};
}

OXIDE_INLINE void SharedSizes::refuse(std::size_t sizes, std::uint64_t size) {
  if (sizes > most) throw LaunchError("", -1, "at most " + std::to_string(most) + " sizes of shared arrays", std::to_string(sizes));
  throw LaunchError("", -1, "a size of a shared array below 2^32 elements", std::to_string(size));
}

}  // namespace oxide
