// The shape of a launch: a grid of blocks of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace oxide {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  constexpr Dim3() = default;
  constexpr Dim3(std::uint32_t x_size, std::uint32_t y_size = 1, std::uint32_t z_size = 1) : x(x_size), y(y_size), z(z_size) {}

  // Does not overflow for a grid that a device takes (2^31 * 2^16 * 2^16 < 2^64).
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  std::string text() const;
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

// The sizes of a kernel's shared arrays that each launch decides, in elements, in the order in which the kernel declares them.
struct SharedSizes {
  static constexpr std::uint32_t most = 8;
  std::uint32_t count = 0;
  std::uint32_t elements[most] = {};

  constexpr SharedSizes() = default;
  // Throws LaunchError when there are more than `most`, or one is above 2^32 - 1.
  constexpr SharedSizes(std::initializer_list<std::uint64_t> sizes) {
    for (const std::uint64_t size : sizes) {
      if (count == most || size > 0xffffffff) refuse(sizes.size(), size);
      elements[count++] = static_cast<std::uint32_t>(size);
    }
  }
  friend constexpr bool operator==(const SharedSizes&, const SharedSizes&) = default;

 private:
  [[noreturn]] static void refuse(std::size_t sizes, std::uint64_t size);
};

// How many blocks, and how many threads in each. A grid with a zero in it is an empty launch: its arguments are checked and nothing runs.
// Example: LaunchConfig{.grid = {120, 68}, .block = {16, 16}}
struct LaunchConfig {
  Dim3 grid;
  Dim3 block;
  SharedSizes shared{};

  static constexpr std::uint32_t default_block = 256;
  static constexpr std::uint32_t largest_block = 1024;        // threads; of every device
  static constexpr std::uint32_t largest_grid_x = 0x7fffffff;  // of every device (CUDA programming guide, compute capabilities)
  static constexpr std::uint32_t largest_grid_yz = 65535;

  // At least n threads in one dimension. Blocks have 256 threads, and more only when n asks for more than 2^31-1 of those. n = 0 gives
  // an empty launch. Throws LaunchError when n is above (2^31-1) * 1024.
  static LaunchConfig for_num_elems(std::uint64_t n);

  // At least one thread for each element of a width x height array, x along the row. Throws LaunchError when height is above 65535 * 32.
  static LaunchConfig for_2d(std::uint64_t width, std::uint64_t height);

  constexpr std::uint64_t threads_per_block() const { return block.count(); }
  constexpr bool empty() const { return grid.x == 0 || grid.y == 0 || grid.z == 0; }
  std::string text() const;
  friend constexpr bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/runtime/launch_shapes.hpp>
#endif
