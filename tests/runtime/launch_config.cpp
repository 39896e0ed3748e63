// The shapes that LaunchConfig works out.
#include <oxide/error.hpp>
#include <oxide/runtime/launch_config.hpp>

#include <catch2/catch.hpp>

#include <cstdint>

using oxide::Dim3;
using oxide::LaunchConfig;

TEST_CASE("for_num_elems covers all elements with the fewest blocks") {
  for (const std::uint64_t n : {1ull, 255ull, 256ull, 257ull, 1000000ull, 1ull << 28}) {
    const LaunchConfig config = LaunchConfig::for_num_elems(n);
    CHECK(config.block == Dim3(256));
    CHECK(config.grid.count() * 256 >= n);
    CHECK((config.grid.count() - 1) * 256 < n);
    CHECK(config.grid == Dim3(config.grid.x));
  }
}

TEST_CASE("for_num_elems of nothing is an empty launch") {
  CHECK(LaunchConfig::for_num_elems(0).empty());
  CHECK_FALSE(LaunchConfig::for_num_elems(1).empty());
}

TEST_CASE("for_num_elems takes larger blocks when the grid would be too long") {
  const std::uint64_t most = 0x7fffffff;
  CHECK(LaunchConfig::for_num_elems(most * 256).block == Dim3(256));
  CHECK(LaunchConfig::for_num_elems(most * 256 + 1).block == Dim3(512));
  CHECK(LaunchConfig::for_num_elems(most * 1024).block == Dim3(1024));
  CHECK(LaunchConfig::for_num_elems(most * 1024).grid == Dim3(0x7fffffff));
  CHECK_THROWS_WITH(LaunchConfig::for_num_elems(most * 1024 + 1),
                    "launch: needed at most 2199023254528 threads in one launch, got 2199023254529 elements");
  CHECK_THROWS_AS(LaunchConfig::for_num_elems(~0ull), oxide::LaunchError);
}

TEST_CASE("for_2d covers every row and column") {
  const LaunchConfig config = LaunchConfig::for_2d(1000, 77);
  CHECK(config.block == Dim3(32, 8));
  CHECK(config.grid == Dim3(32, 10));
  CHECK(LaunchConfig::for_2d(0, 5).empty());
  CHECK(LaunchConfig::for_2d(32, 65535 * 8 + 1).block == Dim3(32, 16));
  CHECK(LaunchConfig::for_2d(32, 65535 * 32).grid.y == 65535);
  CHECK_THROWS_AS(LaunchConfig::for_2d(32, 65535 * 32 + 1), oxide::LaunchError);
}
